/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/viewers.h"

#include "base/own.h"
#include "qemu/props.h"
#include "qemu/vmm.h"

static const char *protocol_of(const struct domain_def *def, unsigned index, struct error *err)
{
    if (index >= def->graphics.count)
        return fail(err, ERR_INTERNAL, "No graphics backend with index %u", index), NULL;
    enum graphics_type type = def->graphics.items[index]->type;
    if (type != GRAPHICS_VNC && type != GRAPHICS_SPICE)
        return fail(err, ERR_INVALID_ARG, "Can only open VNC or SPICE graphics backends, not %s",
                    enum_word(&graphics_type_names, type)), NULL;
    return enum_word(&graphics_type_names, type);
}

int domain_add_viewer(struct domain *dom, unsigned index, bool without_password, int fd, struct error *err)
{
    owned_fd int viewer = fd;
    struct vmm *vmm = vmm_get(dom, err);
    const char *protocol = vmm ? protocol_of(vmm->def, index, err) : NULL;
    if (!protocol)
        return -1;
    owned_props struct props client;
    props_open(&client);
    props_text(&client, "protocol", protocol);
    props_text(&client, "fdname", "viewer");
    props_bool(&client, "skipauth", without_password);
    monitor_pass_fd(vmm->monitor, own_take_fd(&viewer));
    if (monitor_call(vmm->monitor, "getfd", "{\"fdname\":\"viewer\"}", NULL, err) < 0)
        return -1;
    if (monitor_call(vmm->monitor, "add_client", props_end(&client), NULL, err) == 0)
        return 0;
    error_scope(ignored);               /* it is closed already if the VMM took it before it refused */
    monitor_call(vmm->monitor, "closefd", "{\"fdname\":\"viewer\"}", NULL, &ignored);
    return -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/edit.h"

#include "conf/device.h"
#include "daemon/daemon.h"
#include "domain/definitions.h"
#include "qemu/live.h"

struct domain_def *edit_check(struct request *request, const struct domain_def *changed,
                              enum edit_which which, const char *device, struct error *err)
{
    unsigned live = which == EDIT_LIVE ? DOMAIN_DEF_LIVE : 0;
    owned_findings struct findings findings = { 0 };
    owned_buffer struct buffer xml = { 0 };
    owned_buffer struct buffer with_device = { 0 };
    domain_def_format(changed, DOMAIN_DEF_SECRETS | live, live ? &request->dom->runtime : NULL, &xml);
    if (device && device_insert(xml.data, device, &with_device, err) < 0)
        return NULL;
    owned(domain_def) struct domain_def *def = emulators_read_definition(
        &request->daemon->emulators, device ? with_device.data : xml.data, live, &findings, err);
    return def && live ? domain_def_copy_live(def) : take(def);
}

int edit_keep(struct request *request, struct domain_def *def, struct error *err)
{
    struct domain *dom = request->dom;
    if (definition_save(dom->registry, def, err) < 0)
        return -1;
    domain_set_def(dom, def);
    return 0;
}

int edit_config(struct request *request, const struct domain_def *changed, struct error *err)
{
    owned(domain_def) struct domain_def *def = edit_check(request, changed, EDIT_CONFIG, NULL, err);
    return def ? edit_keep(request, def, err) : -1;
}

int edit_live(struct request *request, struct domain_def *changed, struct error *err)
{
    return domain_replace_live(request->dom, changed, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live.h"

#include "domain/status.h"
#include "qemu/vmm.h"

int domain_replace_live(struct domain *dom, struct domain_def *def, struct error *err)
{
    struct vmm *vmm = dom->vmm;
    if (!vmm)
        return domain_check_active(dom, err) < 0
                   ? -1
                   : fail(err, ERR_OPERATION_INVALID, "domain '%s' is still starting", dom->name);
    domain_def_unref(vmm->def);
    vmm->def = domain_def_ref(def);
    domain_set_live(dom, def);
    return status_save(dom, STATUS_RUNNING, process_identity(vmm->process), vmm->socket, err);
}

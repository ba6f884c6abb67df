/* SPDX-License-Identifier: Apache-2.0 */
/* How many processors a domain has. */
#include "daemon/affect.h"
#include "daemon/request.h"

/* VIR_DOMAIN_VCPU_*, beside the bits of affect.h. */
enum { VCPU_MAXIMUM = 4, VCPU_GUEST = 8 };

int on_domain_get_vcpus_flags(struct request *request, const remote_domain_get_vcpus_flags_args *args,
                              remote_domain_get_vcpus_flags_ret *ret, struct error *err)
{
    if (check_flags(args->flags, AFFECT_BOTH | VCPU_MAXIMUM | VCPU_GUEST, err) < 0)
        return -1;
    if (args->flags & VCPU_GUEST)
        return domain_check_active(request->dom, err) < 0 ? -1
             : fail(err, ERR_AGENT, "QEMU guest agent is not connected");
    const struct domain_def *def = affect_definition(request->dom, args->flags, err);
    if (!def)
        return -1;
    ret->num = (int) (args->flags & VCPU_MAXIMUM ? def->max_vcpus : def->vcpus);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/affect.h"

#include "daemon/request.h"

int affect_resolve(const struct domain *dom, unsigned flags, unsigned *ret_affected, struct error *err)
{
    unsigned affected = flags & AFFECT_BOTH;
    if (!affected)
        affected = domain_is_active(dom) ? AFFECT_LIVE : AFFECT_CONFIG;
    if (affected & AFFECT_LIVE && domain_check_active(dom, err) < 0)
        return -1;
    if (affected & AFFECT_CONFIG && !dom->persistent)
        return fail(err, ERR_OPERATION_INVALID, "transient domains do not have any persistent config");
    if (check_definition(dom, err) < 0)
        return -1;
    *ret_affected = affected;
    return 0;
}

const struct domain_def *affect_definition(const struct domain *dom, unsigned flags, struct error *err)
{
    unsigned affected;
    if ((flags & AFFECT_BOTH) == AFFECT_BOTH) {
        fail(err, ERR_INVALID_ARG, "flags 'affect live' and 'affect config' exclude each other here");
        return NULL;
    }
    if (affect_resolve(dom, flags, &affected, err) < 0)
        return NULL;
    return affected & AFFECT_CONFIG ? dom->def : domain_current_def(dom);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Our own program: what a definition asked for, beside what is in effect. */
#include "base/memory.h"
#include "daemon/request.h"
#include "qemu/drift.h"

int on_domus_drift(struct request *request, const domus_drift_args *args, domus_drift_ret *ret,
                   struct error *err)
{
    if (domain_check_active(request->dom, err) < 0)
        return -1;
    owned(drift) struct drift *drift = domain_drift(request->dom, err);
    if (!drift)
        return -1;
    ret->drifts.drifts_val = memory_new((drift->items.count + 1) * sizeof *ret->drifts.drifts_val);
    for (size_t i = 0; i < drift->items.count; i++) {
        const struct drift_item *item = &drift->items.items[i];
        ret->drifts.drifts_val[ret->drifts.drifts_len++] = (domus_drift) {
            .kind = memory_copy_text(drift_word(item->kind)),
            .subject = memory_copy_text(item->subject),
            .alias = remote_string_new(item->alias),
            .path = remote_string_new(item->path),
            .type = remote_string_new(item->type),
            .property = remote_string_new(item->property),
            .asked = remote_string_new(item->asked),
            .effective = remote_string_new(item->effective),
        };
    }
    ret->compared = drift->compared;
    ret->more = drift->more;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/iothreads.h"

#include "base/memory.h"
#include "base/text.h"
#include "domain/domain.h"
#include "qemu/live.h"
#include "qemu/props.h"
#include "qemu/vmm.h"

int domain_change_iothread(struct domain *dom, struct domain_def *wanted, uint32_t id, struct error *err)
{
    bool comes = iothreads_have(&wanted->iothreads, id);
    owned_props struct props props;
    props_open(&props);
    props_text(&props, "qom-type", comes ? "iothread" : NULL);
    props_printf(&props, "id", "iothread%u", id);
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || monitor_call(vmm->monitor, comes ? "object-add" : "object-del", props_end(&props), NULL,
                             err) < 0)
        return -1;
    return domain_replace_live(dom, wanted, err);
}

int domain_iothread_id(struct domain *dom, uint32_t id, struct error *err)
{
    struct monitor_reply reply __attribute__((cleanup(monitor_reply_done))) = { 0 };
    owned_memory char *name = memory_printf("iothread%u", id);
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || monitor_call(vmm->monitor, "query-iothreads", NULL, &reply, err) < 0)
        return 0;
    const struct json *item;
    int64_t thread = 0;
    for (size_t i = 0; (item = json_at(reply.value, i)) != NULL; i++)
        if (text_equal(json_get_text(item, "id"), name) &&
            json_to_i64(json_get(item, "thread-id"), &thread) && thread > 0 && thread <= INT32_MAX)
            return (int) thread;
    fail(err, ERR_INVALID_ARG, "iothread %u not found", id);
    return 0;
}

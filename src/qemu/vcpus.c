/* SPDX-License-Identifier: Apache-2.0 */
/* Processors that come and go while their guest runs. */
#include "qemu/hotplug.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "domain/domain.h"
#include "qemu/live.h"
#include "qemu/props.h"
#include "qemu/vmm.h"

/* QEMU lists its places for processors from the last one down. */
static const struct json *place_of(const struct json *places, unsigned vcpu)
{
    return places && vcpu < places->length ? json_at(places, places->length - 1 - vcpu) : NULL;
}

static WAITS int ask_places(struct vmm *vmm, struct monitor_reply *ret_reply, struct error *err)
{
    return monitor_call(vmm->monitor, "query-hotpluggable-cpus", NULL, ret_reply, err);
}

static WAITS int plug_vcpu(struct vmm *vmm, const struct json *place, unsigned vcpu, struct error *err)
{
    const struct json *where = json_get(place, "props");
    owned_props struct props props;
    props_begin(&props, "driver", json_get_text(place, "type"));
    props_printf(&props, "id", "vcpu%u", vcpu);
    for (size_t i = 0; where && where->type == JSON_OBJECT && i < where->length; i++) {
        uint64_t number = 0;
        if (json_to_u64(where->members[i].value, &number))
            props_u64(&props, where->members[i].key, number);
    }
    return monitor_call(vmm->monitor, "device_add", props_end(&props), NULL, err);
}

/* What runs has that many from now on. */
static WAITS int note(struct domain *dom, unsigned count, struct error *err)
{
    owned(domain_def) struct domain_def *copy = domain_def_copy(dom->live);
    copy->vcpus = count;
    copy->vcpu_list.count = 0;          /* which of them are there follows from the number */
    return domain_replace_live(dom, copy, err);
}

/* After each one the definition is true, whatever becomes of the next. */
static WAITS int add_vcpu(struct domain *dom, unsigned vcpu, struct error *err)
{
    struct monitor_reply reply __attribute__((cleanup(monitor_reply_done))) = { 0 };
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || ask_places(vmm, &reply, err) < 0 || !(vmm = vmm_get(dom, err)))
        return -1;
    const struct json *place = place_of(reply.value, vcpu);
    if (!place || !json_get_text(place, "type"))
        return fail(err, ERR_VMM, "the emulator names no place for vcpu %u", vcpu);
    if (!json_get_text(place, "qom-path") && plug_vcpu(vmm, place, vcpu, err) < 0)
        return -1;
    return note(dom, vcpu + 1, err);
}

static WAITS int remove_vcpu(struct domain *dom, unsigned vcpu, struct error *err)
{
    struct monitor_reply reply __attribute__((cleanup(monitor_reply_done))) = { 0 };
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || ask_places(vmm, &reply, err) < 0)
        return -1;
    owned_memory char *alias = memory_printf("vcpu%u", vcpu);
    owned_memory char *path = memory_printf("/machine/peripheral/%s", alias);
    if (!text_equal(json_get_text(place_of(reply.value, vcpu), "qom-path"), path))
        return fail(err, ERR_UNSUPPORTED,
                    "vcpu %u was there at boot and cannot be taken away while the guest runs", vcpu);
    return domain_unplug(dom, alias, err);
}

void vcpus_forget(struct domain *dom, const char *alias)
{
    unsigned vcpu;
    char rest;
    error_scope(err);
    if (dom->live && sscanf(alias, "vcpu%u%c", &vcpu, &rest) == 1 && vcpu && vcpu < dom->live->vcpus)
        note(dom, dom->live->vcpus - 1, &err);
}

int domain_set_live_vcpus(struct domain *dom, unsigned count, struct error *err)
{
    while (dom->live && dom->live->vcpus < count)
        if (add_vcpu(dom, dom->live->vcpus, err) < 0)
            return -1;
    while (dom->live && dom->live->vcpus > count)
        if (remove_vcpu(dom, dom->live->vcpus - 1, err) < 0)
            return -1;
    return domain_check_active(dom, err);
}

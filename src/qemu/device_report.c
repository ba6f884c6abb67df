/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/device_report.h"

#include <string.h>

#include "base/text.h"
#include "conf/device.h"
#include "qemu/device_settings.h"
#include "qemu/vmm.h"

struct reporting {
    struct device_report *report;
    const struct domain_def *def;
    const struct qom_store *store;
    const struct asked *asked;
    const struct json *blocks, *chardevs; /* query-block, query-chardev; NULL for a listing */
    const char *only;                     /* NULL: all */
};

void device_report_free(struct device_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->items.count; i++)
        vector_done(&report->items.items[i].settings);
    vector_done(&report->items);
    arena_free(report->arena);
    free(report);
}

/* --- one device --- */

/* Its entry in query-block: its qdev is the device's id, or a path that leads through it. */
static const struct json *find_block(const struct json *blocks, const char *alias)
{
    owned_memory char *step = memory_printf("/%s/", alias);
    const struct json *block;
    for (size_t i = 0; (block = json_at(blocks, i)); i++) {
        const char *qdev = json_get_text(block, "qdev");
        if (qdev && (text_equal(qdev, alias) || strstr(qdev, step) || text_ends(qdev, step)))
            return block;
    }
    return NULL;
}

static const struct json *find_chardev(const struct json *chardevs, const char *id)
{
    const struct json *chardev;
    for (size_t i = 0; id && (chardev = json_at(chardevs, i)); i++)
        if (text_equal(json_get_text(chardev, "label"), id))
            return chardev;
    return NULL;
}

static bool is_known(const struct reporting *r, const char *alias)
{
    for (size_t i = 0; i < r->report->items.count; i++)
        if (text_equal(r->report->items.items[i].alias, alias))
            return true;
    return false;
}

static uint32_t find_peripheral(const struct qom_store *store, const char *alias)
{
    bool ambiguous;
    uint32_t parent = qom_store_find(store, "/machine/peripheral", &ambiguous);
    return parent == QOM_NONE ? QOM_NONE : qom_store_child(store, parent, alias);
}

static void add_device(struct reporting *r, const char *alias, const char *description,
                       const struct disk *disk)
{
    struct arena *arena = r->report->arena;
    if (!alias || (r->only && !text_equal(r->only, alias)) || is_known(r, alias) ||
        r->report->items.count == DEVICES_MAX)
        return;
    struct device_view view = {
        .arena = arena,
        .asked = r->asked,
        .store = r->store,
        .option = asked_find(r->asked, "-device", alias),
        .object = find_peripheral(r->store, alias),
        .disk = disk,
        .block = find_block(r->blocks, alias),
    };
    view.backend = device_backend(r->asked, view.option);
    view.chardev = find_chardev(r->chardevs, view.backend ? view.backend->id : NULL);
    struct device_item item = {
        .alias = arena_copy(arena, alias),
        .kind = arena_copy_bytes(arena, description, strcspn(description, " ")),
        .description = arena_copy(arena, description),
        .backend = device_backend_text(&view),
        .address = device_address_text(&view),
    };
    if (view.object != QOM_NONE) {
        owned_buffer struct buffer path = { 0 };
        qom_store_add_path(r->store, view.object, &path);
        item.path = arena_copy(arena, buffer_text(&path));
        item.type = arena_copy(arena, qom_store_type(r->store, view.object));
    }
    if (r->only)
        device_add_settings(&view, &item);
    vector_push(&r->report->items, item);
}

/* --- all of them --- */

static void add_of_definition(struct reporting *r)
{
    for (enum device_list list = 0; list < DEVICES_LISTS; list++)
        for (size_t i = 0; i < device_count(r->def, list); i++) {
            const struct device_place place = { list, i };
            owned_memory char *description = device_describe(r->def, place);
            add_device(r, device_alias_at(r->def, place), description,
                       list == DEVICES_DISK ? r->def->disks.items[i] : NULL);
        }
    if (r->def->memballoon)
        add_device(r, r->def->memballoon->alias, "memballoon", NULL);
    if (r->def->vsock)
        add_device(r, r->def->vsock->alias, "vsock", NULL);
}

static void add_of_command_line(struct reporting *r)
{
    for (size_t i = 0; i < r->asked->options.count; i++)
        if (text_equal(r->asked->options.items[i].option, "-device"))
            add_device(r, r->asked->options.items[i].id, "device of the command line", NULL);
}

static void add_of_nobody(struct reporting *r)
{
    bool ambiguous;
    uint32_t parent = qom_store_find(r->store, "/machine/peripheral", &ambiguous), first;
    uint32_t count = parent == QOM_NONE ? 0 : qom_store_children(r->store, parent, &first);
    for (uint32_t i = 0; i < count; i++) {
        bool cpu = text_ends(qom_store_type(r->store, first + i), "-cpu");
        add_device(r, qom_store_name(r->store, first + i),
                   cpu ? "vcpu that was plugged in" : "device that nobody asked for", NULL);
    }
}

static int check_found(const struct domain *dom, const struct reporting *r, struct error *err)
{
    if (!r->only || r->report->items.count)
        return 0;
    struct reporting all = *r;
    owned(device_report) struct device_report *every = all.report = NEW(struct device_report);
    every->arena = arena_new();
    all.only = NULL;
    add_of_definition(&all);
    add_of_command_line(&all);
    add_of_nobody(&all);
    owned_memory const char **names = memory_new((every->items.count + 1) * sizeof *names);
    for (size_t i = 0; i < every->items.count; i++)
        names[i] = every->items.items[i].alias;
    const char *near = text_nearest(r->only, names, every->items.count);
    return fail(err, ERR_DEVICE_MISSING, "domain '%s' has no device '%s'%s%s%s", dom->name, r->only,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* What is asked of the monitor comes first: what is borrowed from the tree does not outlive a wait. */
static WAITS int report(struct domain *dom, struct vmm *vmm, struct reporting *r, bool refresh,
                        struct error *err)
{
    int id = dom->id;
    owned_call struct monitor_call blocks = { 0 }, chardevs = { 0 };
    if (r->only) {
        monitor_call_start(vmm->monitor, &blocks, "query-block", NULL);
        monitor_call_start(vmm->monitor, &chardevs, "query-chardev", NULL);
        if (monitor_call_wait(&blocks, err) < 0 || monitor_call_wait(&chardevs, err) < 0)
            return -1;
    }
    owned(asked) struct asked *asked = domain_asked(dom, refresh, &r->store, err);
    if (!asked)
        return -1;
    if (dom->id != id)
        return fail(err, ERR_OPERATION_INVALID, "domain '%s' ended meanwhile", dom->name);
    r->def = dom->live;
    r->asked = asked;
    r->blocks = blocks.reply.value;
    r->chardevs = chardevs.reply.value;
    add_of_definition(r);
    add_of_command_line(r);
    add_of_nobody(r);
    return check_found(dom, r, err);
}

WAITS struct device_report *domain_devices(struct domain *dom, const char *alias, bool refresh,
                                           struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return NULL;
    owned(device_report) struct device_report *devices = NEW(struct device_report);
    devices->arena = arena_new();
    struct reporting r = { .report = devices, .only = alias };
    return report(dom, vmm, &r, refresh, err) < 0 ? NULL : take(devices);
}

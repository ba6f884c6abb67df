/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/hotplug.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "conf/device.h"
#include "domain/events.h"
#include "loop/loop.h"
#include "qemu/disk_order.h"
#include "qemu/emulator.h"
#include "qemu/launch.h"
#include "qemu/line.h"
#include "qemu/live.h"

enum { UNPLUG_MS = 5000 };

/* --- steps: what the monitor is told, and how it is taken back --- */

struct step { const char *command; char *arguments; const char *undo; char *undo_arguments; };
struct steps { VECTOR(struct step) items; };
#define owned_steps __attribute__((cleanup(steps_done)))

static void steps_done(struct steps *steps)
{
    for (size_t i = 0; i < steps->items.count; i++) {
        free(steps->items.items[i].arguments);
        free(steps->items.items[i].undo_arguments);
    }
    vector_done(&steps->items);
}

static char *one_argument(const char *key, const char *value)
{
    owned_props struct props props;
    props_begin(&props, key, value);
    return memory_copy_text(props_end(&props));
}

/* The options of a command line are the arguments of commands, word for word. */
static const struct way { const char *option, *command, *undo, *id_from, *id_to; } ways[] = {
    { "-blockdev", "blockdev-add", "blockdev-del", "node-name", "node-name" },
    { "-netdev", "netdev_add", "netdev_del", "id", "id" },
    { "-object", "object-add", "object-del", "id", "id" },
    { "-device", "device_add", NULL, NULL, NULL },
};

static int add_step(struct steps *steps, const char *option, const char *json, struct error *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        if (!text_equal(ways[i].option, option))
            continue;
        struct step step = { .command = ways[i].command,
                             .arguments = memory_copy_text(json),
                             .undo = ways[i].undo };
        owned(arena) struct arena *arena = arena_new();
        const struct json *object = step.undo ? json_parse(json, strlen(json), arena, err) : NULL;
        if (object)
            step.undo_arguments = one_argument(ways[i].id_to, json_get_text(object, ways[i].id_from));
        vector_push(&steps->items, step);
        return step.undo && !object ? -1 : 0;
    }
    return fail(err, ERR_UNSUPPORTED, "a device that needs %s cannot be plugged into a running machine",
                option);
}

static WAITS void undo_steps(struct vmm *vmm, const struct steps *steps, size_t done)
{
    fiber_uncancel();
    while (done-- > 0) {
        const struct step *step = &steps->items.items[done];
        error_scope(left);
        if (step->undo && monitor_call(vmm->monitor, step->undo, step->undo_arguments, NULL, &left) < 0)
            log_warning("domain '%s': %s", vmm->domain->name, error_text(&left));
    }
}

static WAITS int run_steps(struct vmm *vmm, const struct steps *steps, struct error *err)
{
    for (size_t i = 0; i < steps->items.count; i++) {
        const struct step *step = &steps->items.items[i];
        if (monitor_call(vmm->monitor, step->command, step->arguments, NULL, err) < 0) {
            undo_steps(vmm, steps, i);
            return -1;
        }
    }
    return 0;
}

/* --- what is new --- */

static WAITS int need_caps(struct vmm *vmm, struct error *err)
{
    if (vmm->caps)
        return 0;
    owned_memory char *emulator = memory_copy_text(vmm->def->emulator);
    struct caps *caps = caps_get(emulator, err);
    if (!caps)
        return -1;
    if (vmm->caps)
        caps_free(caps);
    else
        vmm->caps = caps;
    return 0;
}

static bool is_new(const struct domain_def *def, const struct domain_def *wanted, struct device_place place)
{
    error_scope(none);
    struct device_place there;
    const char *alias = device_alias_at(wanted, place);
    if (!alias)
        return place.index >= device_count(def, place.list);
    return device_find_alias(def, alias, &there, &none) < 0;
}

/* Node names are never used twice while their guest runs. */
static void number_nodes(const struct domain_def *def, struct domain_def *wanted)
{
    uint32_t next = (uint32_t) def->disks.count + 1;
    for (size_t i = 0; i < def->disks.count; i++)
        if (def->disks.items[i]->source_index.value >= next)
            next = def->disks.items[i]->source_index.value + 1;
    for (size_t i = 0; i < wanted->disks.count; i++) {
        struct device_place place = { DEVICES_DISK, i };
        struct disk *disk = wanted->disks.items[i];
        if (!is_new(def, wanted, place))
            continue;
        disk->cache = disk_effective_cache(disk);
        disk->source_index = disk_path(disk) ? (struct opt_u32) { true, next++ } : (struct opt_u32) { 0 };
    }
}

static int check_disk(const struct disk *disk, struct error *err)
{
    bool pluggable = disk->bus == DISK_BUS_VIRTIO || disk->bus == DISK_BUS_SCSI || disk->bus == DISK_BUS_USB;
    if (disk->device == DISK_FLOPPY || !pluggable)
        return fail(err, ERR_UNSUPPORTED, "disk '%s': a %s on bus '%s' cannot be hotplugged", disk->target,
                    enum_word(&disk_device_names, disk->device), enum_word(&disk_bus_names, disk->bus));
    return 0;
}

/* In the order in which they must come: a disk may need a controller that came with it. */
static int build(struct line *line, struct device_place place, struct error *err)
{
    switch (place.list) {
    case DEVICES_CONTROLLER:
        return line_controller_device(line, place.index, err);
    case DEVICES_DISK:
        return check_disk(line->def->disks.items[place.index], err) < 0
                   ? -1 : line_disk(line, place.index, line_disk_node(line->def, place.index), err);
    case DEVICES_INTERFACE:
        return line_interface(line, place.index, err);
    case DEVICES_INPUT:
        return line_input(line, place.index, err);
    default:
        break;
    }
    owned_memory char *description = device_describe(line->def, place);
    return fail(err, ERR_UNSUPPORTED, "%s cannot be plugged into a running machine", description);
}

/* What a command line may spell either way, a command takes as JSON only. */
static struct caps as_commands(const struct caps *caps)
{
    struct caps spelt = *caps;
    spelt.features |= 1u << CAPS_BLOCKDEV | 1u << CAPS_JSON_DEVICE | 1u << CAPS_JSON_BACKENDS;
    return spelt;
}

static int plan_new(const struct vmm *vmm, const struct domain_def *wanted, struct steps *steps,
                    struct error *err)
{
    static const enum device_list order[] = {
        DEVICES_CONTROLLER, DEVICES_DISK, DEVICES_INTERFACE, DEVICES_INPUT, DEVICES_SERIAL, DEVICES_CONSOLE,
        DEVICES_GRAPHICS, DEVICES_VIDEO,
    };
    const struct caps caps = as_commands(vmm->caps);
    struct command_line what = launch_command_line(wanted, &caps);
    what.classic_drives = false;
    owned_argv struct argv argv = { 0 };
    struct line line = { .what = &what, .def = wanted, .caps = &caps, .argv = &argv };
    for (size_t k = 0; k < ARRAY_COUNT(order); k++)
        for (size_t i = 0; i < device_count(wanted, order[k]); i++) {
            const struct device_place place = { order[k], i };
            if (is_new(vmm->def, wanted, place) && build(&line, place, err) < 0)
                return -1;
        }
    for (size_t i = 0; i + 1 < argv.count; i += 2)
        if (add_step(steps, argv.words[i], argv.words[i + 1], err) < 0)
            return -1;
    return 0;
}

/* --- after it --- */

/* A tree that nobody has asked for is not read because of a device. */
static void refresh_tree(struct vmm *vmm)
{
    if (vmm->tree && (vmm_has_bulk_command(vmm) || qom_tree_kept(vmm->tree)))
        qom_tree_begin(vmm->tree);
}

static void tell(const struct domain *dom, enum domain_event_id id, const char *alias)
{
    const struct domain_event event = { .id = id, .alias = alias };
    domain_emit(dom, &event);
}

int domain_plug(struct domain *dom, struct domain_def *wanted, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || need_caps(vmm, err) < 0 || domain_def_check_startable(wanted, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *before = domain_def_ref(vmm->def);
    owned_steps struct steps steps = { 0 };
    disk_order(wanted);
    number_nodes(before, wanted);
    if (plan_new(vmm, wanted, &steps, err) < 0 || run_steps(vmm, &steps, err) < 0 ||
        domain_replace_live(dom, wanted, err) < 0)
        return -1;
    refresh_tree(vmm);
    for (enum device_list list = 0; list < DEVICES_LISTS; list++)
        for (size_t i = 0; i < device_count(wanted, list); i++) {
            const struct device_place place = { list, i };
            if (is_new(before, wanted, place) && list != DEVICES_CONTROLLER)
                tell(dom, DOMAIN_EVENT_DEVICE_ADDED, device_alias_at(wanted, place));
        }
    return 0;
}

/* --- unplugging --- */

/* A node that is not there, because the image needs no format node, is none to remove. */
static WAITS void remove_nodes(struct vmm *vmm, const struct disk *disk)
{
    owned_memory char *names[] = { memory_printf("libvirt-CoR-%s", disk->target),
                                   memory_printf("libvirt-%u-format", disk->source_index.value),
                                   memory_printf("libvirt-%u-storage", disk->source_index.value) };
    for (size_t i = 0; i < ARRAY_COUNT(names) && disk->source_index.set; i++) {
        owned_memory char *arguments = one_argument("node-name", names[i]);
        error_scope(absent);
        monitor_call(vmm->monitor, "blockdev-del", arguments, NULL, &absent);
    }
}

static WAITS void remove_back_end(struct vmm *vmm, const struct domain_def *def, struct device_place place)
{
    if (place.list == DEVICES_DISK)
        remove_nodes(vmm, def->disks.items[place.index]);
    if (place.list != DEVICES_INTERFACE)
        return;
    owned_memory char *id = memory_printf("host%s", def->interfaces.items[place.index]->alias);
    owned_memory char *arguments = one_argument("id", id);
    error_scope(absent);
    monitor_call(vmm->monitor, "netdev_del", arguments, NULL, &absent);
}

static WAITS void forget(struct vmm *vmm, const char *alias)
{
    struct domain *dom = vmm->domain;
    struct device_place place;
    error_scope(err);
    owned(domain_def) struct domain_def *copy = domain_def_copy(vmm->def);
    if (device_find_alias(copy, alias, &place, &err) < 0)
        return;
    int id = dom->id;
    remove_back_end(vmm, copy, place);
    if (dom->id != id || dom->vmm != vmm)
        return;
    device_remove(copy, place);
    if (domain_replace_live(dom, copy, &err) < 0)
        log_warning("domain '%s': its status file is out of date: %s", dom->name, error_text(&err));
    tell(dom, DOMAIN_EVENT_DEVICE_REMOVED, alias);
}

void hotplug_forget_gone(struct vmm *vmm)
{
    struct domain *dom = vmm->domain;
    int id = dom->id;
    while (dom->id == id && dom->vmm == vmm && vmm->gone.count) {
        owned_memory char *alias = vmm->gone.items[0];
        vector_remove(&vmm->gone, 0);
        forget(vmm, alias);
    }
    if (dom->id == id && dom->vmm == vmm)
        refresh_tree(vmm);
}

static bool has_gone(const struct vmm *vmm, const char *alias)
{
    for (size_t i = 0; i < vmm->gone.count; i++)
        if (text_equal(vmm->gone.items[i], alias))
            return true;
    return false;
}

/* Its event may come before the reply, and then it is not waited for. */
static WAITS int wait_until_gone(struct vmm *vmm, const char *alias, struct error *err)
{
    struct domain *dom = vmm->domain;
    int id = dom->id;
    uint64_t deadline = loop_now() + UNPLUG_MS;
    while (!has_gone(vmm, alias)) {
        struct wait wait = { 0 };
        error_scope(late);
        vmm->unplug = &wait;
        int rc = wait_until(&wait, deadline, &late);
        if (dom->id != id || dom->vmm != vmm)
            return fail(err, ERR_OPERATION_INVALID, "domain '%s' ended meanwhile", dom->name);
        vmm->unplug = NULL;
        if (rc < 0 && late.code == ERR_TIMEOUT)
            return fail(err, ERR_TIMEOUT,
                        "device '%s' of domain '%s': the unplug request timed out; its guest may let go of "
                        "it later",
                        alias, dom->name);
        if (rc < 0) {
            error_move(err, &late);
            return -1;
        }
        if (vmm->unplug_refused)
            return fail(err, ERR_OPERATION_FAILED, "unplug of device '%s' was rejected by the guest", alias);
    }
    return 0;
}

int domain_unplug(struct domain *dom, const char *alias, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    owned_memory char *own_alias = memory_copy_text(alias), *arguments = one_argument("id", alias);
    if (!vmm)
        return -1;
    vmm->unplug_refused = false;
    if (monitor_call(vmm->monitor, "device_del", arguments, NULL, err) < 0 ||
        wait_until_gone(vmm, own_alias, err) < 0)
        return -1;
    hotplug_forget_gone(vmm);
    return 0;
}

/* --- media and links --- */

static WAITS int with_id(struct vmm *vmm, const char *command, const char *id, const char *key,
                         const char *value, struct error *err)
{
    owned_props struct props props;
    props_begin(&props, "id", id);
    props_text(&props, key, value);
    return monitor_call(vmm->monitor, command, props_end(&props), NULL, err);
}

static WAITS int open_tray(struct vmm *vmm, const char *alias, bool force, struct error *err)
{
    owned_props struct props props;
    props_begin(&props, "id", alias);
    props_bool(&props, "force", force);
    return monitor_call(vmm->monitor, "blockdev-open-tray", props_end(&props), NULL, err);
}

/* The nodes of the new medium, and the name of the topmost. */
static int plan_medium(const struct vmm *vmm, const struct domain_def *wanted, size_t index,
                       struct steps *steps, char **ret_top, struct error *err)
{
    const struct caps caps = as_commands(vmm->caps);
    struct command_line what = launch_command_line(wanted, &caps);
    what.classic_drives = false;
    owned_argv struct argv argv = { 0 };
    struct line line = { .what = &what, .def = wanted, .caps = &caps, .argv = &argv };
    if (line_disk(&line, index, line_disk_node(wanted, index), err) < 0)
        return -1;
    for (size_t i = 0; i + 1 < argv.count; i += 2)
        if (text_equal(argv.words[i], "-blockdev") &&
            add_step(steps, argv.words[i], argv.words[i + 1], err) < 0)
            return -1;
    if (!steps->items.count)
        return 0;
    owned(arena) struct arena *arena = arena_new();
    const char *last = steps->items.items[steps->items.count - 1].arguments;
    const struct json *node = json_parse(last, strlen(last), arena, err);
    *ret_top = memory_copy_text(json_get_text(node, "node-name"));
    return node ? 0 : -1;
}

int domain_change_medium(struct domain *dom, struct domain_def *wanted, const char *alias, bool force,
                         struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    struct device_place place, old_place;
    owned_steps struct steps steps = { 0 };
    owned_memory char *top = NULL;
    if (!vmm || need_caps(vmm, err) < 0 || device_find_alias(wanted, alias, &place, err) < 0 ||
        device_find_alias(vmm->def, alias, &old_place, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *before = domain_def_ref(vmm->def);
    const struct disk *old = before->disks.items[old_place.index];
    struct disk *disk = wanted->disks.items[place.index];
    if (disk->bus != old->bus || disk->device != old->device)
        return fail(err, ERR_UNSUPPORTED, "disk '%s': only its medium can be changed while it runs",
                    disk->target);

    uint32_t next = (uint32_t) before->disks.count + 1;
    for (size_t i = 0; i < before->disks.count; i++)
        if (before->disks.items[i]->source_index.value >= next)
            next = before->disks.items[i]->source_index.value + 1;
    disk->cache = disk_effective_cache(disk);
    disk->source_index = disk_path(disk) ? (struct opt_u32) { true, next } : (struct opt_u32) { 0 };

    if (plan_medium(vmm, wanted, place.index, &steps, &top, err) < 0 ||
        open_tray(vmm, alias, force, err) < 0 ||
        with_id(vmm, "blockdev-remove-medium", alias, NULL, NULL, err) < 0)
        return -1;
    remove_nodes(vmm, old);
    if (run_steps(vmm, &steps, err) < 0)
        return -1;
    if (top && with_id(vmm, "blockdev-insert-medium", alias, "node-name", top, err) < 0) {
        undo_steps(vmm, &steps, steps.items.count);
        return -1;
    }
    return with_id(vmm, "blockdev-close-tray", alias, NULL, NULL, err) < 0
               ? -1
               : domain_replace_live(dom, wanted, err);
}

int domain_set_link(struct domain *dom, struct domain_def *wanted, const char *alias, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    struct device_place place;
    if (!vmm || device_find_alias(wanted, alias, &place, err) < 0)
        return -1;
    owned_props struct props props;
    props_begin(&props, "name", alias);
    props_bool(&props, "up", wanted->interfaces.items[place.index]->link != LINK_DOWN);
    return monitor_call(vmm->monitor, "set_link", props_end(&props), NULL, err) < 0
               ? -1
               : domain_replace_live(dom, wanted, err);
}

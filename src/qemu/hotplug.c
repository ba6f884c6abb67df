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
#include "qemu/disk_chain.h"
#include "qemu/disk_order.h"
#include "qemu/disk_users.h"
#include "qemu/emulator.h"
#include "qemu/launch.h"
#include "qemu/line.h"
#include "qemu/live.h"
#include "qemu/steps.h"

enum { UNPLUG_MS = 5000 };

/* --- what is new --- */

static bool is_new(const struct domain_def *def, const struct domain_def *wanted, struct device_place place)
{
    error_scope(none);
    struct device_place there;
    const char *alias = device_alias_at(wanted, place);
    if (!alias)
        return place.index >= device_count(def, place.list);
    return device_find_alias(def, alias, &there, &none) < 0;
}

static void number_nodes(const struct domain_def *def, struct domain_def *wanted)
{
    uint32_t next = steps_next_node(def);
    for (size_t i = 0; i < wanted->disks.count; i++) {
        struct disk *disk = wanted->disks.items[i];
        if (!is_new(def, wanted, (struct device_place) { DEVICES_DISK, i }))
            continue;
        steps_number_disk(disk, next);
        next += 1 + (uint32_t) disk_images_below(disk);
    }
}

static int check_disk(const struct disk *disk, struct error *err)
{
    bool pluggable = disk->bus == DISK_BUS_VIRTIO || disk->bus == DISK_BUS_SCSI || disk->bus == DISK_BUS_USB;
    if (disk->device == DISK_FLOPPY || !pluggable)
        return fail(err, ERR_UNSUPPORTED, "disk '%s': a %s on bus '%s' cannot be hotplugged", disk->target,
                    enum_word(&disk_device_names, disk->device), enum_word(&disk_bus_names, disk->bus));
    if (disk->iotune)
        return fail(err, ERR_UNSUPPORTED, "disk '%s': with <iotune> it cannot be hotplugged", disk->target);
    return 0;
}

bool hotplug_takes(enum device_list list)
{
    return list == DEVICES_DISK || list == DEVICES_CONTROLLER || list == DEVICES_INTERFACE ||
           list == DEVICES_INPUT || list == DEVICES_RNG;
}

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
    case DEVICES_RNG:
        return line_rng(line, place.index, err);
    default:
        break;
    }
    owned_memory char *description = device_describe(line->def, place);
    return fail(err, ERR_UNSUPPORTED, "%s cannot be plugged into a running machine", description);
}

/* Controllers come first, since others may be plugged into them. */
static int build_new(struct line *line, const struct domain_def *def, bool controllers, struct error *err)
{
    for (enum device_list list = 0; list < DEVICES_LISTS; list++)
        for (size_t i = 0; (list == DEVICES_CONTROLLER) == controllers && i < device_count(line->def, list);
             i++) {
            const struct device_place place = { list, i };
            if (is_new(def, line->def, place) && build(line, place, err) < 0)
                return -1;
        }
    return 0;
}

/* What stands in no list, and nothing plugs in. */
static int check_single(const struct domain_def *def, const struct domain_def *wanted, struct error *err)
{
    const char *what = wanted->vsock && !def->vsock ? "vsock"
                     : wanted->memballoon && !def->memballoon ? "memballoon"
                     : wanted->audios.count > def->audios.count ? "audio" : NULL;
    return what ? fail(err, ERR_UNSUPPORTED, "%s cannot be plugged into a running machine", what) : 0;
}

static int plan_new(const struct vmm *vmm, const struct domain_def *wanted, struct steps *steps,
                    struct error *err)
{
    const struct caps caps = steps_caps(vmm->caps);
    struct command_line what = launch_command_line(wanted, &caps);
    what.classic_drives = false;
    owned_argv struct argv argv = { 0 };
    struct line line = { .what = &what, .def = wanted, .caps = &caps, .argv = &argv };
    if (check_single(vmm->def, wanted, err) < 0 || build_new(&line, vmm->def, true, err) < 0 ||
        build_new(&line, vmm->def, false, err) < 0)
        return -1;
    return steps_add(steps, &argv, err);
}

/* --- after it --- */

/* A tree that nobody has asked for is not read because of a device. */
static void refresh_tree(struct vmm *vmm)
{
    if (vmm->tree && (vmm_has_bulk_command(vmm) || qom_tree_kept(vmm->tree)))
        qom_tree_begin_changed(vmm->tree, NULL);
}

static void tell(const struct domain *dom, enum domain_event_id id, const char *alias)
{
    const struct domain_event event = { .id = id, .alias = alias };
    domain_emit(dom, &event);
}

int domain_plug(struct domain *dom, struct domain_def *wanted, struct error *err)
{
    if (disk_chains_complete(wanted, err) < 0)
        return -1;
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || steps_need_caps(vmm, err) < 0 || domain_def_check_startable(wanted, err) < 0 ||
        disk_users_check(dom, wanted, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *before = domain_def_ref(vmm->def);
    owned_steps struct steps steps = { 0 };
    disk_order(wanted);
    number_nodes(before, wanted);
    if (plan_new(vmm, wanted, &steps, err) < 0 || steps_run(vmm, &steps, err) < 0 ||
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

static WAITS void remove_back_end(struct vmm *vmm, const struct domain_def *def, struct device_place place)
{
    if (place.list == DEVICES_DISK)
        steps_remove_nodes(vmm, def->disks.items[place.index]);
    bool interface = place.list == DEVICES_INTERFACE;
    if ((!interface && place.list != DEVICES_RNG) || !vmm->monitor)
        return;
    owned_memory char *id = memory_printf("%s%s", interface ? "host" : "obj", device_alias_at(def, place));
    owned_memory char *arguments = steps_argument("id", id);
    error_scope(absent);
    monitor_call(vmm->monitor, interface ? "netdev_del" : "object-del", arguments, NULL, &absent);
}

static WAITS void forget(struct vmm *vmm, const char *alias)
{
    struct domain *dom = vmm->domain;
    struct device_place place;
    error_scope(err);
    owned(domain_def) struct domain_def *copy = domain_def_copy(vmm->def);
    if (device_find_alias(copy, alias, &place, &err) < 0) {
        vcpus_forget(dom, alias);
        return;
    }
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

/* Kinds that can be plugged, where each has a device of its own in the VMM. */
static bool has_device(const struct domain_def *def, struct device_place place)
{
    switch (place.list) {
    case DEVICES_DISK:
        return def->disks.items[place.index]->bus != DISK_BUS_SD;
    case DEVICES_INTERFACE:
    case DEVICES_RNG:
        return true;
    case DEVICES_INPUT:
        return def->inputs.items[place.index]->bus != INPUT_BUS_PS2;
    default:
        return false;
    }
}

static bool is_listed(const struct json *children, const char *alias)
{
    const struct json *child;
    for (size_t i = 0; (child = json_at(children, i)); i++)
        if (text_equal(json_get_text(child, "name"), alias))
            return true;
    return false;
}

void hotplug_find_gone(struct vmm *vmm)
{
    struct domain *dom = vmm->domain;
    struct monitor_reply reply __attribute__((cleanup(monitor_reply_done))) = { 0 };
    error_scope(err);
    int id = dom->id;
    if (!vmm->monitor || monitor_is_broken(vmm->monitor) ||
        monitor_call(vmm->monitor, "qom-list", "{\"path\":\"/machine/peripheral\"}", &reply, &err) < 0 ||
        dom->id != id || dom->vmm != vmm)
        return;
    for (enum device_list list = 0; list < DEVICES_LISTS; list++)
        for (size_t i = 0; i < device_count(vmm->def, list); i++) {
            const struct device_place place = { list, i };
            const char *alias = device_alias_at(vmm->def, place);
            if (alias && has_device(vmm->def, place) && !is_listed(reply.value, alias))
                vector_push(&vmm->gone, memory_copy_text(alias));
        }
    if (vmm->gone.count)
        hotplug_forget_gone(vmm);
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
    owned_memory char *own_alias = memory_copy_text(alias), *arguments = steps_argument("id", alias);
    if (!vmm)
        return -1;
    vmm->unplug_refused = false;
    if (monitor_call(vmm->monitor, "device_del", arguments, NULL, err) < 0 ||
        wait_until_gone(vmm, own_alias, err) < 0)
        return -1;
    hotplug_forget_gone(vmm);
    return 0;
}

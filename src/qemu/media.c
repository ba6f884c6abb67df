/* SPDX-License-Identifier: Apache-2.0 */
/* What changes about a device that stays: a drive's medium, a disk's size, an interface's link. */
#include "qemu/hotplug.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "conf/device.h"
#include "qemu/disk_chain.h"
#include "qemu/disk_users.h"
#include "qemu/emulator.h"
#include "qemu/io_limits.h"
#include "qemu/launch.h"
#include "qemu/line.h"
#include "qemu/live.h"
#include "qemu/steps.h"

/* --- a medium --- */

/* Names of nodes: NULL is an empty drive. */
struct change { const struct disk *disk; const char *alias, *old_top, *new_top; bool force; };

static WAITS int with_id(struct vmm *vmm, const char *command, const char *id, const char *node,
                         struct error *err)
{
    owned_props struct props props;
    props_begin(&props, "id", id);
    props_text(&props, "node-name", node);
    return monitor_call(vmm->monitor, command, props_end(&props), NULL, err);
}

static WAITS int open_tray(struct vmm *vmm, const struct change *change, struct error *err)
{
    owned_props struct props props;
    props_begin(&props, "id", change->alias);
    props_bool(&props, "force", change->force);
    return monitor_call(vmm->monitor, "blockdev-open-tray", props_end(&props), NULL, err);
}

/* A guest may close the tray as soon as it is open, so once more is tried. */
static WAITS int insert(struct vmm *vmm, const struct change *change, const char *node, struct error *err)
{
    error_scope(first);
    if (with_id(vmm, "blockdev-insert-medium", change->alias, node, &first) == 0)
        return 0;
    if (open_tray(vmm, change, err) < 0)
        return -1;
    return with_id(vmm, "blockdev-insert-medium", change->alias, node, err);
}

/* A medium that could be read faster than it may be does not stay. */
static WAITS int insert_new(struct vmm *vmm, const struct change *change, struct error *err)
{
    if (insert(vmm, change, change->new_top, err) < 0)
        return -1;
    if (!change->disk->iotune || io_limits_apply(vmm, change->disk, err) == 0)
        return 0;
    error_scope(stuck);
    if (with_id(vmm, "blockdev-remove-medium", change->alias, NULL, &stuck) < 0)
        log_error("domain '%s': %s", vmm->domain->name, error_text(&stuck));
    return -1;
}

/* When the new medium is refused, the old one goes back in. */
static WAITS int swap_media(struct vmm *vmm, const struct change *change, struct error *err)
{
    if (open_tray(vmm, change, err) < 0 ||
        with_id(vmm, "blockdev-remove-medium", change->alias, NULL, err) < 0)
        return -1;
    int rc = change->new_top ? insert_new(vmm, change, err) : 0;
    error_scope(lost);
    if (rc < 0 && change->old_top && insert(vmm, change, change->old_top, &lost) < 0)
        log_error("domain '%s': drive '%s' is empty now: %s", vmm->domain->name, change->alias,
                  error_text(&lost));
    error_scope(open);
    if (with_id(vmm, "blockdev-close-tray", change->alias, NULL, &open) < 0)
        log_warning("domain '%s': %s", vmm->domain->name, error_text(&open));
    return rc;
}

static int plan_medium(const struct vmm *vmm, const struct domain_def *wanted, size_t index,
                       struct steps *steps, struct error *err)
{
    const struct caps caps = steps_caps(vmm->caps);
    struct command_line what = launch_command_line(wanted, &caps);
    what.classic_drives = false;
    owned_argv struct argv all = { 0 };
    owned_argv struct argv nodes = { 0 };
    struct line line = { .what = &what, .def = wanted, .caps = &caps, .argv = &all };
    if (line_disk(&line, index, line_disk_node(wanted, index), err) < 0)
        return -1;
    for (size_t i = 0; i + 1 < all.count; i += 2)
        if (text_equal(all.words[i], "-blockdev"))
            argv_add_pair(&nodes, all.words[i], all.words[i + 1]);
    return steps_add(steps, &nodes, err);
}

/* Whatever else the client would have changed is refused, not forgotten. */
static bool is_other_medium_only(const struct domain_def *before, struct device_place old_place,
                                 const struct domain_def *wanted, struct device_place place)
{
    owned(domain_def) struct domain_def *copy = domain_def_copy(before);
    const struct disk *new = wanted->disks.items[place.index];
    struct disk *disk = copy->disks.items[old_place.index];
    disk->type = new->type;
    disk->format = new->format;
    disk->cache = new->cache;
    disk->file = new->file;
    disk->dev = new->dev;
    disk->backing = new->backing;
    disk->startup_policy = new->startup_policy;
    disk->source_index = new->source_index;
    disk->tray = new->tray;
    return device_equal(copy, old_place, wanted, place);
}

/* The new medium is opened first, so that the old one stays if it cannot be. */
int domain_change_medium(struct domain *dom, struct domain_def *wanted, const char *alias, bool force,
                         struct error *err)
{
    if (disk_chains_complete(wanted, err) < 0)
        return -1;
    struct vmm *vmm = vmm_get(dom, err);
    struct device_place place, old_place;
    owned_steps struct steps steps = { 0 };
    if (!vmm || steps_need_caps(vmm, err) < 0 || device_find_alias(wanted, alias, &place, err) < 0 ||
        device_find_alias(vmm->def, alias, &old_place, err) < 0 || disk_users_check(dom, wanted, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *before = domain_def_ref(vmm->def);
    const struct disk *old = before->disks.items[old_place.index];
    struct disk *disk = wanted->disks.items[place.index];
    if (!is_other_medium_only(before, old_place, wanted, place))
        return fail(err, ERR_UNSUPPORTED, "disk '%s': only its medium can be changed while its domain runs",
                    disk->target);

    steps_number_disk(disk, steps_next_node(before));
    owned_memory char *old_top = steps_top_node(vmm, old);
    owned_memory char *new_top = steps_top_node(vmm, disk);
    const struct change change = { disk, alias, old_top, new_top, force };
    if (plan_medium(vmm, wanted, place.index, &steps, err) < 0 || steps_run(vmm, &steps, err) < 0)
        return -1;
    if (swap_media(vmm, &change, err) < 0) {
        steps_undo(vmm, &steps, steps.items.count);
        return -1;
    }
    steps_remove_nodes(vmm, old);
    return domain_replace_live(dom, wanted, err);
}

/* --- a link --- */

int domain_set_link(struct domain *dom, struct domain_def *wanted, const char *alias, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    struct device_place place, old_place;
    if (!vmm || device_find_alias(wanted, alias, &place, err) < 0 ||
        device_find_alias(vmm->def, alias, &old_place, err) < 0)
        return -1;
    enum link_state link = wanted->interfaces.items[place.index]->link;
    owned(domain_def) struct domain_def *copy = domain_def_copy(vmm->def);
    copy->interfaces.items[old_place.index]->link = link;
    if (!device_equal(copy, old_place, wanted, place))
        return fail(err, ERR_UNSUPPORTED,
                    "interface '%s': only its link can be changed while its domain runs", alias);
    owned_props struct props props;
    props_begin(&props, "name", alias);
    props_bool(&props, "up", link != LINK_DOWN);
    return monitor_call(vmm->monitor, "set_link", props_end(&props), NULL, err) < 0
               ? -1 : domain_replace_live(dom, wanted, err);
}

/* --- a size --- */

int domain_resize_disk(struct domain *dom, const char *alias, uint64_t bytes, struct error *err)
{
    enum { SECTOR = 512 };
    struct vmm *vmm = vmm_get(dom, err);
    struct device_place place;
    if (!vmm || steps_need_caps(vmm, err) < 0 || device_find_alias(vmm->def, alias, &place, err) < 0)
        return -1;
    const struct disk *disk = vmm->def->disks.items[place.index];
    owned_memory char *top = settings_now()->classic_drives ? NULL : steps_top_node(vmm, disk);
    owned_memory char *drive = memory_printf("drive-%s", alias);
    owned_props struct props props;
    props_open(&props);
    props_text(&props, top ? "node-name" : "device", top ? top : drive);
    props_u64(&props, "size", disk->format == DISK_QCOW2 ? (bytes + SECTOR - 1) / SECTOR * SECTOR : bytes);
    return monitor_call(vmm->monitor, "block_resize", props_end(&props), NULL, err);
}

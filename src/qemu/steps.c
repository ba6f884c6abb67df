/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "qemu/disk_chain.h"
#include "qemu/props.h"

struct caps steps_caps(const struct caps *caps)
{
    struct caps spelt = *caps;
    spelt.features |= 1u << CAPS_BLOCKDEV | 1u << CAPS_JSON_DEVICE | 1u << CAPS_JSON_BACKENDS;
    return spelt;
}

int steps_need_caps(struct vmm *vmm, struct error *err)
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

void steps_done(struct steps *steps)
{
    for (size_t i = 0; i < steps->items.count; i++) {
        free(steps->items.items[i].arguments);
        free(steps->items.items[i].undo_arguments);
    }
    vector_done(&steps->items);
}

char *steps_argument(const char *key, const char *value)
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
            step.undo_arguments = steps_argument(ways[i].id_to, json_get_text(object, ways[i].id_from));
        vector_push(&steps->items, step);
        return step.undo && !object ? -1 : 0;
    }
    return fail(err, ERR_UNSUPPORTED, "a device that needs %s cannot be plugged into a running machine",
                option);
}

int steps_add(struct steps *steps, const struct argv *argv, struct error *err)
{
    for (size_t i = 0; i + 1 < argv->count; i += 2)
        if (add_step(steps, argv->words[i], argv->words[i + 1], err) < 0)
            return -1;
    return 0;
}

void steps_undo(struct vmm *vmm, const struct steps *steps, size_t done)
{
    fiber_uncancel();
    while (done-- > 0) {
        const struct step *step = &steps->items.items[done];
        error_scope(left);
        if (step->undo && monitor_call(vmm->monitor, step->undo, step->undo_arguments, NULL, &left) < 0)
            log_warning("domain '%s': %s", vmm->domain->name, error_text(&left));
    }
}

int steps_run(struct vmm *vmm, const struct steps *steps, struct error *err)
{
    for (size_t i = 0; i < steps->items.count; i++) {
        const struct step *step = &steps->items.items[i];
        if (monitor_call(vmm->monitor, step->command, step->arguments, NULL, err) < 0) {
            steps_undo(vmm, steps, i);
            return -1;
        }
    }
    return 0;
}

/* --- block nodes --- */

uint32_t steps_next_node(const struct domain_def *def)
{
    uint32_t next = (uint32_t) def->disks.count + 1;
    for (size_t i = 0; i < def->disks.count; i++)
        for (const struct disk *image = def->disks.items[i]; image; image = disk_below(image))
            if (image->source_index.value >= next)
                next = image->source_index.value + 1;
    return next;
}

void steps_number_disk(struct disk *disk, uint32_t node)
{
    disk->cache = disk_effective_cache(disk);
    disk->source_index = (struct opt_u32) { 0 };
    if (disk_has_source(disk))
        disk_number_images(disk, node);
}

/* A raw image needs no format node, where the emulator says so. */
char *steps_top_node(const struct vmm *vmm, const struct disk *disk)
{
    bool bare = disk->format <= DISK_RAW && caps_has(vmm->caps, CAPS_RAW_WITHOUT_FORMAT);
    return disk->source_index.set
               ? memory_printf("libvirt-%u-%s", disk->source_index.value, bare ? "storage" : "format") : NULL;
}

/* A node that is not there, because the image needs no format node, say, is none to remove. */
static WAITS void remove_node(struct vmm *vmm, const char *name)
{
    owned_memory char *arguments = steps_argument("node-name", name);
    error_scope(absent);
    monitor_call(vmm->monitor, "blockdev-del", arguments, NULL, &absent);
}

/* From the top down. */
void steps_remove_nodes(struct vmm *vmm, const struct disk *disk)
{
    owned_memory char *copy = memory_printf("libvirt-CoR-%s", disk->target);
    if (disk->source_index.set && disk->copy_on_read == ON)
        remove_node(vmm, copy);
    for (const struct disk *image = disk; image && image->source_index.set; image = disk_below(image)) {
        owned_memory char *format = memory_printf("libvirt-%u-format", image->source_index.value);
        owned_memory char *storage = memory_printf("libvirt-%u-storage", image->source_index.value);
        remove_node(vmm, format);
        remove_node(vmm, storage);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/hints.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/own.h"

/* The first one whose words are there is told. */
static const struct hint { const char *words; bool of_disk; const char *text; } hints[] = {
    { "does not support O_DIRECT", true,
      "its file system has no O_DIRECT, which cache='none' and 'directsync' need; 'writeback', "
      "'writethrough' and 'unsafe' do without" },
    { "Failed to get ", true,
      "another program has the image open; guests may share it if it is <shareable/> or <readonly/> in "
      "all of them" },
    { "Image is not in qcow2 format", true,
      "its <driver> says type='qcow2', but the file is something else; is it type='raw'?" },
    { "Permission denied", true, "the user that the emulator runs as may not open it, or a folder above it" },
    { "No such file or directory", true, "its <source> does not exist" },
    { "Could not access KVM kernel module", false,
      "this host offers no KVM; <domain type='qemu'> runs without, and slowly" },
    { "cannot set up guest memory", false, "the host has not that much free memory" },
};

/* QEMU quotes a path, an option of the command line, or a node's name. */
static bool is_about(const char *text, const struct disk *disk)
{
    const char *path = disk_path(disk);
    owned_memory char *quoted = memory_printf("'%s'", path ? path : "");
    owned_memory char *option = memory_printf("\"%s\"", path ? path : "");
    owned_memory char *node = memory_printf("\"node-name\":\"libvirt-%u-", disk->source_index.value);
    if (path && (strstr(text, quoted) || strstr(text, option)))
        return true;
    return disk->source_index.set && strstr(text, node);
}

static const struct disk *disk_in(const struct domain_def *def, const char *text)
{
    for (size_t i = 0; i < def->disks.count; i++)
        if (is_about(text, def->disks.items[i]))
            return def->disks.items[i];
    return NULL;
}

void hints_add(const struct domain_def *def, struct error *err)
{
    const char *text = error_text(err);
    const struct disk *disk = disk_in(def, text);
    const struct hint *hint = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(hints) && !hint; i++)
        if (strstr(text, hints[i].words) && (disk || !hints[i].of_disk))
            hint = &hints[i];
    if (!disk && !hint)
        return;
    owned_memory char *before = memory_copy_text(text);
    if (!hint)
        fail(err, err->code, "%s; that is disk '%s'", before, disk->target);
    else if (hint->of_disk)
        fail(err, err->code, "%s; that is disk '%s': %s", before, disk->target, hint->text);
    else
        fail(err, err->code, "%s; %s", before, hint->text);
}

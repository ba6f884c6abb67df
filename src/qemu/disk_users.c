/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/disk_users.h"

#include "base/memory.h"
#include "base/text.h"
#include "conf/domain_def.h"
#include "domain/registry.h"

static bool bear_each_other(const struct disk *a, const struct disk *b)
{
    return (a->readonly && b->readonly) || (a->shareable && b->shareable);
}

/* The disk of `def` that has the image open, itself or below its own. */
static const struct disk *find_rival(const struct disk *image, const struct domain_def *def)
{
    const char *path = disk_path(image);
    for (size_t i = 0; path && i < def->disks.count; i++)
        for (const struct disk *other = def->disks.items[i]; other; other = disk_below(other))
            if (text_equal(disk_path(other), path) && !bear_each_other(image, other))
                return def->disks.items[i];
    return NULL;
}

static int check_disk(const struct domain *dom, const struct disk *disk, const struct domain *other,
                      struct error *err)
{
    for (const struct disk *image = disk; image; image = disk_below(image)) {
        const struct disk *rival = find_rival(image, other->live);
        if (rival)
            return fail(err, ERR_BUSY,
                        "domain '%s': the image '%s' of disk '%s' is in use as disk '%s' of domain '%s'; "
                        "they may run together if both disks are <shareable/>, or both <readonly/>",
                        dom->name, disk_path(image), disk->target, rival->target, other->name);
    }
    return 0;
}

int disk_users_check(const struct domain *dom, const struct domain_def *def, struct error *err)
{
    size_t count;
    owned_memory struct domain **all = registry_list(dom->registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (all[i] == dom || !all[i]->live)
            continue;
        for (size_t k = 0; k < def->disks.count; k++)
            if (check_disk(dom, def->disks.items[k], all[i], err) < 0)
                return -1;
    }
    return 0;
}

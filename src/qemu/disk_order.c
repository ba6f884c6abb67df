/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/disk_order.h"

#include <string.h>

enum { SORTED_MAX = 4096 };             /* it takes the square of their number */

static uint32_t index_of(const struct disk *disk)
{
    uint32_t index = 0;
    disk_target_index(disk->target, &index);
    return index;
}

/* Where the disk goes among the first `count`: before the first one of its bus that is behind it, else behind
 * the last one of its bus, else at the end. */
static size_t find_place(struct disk *const *disks, size_t count, const struct disk *disk)
{
    size_t place = count;
    bool found = false;
    for (size_t i = count; i-- > 0; ) {
        if (disks[i]->bus != disk->bus)
            continue;
        if (index_of(disks[i]) > index_of(disk))
            place = i;
        else if (!found)
            place = i + 1;
        found = true;
    }
    return place;
}

void disk_order(struct domain_def *live)
{
    struct disk **disks = live->disks.items;
    for (size_t i = 1; i < live->disks.count && i < SORTED_MAX; i++) {
        struct disk *disk = disks[i];
        size_t place = find_place(disks, i, disk);
        memmove(disks + place + 1, disks + place, (i - place) * sizeof *disks);
        disks[place] = disk;
    }
}

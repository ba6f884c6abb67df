/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/io_limits.h"

#include <stdlib.h>

#include "base/memory.h"
#include "domain/domain.h"
#include "qemu/live.h"
#include "qemu/vmm.h"

static void add_limit(struct props *limits, const char *unit, const char *which, const struct io_limit *limit)
{
    owned_memory char *rate = memory_printf("%s%s", unit, which);
    owned_memory char *burst = memory_printf("%s%s_max", unit, which);
    owned_memory char *seconds = memory_printf("%s%s_max_length", unit, which);
    props_u64(limits, rate, limit->rate);
    props_positive(limits, burst, limit->burst);
    props_positive(limits, seconds, limit->burst_seconds);
}

/* The object that has the image: in some devices it is a part of them. */
static char *drive_path(const struct disk *disk)
{
    if (disk->bus == DISK_BUS_VIRTIO)
        return memory_printf("/machine/peripheral/%s/virtio-backend", disk->alias);
    if (disk->bus == DISK_BUS_USB)
        return memory_printf("/machine/peripheral/%s/%s.0/legacy[0]", disk->alias, disk->alias);
    return memory_copy_text(disk->alias);
}

void io_limits_begin(struct props *limits, const struct disk *disk)
{
    static const struct iotune none;
    const struct iotune *tune = disk->iotune ? disk->iotune : &none;
    owned_memory char *drive = drive_path(disk);
    props_begin(limits, "id", drive);
    add_limit(limits, "bps", "", &tune->bytes);
    add_limit(limits, "bps", "_rd", &tune->read_bytes);
    add_limit(limits, "bps", "_wr", &tune->write_bytes);
    add_limit(limits, "iops", "", &tune->requests);
    add_limit(limits, "iops", "_rd", &tune->read_requests);
    add_limit(limits, "iops", "_wr", &tune->write_requests);
    props_positive(limits, "iops_size", tune->request_size);
    props_text(limits, "group", tune->group);
}

int io_limits_apply(struct vmm *vmm, const struct disk *disk, struct error *err)
{
    owned_props struct props limits;
    io_limits_begin(&limits, disk);
    return monitor_call(vmm->monitor, "block_set_io_throttle", props_end(&limits), NULL, err);
}

int domain_set_io_limits(struct domain *dom, struct domain_def *wanted, const struct disk *disk,
                         struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || (disk_has_source(disk) && io_limits_apply(vmm, disk, err) < 0))
        return -1;
    return domain_replace_live(dom, wanted, err);
}

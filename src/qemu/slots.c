/* SPDX-License-Identifier: Apache-2.0 */
/* Memory beside the board's: modules in slots, memory shared with others; and who translates addresses. */
#include "qemu/line.h"

#include "base/memory.h"
#include "base/text.h"
#include "conf/cpuset.h"

/* --- modules --- */

enum { MODULE_KIB = 2048, KIB = 1024 };         /* what a size is rounded up to */

static uint64_t module_bytes(const struct memory_device *device)
{
    return (device->size.kib + MODULE_KIB - 1) / MODULE_KIB * MODULE_KIB * KIB;
}

static void add_nodes(struct props *props, const char *nodes)
{
    if (!nodes)
        return;
    props_array(props, "host-nodes");
    for (unsigned first, last; cpuset_next(&nodes, &first, &last); )
        for (unsigned node = first; node <= last; node++)
            props_array_u64(props, node);
    props_close_array(props);
    props_text(props, "policy", "bind");
}

/* A file keeps what is in it, so it is touched in advance: there must be room for all of it. */
static void add_module_memory(struct line *line, const struct memory_device *device, const char *id)
{
    bool file = device->path != NULL, huge = !file && device->page_size.kib;
    owned_props struct props memory;
    props_begin(&memory, "qom-type", file ? "memory-backend-file"
                : huge ? "memory-backend-memfd" : "memory-backend-ram");
    props_text(&memory, "id", id);
    props_true(&memory, "hugetlb", huge);
    props_positive(&memory, "hugetlbsize", huge ? device->page_size.kib * KIB : 0);
    props_text(&memory, "mem-path", device->path);
    if (device->discard)
        props_bool(&memory, "discard-data", device->discard == YES);
    if (device->access)
        props_bool(&memory, "share", device->access == MEMORY_SHARED);
    props_true(&memory, "prealloc", file || huge);
    props_u64(&memory, "size", module_bytes(device));
    props_positive(&memory, "align", device->alignment.kib * KIB);
    props_true(&memory, "pmem", device->pmem);
    props_true(&memory, "readonly", device->readonly);
    add_nodes(&memory, device->nodes);
    line_object(line, &memory);
}

static int check_module(const struct line *line, const struct memory_device *device, struct error *err)
{
    if (device->model != MEMORY_DIMM && device->model != MEMORY_NVDIMM)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "model '%s' is not supported, only 'dimm' and 'nvdimm' are",
                    enum_word(&memory_model_names, (int) device->model));
    if (!line->def->max_memory.kib)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "it needs <maxMemory>");
    return line_check_type(line, device->model == MEMORY_DIMM ? "pc-dimm" : "nvdimm", "it", err);
}

static int add_module(struct line *line, const struct memory_device *device, struct error *err)
{
    bool nvdimm = device->model == MEMORY_NVDIMM;
    owned_memory char *memory = memory_printf("mem%s", device->alias);
    if (check_module(line, device, err) < 0)
        return -1;
    add_module_memory(line, device, memory);
    owned_props struct props module;
    char uuid[UUID_TEXT_SIZE];
    uuid_format(&device->uuid, uuid);
    props_begin(&module, "driver", nvdimm ? "nvdimm" : "pc-dimm");
    props_opt_u32(&module, "node", device->node);
    props_positive(&module, "label-size", device->label.kib * KIB);
    props_text(&module, "uuid", nvdimm && !uuid_is_zero(&device->uuid) ? uuid : NULL);
    props_true(&module, "unarmed", nvdimm && device->readonly);
    props_text(&module, "memdev", memory);
    props_text(&module, "id", device->alias);
    if (device->address && device->address->type == ADDRESS_DIMM) {
        props_opt_u32(&module, "slot", device->address->dimm.slot);
        props_positive(&module, "addr", device->address->dimm.base);
    }
    line_device(line, &module);
    return 0;
}

int line_memory_devices(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->memory_devices.count; i++) {
        const struct memory_device *device = line->def->memory_devices.items[i];
        if (add_module(line, device, err) < 0)
            return fail_in(err, "memory '%s'", device->alias);
    }
    return 0;
}

/* --- shared memory --- */

static void add_shared_memory(struct line *line, const struct shmem *shmem, const char *id)
{
    owned_props struct props memory;
    props_begin(&memory, "qom-type", "memory-backend-file");
    props_text(&memory, "id", id);
    props_printf(&memory, "mem-path", "/dev/shm/%s", shmem->name);
    props_u64(&memory, "size", shmem->size * KIB * KIB);
    props_bool(&memory, "share", true);
    line_object(line, &memory);
}

static int add_shmem(struct line *line, const struct shmem *shmem, struct error *err)
{
    owned_memory char *memory = memory_printf("shmmem-%s", shmem->alias);
    owned_memory char *chardev = memory_printf("char%s", shmem->alias);
    const char *driver = enum_word(&shmem_model_names, (int) shmem->model);
    if (shmem->model == SHMEM_IVSHMEM)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "model 'ivshmem' is gone from QEMU; 'ivshmem-plain' and 'ivshmem-doorbell' are there");
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    if (!shmem->has_server && !shmem->size)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "it needs a <size>");
    if (shmem->has_server && !shmem->server)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "its <server> needs a path");
    const struct chardev server = { .type = CHARDEV_UNIX, .path = shmem->server, .mode = "connect" };
    if (shmem->has_server && line_chardev_backend(line, &server, chardev, NULL, err) < 0)
        return -1;
    if (!shmem->has_server)
        add_shared_memory(line, shmem, memory);
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    props_text(&device, "id", shmem->alias);
    props_text(&device, "chardev", shmem->has_server ? chardev : NULL);
    props_text(&device, "memdev", shmem->has_server ? NULL : memory);
    if (!shmem->has_server && shmem->role)
        props_bool(&device, "master", shmem->role == SHMEM_MASTER);
    props_positive(&device, "vectors", shmem->vectors);
    props_on_off(&device, "ioeventfd", shmem->ioeventfd);
    if (line_address(line, &device, shmem->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

int line_shmems(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->shmems.count; i++) {
        const struct shmem *shmem = line->def->shmems.items[i];
        if (add_shmem(line, shmem, err) < 0)
            return fail_in(err, "shmem '%s'", shmem->name);
    }
    return 0;
}

/* --- translation of addresses --- */

static int add_iommu(struct line *line, const struct iommu *iommu, struct error *err)
{
    static const char *const drivers[] = {
        [IOMMU_INTEL] = "intel-iommu", [IOMMU_SMMUV3] = NULL, [IOMMU_VIRTIO] = "virtio-iommu-pci",
        [IOMMU_AMD] = "amd-iommu",
    };
    const char *driver = drivers[iommu->model];
    if (!driver || !line_is_q35(line))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "model '%s' is not for machine '%s'",
                    enum_word(&iommu_model_names, (int) iommu->model), line->def->os.machine);
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    props_text(&device, "id", iommu->alias);
    props_text(&device, "intremap", enum_word(&on_off_names, (int) iommu->intremap));
    props_on_off(&device, "caching-mode", iommu->caching_mode);
    props_text(&device, "eim", enum_word(&on_off_names, (int) iommu->eim));
    props_on_off(&device, "device-iotlb", iommu->iotlb);
    props_on_off(&device, "xtsup", iommu->xtsup);
    props_on_off(&device, "pt", iommu->pt);
    props_positive(&device, "aw-bits", iommu->aw_bits);
    props_on_off(&device, "dma-translation", iommu->dma_translation);
    if (line_address(line, &device, iommu->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

int line_iommus(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->iommus.count; i++)
        if (add_iommu(line, line->def->iommus.items[i], err) < 0)
            return fail_in(err, "iommu '%s'", line->def->iommus.items[i]->alias);
    return 0;
}

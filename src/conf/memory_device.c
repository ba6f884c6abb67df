/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/memory_device.h"

#include "conf/domain_def.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(memory_model, MEMORY_MODELS);
BORROW_ENUM_CODEC(memory_access);

static bool has_slot(const struct memory_device *device)
{
    return device->model == MEMORY_DIMM || device->model == MEMORY_NVDIMM;
}

static void memory_device_check(void *self, struct xml_context *x)
{
    const struct memory_device *device = self;
    bool needs_path = device->model == MEMORY_NVDIMM || device->model == MEMORY_VIRTIO_PMEM;
    if (needs_path && !device->path)
        xml_refuse(x, device, ERR_XML, "<source><path>", "memory of model '%s' needs the path of a file",
                   enum_word(&memory_model_names, (int) device->model));
    if (device->model == MEMORY_DIMM && device->path)
        xml_refuse(x, &device->path, ERR_XML, "model='nvdimm'", "memory of model 'dimm' has no file");
    if (device->address && has_slot(device) && device->address->type != ADDRESS_DIMM)
        xml_refuse(x, &device->address->type, ERR_XML, "dimm", "such memory has an address of type 'dimm'");
    if (device->label.kib && device->label.kib >= device->size.kib)
        xml_refuse(x, &device->label, ERR_XML, NULL, "the label takes all of the memory");
}

/* --- among each other --- */

enum { DEVICES_MAX = 1024 };

static uint64_t base_of(const struct memory_device *device)
{
    return device->base ? device->base
         : device->address && device->address->type == ADDRESS_DIMM ? device->address->dimm.base : 0;
}

static void check_overlap(const struct memory_device *device, const struct memory_device *other,
                          struct xml_context *x)
{
    uint64_t base = device->base, end = base + device->size.kib * 1024, at = base_of(other);
    if (at && at < end && at + other->size.kib * 1024 > base)
        xml_refuse(x, &device->base, ERR_CONFIG_UNSUPPORTED, NULL,
                   "memory device address [0x%llx:0x%llx] overlaps with other memory device (0x%llx)",
                   (unsigned long long) base, (unsigned long long) end, (unsigned long long) at);
}

static void check_slot(const struct memory_device *device, const struct memory_device *other,
                       struct xml_context *x)
{
    const struct address *a = device->address, *b = other->address;
    if (a && b && a->type == ADDRESS_DIMM && b->type == ADDRESS_DIMM && a->dimm.slot.set &&
        b->dimm.slot.set && a->dimm.slot.value == b->dimm.slot.value)
        xml_refuse(x, &a->dimm.slot, ERR_XML, "another slot", "memory slot %u is given twice",
                   a->dimm.slot.value);
}

void memory_devices_check(const struct domain_def *def, struct xml_context *x)
{
    size_t count = def->memory_devices.count, slots = 0, cells = 0;
    if (def->cpu && def->cpu->numa)
        cells = def->cpu->numa->cells.count;
    if (count > DEVICES_MAX) {
        xml_refuse(x, def->memory_devices.items[DEVICES_MAX], ERR_XML, NULL,
                   "%zu memory devices are more than the %d that a guest can have", count, DEVICES_MAX);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct memory_device *device = def->memory_devices.items[i];
        slots += has_slot(device);
        if (device->node.set && cells && device->node.value >= cells)
            xml_refuse(x, &device->node, ERR_CONFIG_UNSUPPORTED, NULL, "there is no numa cell %u in <cpu>",
                       device->node.value);
        for (size_t k = 0; k < count; k++) {
            if (device->base && k != i)
                check_overlap(device, def->memory_devices.items[k], x);
            if (k < i)
                check_slot(device, def->memory_devices.items[k], x);
        }
    }
    if (slots > def->max_memory.slots)
        xml_refuse(x, def, ERR_CONFIG_UNSUPPORTED, "<maxMemory slots='...'>",
                   "%zu memory modules need as many slots of <maxMemory>, and there are %u", slots,
                   def->max_memory.slots);
}

static bool is_taken(const struct domain_def *def, uint32_t slot)
{
    for (size_t i = 0; i < def->memory_devices.count; i++) {
        const struct address *address = def->memory_devices.items[i]->address;
        if (address && address->type == ADDRESS_DIMM && address->dimm.slot.set &&
            address->dimm.slot.value == slot)
            return true;
    }
    return false;
}

void memory_devices_assign(struct domain_def *live)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < live->memory_devices.count; i++) {
        struct memory_device *device = live->memory_devices.items[i];
        if (!has_slot(device) || (device->address && device->address->dimm.slot.set))
            continue;
        while (is_taken(live, slot))
            slot++;
        if (!device->address)
            device->address = ARENA_NEW(live->arena, struct address);
        device->address->type = ADDRESS_DIMM;
        device->address->dimm.slot = (struct opt_u32) { true, slot };
    }
}

const char *memory_device_word(const struct memory_device *device)
{
    static const char *const words[] = {
        [MEMORY_MODEL_ABSENT] = "memory", [MEMORY_DIMM] = "dimm", [MEMORY_NVDIMM] = "nvdimm",
        [MEMORY_VIRTIO_PMEM] = "virtiopmem", [MEMORY_VIRTIO_MEM] = "virtiomem", [MEMORY_SGX_EPC] = "epc",
    };
    return words[device->model];
}

/* --- tables --- */

#define SELF struct memory_amount
#define AMOUNT(table, word, text) \
    PART_CHECKED(table, word, text, memory_check, \
        ATTR("unit", unit, string, "unit of the amount", DEFAULT("KiB")), TEXT(kib, u64, "amount", REQUIRED))
AMOUNT(page_size, "pagesize", "Pages of the host that it is made of.");
AMOUNT(alignment, "alignsize", "Alignment on the host.");
AMOUNT(size, "size", "How much it is.");
AMOUNT(requested, "requested", "How much the guest should use.");
AMOUNT(current, "current", "How much the guest uses.");
AMOUNT(block, "block", "The pieces that it comes in.");
#undef SELF

#define SELF struct memory_device
PART(label, "label", "Its end, which describes it.", NESTED(label, size));
PART(place, "address", "Where in memory.", ATTR("base", base, hex_u64, "address"));
PART(source, "source", "What it is made of.",
    LEAF("path", path, string, "a file of the host"),
    NESTED(page_size, page_size), NESTED(alignment, alignment),
    FLAG("pmem", pmem, "The file is on persistent memory."),
    LEAF("nodemask", nodes, cpuset, "nodes of the host"));
PART(target, "target", "What the guest sees.",
    ATTR("dynamicMemslots", dynamic_slots, yes_no, "are slots made as needed?", IF(model, MEMORY_VIRTIO_MEM)),
    NESTED(size, size, REQUIRED), LEAF("node", node, opt_u32, "cell of the guest"), NESTED(block, block),
    NESTED(requested, requested), NESTED(current, current), INLINE(label),
    FLAG("readonly", readonly, "The guest cannot write to it."), INLINE(place));
ALIAS_PART;

const struct element memory_device_element = ELEMENT_CHECKED(
    "memory", "Memory in a slot.", memory_device_check,
    ATTR("model", model, memory_model, "kind of memory", REQUIRED),
    ATTR("access", access, memory_access, "do others see what is written?"),
    ATTR("discard", discard, yes_no, "is it thrown away at the end?"),
    LEAF("uuid", uuid, uuid, "its identity", IF(model, MEMORY_NVDIMM)),
    INLINE(source), INLINE(target, REQUIRED), INLINE(alias), CHILD(address, address_element));

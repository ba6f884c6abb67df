/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/line.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "conf/passthrough.h"
#include "json/json.h"

/* --- what the owner says instead --- */

struct overrides { VECTOR(struct override) list; };

static void collect(void *arg, const struct override *override)
{
    struct overrides *overrides = arg;
    vector_push(&overrides->list, *override);
}

/* The last one of that name counts. */
static const struct override *last_of(const struct overrides *overrides, const char *name)
{
    for (size_t i = overrides->list.count; i > 0; i--)
        if (text_equal(overrides->list.items[i - 1].name, name))
            return &overrides->list.items[i - 1];
    return NULL;
}

static void write_override(struct json_writer *writer, const struct override *override)
{
    int64_t number = 0;
    if (override->kind == OVERRIDE_REMOVE)
        return;
    json_key(writer, override->name);
    if (override->kind == OVERRIDE_TEXT)
        json_string(writer, override->value);
    else if (override->kind == OVERRIDE_BOOL)
        json_bool(writer, text_equal(override->value, "true"));
    else if (text_to_i64(override->value, &number))
        json_i64(writer, number);
}

/* The device without what is overridden, then what its owner says. */
static void apply_overrides(struct props *props, const struct json *device, const struct overrides *overrides)
{
    struct props fresh;
    props_open(&fresh);
    for (size_t i = 0; i < device->length; i++) {
        const struct json_member *member = &device->members[i];
        if (!last_of(overrides, member->key))
            json_key(&fresh.writer, member->key), json_value(&fresh.writer, member->value);
    }
    for (size_t i = 0; i < overrides->list.count; i++)
        if (last_of(overrides, overrides->list.items[i].name) == &overrides->list.items[i])
            write_override(&fresh.writer, &overrides->list.items[i]);
    props_done(props);
    *props = fresh;
    props->writer.out = &props->text;
}

static void override_device(const struct line *line, struct props *props)
{
    if (!passthrough_has_overrides(line->def))
        return;
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    owned_memory char *text = memory_printf("%s}", buffer_text(&props->text));
    const struct json *device = json_parse(text, strlen(text), arena, &err);
    struct overrides overrides = { 0 };
    const char *alias = json_get_text(device, "id");
    if (alias)
        passthrough_each_override(line->def, alias, collect, &overrides);
    if (overrides.list.count)
        apply_overrides(props, device, &overrides);
    vector_done(&overrides.list);
}

/* Virtio devices without PCI are the same ones under another name. */
void line_device(struct line *line, struct props *props)
{
    if (line_is_microvm(line))
        props_change_kind(props, "-pci", "-device");
    override_device(line, props);
    props_add_to(props, line->argv, "-device", caps_has(line->caps, CAPS_JSON_DEVICE));
}

void line_object(struct line *line, struct props *props)
{
    props_add_to(props, line->argv, "-object", caps_has(line->caps, CAPS_JSON_DEVICE));
}

void line_backend(struct line *line, const char *option, struct props *props)
{
    props_add_to(props, line->argv, option, caps_has(line->caps, CAPS_JSON_BACKENDS));
}

void line_blockdev(struct line *line, struct props *props)
{
    props_add_to(props, line->argv, "-blockdev", true);
}

void line_option(struct line *line, const char *option, const struct buffer *value)
{
    argv_add_pair(line->argv, option, buffer_text(value));
}

void option_add_yes_no(struct buffer *option, const char *key, enum yes_no value)
{
    option_add(option, key, value == YES ? "on" : value == NO ? "off" : NULL);
}

const struct timer_def *line_timer(const struct line *line, enum timer_name name)
{
    const struct clock *clock = &line->def->clock;
    for (size_t i = 0; i < clock->timers.count; i++)
        if (clock->timers.items[i]->name == name)
            return clock->timers.items[i];
    return NULL;
}

bool line_is_q35(const struct line *line)
{
    const char *machine = line->def->os.machine;
    return text_equal(machine, "q35") || text_starts(machine, "pc-q35-");
}

bool line_is_microvm(const struct line *line)
{
    return text_equal(line->def->os.machine, "microvm");
}

const struct controller *line_controller(const struct line *line, enum controller_type type, uint32_t index)
{
    for (size_t i = 0; i < line->def->controllers.count; i++) {
        const struct controller *controller = line->def->controllers.items[i];
        if (controller->type == type && controller_index(controller) == index)
            return controller;
    }
    return NULL;
}

/* --- addresses --- */

static int add_pci(const struct line *line, struct props *props, const struct pci_address *at,
                   struct error *err)
{
    const struct controller *bus = line_controller(line, CONTROLLER_PCI, at->bus);
    if (!bus)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "there is no pci controller with index %u", at->bus);
    if (bus->model == CONTROLLER_PCI_ROOT && at->bus == 0)
        props_text(props, "bus", "pci.0");
    else if (bus->model == CONTROLLER_PCIE_ROOT)
        props_text(props, "bus", "pcie.0");
    else
        props_text(props, "bus", bus->alias);
    props_on_off(props, "multifunction", at->multifunction);
    if (at->function)
        props_printf(props, "addr", "0x%x.0x%x", at->slot, at->function);
    else
        props_printf(props, "addr", "0x%x", at->slot);
    return 0;
}

static int add_usb(const struct line *line, struct props *props, const struct address *address,
                   struct error *err)
{
    const struct controller *bus = line_controller(line, CONTROLLER_USB, address->usb.bus);
    if (!bus)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "there is no usb controller with index %u",
                    address->usb.bus);
    props_printf(props, "bus", "%s.0", bus->alias);
    props_text(props, "port", address->usb.port);
    return 0;
}

static int add_virtio_serial(const struct line *line, struct props *props, const struct address *address,
                             struct error *err)
{
    uint32_t index = address->serial.controller;
    const struct controller *bus = line_controller(line, CONTROLLER_VIRTIO_SERIAL, index);
    if (!bus)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "there is no virtio-serial controller with index %u", index);
    props_printf(props, "bus", "%s.%u", bus->alias, address->serial.bus);
    props_positive(props, "nr", address->serial.port);
    return 0;
}

int line_address(const struct line *line, struct props *props, const struct address *address,
                 struct error *err)
{
    enum address_type type = address ? address->type : ADDRESS_NONE;
    switch (type) {
    case ADDRESS_NONE:
    case ADDRESS_UNASSIGNED:
        return 0;
    case ADDRESS_PCI:
        return add_pci(line, props, &address->pci, err);
    case ADDRESS_USB:
        return add_usb(line, props, address, err);
    case ADDRESS_VIRTIO_SERIAL:
        return add_virtio_serial(line, props, address, err);
    case ADDRESS_ISA:
        props_positive(props, "iobase", address->isa.iobase);
        props_positive(props, "irq", address->isa.irq);
        return 0;
    default:
        return fail(err, ERR_CONFIG_UNSUPPORTED, "an address of type '%s' is not supported here",
                    enum_word(&address_type_names, (int) type));
    }
}

void line_rom(struct props *props, enum yes_no enabled, enum on_off bar, const char *file)
{
    if (enabled == NO) {
        props_u64(props, "rombar", 0);
        props_text(props, "romfile", "");
        return;
    }
    if (bar)
        props_u64(props, "rombar", bar == ON);
    props_text(props, "romfile", file);
}

void line_virtio(struct props *props, const struct virtio_options *options)
{
    props_on_off(props, "iommu_platform", options->iommu);
    props_on_off(props, "ats", options->ats);
    props_on_off(props, "packed", options->packed);
    props_on_off(props, "page-per-vq", options->page_per_vq);
}

int line_iothread(const struct line *line, struct props *props, uint32_t id, struct error *err)
{
    if (!id)
        return 0;
    if (!iothreads_have(&line->def->iothreads, id))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "iothread %u is not defined", id);
    props_printf(props, "iothread", "iothread%u", id);
    return 0;
}

int line_queue_threads(const struct line *line, struct props *props, struct queue_thread *const *threads,
                       size_t count, struct error *err)
{
    if (!count)
        return 0;
    if (!caps_has(line->caps, CAPS_JSON_DEVICE))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "emulator '%s' is too old for several iothreads of a device",
                    line->caps->emulator);
    props_array(props, "iothread-vq-mapping");
    for (size_t i = 0; i < count; i++) {
        props_array_object(props);
        if (line_iothread(line, props, threads[i]->id, err) < 0)
            return -1;
        if (threads[i]->queues.count) {
            props_array(props, "vqs");
            for (size_t k = 0; k < threads[i]->queues.count; k++)
                props_array_u64(props, threads[i]->queues.items[k]->id.value);
            props_close_array(props);
        }
        props_close_object(props);
    }
    props_close_array(props);
    return 0;
}

int line_check_type(const struct line *line, const char *type, const char *of, struct error *err)
{
    if (caps_has_type(line->caps, type))
        return 0;
    return fail(err, ERR_CONFIG_UNSUPPORTED, "%s needs the device '%s', which emulator '%s' does not have",
                of, type, line->caps->emulator);
}

/* --- boot order --- */

/* The order that <os><boot dev=.../> gives to a kind of device, from 1; 0: it is not listed. */
static uint32_t os_boot_order(const struct line *line, enum boot_device device)
{
    for (size_t i = 0; i < line->def->os.boots.count; i++)
        if (line->def->os.boots.items[i]->device == device)
            return (uint32_t) i + 1;
    return 0;
}

static enum boot_device boot_kind(const struct disk *disk)
{
    if (disk->device == DISK_CDROM)
        return BOOT_CDROM;
    return disk->device == DISK_FLOPPY ? BOOT_FLOPPY : BOOT_DISK;
}

/* Of a kind of device only the first one is booted from. */
uint32_t line_disk_boot_index(const struct line *line, size_t index)
{
    const struct disk *disk = line->def->disks.items[index];
    if (disk->boot_order)
        return disk->boot_order;
    for (size_t i = 0; i < index; i++)
        if (boot_kind(line->def->disks.items[i]) == boot_kind(disk))
            return 0;
    return os_boot_order(line, boot_kind(disk));
}

uint32_t line_interface_boot_index(const struct line *line, size_t index)
{
    const struct interface *interface = line->def->interfaces.items[index];
    if (interface->boot_order)
        return interface->boot_order;
    return index == 0 ? os_boot_order(line, BOOT_NETWORK) : 0;
}

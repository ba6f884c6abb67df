/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/bus.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/keyval.h"

/* ---- finding ---- */

struct search {
    struct vm *vm;
    const char *kind, *name;
    struct qom_node *found, *full;      /* the first with room; the first of all */
};

/* Single-seat buses take one device each, so the next of their kind is looked for. */
static bool is_full(const struct vm *vm, const struct qom_node *bus)
{
    static const struct { const char *kind; unsigned seats; } limits[] = {
        { "IDE", 2 }, { "floppy-bus", 2 }, { "virtio-bus", 1 }, { "ccid-bus", 1 }, { "sd-bus", 1 },
    };
    unsigned taken = 0;
    for (size_t i = 0; i < bus->properties.count; i++)
        taken += text_starts(bus->properties.items[i].name, "child[");
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++)
        if (data_type_is(vm->data, bus->type, limits[i].kind))
            return taken >= limits[i].seats;
    return false;
}

static void look(struct qom_node *node, void *arg)
{
    struct search *s = arg;
    if (s->found || !data_type_is(s->vm->data, node->type, s->name ? "bus" : s->kind))
        return;
    if (s->name ? text_equal(node->name, s->name) : !is_full(s->vm, node))
        s->found = node;
    else if (!s->name && !s->full)
        s->full = node;
}

struct qom_node *bus_find(struct vm *vm, const char *driver, const char *kind, const char *name,
                          struct error *err)
{
    struct search search = { vm, kind, name, NULL, NULL };
    if (!name && text_equal(kind, "PCI") && vm->main_bus)
        return vm->main_bus;
    if (!name && text_equal(kind, "System"))
        return qom_at(vm->tree, "/machine/unattached/sysbus");
    qom_walk(qom_root(vm->tree), look, &search);
    if (!search.found && name)
        return fail(err, ERR_INVALID_ARG, "Bus '%s' not found", name), NULL;
    if (!search.found)
        search.found = search.full;     /* placing the device there will fail */
    if (!search.found)
        return fail(err, ERR_INVALID_ARG, "No '%s' bus found for device '%s'", kind, driver), NULL;
    if (name && !data_type_is(vm->data, search.found->type, kind))
        return fail(err, ERR_INVALID_ARG, "Device '%s' can't go on %s bus", driver, search.found->type), NULL;
    return search.found;
}

/* ---- places ---- */

static long long number_of(const struct qom_node *node, const char *name, long long otherwise)
{
    const struct qom_property *p = qom_property_find(node, name);
    return p && p->kind == QOM_VALUE && p->value && *p->value != '"' ? strtoll(p->value, NULL, 10)
                                                                     : otherwise;
}

static bool truth_of(const struct qom_node *node, const char *name)
{
    const struct qom_property *p = qom_property_find(node, name);
    return p && p->kind == QOM_VALUE && text_equal(p->value, "true");
}

/* The device on the bus whose property has that number, or NULL. */
static struct qom_node *holder(const struct qom_node *bus, const char *property, long long number)
{
    for (size_t i = 0; i < bus->properties.count; i++) {
        const struct qom_property *p = &bus->properties.items[i];
        if (p->kind == QOM_LINK && p->node && text_starts(p->name, "child[")
            && number_of(p->node, property, -1) == number)
            return p->node;
    }
    return NULL;
}

/* "5", "0x5", "05.1" as a slot and function in one number; -1 if it is none. */
static long parse_devfn(const char *text)
{
    char *end;
    unsigned long slot = strtoul(text, &end, 16), function = 0;
    if (end == text)
        return -1;
    if (*end == '.')
        function = strtoul(end + 1, &end, 16);
    return *end || slot > 31 || function > 7 ? -1 : (long) (slot << 3 | function);
}

static const char *id_text(const struct qom_node *node)
{
    return node->parent && text_equal(node->parent->name, "peripheral") ? node->name : "(null)";
}

static int place_pci(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
                     struct error *err)
{
    const char *text = keyval_text(given, "addr");
    const struct json *raw = json_get(given, "addr");
    long devfn = -1;
    if (raw && raw->type == JSON_NUMBER)
        devfn = strtol(raw->text, NULL, 10);
    else if (text && (devfn = parse_devfn(text)) < 0)
        return fail(err, ERR_INVALID_ARG, "Property '%s.addr' doesn't take value '%s'", node->type, text);
    for (long slot = 0; devfn < 0 && slot < 256; slot += 8)
        if (!holder(bus, "addr", slot))
            devfn = slot;
    if (devfn < 0)
        return fail(err, ERR_INVALID_ARG, "PCI: no slot/function available for %s, all in use or reserved",
                    node->type);
    const struct qom_node *other = holder(bus, "addr", devfn), *first = holder(bus, "addr", devfn & ~7L);
    if (!other && first && (devfn & 7) && !truth_of(first, "multifunction"))
        return fail(err, ERR_INVALID_ARG,
                    "PCI: single function device can't be populated in function %lx.%lx", devfn >> 3,
                    devfn & 7);
    if (other)
        return fail(err, ERR_INVALID_ARG,
                    "PCI: slot %ld function %ld not available for %s, in use by %s,id=%s", devfn >> 3,
                    devfn & 7, node->type, other->type, id_text(other));
    qom_set_number(node, "addr", (unsigned long long) devfn);
    owned_memory char *old_form = memory_printf("%02lx.%lx", devfn >> 3, devfn & 7);
    qom_set_text(node, "legacy-addr", old_form);
    (void) vm;
    return 0;
}

/* The lowest number from `first` that nobody on the bus has, unless one was given. */
static void number_freely(struct qom_node *bus, struct qom_node *node, const struct json *given,
                          const char *property, long long first)
{
    if (json_get(given, property) && number_of(node, property, -1) != -1 &&
        number_of(node, property, -1) != 4294967295LL)
        return;
    while (holder(bus, property, first))
        first++;
    qom_set_number(node, property, (unsigned long long) first);
}

static int place_port(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
                      struct error *err)
{
    (void) vm;
    const char *nr = keyval_text(given, "nr"), *name = keyval_text(given, "name");
    uint64_t number;
    for (size_t i = 0; name && i < bus->properties.count; i++) {
        const struct qom_node *other =
            bus->properties.items[i].kind == QOM_LINK ? bus->properties.items[i].node : NULL;
        const struct qom_property *p = other ? qom_property_find(other, "name") : NULL,
                                  *ours = qom_property_find(node, "name");
        if (p && ours && text_equal(p->value, ours->value))
            return fail(err, ERR_INVALID_ARG, "virtio-serial-bus: A port already exists by name %s", name);
    }
    if (nr && keyval_parse_number(nr, &number) && number != 4294967295u) {
        if (holder(bus, "nr", (long long) number))
            return fail(err, ERR_INVALID_ARG, "virtio-serial-bus: A port already exists at id %llu",
                        (unsigned long long) number);
        if (number == 0 && !text_equal(node->type, "virtconsole"))
            return fail(
                err, ERR_INVALID_ARG,
                "Port number 0 on virtio-serial devices reserved for virtconsole devices for "
                        "backward compatibility.");
        return 0;
    }
    number_freely(bus, node, given, "nr",
                  text_equal(node->type, "virtconsole") && !holder(bus, "nr", 0) ? 0 : 1);
    return 0;
}

static int place_scsi(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
                      struct error *err)
{
    (void) vm;
    if (!json_get(given, "scsi-id") && !json_get(given, "lun"))
        number_freely(bus, node, given, "scsi-id", 0);
    if (!json_get(given, "scsi-id") && json_get(given, "lun"))
        qom_set_number(node, "scsi-id", 0);
    if (!json_get(given, "lun"))
        qom_set_number(node, "lun", 0);
    if (number_of(node, "scsi-id", 0) > 255)
        return fail(err, ERR_INVALID_ARG, "bad scsi device id: %lld", number_of(node, "scsi-id", 0));
    return 0;
}

static int place_unit(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
                      struct error *err)
{
    (void) vm;
    const char *text = keyval_text(given, "unit");
    uint64_t unit;
    if (text && keyval_parse_number(text, &unit) && unit != 4294967295u) {
        if (data_type_is(vm->data, bus->type, "IDE") && unit > 1)
            return fail(err, ERR_INVALID_ARG, "Can't create IDE unit %llu, bus supports only 2 units",
                        (unsigned long long) unit);
        if (holder(bus, "unit", (long long) unit))
            return fail(err, ERR_INVALID_ARG,
                        data_type_is(vm->data, bus->type, "IDE") ? "IDE unit %llu is in use"
                                                                 : "Floppy unit %llu is in use",
                        (unsigned long long) unit);
        return 0;
    }
    bool ide = data_type_is(vm->data, bus->type, "IDE");
    if (is_full(vm, bus))
        return ide ? fail(err, ERR_INVALID_ARG, "IDE unit 1 is in use")
                   : fail(err, ERR_INVALID_ARG, "Can't create floppy unit 2, bus supports only 2 units");
    number_freely(bus, node, given, "unit", 0);
    return 0;
}

static unsigned long long ports_of(const struct qom_node *bus)
{
    static const struct { const char *controller; unsigned ports; } fixed[] = {
        { "piix3-usb-uhci", 2 }, { "piix4-usb-uhci", 2 }, { "ich9-usb-uhci1", 2 }, { "ich9-usb-uhci2", 2 },
        { "ich9-usb-uhci3", 2 }, { "ich9-usb-ehci1", 6 }, { "ich9-usb-ehci2", 6 }, { "usb-ehci", 6 },
    };
    const struct qom_node *controller = bus->parent;
    if (controller && qom_property_find(controller, "p2"))
        return (unsigned long long) (number_of(controller, "p2", 4) > number_of(controller, "p3", 4)
                                         ? number_of(controller, "p2", 4)
                                         : number_of(controller, "p3", 4));
    for (size_t i = 0; controller && i < ARRAY_COUNT(fixed); i++)
        if (text_equal(fixed[i].controller, controller->type))
            return fixed[i].ports;
    return 15;
}

/* The ports of a USB bus by number or path ("1", "2.1"): checked for being taken, and for being there. */
static int place_usb(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
                     struct error *err)
{
    const char *port = keyval_text(given, "port");
    uint64_t number = 0;
    (void) vm;
    bool missing = port && text_to_u64(port, UINT32_MAX, &number) && (number == 0 || number > ports_of(bus));
    for (size_t i = 0; port && i < bus->properties.count; i++) {
        const struct qom_node *other =
            bus->properties.items[i].kind == QOM_LINK ? bus->properties.items[i].node : NULL;
        const struct qom_property *taken = other ? qom_property_find(other, "port") : NULL,
                                  *ours = qom_property_find(node, "port");
        missing |= taken && ours && other != node && text_equal(taken->value, ours->value);
    }
    return missing ? fail(err, ERR_INVALID_ARG, "usb port %s (bus %s) not found (in use?)", port, bus->name)
                   : 0;
}

static int place_serial(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
                        struct error *err)
{
    static const struct {
        unsigned base, irq;
    } ports[] = { { 0x3f8, 4 }, { 0x2f8, 3 }, { 0x3e8, 4 }, { 0x2e8, 3 } };
    (void) vm;
    if (!text_equal(node->type, "isa-serial"))
        return 0;
    uint64_t index = 0;
    while (!json_get(given, "index") && holder(bus, "index", (long long) index))
        index++;
    if (keyval_number(given, "index", &index, err) < 0)
        return -1;
    if (index >= ARRAY_COUNT(ports))
        return fail(err, ERR_INVALID_ARG, "Max. supported number of ISA serial ports is %zu.",
                    ARRAY_COUNT(ports));
    qom_set_number(node, "index", index);
    if (!json_get(given, "iobase"))
        qom_set_number(node, "iobase", ports[index].base);
    if (!json_get(given, "irq"))
        qom_set_number(node, "irq", ports[index].irq);
    struct qom_node *region = qom_child(node, "serial[0]");
    if (region)
        qom_set_number(region, "addr", (unsigned long long) number_of(node, "iobase", 0));
    return 0;
}

static const struct {
    const char *kind;
    int (*place)(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
                 struct error *err);
} rules[] = {
    { "PCI", place_pci },
    { "virtio-serial-bus", place_port },
    { "SCSI", place_scsi },
    { "IDE", place_unit },
    { "floppy-bus", place_unit },
    { "ISA", place_serial },
    { "usb-bus", place_usb },
};

int bus_place(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
              struct error *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(rules); i++)
        if (data_type_is(vm->data, bus->type, rules[i].kind))
            return rules[i].place(vm, bus, node, given, err);
    return 0;
}

/* ---- slots that the guest is told about ---- */

static struct qom_node *bridged_bus(const struct vm *vm, const struct qom_node *device)
{
    for (size_t i = 0; i < device->properties.count; i++) {
        const struct qom_property *p = &device->properties.items[i];
        if (p->kind == QOM_CHILD && p->node && data_type_is(vm->data, p->node->type, "PCI"))
            return p->node;
    }
    return NULL;
}

/* QEMU numbers the buses below a bus from the youngest to the oldest. */
static void number_slots(const struct vm *vm, struct qom_node *bus, unsigned *next)
{
    if (qom_property_find(bus, "acpi-pcihp-bsel"))
        qom_set_number(bus, "acpi-pcihp-bsel", (*next)++);
    for (unsigned n = bus->next_child; n-- > 0;) {
        owned_memory char *name = memory_printf("child[%u]", n);
        const struct qom_property *p = qom_property_find(bus, name);
        struct qom_node *below = p && p->node ? bridged_bus(vm, p->node) : NULL;
        if (below)
            number_slots(vm, below, next);
    }
}

void bus_attach(struct vm *vm, struct qom_node *bus, struct qom_node *node)
{
    struct qom_property property = { .kind = QOM_LINK, .node = node };
    property.name = data_intern(vm->data, arena_printf(vm->arena, "child[%u]", bus->next_child++));
    property.type = data_intern(vm->data, arena_printf(vm->arena, "link<%s>", node->type));
    /* Behind the children there, before the link to the hotplug handler: as near as we get to QEMU's hash
     * order. */
    qom_add(vm->tree, bus, &property);
    unsigned next = 0;
    if (vm->main_bus && bridged_bus(vm, node))
        number_slots(vm, vm->main_bus, &next);
}

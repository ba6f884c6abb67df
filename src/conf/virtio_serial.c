/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/virtio_serial.h"

#include "conf/defaults.h"
#include "conf/machine.h"

enum { PORTS = 31, CONTROLLERS = 64 };

/* A bit per port. */
struct port_map { uint32_t used[CONTROLLERS]; };

static bool is_on_virtio(const struct chardev *chardev)
{
    enum address_type type = chardev->address ? chardev->address->type : ADDRESS_NONE;
    return chardev->target == TARGET_VIRTIO && (!type || type == ADDRESS_VIRTIO_SERIAL);
}

static void add_controller_of(struct domain_def *def, const struct chardev *chardev, struct arena *arena)
{
    uint32_t index = chardev->address ? chardev->address->serial.controller : 0;
    if (is_on_virtio(chardev) && index < CONTROLLERS &&
        !find_controller(def, CONTROLLER_VIRTIO_SERIAL, index))
        defaults_add_controller(def, CONTROLLER_VIRTIO_SERIAL, index, CONTROLLER_MODEL_ABSENT, arena);
}

void virtio_serial_add_controllers(struct domain_def *def, struct arena *arena)
{
    for (size_t i = 0; i < def->consoles.count; i++)
        add_controller_of(def, def->consoles.items[i], arena);
    for (size_t i = 0; i < def->channels.count; i++)
        add_controller_of(def, def->channels.items[i], arena);
}

static void learn(struct port_map *map, struct chardev *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct address *address = items[i]->address;
        if (is_on_virtio(items[i]) && address && address->serial.controller < CONTROLLERS &&
            address->serial.port && address->serial.port < PORTS)
            map->used[address->serial.controller] |= 1u << address->serial.port;
    }
}

static uint32_t port_count(const struct controller *controller)
{
    return controller->ports.set && controller->ports.value < PORTS ? controller->ports.value : PORTS;
}

/* The first free port, PORTS if there is none.  Number 0 is left to consoles. */
static uint32_t find_port(const struct port_map *map, const struct controller *controller)
{
    for (uint32_t port = 1; port < port_count(controller); port++)
        if (!(map->used[controller->index.value] & 1u << port))
            return port;
    return PORTS;
}

static bool take_port(struct port_map *map, const struct controller *controller, struct chardev *chardev,
                      struct arena *arena)
{
    if (controller->index.value >= CONTROLLERS)
        return false;
    uint32_t port = find_port(map, controller);
    if (port == PORTS)
        return false;
    if (!chardev->address)
        chardev->address = ARENA_NEW(arena, struct address);
    chardev->address->type = ADDRESS_VIRTIO_SERIAL;
    chardev->address->serial.controller = controller->index.value;
    chardev->address->serial.port = port;
    map->used[controller->index.value] |= 1u << port;
    return true;
}

static void assign(struct port_map *map, struct domain_def *def, struct chardev *chardev, struct arena *arena)
{
    bool chosen = chardev->address && chardev->address->type == ADDRESS_VIRTIO_SERIAL;
    if (!is_on_virtio(chardev) || (chosen && chardev->address->serial.port))
        return;
    for (uint32_t index = chosen ? chardev->address->serial.controller : 0; index < CONTROLLERS; index++) {
        const struct controller *controller = find_controller(def, CONTROLLER_VIRTIO_SERIAL, index);
        if (controller && take_port(map, controller, chardev, arena))
            return;
        if (!controller) {
            controller = defaults_add_controller(def, CONTROLLER_VIRTIO_SERIAL, index,
                                                 CONTROLLER_MODEL_ABSENT, arena);
            take_port(map, controller, chardev, arena);
            return;
        }
    }
}

void virtio_serial_assign(struct domain_def *def, struct arena *arena)
{
    struct port_map map = { { 0 } };
    if (machine_kind(def) == MACHINE_OTHER && !machine_is_microvm(def))
        return;
    learn(&map, def->consoles.items, def->consoles.count);
    learn(&map, def->channels.items, def->channels.count);
    for (size_t i = 0; i < def->channels.count; i++)
        assign(&map, def, def->channels.items[i], arena);
}

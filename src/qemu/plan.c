/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/plan.h"

#include <stdlib.h>

#include "base/text.h"

enum { USB_CONTROLLERS_MAX = 32, USB_PORTS_MAX = 15 };

/* The ports in use, a bit each, of the controllers by index. */
struct usb_ports { uint32_t used[USB_CONTROLLERS_MAX]; };

static unsigned port_count(const struct controller *controller)
{
    switch (controller->model) {
    case CONTROLLER_QEMU_XHCI:
    case CONTROLLER_NEC_XHCI:
        return controller->ports.set ? controller->ports.value : 4;
    case CONTROLLER_EHCI:
    case CONTROLLER_ICH9_EHCI1:
        return 6;
    case CONTROLLER_PCI_OHCI:
        return 3;
    case CONTROLLER_USB_NONE:
        return 0;
    default:
        return 2;
    }
}

/* Of "1.2.3", which lies behind hubs, the port of the controller is the first. */
static void note(struct usb_ports *ports, const struct address *address)
{
    if (!address || address->type != ADDRESS_USB || !address->usb.port || address->usb.bus >= USB_CONTROLLERS_MAX)
        return;
    unsigned long port = strtoul(address->usb.port, NULL, 10);
    if (port >= 1 && port <= USB_PORTS_MAX)
        ports->used[address->usb.bus] |= 1U << port;
}

static void assign(struct usb_ports *ports, struct domain_def *live, struct address **address)
{
    if (*address && (*address)->type != ADDRESS_NONE && ((*address)->type != ADDRESS_USB || (*address)->usb.port))
        return;
    for (size_t i = 0; i < live->controllers.count; i++) {
        const struct controller *controller = live->controllers.items[i];
        uint32_t bus = controller_index(controller);
        if (controller->type != CONTROLLER_USB || controller->master_startport.set || bus >= USB_CONTROLLERS_MAX ||
            (*address && (*address)->type == ADDRESS_USB && (*address)->usb.bus != bus))
            continue;
        for (unsigned port = 1; port <= port_count(controller) && port <= USB_PORTS_MAX; port++) {
            if (ports->used[bus] >> port & 1)
                continue;
            *address = ARENA_NEW(live->arena, struct address);
            (*address)->type = ADDRESS_USB;
            (*address)->usb.bus = bus;
            (*address)->usb.port = arena_printf(live->arena, "%u", port);
            note(ports, *address);
            return;
        }
    }
}

static bool is_usb_serial(const struct chardev *serial)
{
    return serial->target == TARGET_USB_SERIAL || text_equal(serial->model, "usb-serial");
}

void plan_usb_ports(struct domain_def *live)
{
    struct usb_ports ports = { { 0 } };
    for (size_t i = 0; i < live->disks.count; i++)
        note(&ports, live->disks.items[i]->address);
    for (size_t i = 0; i < live->inputs.count; i++)
        note(&ports, live->inputs.items[i]->address);
    for (size_t i = 0; i < live->serials.count; i++)
        note(&ports, live->serials.items[i]->address);

    for (size_t i = 0; i < live->disks.count; i++)
        if (live->disks.items[i]->bus == DISK_BUS_USB)
            assign(&ports, live, &live->disks.items[i]->address);
    for (size_t i = 0; i < live->inputs.count; i++)
        if (live->inputs.items[i]->bus == INPUT_BUS_USB)
            assign(&ports, live, &live->inputs.items[i]->address);
    for (size_t i = 0; i < live->serials.count; i++)
        if (is_usb_serial(live->serials.items[i]))
            assign(&ports, live, &live->serials.items[i]->address);
}

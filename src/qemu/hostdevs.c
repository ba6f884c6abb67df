/* SPDX-License-Identifier: Apache-2.0 */
/* USB and PCI devices that the guest gets from outside: of the host, or of a client. */
#include "qemu/line.h"

#include "base/memory.h"
#include "base/text.h"

static void add_usb(struct props *device, const struct hostdev *hostdev)
{
    const struct host_place *place = hostdev->place;
    if (place && place->usb.port && !place->usb.device) {
        props_positive(device, "hostbus", place->usb.bus);
        props_text(device, "hostport", place->usb.port);
    } else if (place) {
        props_printf(device, "hostdevice", "/dev/bus/usb/%03u/%03u", place->usb.bus, place->usb.device);
    }
    if (!place || !place->usb.device) {
        props_positive(device, "vendorid", hostdev->vendor);
        props_positive(device, "productid", hostdev->product);
    }
    props_text(device, "id", hostdev->alias);
    if (hostdev->guest_reset) {
        props_bool(device, "guest-reset", hostdev->guest_reset != GUEST_RESET_OFF);
        props_bool(device, "guest-resets-all", hostdev->guest_reset == GUEST_RESET_ON);
    }
    props_positive(device, "bootindex", hostdev->boot_order);
}

static void add_pci(struct props *device, const struct hostdev *hostdev)
{
    const struct pci_address *pci = &hostdev->place->pci;
    props_printf(device, "host", "%04x:%02x:%02x.%x", pci->domain, pci->bus, pci->slot, pci->function);
    props_text(device, "id", hostdev->alias);
    props_positive(device, "bootindex", hostdev->boot_order);
}

static void add_mediated(struct props *device, const struct hostdev *hostdev)
{
    props_text(device, "id", hostdev->alias);
    props_printf(device, "sysfsdev", "/sys/bus/mdev/devices/%s", hostdev->place->uuid);
    props_on_off(device, "display", hostdev->display);
    props_on_off(device, "ramfb", hostdev->ramfb);
    props_positive(device, "bootindex", hostdev->boot_order);
}

static const char *hostdev_driver(const struct hostdev *hostdev)
{
    switch (hostdev->type) {
    case HOSTDEV_USB: return "usb-host";
    case HOSTDEV_PCI: return "vfio-pci";
    case HOSTDEV_MDEV: return hostdev->ramfb == ON ? "vfio-pci-nohotplug" : hostdev->model;
    default: return NULL;
    }
}

static int check_hostdev(const struct hostdev *hostdev, struct error *err)
{
    if (hostdev->driver && !text_equal(hostdev->driver, "vfio"))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "driver '%s' is not supported, only 'vfio' is",
                    hostdev->driver);
    if (hostdev_driver(hostdev))
        return 0;
    return fail(err, ERR_CONFIG_UNSUPPORTED, "type '%s' is not supported",
                enum_word(&hostdev_type_names, hostdev->type));
}

static int add_hostdev(struct line *line, const struct hostdev *hostdev, struct error *err)
{
    if (check_hostdev(hostdev, err) < 0 || line_check_type(line, hostdev_driver(hostdev), "it", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", hostdev_driver(hostdev));
    if (hostdev->type == HOSTDEV_USB)
        add_usb(&device, hostdev);
    else if (hostdev->type == HOSTDEV_PCI)
        add_pci(&device, hostdev);
    else
        add_mediated(&device, hostdev);
    if (line_address(line, &device, hostdev->address, err) < 0)
        return -1;
    if (hostdev->type == HOSTDEV_PCI)
        line_rom(&device, hostdev->rom_enabled, hostdev->rom_bar, hostdev->rom_file);
    line_device(line, &device);
    return 0;
}

int line_hostdevs(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->hostdevs.count; i++)
        if (add_hostdev(line, line->def->hostdevs.items[i], err) < 0)
            return fail_in(err, "hostdev '%s'", line->def->hostdevs.items[i]->alias);
    return 0;
}

static int add_redirdev(struct line *line, const struct chardev *redirdev, struct error *err)
{
    if (line_check_type(line, "usb-redir", "it", err) < 0)
        return -1;
    owned_memory char *backend = memory_printf("char%s", redirdev->alias);
    if (line_chardev_backend(line, redirdev, backend, "usbredir", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", "usb-redir");
    props_text(&device, "chardev", backend);
    props_text(&device, "id", redirdev->alias);
    props_positive(&device, "bootindex", redirdev->boot_order);
    if (line_address(line, &device, redirdev->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

int line_redirdevs(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->redirdevs.count; i++)
        if (add_redirdev(line, line->def->redirdevs.items[i], err) < 0)
            return fail_in(err, "redirdev '%s'", line->def->redirdevs.items[i]->alias);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/line.h"

#include "base/text.h"

/* QEMU's device for a model: libvirt's word is the device, but for the virtio ones. */
static const char *driver_of(const char *model)
{
    static const struct { const char *model, *driver; } virtio[] = {
        { "virtio", "virtio-net-pci" },
        { "virtio-transitional", "virtio-net-pci-transitional" },
        { "virtio-non-transitional", "virtio-net-pci-non-transitional" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(virtio); i++)
        if (text_equal(model, virtio[i].model))
            return virtio[i].driver;
    return model;
}

static void add_virtio(struct props *device, const struct interface *interface)
{
    if (interface->txmode)
        props_text(device, "tx", text_equal(interface->txmode, "iothread") ? "bh" : "timer");
    props_on_off(device, "ioeventfd", interface->ioeventfd);
    props_on_off(device, "event_idx", interface->event_idx);
    props_positive(device, "rx_queue_size", interface->rx_queue_size);
    props_positive(device, "tx_queue_size", interface->tx_queue_size);
    props_positive(device, "host_mtu", interface->mtu);
    line_virtio(device, &interface->virtio);
    props_on_off(device, "rss", interface->rss);
    props_on_off(device, "hash", interface->rss_hash_report);
}

static int add_interface(struct line *line, size_t index, struct error *err)
{
    const struct interface *interface = line->def->interfaces.items[index];
    const char *driver = driver_of(interface->model);
    if (interface->type != INTERFACE_USER)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "type '%s' is not supported: it needs networks of the host, which this daemon does not "
                    "set up; 'user' works without", enum_word(&interface_type_names, interface->type));
    if (line_check_type(line, driver, "its model", err) < 0)
        return -1;

    owned_props struct props backend;
    props_begin(&backend, "type", "user");
    props_printf(&backend, "id", "host%s", interface->alias);
    line_backend(line, "-netdev", &backend);

    char mac[MAC_TEXT_SIZE];
    mac_format(&interface->mac, mac);
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    if (text_starts(driver, "virtio-"))
        add_virtio(&device, interface);
    props_printf(&device, "netdev", "host%s", interface->alias);
    props_text(&device, "id", interface->alias);
    props_text(&device, "mac", mac);
    props_positive(&device, "bootindex", line_interface_boot_index(line, index));
    if (line_address(line, &device, interface->address, err) < 0)
        return -1;
    line_rom(&device, interface->rom_enabled, interface->rom_bar, interface->rom_file);
    line_device(line, &device);
    return 0;
}

int line_interface(struct line *line, size_t index, struct error *err)
{
    if (add_interface(line, index, err) < 0)
        return fail_in(err, "interface '%s'", line->def->interfaces.items[index]->alias);
    return 0;
}

int line_interfaces(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->interfaces.count; i++)
        if (line_interface(line, i, err) < 0)
            return -1;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/line.h"

#include "base/memory.h"
#include "base/text.h"

/* The device behind each model.  "" is what the machine has anyway, NULL what cannot be had. */
static const struct {
    enum controller_type type;
    enum controller_model model;
    const char *driver;
} drivers[] = {
    { CONTROLLER_PCI, CONTROLLER_PCI_ROOT, "" },
    { CONTROLLER_PCI, CONTROLLER_PCIE_ROOT, "" },
    { CONTROLLER_PCI, CONTROLLER_ROOT_PORT, "pcie-root-port" },
    { CONTROLLER_PCI, CONTROLLER_PCI_BRIDGE, "pci-bridge" },
    { CONTROLLER_PCI, CONTROLLER_PCIE_TO_PCI, "pcie-pci-bridge" },
    { CONTROLLER_PCI, CONTROLLER_DMI_BRIDGE, "i82801b11-bridge" },
    { CONTROLLER_PCI, CONTROLLER_UPSTREAM_PORT, "x3130-upstream" },
    { CONTROLLER_PCI, CONTROLLER_DOWNSTREAM_PORT, "xio3130-downstream" },
    { CONTROLLER_USB, CONTROLLER_USB_NONE, "" },
    { CONTROLLER_USB, CONTROLLER_MODEL_ABSENT, "piix3-usb-uhci" },
    { CONTROLLER_USB, CONTROLLER_PIIX3_UHCI, "piix3-usb-uhci" },
    { CONTROLLER_USB, CONTROLLER_PIIX4_UHCI, "piix4-usb-uhci" },
    { CONTROLLER_USB, CONTROLLER_EHCI, "usb-ehci" },
    { CONTROLLER_USB, CONTROLLER_ICH9_EHCI1, "ich9-usb-ehci1" },
    { CONTROLLER_USB, CONTROLLER_ICH9_UHCI1, "ich9-usb-uhci1" },
    { CONTROLLER_USB, CONTROLLER_ICH9_UHCI2, "ich9-usb-uhci2" },
    { CONTROLLER_USB, CONTROLLER_ICH9_UHCI3, "ich9-usb-uhci3" },
    { CONTROLLER_USB, CONTROLLER_VT82C686B_UHCI, "vt82c686b-usb-uhci" },
    { CONTROLLER_USB, CONTROLLER_PCI_OHCI, "pci-ohci" },
    { CONTROLLER_USB, CONTROLLER_NEC_XHCI, "nec-usb-xhci" },
    { CONTROLLER_USB, CONTROLLER_QEMU_XHCI, "qemu-xhci" },
    { CONTROLLER_SCSI, CONTROLLER_MODEL_ABSENT, "lsi" },
    { CONTROLLER_SCSI, CONTROLLER_AUTO, "lsi" },
    { CONTROLLER_SCSI, CONTROLLER_LSILOGIC, "lsi" },
    { CONTROLLER_SCSI, CONTROLLER_LSISAS1068, "mptsas1068" },
    { CONTROLLER_SCSI, CONTROLLER_LSISAS1078, "megasas" },
    { CONTROLLER_SCSI, CONTROLLER_VMPVSCSI, "pvscsi" },
    { CONTROLLER_SCSI, CONTROLLER_AM53C974, "am53c974" },
    { CONTROLLER_SCSI, CONTROLLER_DC390, "dc390" },
    { CONTROLLER_SCSI, CONTROLLER_VIRTIO_SCSI, "virtio-scsi-pci" },
    { CONTROLLER_SCSI, CONTROLLER_TRANSITIONAL, "virtio-scsi-pci-transitional" },
    { CONTROLLER_SCSI, CONTROLLER_NON_TRANSITIONAL, "virtio-scsi-pci-non-transitional" },
    { CONTROLLER_SATA, CONTROLLER_MODEL_ABSENT, "ahci" },
    { CONTROLLER_VIRTIO_SERIAL, CONTROLLER_MODEL_ABSENT, "virtio-serial-pci" },
    { CONTROLLER_VIRTIO_SERIAL, CONTROLLER_VIRTIO, "virtio-serial-pci" },
    { CONTROLLER_VIRTIO_SERIAL, CONTROLLER_TRANSITIONAL, "virtio-serial-pci-transitional" },
    { CONTROLLER_VIRTIO_SERIAL, CONTROLLER_NON_TRANSITIONAL, "virtio-serial-pci-non-transitional" },
    { CONTROLLER_CCID, CONTROLLER_MODEL_ABSENT, "usb-ccid" },
};

/* Two names are aliases that QEMU resolves; their types have others. */
static const char *type_of(const char *driver)
{
    if (text_equal(driver, "lsi"))
        return "lsi53c895a";
    return text_equal(driver, "ahci") ? "ich9-ahci" : driver;
}

static const char *find_driver(const struct controller *controller)
{
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++)
        if (drivers[i].type == controller->type && drivers[i].model == controller->model)
            return drivers[i].driver;
    return NULL;
}

/* Part of the board: the first ide of a pc, the first sata of a q35, the floppy controller of a pc. */
static bool is_built_in(const struct line *line, const struct controller *controller)
{
    bool first = controller_index(controller) == 0;
    switch (controller->type) {
    case CONTROLLER_IDE:
        return first && !line_is_q35(line);
    case CONTROLLER_SATA:
        return first && line_is_q35(line);
    case CONTROLLER_ISA:
        return first;
    default:
        return false;
    }
}

static void add_usb(const struct line *line, struct props *device, const struct controller *controller)
{
    props_opt_u32(device, "p2", controller->ports);
    props_opt_u32(device, "p3", controller->ports);
    if (!controller->master_startport.set) {
        props_text(device, "id", controller->alias);
        return;
    }
    const struct controller *master = line_controller(line, CONTROLLER_USB, controller_index(controller));
    props_printf(device, "masterbus", "%s.0", master->alias);
    props_opt_u32(device, "firstport", controller->master_startport);
}

static void add_pci(struct props *device, const struct controller *controller)
{
    props_opt_u32(device, "chassis_nr", controller->chassis_nr);
    props_opt_u32(device, "port", controller->port);
    props_opt_u32(device, "chassis", controller->chassis);
    props_on_off(device, "hotplug", controller->hotplug);
    props_text(device, "id", controller->alias);
}

static void add_virtio_or_scsi(struct props *device, const struct controller *controller)
{
    props_on_off(device, "ioeventfd", controller->ioeventfd);
    line_virtio(device, &controller->virtio);
    props_text(device, "id", controller->alias);
    if (controller->type == CONTROLLER_VIRTIO_SERIAL)
        props_opt_u32(device, "max_ports", controller->ports);
    props_opt_u32(device, "vectors", controller->vectors);
    props_positive(device, "num_queues", controller->queues);
    props_positive(device, "cmd_per_lun", controller->cmd_per_lun);
    props_positive(device, "max_sectors", controller->max_sectors);
}

/* The floppy controller carries its drives' boot order.  On a q35 it is a device, on a pc part of the
 * board. */
static void add_floppy_controller(struct line *line)
{
    static const char *const drives[] = { "bootindexA", "bootindexB" };
    owned_props struct props device;
    props_begin(&device, "driver", "isa-fdc");
    for (size_t i = 0; i < line->def->disks.count; i++) {
        const struct disk *disk = line->def->disks.items[i];
        uint32_t order = line_disk_boot_index(line, i);
        if (disk->bus != DISK_BUS_FDC || !disk->address || disk->address->drive.unit > 1 || !order)
            continue;
        const char *drive = drives[disk->address->drive.unit];
        props_u64(&device, drive, order);
        if (!line_is_q35(line)) {
            owned_memory char *global = memory_printf("isa-fdc.%s=%u", drive, order);
            argv_add_pair(line->argv, "-global", global);
        }
    }
    if (line_is_q35(line))
        line_device(line, &device);
}

static int add_controller(struct line *line, const struct controller *controller, struct error *err)
{
    if (controller->type == CONTROLLER_FDC) {
        add_floppy_controller(line);
        return 0;
    }
    bool is_named = controller->type == CONTROLLER_PCI && controller->pci_model;
    const char *driver = is_named ? controller->pci_model : find_driver(controller);
    if (!driver)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "model '%s' is not supported on machine '%s'",
                    controller->model ? enum_word(&controller_model_names, controller->model) : "default",
                    line->def->os.machine);
    if (!*driver)
        return 0;
    if (line_check_type(line, type_of(driver), "it", err) < 0)
        return -1;
    if ((controller->iothread || controller->queue_threads.count) && !text_starts(driver, "virtio-scsi"))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "only virtio-scsi controllers can have an iothread");
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    if (line_iothread(line, &device, controller->iothread, err) < 0 ||
        line_queue_threads(line, &device, controller->queue_threads.items, controller->queue_threads.count,
                           err) < 0)
        return -1;
    if (controller->type == CONTROLLER_PCI)
        add_pci(&device, controller);
    else if (controller->type == CONTROLLER_USB)
        add_usb(line, &device, controller);
    else
        add_virtio_or_scsi(&device, controller);
    if (line_address(line, &device, controller->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

/* By kind, what carries others first; then in the definition's order. */
int line_controller_device(struct line *line, size_t index, struct error *err)
{
    const struct controller *controller = line->def->controllers.items[index];
    if (is_built_in(line, controller) || add_controller(line, controller, err) == 0)
        return 0;
    return fail_in(err, "%s controller %u", enum_word(&controller_type_names, controller->type),
                   controller_index(controller));
}

int line_controllers(struct line *line, struct error *err)
{
    static const enum controller_type order[] = {
        CONTROLLER_PCI, CONTROLLER_USB, CONTROLLER_SCSI, CONTROLLER_IDE, CONTROLLER_SATA,
        CONTROLLER_VIRTIO_SERIAL, CONTROLLER_FDC, CONTROLLER_CCID, CONTROLLER_ISA, CONTROLLER_NVME,
        CONTROLLER_XENBUS,
    };
    for (size_t kind = 0; kind < ARRAY_COUNT(order); kind++)
        for (size_t i = 0; i < line->def->controllers.count; i++) {
            const struct controller *controller = line->def->controllers.items[i];
            if (controller->type == order[kind] && line_controller_device(line, i, err) < 0)
                return -1;
        }
    return 0;
}

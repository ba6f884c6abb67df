/* SPDX-License-Identifier: Apache-2.0 */
#include "caps_tables.h"

#include "base/own.h"

static const struct caps_machine machines[] = {
    { .name = "pc-i440fx-7.2", .alias = "pc", .cpus_max = 255, .is_default = true,
      .default_cpu = "qemu64-x86_64-cpu", .default_ram = "pc.ram" },
    { .name = "pc-q35-7.2", .alias = "q35", .cpus_max = 288, .default_cpu = "qemu64-x86_64-cpu",
      .default_ram = "pc.ram" },
    { .name = "microvm", .cpus_max = 288, .default_cpu = "qemu64-x86_64-cpu", .default_ram = "microvm.ram" },
};

static const struct caps_cpu cpus[] = {
    { .name = "Haswell", .usable = true },
    { .name = "max", .usable = true },
    { .name = "qemu64", .usable = true },
};

/* Sorted, as caps_has_type() needs them. */
static const char *const types[] = {
    "AC97", "ES1370", "VGA", "bochs-display", "ccid-card-passthru", "chardev-qemu-vdagent", "cirrus-vga",
    "e1000", "floppy", "hda-duplex", "hda-micro", "hda-output", "i6300esb", "i82801b11-bridge", "ib700",
    "ich9-ahci", "ich9-intel-hda", "ich9-usb-ehci1", "ich9-usb-uhci1", "ich9-usb-uhci2", "ich9-usb-uhci3",
    "ide-cd", "ide-hd", "input-linux", "intel-hda", "intel-iommu", "ioh3420", "isa-fdc", "isa-parallel",
    "isa-serial", "ivshmem-doorbell", "ivshmem-plain", "kvm-pit", "lsi53c895a", "memory-backend-file",
    "memory-backend-memfd", "memory-backend-ram", "mptsas1068", "nec-usb-xhci", "nvdimm", "pc-dimm",
    "pci-bridge", "pci-ohci", "pci-serial", "pcie-pci-bridge", "pcie-root-port", "piix3-usb-uhci",
    "piix4-usb-uhci", "pvpanic", "pvpanic-pci", "qemu-xhci", "ramfb", "rng-builtin", "rng-egd", "rng-random",
    "rtl8139", "sb16", "scsi-block", "scsi-cd", "scsi-hd", "secondary-vga", "tpm-crb", "tpm-tis",
    "usb-audio", "usb-ccid", "usb-ehci", "usb-host", "usb-hub", "usb-kbd", "usb-mouse", "usb-redir",
    "usb-serial", "usb-storage", "usb-tablet", "vfio-pci", "vhost-vsock-pci", "virtconsole", "virtio-9p-pci",
    "virtio-balloon-pci", "virtio-blk-pci", "virtio-gpu-pci", "virtio-input-host-pci", "virtio-keyboard-pci",
    "virtio-mouse-pci", "virtio-net-pci", "virtio-rng-pci", "virtio-scsi-pci", "virtio-serial-pci",
    "virtio-tablet-pci", "virtio-vga", "virtserialport", "vmcoreinfo", "vmgenid", "vmware-svga",
};

/* Of an emulator that was built with everything. */
static const char *const types_in_full[] = {
    "AC97", "ES1370", "VGA", "amd-iommu", "bochs-display", "ccid-card-emulated", "ccid-card-passthru",
    "chardev-qemu-vdagent", "chardev-spiceport", "chardev-spicevmc", "cirrus-vga", "e1000", "floppy",
    "hda-duplex", "hda-micro", "hda-output", "i6300esb", "i82801b11-bridge", "ib700", "ich9-ahci",
    "ich9-intel-hda", "ich9-usb-ehci1", "ich9-usb-uhci1", "ich9-usb-uhci2", "ich9-usb-uhci3", "ide-cd",
    "ide-hd", "idontexist", "input-linux", "intel-hda", "intel-iommu", "ioh3420", "isa-fdc", "isa-parallel",
    "isa-serial", "ivshmem-doorbell", "ivshmem-plain", "kvm-pit", "lsi53c895a", "memory-backend-file",
    "memory-backend-memfd", "memory-backend-ram", "mptsas1068", "ne2k_pci", "nec-usb-xhci", "netfront",
    "nvdimm", "pc-dimm", "pci-bridge", "pci-ohci", "pci-serial", "pcie-pci-bridge", "pcie-root-port",
    "pcnet", "piix3-usb-uhci", "piix4-usb-uhci", "pvpanic", "pvpanic-pci", "qemu-xhci", "qxl", "qxl-vga",
    "ramfb", "rng-builtin", "rng-egd", "rng-random", "rtl8139", "sb16", "scsi-block", "scsi-cd", "scsi-hd",
    "secondary-vga", "tpm-crb", "tpm-tis", "usb-audio", "usb-ccid", "usb-ehci", "usb-host", "usb-hub",
    "usb-kbd", "usb-mouse", "usb-redir", "usb-serial", "usb-storage", "usb-tablet", "vfio-pci",
    "vhost-vsock-pci", "virtconsole", "virtio-9p-pci", "virtio-balloon-pci", "virtio-blk-pci",
    "virtio-gpu-gl-pci", "virtio-gpu-pci", "virtio-input-host-pci", "virtio-iommu-pci",
    "virtio-keyboard-pci", "virtio-mouse-pci", "virtio-net-pci", "virtio-rng-pci", "virtio-scsi-pci",
    "virtio-serial-pci", "virtio-sound-pci", "virtio-tablet-pci", "virtio-vga", "virtio-vga-gl",
    "virtserialport", "vmcoreinfo", "vmgenid", "vmware-svga", "vmxnet3",
};

struct caps caps_table(enum caps_table which)
{
    static const struct { unsigned version, features; } tables[CAPS_TABLES] = {
        [CAPS_7_2] = { 7002022, 1U << CAPS_BLOCKDEV | 1U << CAPS_JSON_DEVICE | 1U << CAPS_JSON_BACKENDS |
                       1U << CAPS_SANDBOX | 1U << CAPS_SET_ACTION },
        [CAPS_10_0] = { 10000000, 1U << CAPS_BLOCKDEV | 1U << CAPS_JSON_DEVICE | 1U << CAPS_JSON_BACKENDS |
                        1U << CAPS_SANDBOX | 1U << CAPS_SET_ACTION | 1U << CAPS_RAW_WITHOUT_FORMAT },
        [CAPS_11_1] = { 11001003, 1U << CAPS_BLOCKDEV | 1U << CAPS_JSON_DEVICE | 1U << CAPS_JSON_BACKENDS |
                        1U << CAPS_SANDBOX | 1U << CAPS_SET_ACTION | 1U << CAPS_RAW_WITHOUT_FORMAT |
                        1U << CAPS_MONITOR_OBJECT | 1U << CAPS_QOM_LIST_GET },
    };
    bool full = which == CAPS_10_0;
    return (struct caps){
        .emulator = "/usr/bin/qemu-system-x86_64", .arch = "x86_64", .package = "", .key = "key",
        .version = tables[which].version, .features = tables[which].features, .kvm_present = true,
        .kvm_usable = true, .machines = machines, .machines_count = ARRAY_COUNT(machines), .cpus = cpus,
        .cpus_count = ARRAY_COUNT(cpus),
        .types = full ? types_in_full : types,
        .types_count = full ? ARRAY_COUNT(types_in_full) : ARRAY_COUNT(types),
    };
}

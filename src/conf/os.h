/* SPDX-License-Identifier: Apache-2.0 */
/* os.h - <os>: the machine, and how it boots.
 *
 * After defaults: arch and machine (the canonical name) are set, and there is a boot device unless a device
 * has a boot order or a kernel is given.
 */
#pragma once
#include "xml/value.h"

#define OS_TYPES(_) \
    _(OS_HVM, "hvm") _(OS_XEN, "xen") _(OS_XENPVH, "xenpvh") _(OS_LINUX, "linux") _(OS_EXE, "exe") \
    _(OS_UML, "uml")
DECLARE_ENUM(os_type, OS_TYPE_ABSENT, OS_TYPES);

#define BOOT_DEVICES(_) \
    _(BOOT_FLOPPY, "fd") _(BOOT_DISK, "hd") _(BOOT_CDROM, "cdrom") _(BOOT_NETWORK, "network")
DECLARE_ENUM(boot_device, BOOT_DEVICE_ABSENT, BOOT_DEVICES);

#define LOADER_TYPES(_) _(LOADER_ROM, "rom") _(LOADER_PFLASH, "pflash")
DECLARE_ENUM(loader_type, LOADER_TYPE_ABSENT, LOADER_TYPES);

#define NVRAM_TYPES(_) _(NVRAM_FILE, "file") _(NVRAM_BLOCK, "block") _(NVRAM_NETWORK, "network")
DECLARE_ENUM(nvram_type, NVRAM_TYPE_ABSENT, NVRAM_TYPES);

#define FIRMWARES(_) _(FIRMWARE_BIOS, "bios") _(FIRMWARE_EFI, "efi")
DECLARE_ENUM(firmware, FIRMWARE_ABSENT, FIRMWARES);

#define SMBIOS_MODES(_) _(SMBIOS_EMULATE, "emulate") _(SMBIOS_HOST, "host") _(SMBIOS_SYSINFO, "sysinfo")
DECLARE_ENUM(smbios_mode, SMBIOS_MODE_ABSENT, SMBIOS_MODES);

#define FIRMWARE_TRAITS(_) _(FIRMWARE_SECURE_BOOT, "secure-boot") _(FIRMWARE_ENROLLED_KEYS, "enrolled-keys")
DECLARE_ENUM(firmware_trait, FIRMWARE_TRAIT_ABSENT, FIRMWARE_TRAITS);

/* <firmware><feature>: what a chosen firmware must have, or must not. */
struct firmware_feature {
    struct extras extras;
    enum yes_no enabled;
    enum firmware_trait name;
};

struct boot { struct extras extras; enum boot_device device; };

struct os {
    struct extras extras;
    enum firmware firmware;                     /* <os firmware>: choose a loader for me */
    enum os_type type;
    const char *arch, *machine;
    const char *loader;
    enum yes_no loader_readonly, loader_secure, loader_stateless;
    enum loader_type loader_type;
    const char *loader_format;
    LIST_OF(struct firmware_feature) firmware_features;
    enum nvram_type nvram_type;                 /* absent: `nvram`, a path */
    const char *nvram_file, *nvram_dev;         /* <nvram><source> */
    const char *nvram, *nvram_template, *nvram_template_format, *nvram_format;
    const char *kernel, *initrd, *cmdline, *dtb;
    const char *acpi_table, *acpi_type;
    LIST_OF(struct boot) boots;
    enum yes_no bootmenu;
    struct opt_u32 bootmenu_timeout;            /* milliseconds */
    enum smbios_mode smbios;
    enum yes_no bios_useserial;
    struct opt_i64 bios_reboot_timeout;
};

DECLARE_ELEMENT(os_element, struct os);

/* The variables' file or device, whichever way it is written; NULL if none is named. */
const char *os_nvram(const struct os *os);
/* What the firmware is asked to have: said, denied, or not mentioned. */
enum yes_no os_firmware_wants(const struct os *os, enum firmware_trait trait);
/* Adds what was not mentioned, in the order of its words. */
struct arena;
void os_firmware_want(struct os *os, enum firmware_trait trait, enum yes_no wanted, struct arena *arena);

/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/os.h"

#include "base/text.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(os_type, OS_TYPES);
DEFINE_ENUM_CODEC(boot_device, BOOT_DEVICES);
DEFINE_ENUM_CODEC(loader_type, LOADER_TYPES);
DEFINE_ENUM_CODEC(firmware, FIRMWARES);
DEFINE_ENUM_CODEC(nvram_type, NVRAM_TYPES);
DEFINE_ENUM_CODEC(firmware_trait, FIRMWARE_TRAITS);
DEFINE_ENUM_CODEC(smbios_mode, SMBIOS_MODES);
DEFINE_WORDS_CODEC(nvram_format, "raw", "qcow2");
DEFINE_WORDS_CODEC(acpi_table_type, "slic", "msdm", "raw", "rawset");

const char *os_nvram(const struct os *os)
{
    switch (os->nvram_type) {
    case NVRAM_FILE: return os->nvram_file;
    case NVRAM_BLOCK: return os->nvram_dev;
    default: return os->nvram;
    }
}

enum yes_no os_firmware_wants(const struct os *os, enum firmware_trait trait)
{
    for (size_t i = 0; i < os->firmware_features.count; i++)
        if (os->firmware_features.items[i]->name == trait)
            return os->firmware_features.items[i]->enabled;
    return YES_NO_ABSENT;
}

void os_firmware_want(struct os *os, enum firmware_trait trait, enum yes_no wanted, struct arena *arena)
{
    struct firmware_feature *feature = ARENA_NEW(arena, struct firmware_feature);
    feature->name = trait;
    feature->enabled = wanted;
    list_add(arena, &os->firmware_features, feature);
    struct firmware_feature **items = os->firmware_features.items;
    for (size_t i = os->firmware_features.count - 1; i > 0 && items[i - 1]->name < items[i]->name; i--) {
        items[i] = items[i - 1];
        items[i - 1] = feature;
    }
}

static bool has_nvram(const struct os *os)
{
    return os->nvram_type || os->nvram || os->nvram_template;
}

static void check_loader(struct os *os, struct xml_context *x)
{
    if (os->firmware_features.count && os->firmware != FIRMWARE_EFI)
        xml_refuse(x, os, ERR_XML, "firmware='efi' of <os>",
                   "features are for a firmware that is chosen for you");
    if (os_firmware_wants(os, FIRMWARE_ENROLLED_KEYS) == YES &&
        os_firmware_wants(os, FIRMWARE_SECURE_BOOT) == NO)
        xml_refuse(x, os, ERR_CONFIG_UNSUPPORTED, NULL,
                   "the firmware feature 'enrolled-keys' means nothing without 'secure-boot'");
    if (!os->loader)
        return;
    if (!os->loader_type && os->firmware != FIRMWARE_EFI && !has_nvram(os))
        os->loader_type = LOADER_ROM;
    if (!os->loader_format)
        os->loader_format = "raw";
    else if (!text_equal(os->loader_format, "raw") && !text_equal(os->loader_format, "qcow2"))
        xml_refuse(x, &os->loader_format, ERR_CONFIG_UNSUPPORTED, "raw, qcow2",
                   "a firmware cannot be in format '%s'", os->loader_format);
    if (os->nvram_template && !os->nvram_template_format)
        os->nvram_template_format = "raw";
    if (has_nvram(os) && !os->nvram_format)
        os->nvram_format = os->nvram_template_format ? os->nvram_template_format : "raw";
}

static void os_check(void *self, struct xml_context *x)
{
    struct os *os = self;
    check_loader(os, x);
    if (os->type && os->type != OS_HVM)
        xml_refuse(x, &os->type, ERR_CONFIG_UNSUPPORTED, "hvm", "guests of type '%s' are not supported",
                   enum_word(&os_type_names, os->type));
    if (os->loader_stateless == YES && has_nvram(os))
        xml_refuse(x, &os->nvram, ERR_XML, NULL,
                   "a stateless firmware has no variables, so there can be no <nvram>");
    if (os->firmware == FIRMWARE_BIOS && has_nvram(os))
        xml_refuse(x, &os->nvram, ERR_CONFIG_UNSUPPORTED, NULL, "a firmware of type 'bios' has no variables");
    if (!os->kernel && (os->initrd || os->cmdline))
        xml_refuse(x, os->initrd ? &os->initrd : &os->cmdline, ERR_XML, "a <kernel> beside it",
                   "an initrd or a command line means nothing without a kernel");
}

#define SELF struct firmware_feature
PART(firmware_feature_element, "feature", "What the firmware must have, or must not.",
    ATTR("enabled", enabled, yes_no, "must it have it?", REQUIRED),
    ATTR("name", name, firmware_trait, "which", REQUIRED));
#undef SELF

#define SELF struct boot
PART(boot_element, "boot", "A kind of device to boot from; the first one is tried first.",
    ATTR("dev", device, boot_device, "kind of device", REQUIRED));
#undef SELF

#define SELF struct os
PART(type, "type", "The kind of guest, and its machine.",
    ATTR("arch", arch, string, "processor architecture"),
    ATTR("machine", machine, string, "machine, or an alias such as pc or q35"),
    TEXT(type, os_type, "hvm", REQUIRED, CODE(ERR_CONFIG_UNSUPPORTED)));

PART(firmware_features, "firmware", "What a chosen firmware is like.",
    LIST(firmware_features, firmware_feature_element));

PART(loader, "loader", "The firmware.",
    ATTR("readonly", loader_readonly, yes_no, "is it read-only?"),
    ATTR("secure", loader_secure, yes_no, "does it need the secure mode of the processor?"),
    ATTR("type", loader_type, loader_type, "where it is mapped"),
    ATTR("stateless", loader_stateless, yes_no, "has it no variables?"),
    ATTR("format", loader_format, string, "format of the image"),
    TEXT(loader, string, "path"));

PART(nvram_source, "source", "Where they are.",
    ATTR("file", nvram_file, string, "path", IF(nvram_type, NVRAM_FILE)),
    ATTR("dev", nvram_dev, string, "path of a device", IF(nvram_type, NVRAM_BLOCK)));
PART(nvram, "nvram", "The firmware's variables.",
    ATTR("type", nvram_type, nvram_type, "kind of place"),
    ATTR("template", nvram_template, string, "file that a new one is copied from"),
    ATTR("templateFormat", nvram_template_format, nvram_format, "format of the template"),
    ATTR("format", nvram_format, nvram_format, "format of the image"),
    INLINE(nvram_source, IF(nvram_type, NVRAM_FILE, NVRAM_BLOCK)),
    TEXT(nvram, string, "path", IF(nvram_type, NVRAM_TYPE_ABSENT)));

PART(acpi_table, "table", "An ACPI table.",
    ATTR("type", acpi_type, acpi_table_type, "kind of table", REQUIRED),
    TEXT(acpi_table, string, "path"));
PART(acpi, "acpi", "ACPI tables for the guest.", INLINE(acpi_table));

PART(bootmenu, "bootmenu", "The firmware's boot menu.",
    ATTR("enable", bootmenu, yes_no, "is there one?"),
    ATTR("timeout", bootmenu_timeout, opt_u32, "milliseconds it waits", RANGE(0, 65535)));

PART(bios, "bios", "What the firmware does.",
    ATTR("useserial", bios_useserial, yes_no, "show its screen on the serial port"),
    ATTR("rebootTimeout", bios_reboot_timeout, opt_i64, "milliseconds until it tries again, -1: never"));

PART(smbios, "smbios", "What the guest is told about the machine.",
    ATTR("mode", smbios, smbios_mode, "whose data", REQUIRED));

const struct element os_element = ELEMENT_CHECKED("os", "The machine, and how it boots.", os_check,
    ATTR("firmware", firmware, firmware, "choose a firmware of this kind", CODE(ERR_CONFIG_UNSUPPORTED)),
    INLINE(type, REQUIRED), INLINE(firmware_features), INLINE(loader), INLINE(nvram),
    LEAF("kernel", kernel, string, "kernel to boot"),
    LEAF("initrd", initrd, string, "its first file system"),
    LEAF("cmdline", cmdline, string, "its command line"),
    LEAF("dtb", dtb, string, "device tree"),
    INLINE(acpi), LIST(boots, boot_element), INLINE(bootmenu), INLINE(bios), INLINE(smbios));

/* SPDX-License-Identifier: Apache-2.0 */
/* Firmware: read-only memory, or flash with its variables. */
#include "qemu/line.h"

#include "base/text.h"

static bool has_flash(const struct line *line)
{
    return line->def->os.loader && line->def->os.loader_type == LOADER_PFLASH;
}

/* Fixed: users' tools know these names. */
#define CODE "libvirt-pflash0-format"
#define VARIABLES_FILE "libvirt-pflash1-storage"
#define VARIABLES "libvirt-pflash1-format"

static bool is_raw(const char *format)
{
    return !format || text_equal(format, "raw");
}

static void add_code(struct line *line, const struct os *os)
{
    owned_props struct props file, node;
    props_begin(&file, "driver", "file");
    props_text(&file, "filename", os->loader);
    props_text(&file, "node-name", "libvirt-pflash0-storage");
    props_bool(&file, "auto-read-only", true);
    props_text(&file, "discard", "unmap");
    line_blockdev(line, &file);
    props_open(&node);
    props_text(&node, "node-name", CODE);
    props_bool(&node, "read-only", os->loader_readonly == YES);
    props_text(&node, "driver", is_raw(os->loader_format) ? "raw" : os->loader_format);
    props_text(&node, "file", "libvirt-pflash0-storage");
    line_blockdev(line, &node);
}

static void add_variables(struct line *line, const struct os *os)
{
    owned_props struct props file;
    props_begin(&file, "driver", os->nvram_type == NVRAM_BLOCK ? "host_device" : "file");
    props_text(&file, "filename", os_nvram(os));
    props_text(&file, "node-name", VARIABLES_FILE);
    props_bool(&file, "read-only", false);
    line_blockdev(line, &file);
    if (is_raw(os->nvram_format))
        return;
    owned_props struct props node;
    props_open(&node);
    props_text(&node, "node-name", VARIABLES);
    props_bool(&node, "read-only", false);
    props_text(&node, "driver", os->nvram_format);
    props_text(&node, "file", VARIABLES_FILE);
    line_blockdev(line, &node);
}

int line_flash(struct line *line, struct error *err)
{
    const struct os *os = &line->def->os;
    if (os->firmware == FIRMWARE_EFI && !os->loader)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: no firmware was chosen for firmware='efi'");
    if (os->loader && os->loader[0] != '/')
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: the loader's path '%s' is not absolute", os->loader);
    if (!has_flash(line))
        return 0;
    if (!caps_has(line->caps, CAPS_BLOCKDEV))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: emulator '%s' is too old for firmware in flash",
                    line->caps->emulator);
    if (os->nvram_type && !os_nvram(os))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<nvram>: type '%s' %s",
                    enum_word(&nvram_type_names, (int) os->nvram_type),
                    os->nvram_type == NVRAM_NETWORK ? "is not supported" : "has no source");
    add_code(line, os);
    if (os_nvram(os))
        add_variables(line, os);
    return 0;
}

void line_flash_machine(const struct line *line, struct buffer *machine)
{
    const struct os *os = &line->def->os;
    if (!has_flash(line))
        return;
    option_add(machine, "pflash0", CODE);
    if (os_nvram(os))
        option_add(machine, "pflash1", is_raw(os->nvram_format) ? VARIABLES_FILE : VARIABLES);
}

void line_firmware(struct line *line)
{
    const struct os *os = &line->def->os;
    if (os->loader && os->loader_type != LOADER_PFLASH)
        argv_add_pair(line->argv, "-bios", os->loader);
    if (has_flash(line) && os->loader_secure == YES)
        argv_add_pair(line->argv, "-global", "driver=cfi.pflash01,property=secure,value=on");
}

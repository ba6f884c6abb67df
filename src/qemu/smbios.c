/* SPDX-License-Identifier: Apache-2.0 */
/* What the firmware tells the guest about the machine: SMBIOS tables, entries of fw_cfg. */
#include "qemu/line.h"

#include "base/text.h"

/* A table's entries by libvirt's name, QEMU's name, in order. */
struct entry_name { const char *ours, *option; };

static void add_table(struct line *line, const char *type, const struct sysinfo_block *block,
                      const struct entry_name *names, size_t count)
{
    owned_buffer struct buffer option = { 0 };
    option_add(&option, "type", type);
    size_t bare = option.length;
    for (size_t i = 0; i < count; i++)
        option_add(&option, names[i].option, sysinfo_get(block, names[i].ours));
    if (option.length > bare)
        line_option(line, "-smbios", &option);
}

static void add_strings(struct line *line, const struct sysinfo_block *block)
{
    owned_buffer struct buffer option = { 0 };
    option_add(&option, "type", "11");
    for (size_t i = 0; i < block->entries.count; i++)
        option_add(&option, "value", block->entries.items[i]->value);
    if (block->entries.count)
        line_option(line, "-smbios", &option);
}

static void add_smbios(struct line *line, const struct sysinfo *info)
{
    static const struct entry_name bios[] = {
        { "vendor", "vendor" }, { "version", "version" }, { "date", "date" }, { "release", "release" },
    };
    static const struct entry_name system[] = {
        { "manufacturer", "manufacturer" }, { "product", "product" }, { "version", "version" },
        { "serial", "serial" }, { "uuid", "uuid" }, { "sku", "sku" }, { "family", "family" },
    };
    static const struct entry_name board[] = {
        { "manufacturer", "manufacturer" }, { "product", "product" }, { "version", "version" },
        { "serial", "serial" }, { "asset", "asset" }, { "location", "location" },
    };
    static const struct entry_name chassis[] = {
        { "manufacturer", "manufacturer" }, { "version", "version" }, { "serial", "serial" },
        { "asset", "asset" }, { "sku", "sku" },
    };
    add_table(line, "0", info->bios, bios, ARRAY_COUNT(bios));
    add_table(line, "1", info->system, system, ARRAY_COUNT(system));
    for (size_t i = 0; i < info->base_boards.count; i++)
        add_table(line, "2", info->base_boards.items[i], board, ARRAY_COUNT(board));
    add_table(line, "3", info->chassis, chassis, ARRAY_COUNT(chassis));
    if (info->oem_strings)
        add_strings(line, info->oem_strings);
}

static void add_fwcfg(struct line *line, const struct sysinfo *info)
{
    for (size_t i = 0; i < info->entries.count; i++) {
        owned_buffer struct buffer option = { 0 };
        option_add(&option, "name", info->entries.items[i]->name);
        option_add(&option, "string", info->entries.items[i]->value);
        option_add(&option, "file", info->entries.items[i]->file);
        line_option(line, "-fw_cfg", &option);
    }
}

int line_smbios(struct line *line, struct error *err)
{
    const struct domain_def *def = line->def;
    if (def->os.smbios == SMBIOS_HOST)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "<os>: smbios mode 'host' is not supported; mode 'sysinfo' takes what <sysinfo> says");
    for (size_t i = 0; i < def->sysinfos.count; i++) {
        const struct sysinfo *info = def->sysinfos.items[i];
        if (info->type == SYSINFO_FWCFG)
            add_fwcfg(line, info);
        else if (def->os.smbios == SMBIOS_SYSINFO)
            add_smbios(line, info);
    }
    return 0;
}

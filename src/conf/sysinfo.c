/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/sysinfo.h"

#include "base/own.h"
#include "base/text.h"
#include "conf/domain_def.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(sysinfo_type, SYSINFO_TYPES);

static const char *const bios_names[] = { "vendor", "version", "date", "release", NULL };
static const char *const system_names[] = {
    "manufacturer", "product", "version", "serial", "uuid", "sku", "family", NULL
};
static const char *const board_names[] = {
    "manufacturer", "product", "version", "serial", "asset", "location", NULL
};
static const char *const chassis_names[] = { "manufacturer", "version", "serial", "asset", "sku", NULL };

const char *sysinfo_get(const struct sysinfo_block *block, const char *name)
{
    for (size_t i = 0; block && i < block->entries.count; i++)
        if (text_equal(block->entries.items[i]->name, name))
            return block->entries.items[i]->value;
    return NULL;
}

static void check_names(const struct sysinfo_block *block, const char *const *names, struct xml_context *x)
{
    for (size_t i = 0; i < block->entries.count; i++) {
        const struct sysinfo_entry *entry = block->entries.items[i];
        size_t k = 0;
        while (names[k] && !text_equal(names[k], entry->name))
            k++;
        if (!names[k])
            xml_warn(x, entry, "sysinfo has no entry '%s' here; it has no effect",
                     entry->name ? entry->name : "");
    }
}

static void check_bios(void *self, struct xml_context *x) { check_names(self, bios_names, x); }
static void check_system(void *self, struct xml_context *x) { check_names(self, system_names, x); }
static void check_board(void *self, struct xml_context *x) { check_names(self, board_names, x); }
static void check_chassis(void *self, struct xml_context *x) { check_names(self, chassis_names, x); }

static void check_entries(void *self, struct xml_context *x)
{
    const struct sysinfo *info = self;
    for (size_t i = 0; i < info->entries.count; i++) {
        const struct sysinfo_entry *entry = info->entries.items[i];
        if (!entry->name)
            xml_refuse(x, entry, ERR_XML, "name='opt/...'", "an entry of fwcfg needs a name");
        else if (!text_starts(entry->name, "opt/"))
            xml_refuse(x, &entry->name, ERR_XML, "opt/...", "'%s' cannot be an entry of fwcfg", entry->name);
        if (!entry->value == !entry->file)
            xml_refuse(x, entry, ERR_XML, NULL, "an entry of fwcfg has either a value or a file");
    }
}

/* The system's uuid, which SMBIOS shows, is the domain's; it may be the only one that is given. */
void sysinfo_check(struct domain_def *def, struct xml_context *x)
{
    for (size_t i = 0; i < def->sysinfos.count; i++) {
        const char *text = sysinfo_get(def->sysinfos.items[i]->system, "uuid");
        struct uuid uuid;
        if (!text)
            continue;
        if (!uuid_parse(text, &uuid))
            xml_refuse(x, def->sysinfos.items[i], ERR_XML, "a uuid",
                       "the system's uuid in sysinfo is malformed");
        else if (uuid_is_zero(&def->uuid))
            def->uuid = uuid;
        else if (!uuid_equal(&uuid, &def->uuid))
            xml_refuse(x, def->sysinfos.items[i], ERR_XML, NULL,
                       "the system's uuid in sysinfo is not the domain's");
    }
    if (def->os.smbios == SMBIOS_SYSINFO && !def->sysinfos.count)
        xml_refuse(x, &def->os.smbios, ERR_XML, "a <sysinfo>",
                   "os/smbios asks for <sysinfo>, which is not there");
}

#define SELF struct sysinfo_entry
PART(entry_element, "entry", "A value.", ATTR("name", name, string, "which one", REQUIRED),
    TEXT(value, string, "the value"));
PART(string_element, "entry", "A string.", TEXT(value, string, "the string"));
PART(fwcfg_element, "entry", "A value for the firmware.", ATTR("name", name, string, "its name", REQUIRED),
    ATTR("file", file, string, "file that holds it"), TEXT(value, string, "the value"));
#undef SELF

#define SELF struct sysinfo_block
PART_CHECKED(bios, "bios", "The firmware.", check_bios, LIST(entries, entry_element));
PART_CHECKED(system, "system", "The computer.", check_system, LIST(entries, entry_element));
PART_CHECKED(board, "baseBoard", "A board.", check_board, LIST(entries, entry_element));
PART_CHECKED(chassis, "chassis", "The case.", check_chassis, LIST(entries, entry_element));
PART(oem_strings, "oemStrings", "Strings of the maker.", LIST(entries, string_element));
#undef SELF

#define SELF struct sysinfo
const struct element sysinfo_element = ELEMENT_CHECKED(
    "sysinfo", "What the firmware tells about the machine.", check_entries,
    ATTR("type", type, sysinfo_type, "for whom", REQUIRED),
    CHILD(bios, bios, IF(type, SYSINFO_SMBIOS)), CHILD(system, system, IF(type, SYSINFO_SMBIOS)),
    LIST(base_boards, board, IF(type, SYSINFO_SMBIOS)), CHILD(chassis, chassis, IF(type, SYSINFO_SMBIOS)),
    CHILD(oem_strings, oem_strings, IF(type, SYSINFO_SMBIOS)),
    LIST(entries, fwcfg_element, IF(type, SYSINFO_FWCFG)));

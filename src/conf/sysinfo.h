/* SPDX-License-Identifier: Apache-2.0 */
/* sysinfo.h - <sysinfo>: what the firmware tells the guest about the machine. */
#pragma once
#include "xml/value.h"

#define SYSINFO_TYPES(_) _(SYSINFO_SMBIOS, "smbios") _(SYSINFO_FWCFG, "fwcfg")
DECLARE_ENUM(sysinfo_type, SYSINFO_TYPE_ABSENT, SYSINFO_TYPES);

struct sysinfo_entry {
    struct extras extras;
    const char *name, *file, *value;            /* file: of fwcfg, instead of a value */
};

/* <bios>, <system>, ...: one table of SMBIOS. */
struct sysinfo_block {
    struct extras extras;
    LIST_OF(struct sysinfo_entry) entries;
};

struct sysinfo {
    struct extras extras;
    enum sysinfo_type type;
    struct sysinfo_block *bios, *system;
    LIST_OF(struct sysinfo_block) base_boards;
    struct sysinfo_block *chassis, *oem_strings;
    LIST_OF(struct sysinfo_entry) entries;      /* of fwcfg */
};

DECLARE_ELEMENT(sysinfo_element, struct sysinfo);

const char *sysinfo_get(const struct sysinfo_block *block, const char *name);  /* NULL */

struct domain_def;
struct xml_context;
void sysinfo_check(struct domain_def *def, struct xml_context *x);

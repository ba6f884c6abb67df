/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "base/text.h"
#include "conf/domain_check.h"
#include "conf/domain_def.h"
#include "conf/kept.h"
#include "conf/machine.h"
#include "xml/element.h"

/* Features that only other processors have. */
static void check_foreign_features(const struct domain_def *def, struct xml_context *x)
{
    static const char *const foreign[] = {
        "hpt", "htm", "nested-hv", "ccf-assist", "cfpc", "sbbc", "ibs", "ras", "aia",
    };
    for (size_t i = 0; machine_is_x86(def) && i < ARRAY_COUNT(foreign); i++) {
        owned_memory char *path = memory_printf("features/%s", foreign[i]);
        if (kept_next(&def->features.extras, path, NULL))
            xml_refuse(x, &def->features, ERR_CONFIG_UNSUPPORTED, NULL,
                       "the feature '%s' is not for architecture '%s'", foreign[i], def->os.arch);
    }
}

/* --- disks --- */

static void check_encryption(const struct disk *disk, struct xml_context *x)
{
    bool encrypted = kept_next(&disk->extras, "devices/disk/encryption", NULL) ||
                     kept_next(&disk->extras, "devices/disk/source/encryption", NULL);
    if (encrypted && disk->format && disk->format != DISK_RAW && disk->format != DISK_QCOW2)
        xml_refuse(x, &disk->format, ERR_CONFIG_UNSUPPORTED, "raw, qcow2",
                   "disk '%s': a %s image cannot be encrypted", disk->target,
                   enum_word(&disk_format_names, disk->format));
}

/* Each protocol has its kind of secret. */
static void check_auth(const struct disk *disk, struct xml_context *x)
{
    static const struct { const char *protocol, *secret; } secrets[] = {
        { "iscsi", "iscsi" }, { "rbd", "ceph" },
    };
    const struct extra *auth = kept_next(&disk->extras, "devices/disk/auth", NULL);
    if (!auth)
        auth = kept_next(&disk->extras, "devices/disk/source/auth", NULL);
    const char *type = auth ? raw_get(raw_find(auth->raw, "secret"), "type") : NULL;
    for (size_t i = 0; i < ARRAY_COUNT(secrets) && type; i++)
        if (text_equal(disk->protocol, secrets[i].protocol) && !text_equal(type, secrets[i].secret))
            xml_refuse(x, disk, ERR_CONFIG_UNSUPPORTED, secrets[i].secret,
                       "disk '%s': a secret of type '%s' is not for protocol '%s'", disk->target, type,
                       disk->protocol);
}

static void check_label(const struct disk *disk, struct xml_context *x)
{
    for (const struct extra *e = NULL; (e = kept_next(&disk->extras, "devices/disk/source/seclabel", e)); )
        if (text_equal(raw_get(e->raw, "relabel"), "yes") && !raw_find(e->raw, "label"))
            xml_refuse(x, disk, ERR_XML, "a <label>",
                       "disk '%s': relabel='yes' of a <seclabel> needs a label", disk->target);
}

static void check_disks(const struct domain_def *def, struct xml_context *x)
{
    for (size_t i = 0; i < def->disks.count; i++) {
        const struct disk *disk = def->disks.items[i];
        check_encryption(disk, x);
        check_auth(disk, x);
        check_label(disk, x);
        if (disk->iotune && kept_next(&disk->extras, "devices/disk/throttlefilters", NULL))
            xml_refuse(x, disk->iotune, ERR_UNSUPPORTED, NULL,
                       "disk '%s': <throttlefilters> and <iotune> exclude each other", disk->target);
    }
}

/* --- interfaces --- */

static bool shares_memory(const struct domain_def *def)
{
    const struct numa *numa = def->cpu ? def->cpu->numa : NULL;
    bool cells = numa && numa->cells.count;
    if (def->memory_backing && def->memory_backing->access == MEMORY_SHARED)
        return true;
    for (size_t i = 0; cells && i < numa->cells.count; i++)
        cells = numa->cells.items[i]->access == MEMORY_SHARED;
    return cells;
}

static void check_passt(const struct domain_def *def, struct xml_context *x)
{
    for (size_t i = 0; i < def->interfaces.count; i++) {
        const struct interface *interface = def->interfaces.items[i];
        const struct extra *backend = kept_next(&interface->extras, "devices/interface/backend", NULL);
        if (interface->type == INTERFACE_VHOSTUSER && backend &&
            text_equal(raw_get(backend->raw, "type"), "passt") && !shares_memory(def))
            xml_refuse(x, interface, ERR_CONFIG_UNSUPPORTED, "<access mode='shared'/> of <memoryBacking>",
                       "an interface of type 'vhostuser' needs memory that is shared");
    }
}

void check_kept(const struct domain_def *def, struct xml_context *x)
{
    check_disks(def, x);
    check_passt(def, x);
    check_foreign_features(def, x);
    if (machine_is_x86(def) && def->features.has_gic)
        xml_refuse(x, &def->features.has_gic, ERR_CONFIG_UNSUPPORTED, NULL,
                   "the feature 'gic' is not for architecture '%s'", def->os.arch);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked and what is in effect: tables of kinds, with a row for each thing to look at. */
#include "qemu/device_settings.h"

#include <string.h>

#include "base/text.h"
#include "qemu/drift.h"

/* --- back ends --- */

/* Which property of a device names its back end, and which option makes that. */
static const struct {
    const char *key, *option, *word;
} backends[] = {
    { "drive", "-blockdev", "blockdev" }, { "netdev", "-netdev", "netdev" },
    { "chardev", "-chardev", "chardev" }, { "rng", "-object", "object" },
    { "memdev", "-object", "object" },    { "audiodev", "-audiodev", "audiodev" },
    { "fsdev", "-fsdev", "fsdev" },       { "tpmdev", "-tpmdev", "tpmdev" },
    { "cryptodev", "-object", "object" }, { "drive", "-drive", "drive" },
};

const struct asked_option *device_backend(const struct asked *asked, const struct asked_option *option)
{
    for (size_t i = 0; option && i < ARRAY_COUNT(backends); i++) {
        const char *id = json_get_text(option->values, backends[i].key);
        const struct asked_option *found = id ? asked_find(asked, backends[i].option, id) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static const char *word_of(const struct asked_option *backend)
{
    for (size_t i = 0; i < ARRAY_COUNT(backends); i++)
        if (text_equal(backends[i].option, backend->option))
            return backends[i].word;
    return backend->option + 1;
}

/* "cache.direct" below `at`; a node's name on the way leads to that node.  NULL if there is none. */
static const struct json *follow(const struct asked *asked, const struct json *at, const char *path)
{
    for (unsigned steps = 0; at && *path && steps < 16; steps++) {
        size_t length = strcspn(path, ".");
        owned_memory char *key = memory_copy_bytes(path, length);
        const struct asked_option *node =
            at->type == JSON_STRING && asked ? asked_find(asked, "-blockdev", at->text) : NULL;
        at = json_get(node ? node->values : at, key);
        path += path[length] ? length + 1 : length;
    }
    return at;
}

/* Where a back end leads: the first of these that it has. */
static const char *const places[] = {
    "filename", "file.filename", "file.file.filename", "path",        "ifname",           "bridge",    "br",
    "fd",       "host",          "addr.path",          "server.host", "file.server.host", "file.pool",
};

const char *device_backend_text(const struct device_view *view)
{
    const struct asked_option *backend = view->backend;
    const struct json *place = NULL;
    if (!backend)
        return NULL;
    for (size_t i = 0; !place && i < ARRAY_COUNT(places); i++)
        place = follow(view->asked, backend->values, places[i]);
    return arena_printf(view->arena, "%s %s (%s%s%s)", word_of(backend), backend->id,
                        backend->kind ? backend->kind : "?", json_text(place) ? ", " : "",
                        json_text(place) ? json_text(place) : "");
}

/* --- addresses --- */

/* What says where on its bus a device is, by the bus' type; at most so many properties. */
static const struct address_row {
    const char *bus_type;
    struct {
        const char *property, *word;
    } parts[4];
} address_rows[] = {
    { "PCI*", { { "addr", NULL } } },
    { "pxb*", { { "addr", NULL } } },
    { "usb*", { { "port", "port" } } },
    { "SCSI", { { "channel", "channel" }, { "scsi-id", "id" }, { "lun", "lun" } } },
    { "IDE", { { "unit", "unit" } } },
    { "virtio-serial*", { { "nr", "port" } } },
    { "ISA", { { "iobase", "iobase" }, { "irq", "irq" } } },
};

static void add_part(const struct device_view *view, const char *property, const char *word,
                     struct buffer *out)
{
    struct qom_property p;
    if (!qom_store_find_property(view->store, view->object, property, &p) || !p.value)
        return;
    size_t length = strlen(p.value);
    bool quoted = p.value[0] == '"' && length >= 2;
    unsigned long devfn = strtoul(p.value, NULL, 0);
    if (word)
        buffer_printf(out, " %s %.*s", word, (int) (quoted ? length - 2 : length), p.value + quoted);
    else
        buffer_printf(out, " %02lx.%lu", devfn / 8, devfn % 8);
}

const char *device_address_text(const struct device_view *view)
{
    struct qom_property link;
    owned_buffer struct buffer out = { 0 };
    if (view->object == QOM_NONE || !qom_store_find_property(view->store, view->object, "parent_bus", &link))
        return NULL;
    uint32_t bus = qom_store_follow(view->store, &link);
    if (bus == QOM_NONE)
        return NULL;
    buffer_add_text(&out, qom_store_name(view->store, bus));
    for (size_t i = 0; i < ARRAY_COUNT(address_rows); i++) {
        if (!text_matches(qom_store_type(view->store, bus), address_rows[i].bus_type))
            continue;
        for (size_t part = 0; address_rows[i].parts[part].property; part++)
            add_part(view, address_rows[i].parts[part].property, address_rows[i].parts[part].word, &out);
        break;
    }
    return arena_copy(view->arena, buffer_text(&out));
}

/* --- settings --- */

static const char *json_copy(struct arena *arena, const struct json *value)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    if (value)
        json_value(&w, value);
    return value ? arena_copy(arena, buffer_text(&out)) : NULL;
}

/* Where a value comes from: JSON text of the arena, or NULL. */
typedef const char *value_fn(const struct device_view *view, const char *key);

static const char *from_option(const struct device_view *view, const char *key)
{
    return json_copy(view->arena, view->option ? follow(NULL, view->option->values, key) : NULL);
}

static const char *from_backend(const struct device_view *view, const char *key)
{
    return json_copy(view->arena, view->backend ? follow(view->asked, view->backend->values, key) : NULL);
}

static const char *from_file(const struct device_view *view, const char *key)
{
    owned_memory char *deeper = memory_printf("file.%s", key);
    const char *below = from_backend(view, deeper);
    return below ? below : from_backend(view, key);
}

static const char *from_tree(const struct device_view *view, const char *key)
{
    struct qom_property p;
    bool there = view->object != QOM_NONE && qom_store_find_property(view->store, view->object, key, &p);
    return there ? arena_copy(view->arena, p.value) : NULL;
}

static const char *from_backend_object(const struct device_view *view, const char *key)
{
    struct qom_property p;
    uint32_t object = view->backend ? asked_object(view->store, view->backend) : QOM_NONE;
    bool there = object != QOM_NONE && qom_store_find_property(view->store, object, key, &p);
    return there ? arena_copy(view->arena, p.value) : NULL;
}

static const char *from_block(const struct device_view *view, const char *key)
{
    return json_copy(view->arena, follow(NULL, view->block, key));
}

static const char *from_chardev(const struct device_view *view, const char *key)
{
    return json_copy(view->arena, follow(NULL, view->chardev, key));
}

/* The switches that each mode stands for, as query-block shows them. */
static const struct {
    enum disk_cache cache;
    bool writeback, direct, no_flush;
} cache_modes[] = {
    { DISK_CACHE_NONE, true, true, false },       { DISK_CACHE_WRITETHROUGH, false, false, false },
    { DISK_CACHE_WRITEBACK, true, false, false }, { DISK_CACHE_DIRECTSYNC, false, true, false },
    { DISK_CACHE_UNSAFE, true, false, true },
};

static const char *quoted_cache(const struct device_view *view, enum disk_cache cache)
{
    return arena_printf(view->arena, "\"%s\"", enum_word(&disk_cache_names, cache));
}

static const char *cache_asked(const struct device_view *view, const char *key)
{
    return view->disk && view->disk->cache != DISK_CACHE_DEFAULT ? quoted_cache(view, view->disk->cache)
                                                                 : NULL;
}

/* The mode that its switches make; none of libvirt's words may fit them. */
static const char *cache_effective(const struct device_view *view, const char *key)
{
    bool writeback, direct, no_flush;
    const struct json *cache = follow(NULL, view->block, "inserted.cache");
    if (!cache || !json_to_bool(json_get(cache, "writeback"), &writeback) ||
        !json_to_bool(json_get(cache, "direct"), &direct) ||
        !json_to_bool(json_get(cache, "no-flush"), &no_flush))
        return NULL;
    for (size_t i = 0; i < ARRAY_COUNT(cache_modes); i++)
        if (cache_modes[i].writeback == writeback && cache_modes[i].direct == direct &&
            cache_modes[i].no_flush == no_flush)
            return quoted_cache(view, cache_modes[i].cache);
    return NULL;
}

/* Which kinds have which settings beside those of their -device, which are all shown. */
static const struct setting_row {
    const char *backend; /* the option of the back end that a device needs for it */
    const char *name;
    value_fn *asked;
    const char *asked_key;
    value_fn *effective;
    const char *effective_key;
} setting_rows[] = {
    { "-blockdev", "cache", cache_asked, NULL, cache_effective, NULL },
    { "-blockdev", "cache.direct", from_backend, "cache.direct", from_block, "inserted.cache.direct" },
    { "-blockdev", "cache.no-flush", from_backend, "cache.no-flush", from_block, "inserted.cache.no-flush" },
    { "-blockdev", "cache.write-cache", from_option, "write-cache", from_block, "inserted.cache.writeback" },
    { "-blockdev", "format", from_backend, "driver", from_block, "inserted.drv" },
    { "-blockdev", "file", from_file, "filename", from_block, "inserted.image.filename" },
    { "-blockdev", "read-only", from_backend, "read-only", from_block, "inserted.ro" },
    { "-blockdev", "detect-zeroes", from_backend, "detect-zeroes", from_block, "inserted.detect_zeroes" },
    { "-blockdev", "discard", from_backend, "discard", NULL, NULL },
    { "-blockdev", "aio", from_file, "aio", NULL, NULL },
    { "-blockdev", "size", NULL, NULL, from_block, "inserted.image.virtual-size" },
    { "-blockdev", "iops", NULL, NULL, from_block, "inserted.iops" },
    { "-blockdev", "bps", NULL, NULL, from_block, "inserted.bps" },
    { "-blockdev", "io-status", NULL, NULL, from_block, "io-status" },
    { "-netdev", "netdev.type", from_backend, "type", NULL, NULL },
    { "-netdev", "netdev.vhost", from_backend, "vhost", NULL, NULL },
    { "-netdev", "netdev.queues", from_backend, "queues", NULL, NULL },
    { "-chardev", "chardev.filename", from_backend, "path", from_chardev, "filename" },
    { "-chardev", "chardev.frontend-open", NULL, NULL, from_chardev, "frontend-open" },
    { "-object", "object.filename", from_backend, "filename", from_backend_object, "filename" },
    { "-object", "object.size", from_backend, "size", from_backend_object, "size" },
    { "-object", "object.mem-path", from_backend, "mem-path", from_backend_object, "mem-path" },
};

/* Both are of one kind, but not always of one spelling: "on" is true. */
static enum agreement agreement_of(const char *asked, const char *effective)
{
    static const struct {
        const char *a, *b;
    } same[] = {
        { "\"on\"", "true" },
        { "\"off\"", "false" },
        { "\"auto\"", NULL },
    };
    if (!asked || !effective)
        return UNCOMPARED;
    for (size_t i = 0; i < ARRAY_COUNT(same); i++)
        if (text_equal(asked, same[i].a) && (!same[i].b || text_equal(effective, same[i].b)))
            return AGREES;
    return text_equal(asked, effective) ? AGREES : DIFFERS;
}

static void add(struct device_item *item, struct device_setting setting)
{
    if (item->settings.count < DEVICE_SETTINGS_MAX && (setting.asked || setting.effective))
        vector_push(&item->settings, setting);
}

/* What a character device is at is told with more words than it was asked for. */
static bool tells_more(const struct setting_row *row)
{
    return row->effective == from_chardev;
}

static void add_row(const struct device_view *view, const struct setting_row *row, struct device_item *item)
{
    struct device_setting setting = {
        .name = row->name,
        .asked = row->asked ? row->asked(view, row->asked_key) : NULL,
        .effective = row->effective ? row->effective(view, row->effective_key) : NULL,
    };
    setting.agreement = tells_more(row) ? UNCOMPARED : agreement_of(setting.asked, setting.effective);
    add(item, setting);
}

/* All that its -device says. */
static void add_option_settings(const struct device_view *view, struct device_item *item)
{
    const struct json *values = view->option->values;
    for (size_t i = 0; i < values->length; i++) {
        const struct json_member *m = &values->members[i];
        struct qom_property p = { 0 };
        if (text_equal(m->key, "id") || text_equal(m->key, view->option->kind_key))
            continue;
        struct device_setting setting = { arena_copy(view->arena, m->key), json_copy(view->arena, m->value),
                                          NULL, UNCOMPARED };
        if (view->object != QOM_NONE)
            setting.agreement = asked_compare(view->store, view->object, m->key, m->value, &p);
        setting.effective = arena_copy(view->arena, p.value);
        if (setting.agreement == DIFFERS && drift_is_exception(view->option, m->key, p.value))
            setting.agreement = UNCOMPARED;
        add(item, setting);
    }
}

void device_add_settings(const struct device_view *view, struct device_item *item)
{
    for (size_t i = 0; view->backend && i < ARRAY_COUNT(setting_rows); i++)
        if (text_equal(setting_rows[i].backend, view->backend->option))
            add_row(view, &setting_rows[i], item);
    if (view->option)
        add_option_settings(view, item);
    else if (view->object != QOM_NONE)
        add(item, (struct device_setting) { "realized", NULL, from_tree(view, "realized"), UNCOMPARED });
}

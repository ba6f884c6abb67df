/* SPDX-License-Identifier: Apache-2.0 */
/* What of a command line shapes the tree: its options in order, and of each what names its objects. */
#include <string.h>

#include "base/text.h"
#include "json/json.h"
#include "qemu/qom_plan.h"

enum option_part { PART_NAME, PART_FIELDS, PART_ALL };

static const struct { const char *option; enum option_part part; } options[] = {
    { "machine", PART_ALL }, { "M", PART_ALL }, { "accel", PART_ALL }, { "smp", PART_ALL },
    { "sim", PART_ALL },
    { "cpu", PART_FIELDS }, { "device", PART_FIELDS }, { "object", PART_FIELDS }, { "netdev", PART_FIELDS },
    { "nic", PART_FIELDS }, { "chardev", PART_FIELDS }, { "blockdev", PART_FIELDS }, { "drive", PART_FIELDS },
    { "fsdev", PART_FIELDS }, { "audiodev", PART_FIELDS }, { "tpmdev", PART_FIELDS }, { "numa", PART_FIELDS },
    { "vga", PART_FIELDS }, { "mon", PART_FIELDS },
};

/* The fields that say what an object is, what it is called and where it sits. */
static const char *const fields[] = {
    "driver", "qom-type", "type", "backend", "id", "node-name", "bus", "addr", "if", "index", "unit", "port",
    "slot",
};

static enum option_part part_of(const char *option)
{
    for (size_t i = 0; i < ARRAY_COUNT(options); i++)
        if (strcmp(option, options[i].option) == 0)
            return options[i].part;
    return PART_NAME;
}

static bool is_field(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
        if (strlen(fields[i]) == length && strncmp(name, fields[i], length) == 0)
            return true;
    return false;
}

/* "virtio-blk-pci,id=disk0,file=/x": the bare word in front and the fields, but no file names (a slash). */
static void add_words(struct buffer *key, const char *value, enum option_part part)
{
    bool first = true;
    for (const char *word = value; *word; first = false) {
        size_t length = strcspn(word, ","), name = strcspn(word, ",=");
        bool wanted = part == PART_ALL || (first && name == length) || is_field(word, name);
        if (wanted && length && !memchr(word, '/', length)) {
            buffer_add_char(key, ' ');
            buffer_add(key, word, length);
        }
        word += length + strspn(word + length, ",");
    }
}

static void add_members(struct buffer *key, const struct json *object)
{
    struct json_writer w = { .out = key };
    for (size_t i = 0; object && object->type == JSON_OBJECT && i < object->length; i++) {
        const struct json_member *m = &object->members[i];
        if (!is_field(m->key, strlen(m->key)) || m->value->type >= JSON_ARRAY)
            continue;
        buffer_printf(key, " %s=", m->key);
        w.comma = false;
        json_value(&w, m->value);
    }
}

static void add_value(struct buffer *key, const char *value, enum option_part part)
{
    if (part == PART_NAME)
        return;
    if (value[0] != '{') {
        add_words(key, value, part);
        return;
    }
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    add_members(key, json_parse(value, strlen(value), arena, &err));
}

char *qom_plan_key(const char *emulator_key, const char *const *argv)
{
    struct buffer key = { 0 };
    buffer_add_text(&key, emulator_key);
    enum option_part part = PART_NAME;
    for (size_t i = 1; argv[0] && argv[i]; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            const char *option = argv[i] + (argv[i][1] == '-' ? 2 : 1);
            part = part_of(option);
            buffer_printf(&key, "\n%s", option);
        } else {
            add_value(&key, argv[i], part);
        }
    }
    return buffer_take(&key);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"

/* An option's value as words: a bare one in front has the name that is implied. */
struct word { const char *name, *value; };
struct words { VECTOR(struct word) list; };

/* --- options that are a part each -------------------------------------------------------------- */

static const struct kind {
    const char *option, *type;          /* the option, and which of its words says what the part is */
    const char *place;                  /* where it is, by its id ... */
    const char *nameless;               /* ... and without one, numbered; NULL: it is not in the tree then */
    bool all_words;                     /* its shape depends on all its words but for the harmless ones */
} kinds[] = {
    { "device", "driver", "/machine/peripheral", "/machine/peripheral-anon", true },
    { "object", "qom-type", "/objects", NULL, false },
    { "chardev", "backend", "/chardevs", NULL, false },
    { "audiodev", "driver", "/audiodevs", NULL, false },
    { "mon", "mode", "/objects", NULL, false },
};

/* What of a device says nothing about its shape. */
static const char *const harmless[] = {
    "addr", "audiodev", "bootindex", "bus", "channel", "chardev", "chassis", "device_id", "drive", "id",
    "iothread", "lun", "mac", "memdev", "name", "netdev", "nr", "port", "product", "rerror", "rng", "scsi-id",
    "serial", "share-rw", "slot", "unit", "vendor", "werror", "write-cache", "wwn",
};

/* --- options that shape the machine ------------------------------------------------------------ */

static const char *const machine_options[] = { "machine", "M", "accel", "sim", "cpu", "vga", "numa" };

/* Below these sizes, in MiB, common machines leave out a region. */
static const uint64_t memory_steps[] = { 2816, 3584 };

/* --- words ------------------------------------------------------------------------------------- */

static void add_json_words(struct arena *arena, const char *value, struct words *words)
{
    error_scope(err);
    const struct json *object = json_parse(value, strlen(value), arena, &err);
    for (size_t i = 0; object && object->type == JSON_OBJECT && i < object->length; i++) {
        owned_buffer struct buffer text = { 0 };
        struct json_writer w = { .out = &text };
        const struct json *said = object->members[i].value;
        json_value(&w, said);
        const char *plain = json_text(said);
        struct word word = { object->members[i].key, plain ? plain : arena_copy(arena, text.data) };
        vector_push(&words->list, word);
    }
}

/* "virtio-blk-pci,id=disk0": a doubled comma stands for one, which no word that matters here has. */
static void add_key_words(struct arena *arena, const char *value, const char *implied, struct words *words)
{
    for (bool first = true; *value; first = false) {
        size_t length = strcspn(value, ","), name = strcspn(value, ",=");
        struct word word = { 0 };
        if (name < length) {
            word.name = arena_copy_bytes(arena, value, name);
            word.value = arena_copy_bytes(arena, value + name + 1, length - name - 1);
        } else {
            word.name = first ? implied : arena_copy_bytes(arena, value, length);
            word.value = first ? arena_copy_bytes(arena, value, length) : "on";
        }
        vector_push(&words->list, word);
        value += length + strspn(value + length, ",");
    }
}

static void read_words(struct arena *arena, const char *value, const char *implied, struct words *words)
{
    if (value[0] == '{')
        add_json_words(arena, value, words);
    else
        add_key_words(arena, value, implied, words);
}

static const char *find_word(const struct words *words, const char *name)
{
    for (size_t i = 0; i < words->list.count; i++)
        if (strcmp(words->list.items[i].name, name) == 0)
            return words->list.items[i].value;
    return NULL;
}

/* --- parts ------------------------------------------------------------------------------------- */

static bool is_harmless(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(harmless); i++)
        if (strcmp(name, harmless[i]) == 0)
            return true;
    return false;
}

static int compare_words(const void *left, const void *right)
{
    return strcmp(((const struct word *) left)->name, ((const struct word *) right)->name);
}

/* Which kind of bus it is shows in its name, without its numbers. */
static const char *part_key(struct qom_line *line, const struct kind *kind, struct words *words)
{
    owned_buffer struct buffer key = { 0 };
    const char *type = find_word(words, kind->type), *bus = find_word(words, "bus");
    buffer_printf(&key, "%s %s", kind->option, type ? type : "");
    if (kind->all_words && bus)
        buffer_printf(&key, " %.*s", (int) strcspn(bus, ".0123456789"), bus);
    if (kind->all_words && words->list.count)
        qsort(words->list.items, words->list.count, sizeof(struct word), compare_words);
    for (size_t i = 0; kind->all_words && i < words->list.count; i++) {
        const struct word *w = &words->list.items[i];
        if (strcmp(w->name, kind->type) != 0 && !is_harmless(w->name) && !strchr(w->value, '/'))
            buffer_printf(&key, " %s=%s", w->name, w->value);
    }
    return arena_copy(line->arena, key.data);
}

static void add_part(struct qom_line *line, const struct kind *kind, struct words *words, unsigned *nameless)
{
    struct qom_line_part part = { .id = find_word(words, "id"), .bus = find_word(words, "bus") };
    const char *place = kind->place;
    if (!part.id && !kind->nameless)
        return;
    if (!part.id) {
        place = kind->nameless;
        part.id = arena_printf(line->arena, "device[%u]", (*nameless)++);
    }
    part.path = arena_printf(line->arena, "%s/%s", place, part.id);
    part.key = part_key(line, kind, words);
    vector_push(&line->parts, part);
}

static const struct kind *kind_of(const char *option)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (strcmp(option, kinds[i].option) == 0)
            return &kinds[i];
    return NULL;
}

/* --- the machine ------------------------------------------------------------------------------- */

static bool shapes_machine(const char *option)
{
    for (size_t i = 0; i < ARRAY_COUNT(machine_options); i++)
        if (strcmp(option, machine_options[i]) == 0)
            return true;
    return false;
}

/* Of a processor only the model counts, which is the bare word in front; and no word with a file's name. */
static void add_machine_words(struct buffer *key, const char *option, const struct words *words)
{
    buffer_printf(key, "\n%s", option);
    size_t count = strcmp(option, "cpu") == 0 && words->list.count ? 1 : words->list.count;
    for (size_t i = 0; i < count; i++)
        if (!strchr(words->list.items[i].value, '/'))
            buffer_printf(key, " %s=%s", words->list.items[i].name, words->list.items[i].value);
}

/* "size=131072k", "2G", "512": in MiB. */
static uint64_t memory_size(const char *value)
{
    static const char units[] = "kmgt";
    uint64_t number = strtoull(value, NULL, 10);
    const char *unit = strchr(units, value[strspn(value, "0123456789")] | 0x20);
    unsigned step = unit && *unit ? (unsigned) (unit - units) : 1;
    return step == 0 ? number / 1024 : number << (10 * (step - 1));
}

static void note_memory(struct buffer *key, const struct words *words)
{
    const char *size = find_word(words, "size");
    for (size_t i = 0; size && i < ARRAY_COUNT(memory_steps); i++)
        if (memory_size(size) >= memory_steps[i])
            buffer_printf(key, "\nmemory %zu", i);
}

static unsigned read_cpus(const struct words *words)
{
    const char *cpus = find_word(words, "cpus");
    unsigned long number = cpus ? strtoul(cpus, NULL, 10) : 1;
    return number >= 1 && number <= QOM_LINE_CPUS_MAX ? (unsigned) number : 1;
}

/* What the bare word in front of an option's value is called. */
static const char *implied_name(const char *option, const struct kind *kind)
{
    if (kind)
        return kind->type;
    return strcmp(option, "smp") == 0 ? "cpus" : strcmp(option, "m") == 0 ? "size" : "type";
}

static void add_option(struct qom_line *line, const char *option, const char *value, struct buffer *machine,
                       unsigned *nameless)
{
    struct words words = { 0 };
    const struct kind *kind = kind_of(option);
    read_words(line->arena, value, implied_name(option, kind), &words);
    if (kind)
        add_part(line, kind, &words, nameless);
    else if (strcmp(option, "smp") == 0)
        line->cpus = read_cpus(&words);
    else if (strcmp(option, "m") == 0)
        note_memory(machine, &words);
    else if (shapes_machine(option))
        add_machine_words(machine, option, &words);
    else if (strcmp(option, "nodefaults") == 0)
        buffer_printf(machine, "\n%s", option);
    vector_done(&words.list);
}

struct qom_line *qom_line_new(const char *const *argv)
{
    struct qom_line *line = NEW(struct qom_line);
    owned_buffer struct buffer machine = { 0 };
    unsigned nameless = 0;
    line->arena = arena_new();
    line->cpus = 1;
    for (size_t i = 1; argv[0] && argv[i]; i++)
        if (argv[i][0] == '-' && argv[i][1])
            add_option(line, argv[i] + (argv[i][1] == '-' ? 2 : 1), argv[i + 1] ? argv[i + 1] : "", &machine,
                       &nameless);
    line->machine = arena_copy(line->arena, buffer_text(&machine));
    return line;
}

void qom_line_free(struct qom_line *line)
{
    if (!line)
        return;
    vector_done(&line->parts);
    arena_free(line->arena);
    free(line);
}

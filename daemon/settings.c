/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

enum { CONFIG_BYTES_MAX = 256 * 1024 };

DEFINE_ENUM(disk_syntax, DISK_SYNTAXES);
DEFINE_ENUM(log_word, LOG_LEVELS);

enum setting_kind { SETTING_TEXT, SETTING_NUMBER, SETTING_FLAG, SETTING_CHOICE };

struct setting {
    const char *key;
    enum setting_kind kind;
    size_t offset;
    const char *initial;
    unsigned min, max;
    const struct enum_names *words;
    const char *form;                   /* what a text looks like, a number's unit */
    enum setting_reload reload;
    const char *sentence;
};

#define AT(key) #key, .offset = offsetof(struct settings, key)
#define ROW_TEXT(key_, initial_, form_, reload_, sentence_) \
    { .key = AT(key_), .kind = SETTING_TEXT, .initial = initial_, .form = form_, .reload = reload_, \
      .sentence = sentence_ },
#define ROW_NUMBER(key_, initial_, min_, max_, unit_, reload_, sentence_) \
    { .key = AT(key_), .kind = SETTING_NUMBER, .initial = #initial_, .min = min_, .max = max_, \
      .form = unit_, .reload = reload_, .sentence = sentence_ },
#define ROW_FLAG(key_, initial_, reload_, sentence_) \
    { .key = AT(key_), .kind = SETTING_FLAG, .initial = initial_, .form = "yes or no", .reload = reload_, \
      .sentence = sentence_ },
#define ROW_CHOICE(key_, initial_, enum_, reload_, sentence_) \
    { .key = AT(key_), .kind = SETTING_CHOICE, .initial = initial_, .words = &enum_##_names, \
      .reload = reload_, .sentence = sentence_ },

static const struct setting table[] = { SETTINGS(ROW_TEXT, ROW_NUMBER, ROW_FLAG, ROW_CHOICE) };

static void *slot_of(struct settings *settings, const struct setting *row)
{
    return (char *) settings + row->offset;
}

static const struct setting *find(const char *key)
{
    for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
        if (text_equal(table[i].key, key))
            return &table[i];
    }
    return NULL;
}

/* "auto, sim or a path", "1 to 3600 seconds", "one of error, warning, info, debug" */
static void describe(const struct setting *row, struct buffer *out)
{
    if (row->kind == SETTING_NUMBER) {
        buffer_printf(out, "%u to %u %s", row->min, row->max, row->form);
    } else if (row->kind == SETTING_CHOICE) {
        for (size_t i = 1; i < row->words->count; i++)
            buffer_printf(out, "%s%s", i == 1 ? "one of " : ", ", row->words->words[i]);
    } else {
        buffer_add_text(out, row->form);
    }
}

static bool set(struct settings *settings, const struct setting *row, const char *value)
{
    void *slot = slot_of(settings, row);
    uint64_t number;
    int word;
    switch (row->kind) {
    case SETTING_TEXT:
        settings_set_text(slot, value);
        return true;
    case SETTING_NUMBER:
        if (!text_to_u64(value, row->max, &number) || number < row->min)
            return false;
        *(unsigned *) slot = (unsigned) number;
        return true;
    case SETTING_FLAG:
        if (!text_equal(value, "yes") && !text_equal(value, "no"))
            return false;
        *(bool *) slot = value[0] == 'y';
        return true;
    case SETTING_CHOICE:
        if (!(word = enum_find(row->words, value)))
            return false;
        *(int *) slot = word;
        return true;
    }
    return false;
}

void settings_set_text(char **slot, const char *value)
{
    free(*slot);
    *slot = memory_copy_text(value);
}

struct settings *settings_new(void)
{
    struct settings *settings = NEW(struct settings);
    for (size_t i = 0; i < ARRAY_COUNT(table); i++)
        set(settings, &table[i], table[i].initial);
    return settings;
}

void settings_free(struct settings *settings)
{
    if (!settings)
        return;
    for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
        if (table[i].kind == SETTING_TEXT)
            free(*(char **) slot_of(settings, &table[i]));
    }
    free(settings);
}

static char *trim(char *text)
{
    while (isspace((unsigned char) *text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char) text[length - 1]))
        text[--length] = '\0';
    return text;
}

static char *unquote(char *text)
{
    size_t length = strlen(text);
    if (length < 2 || text[0] != '"' || text[length - 1] != '"')
        return text;
    text[length - 1] = '\0';
    return text + 1;
}

static int fail_unknown(const char *key, struct error *err)
{
    const char *keys[ARRAY_COUNT(table)];
    for (size_t i = 0; i < ARRAY_COUNT(table); i++)
        keys[i] = table[i].key;
    const char *near = text_nearest(key, keys, ARRAY_COUNT(keys));
    return near ? fail(err, ERR_INVALID_ARG, "unknown key '%s' (did you mean '%s'?)", key, near)
                : fail(err, ERR_INVALID_ARG, "unknown key '%s'; domusd --help-config lists them all", key);
}

static int parse_line(struct settings *settings, char *line, uint64_t *seen, struct error *err)
{
    char *equals, *key = trim(line);
    if (*key == '\0' || *key == '#')
        return 0;
    if (!(equals = strchr(key, '=')))
        return fail(err, ERR_INVALID_ARG, "'%s' is neither a comment nor 'key = value'", key);
    *equals = '\0';
    key = trim(key);
    const char *value = unquote(trim(equals + 1));

    const struct setting *row = find(key);
    if (!row)
        return fail_unknown(key, err);
    uint64_t bit = UINT64_C(1) << (row - table);
    if (*seen & bit)
        return fail(err, ERR_INVALID_ARG, "key '%s' is given twice", key);
    *seen |= bit;
    if (set(settings, row, value))
        return 0;
    owned_buffer struct buffer wanted = { 0 };
    describe(row, &wanted);
    return fail(err, ERR_INVALID_ARG, "'%s' is no value for %s; expected %s", value, key,
                buffer_text(&wanted));
}

int settings_parse(struct settings *settings, const char *name, const char *text, struct error *err)
{
    _Static_assert(ARRAY_COUNT(table) <= 64, "the keys seen are bits of one word");
    owned_memory char *copy = memory_copy_text(text);
    uint64_t seen = 0;
    unsigned number = 0;
    for (char *line = copy, *next; line; line = next) {
        if ((next = strchr(line, '\n')))
            *next++ = '\0';
        number++;
        if (parse_line(settings, line, &seen, err) < 0)
            return fail_in(err, "%s:%u", name, number);
    }
    return 0;
}

int settings_read(struct settings *settings, const char *path, bool required, struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(reason);
    if (file_read(path, CONFIG_BYTES_MAX, &text, &reason) < 0) {
        if (!required && reason.code == ERR_SYSTEM && reason.number == ENOENT)
            return 0;
        error_move(err, &reason);
        return -1;
    }
    if (text.length != strlen(buffer_text(&text)))
        return fail(err, ERR_INVALID_ARG, "%s holds a zero byte; it is no text", path);
    return settings_parse(settings, path, buffer_text(&text), err);
}

static void format(struct settings *settings, const struct setting *row, struct buffer *out)
{
    const void *slot = slot_of(settings, row);
    switch (row->kind) {
    case SETTING_TEXT:
        buffer_add_text(out, *(char *const *) slot);
        break;
    case SETTING_NUMBER:
        buffer_printf(out, "%u", *(const unsigned *) slot);
        break;
    case SETTING_FLAG:
        buffer_add_text(out, *(const bool *) slot ? "yes" : "no");
        break;
    case SETTING_CHOICE:
        buffer_add_text(out, enum_word(row->words, *(const int *) slot));
        break;
    }
}

void settings_reload(struct settings *settings, struct settings *fresh)
{
    for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
        const struct setting *row = &table[i];
        owned_buffer struct buffer before = { 0 }, after = { 0 };
        format(settings, row, &before);
        format(fresh, row, &after);
        if (text_equal(buffer_text(&before), buffer_text(&after)))
            continue;
        if (row->reload == ON_HUP) {
            set(settings, row, buffer_text(&after));
            log_info("%s is now '%s'", row->key, buffer_text(&after));
        } else {
            log_warning("%s stays '%s' until domusd is restarted", row->key, buffer_text(&before));
        }
    }
}

static const char *reload_sentence(const struct setting *row)
{
    return row->reload == ON_HUP ? "Read again on SIGHUP." : "Read at start only.";
}

void settings_print(FILE *out)
{
    fputs("# domusd.conf: every key and its default.  A line is 'key = value'; '#' begins a comment.\n", out);
    for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
        const struct setting *row = &table[i];
        owned_buffer struct buffer form = { 0 };
        describe(row, &form);
        fprintf(out, "\n# %s\n# %s.  %s\n#%s = %s\n", row->sentence, buffer_text(&form),
                reload_sentence(row), row->key, row->initial);
    }
}

void settings_print_manual(FILE *out)
{
    for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
        const struct setting *row = &table[i];
        owned_buffer struct buffer form = { 0 };
        describe(row, &form);
        fprintf(out, ".TP\n.B %s\n%s\nValue: %s; default: %s.\n%s\n", row->key, row->sentence,
                buffer_text(&form), *row->initial ? row->initial : "not set", reload_sentence(row));
    }
}

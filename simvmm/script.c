/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "simvmm/actions.h"

/* ---- words ---- */

static int hex_byte(const char *at, const char *end, char *ret)
{
    char digits[3] = { at + 2 < end ? at[1] : '\0', at + 2 < end ? at[2] : '\0', '\0' }, *stop;
    *ret = (char) strtoul(digits, &stop, 16);
    return stop == digits + 2 && *ret ? 0 : -1;
}

/* Of what stands behind a backslash; *at moves to its last character. */
static int unescape(const char **at, const char *end, char *ret)
{
    static const char names[] = "nrte\"\\", values[] = "\n\r\t\033\"\\";
    const char *found = *at < end ? strchr(names, **at) : NULL;
    if (found && **at) {
        *ret = values[found - names];
        return 0;
    }
    if (*at >= end || **at != 'x' || hex_byte(*at, end, ret) < 0)
        return -1;
    *at += 2;
    return 0;
}

static int quoted(const char **at, const char *end, struct buffer *word, struct error *err)
{
    for ((*at)++; *at < end && **at != '"'; (*at)++) {
        char c = **at;
        if (c == '\\') {
            (*at)++;
            if (unescape(at, end, &c) < 0)
                return fail(err, ERR_INVALID_ARG, "after a backslash comes one of n r t e \" \\ or xHH");
        }
        buffer_add_char(word, c);
    }
    if (*at >= end)
        return fail(err, ERR_INVALID_ARG, "a quote is not closed");
    (*at)++;
    return 0;
}

static int split(struct script_line *line, const char *text, size_t length, struct error *err)
{
    const char *at = text, *end = text + length;
    while (true) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        if (at >= end || *at == '#')
            return 0;
        if (line->count == SCRIPT_WORDS_MAX)
            return fail(err, ERR_INVALID_ARG, "more than %d words", SCRIPT_WORDS_MAX);
        struct buffer word = { 0 };
        if (*at == '"' && quoted(&at, end, &word, err) < 0) {
            buffer_done(&word);
            return -1;
        }
        while (at < end && !strchr(" \t\r", *at))
            buffer_add_char(&word, *at++);
        line->words[line->count++] = buffer_take(&word);
    }
}

/* ---- checking ---- */

static bool is_capital(const char *at, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isupper((unsigned char) at[i]) && at[i] != '-')
            return false;
    return length > 0;
}

static bool is_one_of(const char *at, size_t length, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == length && memcmp(*names, at, length) == 0)
            return true;
    return false;
}

static bool fits_one(const char *word, const char *at, size_t length)
{
    static const char *const numbers[] = { "NUMBER", "MS", "MIB", "COUNT", NULL };
    static const char *const signs[] = { "SECONDS", NULL };
    uint64_t number;
    int64_t with_sign;
    if (is_one_of(at, length, numbers))
        return text_to_u64(word, UINT32_MAX, &number);
    if (is_one_of(at, length, signs))
        return text_to_i64(word + (*word == '+'), &with_sign);
    if (is_capital(at, length))
        return true;
    return strlen(word) == length && memcmp(word, at, length) == 0;
}

/* `at`: "a|b|MS". */
static bool fits(const char *word, const char *at, size_t length)
{
    const char *end = at + length;
    while (at < end) {
        const char *bar = memchr(at, '|', (size_t) (end - at));
        size_t one = (size_t) ((bar ? bar : end) - at);
        if (fits_one(word, at, one))
            return true;
        at += one + 1;
    }
    return false;
}

static int check_words(const struct script_line *line, struct error *err)
{
    const char *usage = line->action->usage, *name = line->action->name;
    size_t i = line->first;
    for (; *usage; usage += strspn(usage, " ")) {
        size_t length = strcspn(usage, " ");
        bool optional = *usage == '[';
        if (i == line->first + line->count) {
            if (optional)
                return 0;
            return fail(err, ERR_INVALID_ARG, "'%s' needs %s", name, usage);
        }
        if (!fits(line->words[i], usage + optional, length - 2 * optional))
            return fail(err, ERR_INVALID_ARG, "'%s': '%s' should be %.*s", name, line->words[i],
                        (int) (length - 2 * optional), usage + optional);
        i++;
        usage += length;
    }
    if (i < line->first + line->count)
        return fail(err, ERR_INVALID_ARG, "'%s': '%s' is one word too many", name, line->words[i]);
    return 0;
}

/* ---- lines ---- */

static const struct { const char *word; enum script_when when; } whens[] = {
    { "at", WHEN_AT }, { "once", WHEN_ONCE }, { "every", WHEN_EVERY }, { "on", WHEN_ON },
};

const char *const script_happenings[] = { "boot", "reset", "powerbutton", "nmi", "input", "resume", NULL };

static int take_happening(struct script_line *line, struct error *err)
{
    const char *word = line->count > 1 ? line->words[1] : "";
    for (const char *const *h = script_happenings; *h; h++)
        if (text_equal(*h, word))
            line->happening = *h;
    if (!line->happening)
        return fail(err, ERR_INVALID_ARG,
                    "'on %s': expected boot, reset, powerbutton, nmi, resume or input TEXT", word);
    line->first = 2;
    if (!text_equal(line->happening, "input"))
        return 0;
    if (line->count < 3)
        return fail(err, ERR_INVALID_ARG, "'on input' needs the text of a line");
    line->text = line->words[2];
    line->first = 3;
    return 0;
}

static int take_when(struct script_line *line, struct error *err)
{
    size_t i = 0;
    while (i < ARRAY_COUNT(whens) && !text_equal(whens[i].word, line->words[0]))
        i++;
    if (i == ARRAY_COUNT(whens))
        return 0;
    line->when = whens[i].when;
    if (line->when == WHEN_ON)
        return take_happening(line, err);
    line->first = 2;
    const char *ms = line->count > 1 ? line->words[1] : "";
    if (!text_to_u64(ms, UINT32_MAX, &line->ms) || (line->when == WHEN_EVERY && !line->ms))
        return fail(err, ERR_INVALID_ARG, "'%s': '%s' should be milliseconds", line->words[0], ms);
    return 0;
}

/* A fault's text may hold spaces without being quoted. */
static void join_words(struct script_line *line)
{
    struct buffer all = { 0 };
    for (size_t i = line->first; i < line->first + line->count; i++) {
        buffer_printf(&all, "%s%s", i > line->first ? " " : "", line->words[i]);
        free(line->words[i]);
        line->words[i] = NULL;
    }
    if (line->count)
        line->words[line->first] = buffer_take(&all);
    line->count = line->count > 0;
}

static int take_action(struct script_line *line, struct error *err)
{
    if (line->first >= line->count)
        return fail(err, ERR_INVALID_ARG, "an action is missing behind '%s'", line->words[line->first - 1]);
    const char *name = line->words[line->first], *equals = strchr(name, '=');
    line->action = action_find(equals ? "fault" : name);
    if (!line->action) {
        owned_buffer struct buffer known = { 0 };
        action_add_names(&known);
        return fail(err, ERR_INVALID_ARG, "there is no action '%s'; known are %s", name, buffer_text(&known));
    }
    line->first += !equals;             /* "delay=stop" is short for "fault delay=stop" */
    line->count -= line->first;
    if (text_equal(line->action->usage, "FAULT"))
        join_words(line);
    return check_words(line, err);
}

struct script_line *script_line_parse(const char *text, size_t length, struct error *err)
{
    if (length > SCRIPT_LINE_MAX)
        return fail(err, ERR_INVALID_ARG, "a line is longer than %d bytes", SCRIPT_LINE_MAX), NULL;
    if (memchr(text, '\0', length))
        return fail(err, ERR_INVALID_ARG, "a line holds a NUL byte"), NULL;
    owned(script_line) struct script_line *line = NEW(struct script_line);
    if (split(line, text, length, err) < 0 || !line->count)
        return NULL;
    if (take_when(line, err) < 0 || take_action(line, err) < 0)
        return NULL;
    return take(line);
}

void script_line_free(struct script_line *line)
{
    if (!line)
        return;
    for (size_t i = 0; i < SCRIPT_WORDS_MAX; i++)
        free(line->words[i]);
    free(line);
}

int script_read(const char *path, void (*taken)(void *arg, struct script_line *line), void *arg,
                struct error *err)
{
    owned_buffer struct buffer file = { 0 };
    if (file_read_regular(path, SCRIPT_FILE_MAX, &file, err) < 0)
        return -1;
    const char *at = buffer_text(&file), *end = at + file.length;
    for (unsigned number = 1; at < end; number++) {
        const char *next = memchr(at, '\n', (size_t) (end - at));
        size_t length = (size_t) ((next ? next : end) - at);
        struct script_line *line = script_line_parse(at, length, err);
        if (!line && err->code != ERR_NONE)
            return fail_in(err, "%s, line %u", path, number);
        if (number > SCRIPT_LINES_MAX) {
            script_line_free(line);
            return fail(err, ERR_INVALID_ARG, "%s: more than %d lines", path, SCRIPT_LINES_MAX);
        }
        if (line) {
            line->number = number;
            taken(arg, line);
        }
        at += length + 1;
    }
    return 0;
}

int script_line_run(struct vm *vm, const struct script_line *line, struct buffer *out, struct error *err)
{
    struct act act = { vm, (const char *const *) line->words + line->first, line->count, out };
    return line->action->run(&act, err);
}

uint64_t act_number(const struct act *act, size_t index)
{
    uint64_t number = 0;
    if (index < act->count)
        text_to_u64(act->words[index], UINT32_MAX, &number);
    return number;
}

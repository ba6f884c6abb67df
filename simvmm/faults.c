/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

struct row {
    enum fault_action action;
    char *target, *argument;
    uint64_t nth, uses, number;
    const char *text;                   /* in `argument`, behind its number */
};

struct faults {
    VECTOR(struct row) rows;
    unsigned long slow;
};

static const char *const words[FAULT_ACTIONS] = {
    [FAULT_DELAY] = "delay",       [FAULT_HANG] = "hang",           [FAULT_DROP] = "drop",
    [FAULT_ERROR] = "error",       [FAULT_GARBAGE] = "garbage",     [FAULT_TRUNCATE] = "truncate",
    [FAULT_GARBLE] = "garble",     [FAULT_DUPLICATE] = "duplicate", [FAULT_CLOSE] = "close",
    [FAULT_CRASH] = "crash",       [FAULT_EXIT] = "exit",           [FAULT_SAY] = "say",
    [FAULT_FLOOD] = "flood",
};

/* In these the argument is no number. */
static bool is_textual(enum fault_action action)
{
    return action == FAULT_ERROR || action == FAULT_GARBAGE || action == FAULT_SAY;
}

struct faults *faults_new(void)
{
    return NEW(struct faults);
}

static void row_done(struct row *row)
{
    free(row->target);
    free(row->argument);
}

void faults_free(struct faults *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->rows.count; i++)
        row_done(&f->rows.items[i]);
    vector_done(&f->rows);
    free(f);
}

static enum fault_action action_of(const char *word)
{
    for (int i = FAULT_NONE + 1; i < FAULT_ACTIONS; i++)
        if (text_equal(words[i], word))
            return i;
    return FAULT_NONE;
}

bool faults_is_action(const char *word)
{
    return action_of(word) != FAULT_NONE;
}

void faults_add_words(struct buffer *out)
{
    for (int i = FAULT_NONE + 1; i < FAULT_ACTIONS; i++)
        buffer_printf(out, "%s%s", i > FAULT_NONE + 1 ? ", " : "", words[i]);
}

/* ---- reading ---- */

static bool is_event(const char *target)
{
    return text_equal(target, "events") || (*target >= 'A' && *target <= 'Z');
}

static int take_nth(struct row *row, const char *text, size_t length, const char *whole, struct error *err)
{
    owned_memory char *nth = memory_copy_bytes(text, length);
    if (text_to_u64(nth, UINT32_MAX, &row->nth))
        return 0;
    return fail(err, ERR_INVALID_ARG,
                "-sim %s=%s: '%s' should be the number of the use that goes wrong (0: every one)",
                words[row->action], whole, nth);
}

/* Signals that programs die of, for those who do not know their numbers. */
static bool signal_number(const char *word, uint64_t *ret)
{
    static const struct { const char *word; uint64_t number; } rows[] = {
        { "QUIT", 3 }, { "ILL", 4 },  { "ABRT", 6 },  { "BUS", 7 },
        { "FPE", 8 },  { "KILL", 9 }, { "SEGV", 11 }, { "TERM", 15 },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (text_equal(rows[i].word, word)) {
            *ret = rows[i].number;
            return true;
        }
    return false;
}

static int take_argument(struct row *row, const char *text, const char *whole, struct error *err)
{
    row->argument = memory_copy_text(text);
    row->text = row->argument;
    if (is_textual(row->action) || (row->action == FAULT_CRASH && signal_number(text, &row->number)))
        return 0;
    size_t digits = strspn(text, "0123456789");
    owned_memory char *number = memory_copy_bytes(text, digits);
    if ((text[digits] && text[digits] != ' ') || !text_to_u64(number, UINT32_MAX, &row->number))
        return fail(err, ERR_INVALID_ARG, "-sim %s=%s: '%s' should be a number", words[row->action], whole,
                    text);
    row->text = text[digits] ? row->argument + digits + 1 : NULL;
    return 0;
}

static int take_text(struct row *row, const char *action, const char *text, struct error *err)
{
    const char *colon = strchr(text, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
    row->action = action_of(action);
    row->target = memory_copy_bytes(text, colon ? (size_t) (colon - text) : strlen(text));
    if (row->action == FAULT_NONE) {
        owned_buffer struct buffer legal = { 0 };
        faults_add_words(&legal);
        return fail(err, ERR_INVALID_ARG, "there is no fault '%s'; known are %s", action,
                    buffer_text(&legal));
    }
    if (row->action == FAULT_ERROR && (is_event(row->target) || text_equal(row->target, "greeting")))
        return fail(err, ERR_INVALID_ARG, "-sim error=%s: only a command can fail with an error", text);
    if (!*row->target)
        return fail(err, ERR_INVALID_ARG, "-sim %s=%s: a command, an event, greeting, events or * is missing",
                    action, text);
    if (colon && take_nth(row, colon + 1, second ? (size_t) (second - colon - 1) : strlen(colon + 1), text,
                          err) < 0)
        return -1;
    return second ? take_argument(row, second + 1, text, err) : 0;
}

int faults_add(struct faults *f, const char *action, const char *text, struct error *err)
{
    struct row row = { .action = FAULT_NONE };
    if (f->rows.count == FAULTS_MAX)
        return fail(err, ERR_INVALID_ARG, "there are %d faults already", FAULTS_MAX);
    if (take_text(&row, action, text, err) < 0) {
        row_done(&row);
        return -1;
    }
    vector_push(&f->rows, row);
    return 0;
}

int faults_add_text(struct faults *f, const char *text, struct error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return fail(err, ERR_INVALID_ARG, "'%s' should be ACTION=TARGET[:NTH[:ARGUMENT]]", text);
    owned_memory char *action = memory_copy_bytes(text, (size_t) (equals - text));
    return faults_add(f, action, equals + 1, err);
}

void faults_set_slow(struct faults *f, unsigned long ms)
{
    f->slow = ms;
}

/* ---- use ---- */

static bool is_meant(const struct row *row, const char *target)
{
    if (text_equal(row->target, target))
        return true;
    bool greeting = text_equal(target, "greeting"), event = is_event(target);
    return (text_equal(row->target, "*") && !greeting && !event) ||
           (text_equal(row->target, "events") && event);
}

struct fault faults_next(struct faults *f, const char *target)
{
    struct fault fault = { FAULT_NONE, 0, NULL };
    if (f->slow && !text_equal(target, "greeting") && !is_event(target))
        fault = (struct fault) { FAULT_DELAY, f->slow, NULL };
    for (size_t i = 0; i < f->rows.count; i++) {
        struct row *row = &f->rows.items[i];
        if (!is_meant(row, target))
            continue;
        row->uses++;
        if (!row->nth || row->uses == row->nth)
            fault = (struct fault) { row->action, (unsigned long) row->number, row->text };
    }
    return fault;
}

void faults_list(const struct faults *f, struct buffer *out)
{
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct row *row = &f->rows.items[i];
        buffer_printf(out, "%zu %s=%s:%llu%s%s (%llu uses)\n", i + 1, words[row->action], row->target,
                      (unsigned long long) row->nth, row->argument ? ":" : "",
                      row->argument ? row->argument : "", (unsigned long long) row->uses);
    }
    if (f->slow)
        buffer_printf(out, "slow=%lu\n", f->slow);
}

int faults_clear(struct faults *f, unsigned long number, struct error *err)
{
    if (number > f->rows.count)
        return fail(err, ERR_INVALID_ARG, "there is no fault %lu", number);
    if (number) {
        row_done(&f->rows.items[number - 1]);
        vector_remove(&f->rows, number - 1);
        return 0;
    }
    for (size_t i = 0; i < f->rows.count; i++)
        row_done(&f->rows.items[i]);
    f->rows.count = 0;
    f->slow = 0;
    return 0;
}

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
    uint64_t nth, uses;
};

struct faults {
    VECTOR(struct row) rows;
    unsigned long slow;
};

static const struct { const char *word; enum fault_action action; } actions[] = {
    { "delay", FAULT_DELAY }, { "hang", FAULT_HANG }, { "error", FAULT_ERROR }, { "garbage", FAULT_GARBAGE },
    { "close", FAULT_CLOSE }, { "crash", FAULT_CRASH }, { "drop", FAULT_DROP },
};

struct faults *faults_new(void)
{
    return NEW(struct faults);
}

void faults_free(struct faults *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->rows.count; i++) {
        free(f->rows.items[i].target);
        free(f->rows.items[i].argument);
    }
    vector_done(&f->rows);
    free(f);
}

bool faults_is_action(const char *word)
{
    for (size_t i = 0; i < ARRAY_COUNT(actions); i++)
        if (text_equal(actions[i].word, word))
            return true;
    return false;
}

void faults_add_words(struct buffer *out)
{
    for (size_t i = 0; i < ARRAY_COUNT(actions); i++)
        buffer_printf(out, "%s%s", i ? ", " : "", actions[i].word);
}

int faults_add(struct faults *f, const char *action, const char *text, struct error *err)
{
    struct row row = { .action = FAULT_NONE };
    for (size_t i = 0; i < ARRAY_COUNT(actions); i++)
        if (text_equal(actions[i].word, action))
            row.action = actions[i].action;
    const char *colon = strchr(text, ':');
    row.target = memory_copy_bytes(text, colon ? (size_t) (colon - text) : strlen(text));
    if (colon) {
        const char *second = strchr(colon + 1, ':');
        owned_memory char *nth =
            memory_copy_bytes(colon + 1, second ? (size_t) (second - colon - 1) : strlen(colon + 1));
        if (!text_to_u64(nth, UINT32_MAX, &row.nth)) {
            free(row.target);
            return fail(err, ERR_INVALID_ARG,
                        "-sim %s=%s: '%s' should be the number of the use that goes wrong (0: every one)",
                        action, text, nth);
        }
        row.argument = second ? memory_copy_text(second + 1) : NULL;
    }
    vector_push(&f->rows, row);
    return 0;
}

void faults_set_slow(struct faults *f, unsigned long ms)
{
    f->slow = ms;
}

struct fault faults_next(struct faults *f, const char *target)
{
    struct fault fault = { FAULT_NONE, 0, NULL };
    if (f->slow && !text_equal(target, "greeting"))
        fault = (struct fault) { FAULT_DELAY, f->slow, NULL };
    for (size_t i = 0; i < f->rows.count; i++) {
        struct row *row = &f->rows.items[i];
        bool any = text_equal(row->target, "*") && !text_equal(target, "greeting");
        if (!any && !text_equal(row->target, target))
            continue;
        row->uses++;
        if (row->nth && row->uses != row->nth)
            continue;
        uint64_t number = 0;
        if (row->argument)
            text_to_u64(row->argument, UINT32_MAX, &number);
        fault = (struct fault) { row->action, (unsigned long) number, row->argument };
    }
    return fault;
}

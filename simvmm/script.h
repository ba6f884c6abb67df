/* SPDX-License-Identifier: Apache-2.0 */
/* script.h - lines that say what the guest does and what goes wrong, and when.
 *
 *     # a guest that boots, complains and dies
 *     boot 800
 *     at 1000 print "login: "
 *     on input "reboot" reset
 *     once 5000 panic
 *
 * A line is [WHEN] ACTION [WORD...]. Without WHEN it holds from the beginning. Words are separated by
 * spaces; one in double quotes may hold spaces and \n \r \t \e \" \\ \xHH. "#" begins a comment. The same
 * lines come from a file (-sim script=), from the command line (-sim do=) and from the control socket; the
 * actions are the table in actions.c. All words are checked when a line is read, so that a script cannot
 * fail half-way for a misspelt word. Bounds: a file of 1 MiB, 4096 bytes and 16 words a line, 1000 lines.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/own.h"

struct vm;

enum { SCRIPT_WORDS_MAX = 16, SCRIPT_LINE_MAX = 4096, SCRIPT_LINES_MAX = 1000, SCRIPT_FILE_MAX = 1 << 20 };

enum script_when {
    WHEN_NOW,
    WHEN_AT,                            /* ms of the guest's time after it began or was reset */
    WHEN_ONCE,                          /* the same, but only the first time */
    WHEN_EVERY,
    WHEN_ON                             /* each time that something happens to the guest */
};

/* One action that is to be done; what it has to say goes into `out`. */
struct act { struct vm *vm; const char *const *words; size_t count; struct buffer *out; };

struct action {
    const char *name;
    /* A word is one of its alternatives: a NUMBER (any of NUMBER, MS, MIB, COUNT), a signed SECONDS, free
     * text (other capitals), or that very word. [in brackets]: may be left out. */
    const char *usage;
    int (*run)(struct act *act, struct error *err);
};

struct script_line {
    enum script_when when;
    uint64_t ms;
    const char *happening, *text;       /* WHEN_ON; text: of "on input TEXT" */
    const struct action *action;
    char *words[SCRIPT_WORDS_MAX + 1];
    size_t first, count;                /* the action's words */
    unsigned number;                    /* in its file; 0 elsewhere */
};

/* NULL without an error: a line without words. */
struct script_line *script_line_parse(const char *text, size_t length, struct error *err);
void script_line_free(struct script_line *line);
DEFINE_OWNED(script_line)

/* All lines, until `taken` (which owns what it gets) or a line fails; the error names the line. */
int script_read(const char *path, void (*taken)(void *arg, struct script_line *line), void *arg,
                struct error *err);
int script_line_run(struct vm *vm, const struct script_line *line, struct buffer *out, struct error *err);

/* What an action reads its words with; they were checked. */
static inline const char *act_word(const struct act *act, size_t index)
{
    return index < act->count ? act->words[index] : NULL;
}
uint64_t act_number(const struct act *act, size_t index);

/* SPDX-License-Identifier: Apache-2.0 */
/* simvmm's script language: every line is taken whole or refused with a reason, and its words fit. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simvmm/actions.h"
#include "simvmm/faults.h"
#include "simvmm/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void try_line(const char *text, size_t length, struct faults *faults)
{
    error_scope(err);
    error_scope(refusal);
    owned(script_line) struct script_line *line = script_line_parse(text, length, &err);
    if (!line)
        return;
    if (err.code != ERR_NONE || line->first + line->count > SCRIPT_WORDS_MAX || !line->action)
        abort();
    for (size_t i = line->first; i < line->first + line->count; i++)
        if (!line->words[i])
            abort();
    if (strcmp(line->action->name, "fault") != 0)
        return;
    if (faults_add_text(faults, line->words[line->first], &refusal) < 0 && !*error_text(&refusal))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    owned(faults) struct faults *faults = faults_new();
    owned_buffer struct buffer out = { 0 };
    const char *at = (const char *) bytes, *end = at + length;
    while (at < end) {
        const char *next = memchr(at, '\n', (size_t) (end - at));
        size_t one = (size_t) ((next ? next : end) - at);
        try_line(at, one, faults);
        at += one + 1;
    }
    faults_next(faults, "stop");
    faults_next(faults, "STOP");
    faults_next(faults, "greeting");
    faults_list(faults, &out);
    return 0;
}

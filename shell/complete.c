/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "shell/command.h"
#include "shell/complete_values.h"

static void add_options(struct completions *out, const struct command *command, const char *begun)
{
    for (const struct parameter *p = command->parameters; p && p->name; p++) {
        owned_memory char *option = memory_printf("--%s", p->name);
        if (p->kind != PARAMETER_REST)
            completions_add(out, option, begun);
    }
}

/* The words of a command that is being typed: those that are complete, and the one that is begun. */
struct line {
    VECTOR(char *) words;
    const char *begun;
};

static void line_done(struct line *line)
{
    for (size_t i = 0; i < line->words.count; i++)
        free(line->words.items[i]);
    vector_done(&line->words);
}

static void line_split(struct line *line, const char *text)
{
    for (;;) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t");
        line->begun = text;
        if (!text[length])
            return;
        vector_push(&line->words, memory_copy_bytes(text, length));
        text += length;
    }
}

/* "qom DOMAIN find" is another command, with the verb taken out. */
static const struct command *take_verb(struct line *line, const struct command *command)
{
    owned_memory char *name =
        line->words.count > 2 ? memory_printf("%s-%s", line->words.items[0], line->words.items[2]) : NULL;
    const struct command *verb = name && command->has_verbs ? command_find(name) : NULL;
    if (!verb)
        return command;
    free(line->words.items[2]);
    vector_remove(&line->words, 2);
    return verb;
}

static void add_verbs(struct completions *out, const struct command *command, const char *begun)
{
    owned_memory char *prefix = memory_printf("%s-", command->name);
    for (const struct command *const *c = commands; *c; c++)
        if (text_starts((*c)->name, prefix))
            completions_add(out, (*c)->name + strlen(prefix), begun);
}

static const struct parameter *find_option(const struct command *command, const char *word)
{
    for (const struct parameter *p = command->parameters; p && p->name; p++)
        if (text_starts(word, "--") && text_equal(word + 2, p->name) && p->kind != PARAMETER_FLAG)
            return p;
    return NULL;
}

/* The row that the word after these is for; NULL: none.  `positions` get the words that have no name. */
static const struct parameter *parameter_at(const struct command *command, const struct line *line,
                                            const char **positions, size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 1; i < line->words.count; i++) {
        const char *word = line->words.items[i];
        const struct parameter *option = find_option(command, word);
        if (option && i + 1 == line->words.count)
            return *ret_count = count, option;
        i += option != NULL;
        if (!text_starts(word, "--"))
            positions[count++] = word;
    }
    *ret_count = count;
    for (const struct parameter *p = command->parameters; p && p->name; p++)
        if (p->position && count-- == 0)
            return p;
    return NULL;
}

static void add_values(struct session *session, const struct command *command, const struct line *line,
                       struct completions *out)
{
    owned_memory const char **positions = memory_new((line->words.count + 1) * sizeof *positions);
    size_t count;
    const struct parameter *parameter = parameter_at(command, line, positions, &count);
    if (command->has_verbs && count == 1)
        add_verbs(out, command, line->begun);
    if (parameter)
        complete_value(session, parameter->kind, positions, count, line->begun, out);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

void complete(struct session *session, const char *line, struct completions *out)
{
    const char *start = strrchr(line, ';');
    start = start ? start + 1 : line;
    start += strspn(start, " \t");
    __attribute__((cleanup(line_done))) struct line words = { 0 };
    line_split(&words, start);
    const struct command *command = words.words.count ? command_find(words.words.items[0]) : NULL;
    if (command)
        command = take_verb(&words, command);
    if (words.words.count == 0)
        for (const struct command *const *c = commands; *c; c++)
            completions_add(out, (*c)->name, start);
    else if (command && *words.begun == '-')
        add_options(out, command, words.begun);
    else if (command)
        add_values(session, command, &words, out);
    if (out->words.count)
        qsort(out->words.items, out->words.count, sizeof *out->words.items, by_text);
}

void completions_done(struct completions *completions)
{
    for (size_t i = 0; i < completions->words.count; i++)
        free(completions->words.items[i]);
    vector_done(&completions->words);
}

size_t completions_common(const struct completions *completions)
{
    size_t length = completions->words.count ? strlen(completions->words.items[0]) : 0;
    for (size_t i = 1; i < completions->words.count; i++) {
        size_t same = 0;
        while (same < length && completions->words.items[i][same] == completions->words.items[0][same])
            same++;
        length = same;
    }
    return length;
}

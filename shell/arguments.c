/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "base/vector.h"

struct argument {
    const struct parameter *parameter;
    const char *text;                   /* NULL for a flag */
    uint64_t number;
};

struct arguments {
    const struct command *command;
    VECTOR(struct argument) list;
};

static const struct parameter no_parameters[] = { { 0 } };

static const struct parameter *parameters_of(const struct command *command)
{
    return command->parameters ? command->parameters : no_parameters;
}

static const struct argument *find(const struct arguments *arguments, const struct parameter *parameter)
{
    for (size_t i = 0; i < arguments->list.count; i++)
        if (arguments->list.items[i].parameter == parameter)
            return &arguments->list.items[i];
    return NULL;
}

static const struct argument *find_named(const struct arguments *arguments, const char *name)
{
    for (size_t i = 0; i < arguments->list.count; i++)
        if (strcmp(arguments->list.items[i].parameter->name, name) == 0)
            return &arguments->list.items[i];
    return NULL;
}

static int add(struct arguments *arguments, const struct parameter *parameter, const char *text,
               struct error *err)
{
    struct argument argument = { parameter, text, 0 };
    if (parameter->kind != PARAMETER_REST && find(arguments, parameter))
        return fail(err, ERR_INVALID_ARG, "%s: --%s is given twice", arguments->command->name,
                    parameter->name);
    if (parameter->kind == PARAMETER_NUMBER && !text_to_u64(text, UINT64_MAX, &argument.number))
        return fail(err, ERR_INVALID_ARG, "%s: --%s wants a number, not '%s'", arguments->command->name,
                    parameter->name, text);
    vector_push(&arguments->list, argument);
    return 0;
}

static int no_such_option(const struct command *command, const char *name, struct error *err)
{
    const char *names[64];
    size_t count = 0;
    for (const struct parameter *p = parameters_of(command); p->name && count < ARRAY_COUNT(names); p++)
        names[count++] = p->name;
    const char *near = text_nearest(name, names, count);
    if (near)
        return fail(err, ERR_INVALID_ARG, "command '%s' doesn't support option --%s; did you mean --%s?",
                    command->name, name, near);
    return fail(err, ERR_INVALID_ARG, "command '%s' doesn't support option --%s", command->name, name);
}

/* --name, --name value, --name=value.  Moves *at past what it took. */
static int add_option(struct arguments *arguments, char *const *words, size_t count, size_t *at,
                      struct error *err)
{
    const struct command *command = arguments->command;
    const char *name = words[(*at)++] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t) (equals - name) : strlen(name);
    for (const struct parameter *p = parameters_of(command); p->name; p++) {
        if (strncmp(p->name, name, length) != 0 || p->name[length])
            continue;
        if (p->kind == PARAMETER_FLAG)
            return equals ? fail(err, ERR_INVALID_ARG, "%s: --%s takes no value", command->name, p->name)
                          : add(arguments, p, NULL, err);
        if (equals)
            return add(arguments, p, equals + 1, err);
        if (*at == count)
            return fail(err, ERR_INVALID_ARG, "%s: --%s wants a value", command->name, p->name);
        return add(arguments, p, words[(*at)++], err);
    }
    owned_memory char *whole = memory_copy_bytes(name, length);
    return no_such_option(command, whole, err);
}

/* The next row that takes a word by its position. */
static int add_positional(struct arguments *arguments, const char *word, struct error *err)
{
    for (const struct parameter *p = parameters_of(arguments->command); p->name; p++)
        if (p->kind == PARAMETER_REST || (p->position && !find(arguments, p)))
            return add(arguments, p, word, err);
    return fail(err, ERR_INVALID_ARG, "%s: there is nothing that '%s' could mean", arguments->command->name,
                word);
}

static int check_required(const struct arguments *arguments, struct error *err)
{
    for (const struct parameter *p = parameters_of(arguments->command); p->name; p++)
        if (p->required && !find(arguments, p))
            return fail(err, ERR_INVALID_ARG, "command '%s' requires <%s> option", arguments->command->name,
                        p->name);
    return 0;
}

struct arguments *arguments_parse(const struct command *command, char *const *words, size_t count,
                                  struct error *err)
{
    owned(arguments) struct arguments *arguments = NEW(struct arguments);
    arguments->command = command;
    bool options = true;
    for (size_t at = 0; at < count; ) {
        bool is_option = options && text_starts(words[at], "--");
        if (is_option && !words[at][2]) {
            options = false;                            /* "--": only positions from here on */
            at++;
        } else if ((is_option ? add_option(arguments, words, count, &at, err)
                              : add_positional(arguments, words[at++], err)) < 0) {
            return NULL;
        }
    }
    return check_required(arguments, err) < 0 ? NULL : take(arguments);
}

void arguments_free(struct arguments *arguments)
{
    if (!arguments)
        return;
    vector_done(&arguments->list);
    free(arguments);
}

const struct command *arguments_command(const struct arguments *arguments)
{
    return arguments->command;
}

bool argument_flag(const struct arguments *arguments, const char *name)
{
    return find_named(arguments, name) != NULL;
}

const char *argument_text(const struct arguments *arguments, const char *name)
{
    const struct argument *argument = find_named(arguments, name);
    return argument ? argument->text : NULL;
}

uint64_t argument_number(const struct arguments *arguments, const char *name, uint64_t otherwise)
{
    const struct argument *argument = find_named(arguments, name);
    return argument ? argument->number : otherwise;
}

char *argument_joined(const struct arguments *arguments, const char *name)
{
    struct buffer joined = { 0 };
    for (size_t i = 0; i < arguments->list.count; i++) {
        const struct argument *argument = &arguments->list.items[i];
        if (strcmp(argument->parameter->name, name) == 0)
            buffer_printf(&joined, "%s%s", joined.length ? " " : "", argument->text);
    }
    return buffer_take(&joined);
}

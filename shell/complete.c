/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "shell/command.h"
#include "shell/session.h"

static void add(struct completions *out, const char *word, const char *begun)
{
    if (text_starts(word, begun))
        vector_push(&out->words, memory_copy_text(word));
}

static void add_options(struct completions *out, const struct command *command, const char *begun)
{
    for (const struct parameter *p = command->parameters; p && p->name; p++) {
        owned_memory char *option = memory_printf("--%s", p->name);
        if (p->kind != PARAMETER_REST)
            add(out, option, begun);
    }
}

static void add_domains(struct completions *out, struct session *session, const char *begun)
{
    enum { ALL = 3, PATIENCE = 2000 };          /* milliseconds: a key was pressed, not a command given */
    error_scope(ignored);                       /* no daemon, no names */
    struct client *client = session_client(session, &ignored);
    remote_connect_list_all_domains_args args = { .need_results = 1, .flags = ALL };
    reply_scope(connect_list_all_domains, found);
    if (!client)
        return;
    client_set_deadline(client, PATIENCE);
    client_connect_list_all_domains(client, &args, &found, &ignored);
    client_set_deadline(client, 0);
    for (u_int i = 0; i < found.domains.domains_len; i++)
        add(out, found.domains.domains_val[i].name, begun);
}

static bool takes_domain(const struct command *command)
{
    for (const struct parameter *p = command->parameters; p && p->name; p++)
        if (p->kind == PARAMETER_DOMAIN)
            return true;
    return false;
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
    size_t first = strcspn(start, " \t");
    if (!start[first]) {
        for (const struct command *const *c = commands; *c; c++)
            add(out, (*c)->name, start);
    } else {
        owned_memory char *name = memory_copy_bytes(start, first);
        const struct command *command = command_find(name);
        const char *begun = strrchr(start, ' ') + 1;
        if (command && *begun == '-')
            add_options(out, command, begun);
        else if (command && takes_domain(command))
            add_domains(out, session, begun);
    }
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

/* SPDX-License-Identifier: Apache-2.0 */
/* nodecpustats, nodememstats: what the host's processors did, and what its memory is used for. */
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

enum { ALL_CELLS = -1, ALL_CPUS = -1 };

static const struct parameter parameters[] = { JSON_PARAMETER, { 0 } };

/* An array with one object. */
struct figures {
    struct buffer out;
    struct json_writer w;
};

static void begin(struct figures *figures)
{
    *figures = (struct figures) { .w = { .spaced = true } };
    figures->w.out = &figures->out;
    json_open(&figures->w, '[');
    json_open(&figures->w, '{');
}

static void end(struct session *session, const struct arguments *arguments, struct figures *figures)
{
    json_close(&figures->w, '}');
    json_close(&figures->w, ']');
    if (argument_flag(arguments, "json"))
        session_show_json(session, buffer_text(&figures->out));
    buffer_done(&figures->out);
}

static int run_memory(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    remote_node_get_memory_stats_args args = { .cellNum = ALL_CELLS };
    reply_scope(node_get_memory_stats, count);          /* who asks for none is told how many there are */
    reply_scope(node_get_memory_stats, stats);
    if (!client || client_node_get_memory_stats(client, &args, &count, err) < 0)
        return COMMAND_FAILED;
    args.nparams = count.nparams;
    if (client_node_get_memory_stats(client, &args, &stats, err) < 0)
        return COMMAND_FAILED;
    struct figures figures;
    begin(&figures);
    for (u_int i = 0; i < stats.params.params_len; i++) {
        const remote_node_get_memory_stats *p = &stats.params.params_val[i];
        json_key(&figures.w, p->field), json_u64(&figures.w, p->value);
        if (!argument_flag(arguments, "json"))
            printf("%-7s: %20llu KiB\n", p->field, (unsigned long long) p->value);
    }
    end(session, arguments, &figures);
    return COMMAND_DONE;
}

/* The daemon's words, and virsh's, in its order. */
static const struct { const char *field, *name;
} times[] = {
    { "user", "user" },     { "kernel", "system" }, { "idle", "idle" },
    { "iowait", "iowait" }, { "intr", "intr" },
};

static const remote_node_get_cpu_stats *find(const node_get_cpu_stats_reply *stats, const char *field)
{
    for (u_int i = 0; i < stats->params.params_len; i++)
        if (text_equal(stats->params.params_val[i].field, field))
            return &stats->params.params_val[i];
    return NULL;
}

static int run_processors(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    remote_node_get_cpu_stats_args args = { .cpuNum = ALL_CPUS };
    reply_scope(node_get_cpu_stats, count);
    reply_scope(node_get_cpu_stats, stats);
    if (!client || client_node_get_cpu_stats(client, &args, &count, err) < 0)
        return COMMAND_FAILED;
    args.nparams = count.nparams;
    if (client_node_get_cpu_stats(client, &args, &stats, err) < 0)
        return COMMAND_FAILED;
    struct figures figures;
    begin(&figures);
    for (size_t i = 0; i < ARRAY_COUNT(times); i++) {
        const remote_node_get_cpu_stats *p = find(&stats, times[i].field);
        owned_memory char *label = memory_printf("%s:", times[i].name);
        if (!p)
            continue;
        json_key(&figures.w, times[i].name), json_u64(&figures.w, p->value);
        if (!argument_flag(arguments, "json"))
            printf("%-15s %20llu\n", label, (unsigned long long) p->value);
    }
    end(session, arguments, &figures);
    return COMMAND_DONE;
}

const struct command nodememstats_command = {
    .name = "nodememstats", .group = "Host", .summary = "print what the host's memory is used for",
    .parameters = parameters, .run = run_memory,
};
const struct command nodecpustats_command = {
    .name = "nodecpustats",
    .group = "Host",
    .summary = "print what the host's processors did, in nanoseconds",
    .parameters = parameters,
    .run = run_processors,
};

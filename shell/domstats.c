/* SPDX-License-Identifier: Apache-2.0 */
/* domstats: all figures of domains, in one call. */
#include <stdio.h>

#include "base/uuid.h"
#include "base/vector.h"
#include "json/json.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"
#include "shell/typed.h"

/* libvirt's bits of groups, and of which domains. */
static const struct { const char *option; unsigned bit; } groups[] = {
    { "state", 0x1 }, { "cpu-total", 0x2 }, { "balloon", 0x4 }, { "vcpu", 0x8 }, { "interface", 0x10 },
    { "block", 0x20 },
}, filters[] = {
    { "list-active", 0x1 }, { "list-inactive", 0x2 }, { "list-persistent", 0x4 }, { "list-transient", 0x8 },
    { "list-running", 0x10 }, { "list-paused", 0x20 }, { "list-shutoff", 0x40 }, { "list-other", 0x80 },
    { "enforce", 0x80000000 },
};

static const struct parameter parameters[] = {
    { "state", PARAMETER_FLAG, .help = "what they are doing" },
    { "cpu-total", PARAMETER_FLAG, .help = "processor time" },
    { "balloon", PARAMETER_FLAG, .help = "memory" },
    { "vcpu", PARAMETER_FLAG, .help = "each processor" },
    { "interface", PARAMETER_FLAG, .help = "network interfaces" },
    { "block", PARAMETER_FLAG, .help = "disks" },
    { "list-active", PARAMETER_FLAG, .help = "only active domains" },
    { "list-inactive", PARAMETER_FLAG, .help = "only inactive ones" },
    { "list-persistent", PARAMETER_FLAG, .help = "only those with a definition" },
    { "list-transient", PARAMETER_FLAG, .help = "only those without" },
    { "list-running", PARAMETER_FLAG, .help = "only running ones" },
    { "list-paused", PARAMETER_FLAG, .help = "only paused ones" },
    { "list-shutoff", PARAMETER_FLAG, .help = "only those that are shut off" },
    { "list-other", PARAMETER_FLAG, .help = "only those in another state" },
    { "enforce", PARAMETER_FLAG, .help = "fail if a group is not known" },
    JSON_PARAMETER,
    { "domain", PARAMETER_DOMAIN, .position = true, .help = "only this one" },
    { 0 },
};

static unsigned groups_chosen(const struct arguments *arguments)
{
    unsigned bits = 0;
    for (size_t i = 0; i < ARRAY_COUNT(groups); i++)
        bits |= argument_flag(arguments, groups[i].option) ? groups[i].bit : 0;
    return bits;
}

static unsigned filters_chosen(const struct arguments *arguments)
{
    unsigned bits = 0;
    for (size_t i = 0; i < ARRAY_COUNT(filters); i++)
        bits |= argument_flag(arguments, filters[i].option) ? filters[i].bit : 0;
    return bits;
}

static void add_json(struct json_writer *w, const remote_domain_stats_record *record)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format((const struct uuid *) record->dom.uuid, uuid);
    json_open(w, '{');
    json_key(w, "name"), json_string(w, record->dom.name);
    json_key(w, "uuid"), json_string(w, uuid);
    for (u_int i = 0; i < record->params.params_len; i++) {
        const remote_typed_param *param = &record->params.params_val[i];
        owned_buffer struct buffer value = { 0 };
        typed_format(param, &value);
        json_key(w, param->field);
        if (typed_is_number(param))
            json_raw(w, buffer_text(&value));
        else
            json_string(w, buffer_text(&value));
    }
    json_close(w, '}');
}

static void print_text(const remote_domain_stats_record *record)
{
    printf("Domain: '%s'\n", record->dom.name);
    for (u_int i = 0; i < record->params.params_len; i++) {
        owned_buffer struct buffer value = { 0 };
        typed_format(&record->params.params_val[i], &value);
        printf("  %s=%s\n", record->params.params_val[i].field, buffer_text(&value));
    }
}

static void show(struct session *session, const struct arguments *arguments,
                 const connect_get_all_domain_stats_reply *stats)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    bool json = argument_flag(arguments, "json");
    json_open(&w, '[');
    for (u_int i = 0; i < stats->retStats.retStats_len; i++) {
        const remote_domain_stats_record *record = &stats->retStats.retStats_val[i];
        if (json) {
            add_json(&w, record);
            continue;
        }
        if (i)
            putchar('\n');
        print_text(record);
    }
    json_close(&w, ']');
    if (json)
        session_show_json(session, buffer_text(&out));
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    remote_connect_get_all_domain_stats_args args = {
        .stats = groups_chosen(arguments),
        .flags = filters_chosen(arguments),
    };
    reply_scope(domain_lookup_by_name, found);
    bool one = argument_text(arguments, "domain") != NULL;
    struct client *client =
        one ? session_domain(session, arguments, &found, err) : session_client(session, err);
    if (!client)
        return COMMAND_FAILED;
    args.doms.doms_val = &found.dom;
    args.doms.doms_len = one;
    reply_scope(connect_get_all_domain_stats, stats);
    if (client_connect_get_all_domain_stats(client, &args, &stats, err) < 0)
        return COMMAND_FAILED;
    show(session, arguments, &stats);
    return COMMAND_DONE;
}

const struct command domstats_command = {
    .name = "domstats",
    .group = "Domains",
    .summary = "print all figures of domains",
    .about = "Without a group: all of them; without a domain: of all domains.",
    .parameters = parameters,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* domblkstat: what was read from and written to a disk. */
#include <stdio.h>

#include "base/text.h"
#include "json/json.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"
#include "shell/typed.h"

enum { STATS_MAX = 16 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "device", PARAMETER_TEXT, .position = true, .help = "a disk: its target; all together if left out" },
    JSON_PARAMETER,
    { 0 },
};

/* virsh's order, and its short names. */
static const struct { const char *field, *name; } shown[] = {
    { "rd_operations", "rd_req" },
    { "rd_bytes", "rd_bytes" },
    { "wr_operations", "wr_req" },
    { "wr_bytes", "wr_bytes" },
    { "flush_operations", "flush_operations" },
    { "rd_total_times", "rd_total_times" },
    { "wr_total_times", "wr_total_times" },
    { "flush_total_times", "flush_total_times" },
};

static const remote_typed_param *find(const domain_block_stats_flags_reply *stats, const char *field)
{
    for (u_int i = 0; i < stats->params.params_len; i++)
        if (text_equal(stats->params.params_val[i].field, field))
            return &stats->params.params_val[i];
    return NULL;
}

static void show(struct session *session, const char *device, bool json,
                 const domain_block_stats_flags_reply *stats)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '[');
    json_open(&w, '{');
    json_key(&w, "device"), json_string(&w, device);
    for (size_t i = 0; i < ARRAY_COUNT(shown); i++) {
        const remote_typed_param *param = find(stats, shown[i].field);
        owned_buffer struct buffer value = { 0 };
        if (!param)
            continue;
        typed_format(param, &value);
        json_key(&w, shown[i].name), json_raw(&w, buffer_text(&value));
        if (!json)
            printf("%s%s%s %s\n", device, *device ? " " : "", shown[i].name, buffer_text(&value));
    }
    json_close(&w, '}');
    json_close(&w, ']');
    if (json)
        session_show_json(session, buffer_text(&out));
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *device = argument_text(arguments, "device") ? argument_text(arguments, "device") : "";
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_block_stats_flags_args args = { .dom = found.dom,
                                                  .path = (char *) device,
                                                  .nparams = STATS_MAX };
    reply_scope(domain_block_stats_flags, stats);
    if (client_domain_block_stats_flags(client, &args, &stats, err) < 0)
        return fail_in(err, "Failed to get block stats for domain '%s' device '%s'", found.dom.name, device);
    show(session, device, argument_flag(arguments, "json"), &stats);
    return COMMAND_DONE;
}

const struct command domblkstat_command = {
    .name = "domblkstat",
    .group = "Devices",
    .summary = "print what was read from and written to a disk",
    .parameters = parameters,
    .run = run,
};

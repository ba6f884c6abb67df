/* SPDX-License-Identifier: Apache-2.0 */
/* timings: where a domain's last start spent its time. */
#include <inttypes.h>
#include <stdio.h>

#include "json/json.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = { DOMAIN_PARAMETER, JSON_PARAMETER, { 0 } };

static double total_of(const domus_timings_reply *timings)
{
    double total = 0;
    for (u_int i = 0; i < timings->phases.phases_len; i++)
        total += timings->phases.phases_val[i].milliseconds;
    return total;
}

static void open_phase(struct json_writer *w, const char *name, double milliseconds)
{
    char number[32];
    snprintf(number, sizeof number, "%.3f", milliseconds);
    json_open(w, '{');
    json_key(w, "phase"), json_string(w, name);
    json_key(w, "milliseconds"), json_raw(w, number);
}

/* The last one is the total, and has what the monitor was told as well. */
static void show_json(struct session *session, const domus_timings_reply *timings)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '[');
    for (u_int i = 0; i < timings->phases.phases_len; i++) {
        open_phase(&w, timings->phases.phases_val[i].name, timings->phases.phases_val[i].milliseconds);
        json_close(&w, '}');
    }
    open_phase(&w, "total", total_of(timings));
    json_key(&w, "commands"), json_u64(&w, timings->calls);
    json_key(&w, "bytes_asked"), json_u64(&w, timings->request_bytes);
    json_key(&w, "bytes_answered"), json_u64(&w, timings->reply_bytes);
    json_close(&w, '}');
    json_close(&w, ']');
    session_show_json(session, buffer_text(&out));
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    domus_timings_args args = { .dom = found.dom };
    reply_scope(domus_timings, timings);
    if (client_domus_timings(client, &args, &timings, err) < 0)
        return COMMAND_FAILED;
    if (argument_flag(arguments, "json")) {
        show_json(session, &timings);
        return COMMAND_DONE;
    }
    for (u_int i = 0; i < timings.phases.phases_len; i++) {
        const domus_phase *phase = &timings.phases.phases_val[i];
        printf("%-24s %9.3f ms\n", phase->name, phase->milliseconds);
    }
    printf("%-24s %9.3f ms\n", "total", total_of(&timings));
    printf("monitor: %" PRIu64 " commands, %" PRIu64 " bytes asked, %" PRIu64
           " answered, before the object tree\n", timings.calls, timings.request_bytes, timings.reply_bytes);
    return COMMAND_DONE;
}

const struct command timings_command = {
    .name = "timings",
    .group = "Emulator",
    .summary = "print where a domain's last start spent its time",
    .parameters = parameters,
    .run = run,
};

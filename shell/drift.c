/* SPDX-License-Identifier: Apache-2.0 */
/* drift: where a running domain is not what its XML asks for. */
#include <stdio.h>

#include "base/text.h"
#include "shell/arguments.h"
#include "shell/qom.h"
#include "shell/session.h"

static const struct parameter parameters[] = { DOMAIN_PARAMETER, JSON_PARAMETER, { 0 } };

static const char *or_nothing(char *const *text)
{
    return text ? *text : "nothing";
}

static void print_drift(const domus_drift *drift)
{
    if (text_equal(drift->kind, "added"))
        printf("+ %s (%s) is there, and the XML has none: %s\n", drift->subject, or_nothing(drift->type),
               or_nothing(drift->path));
    else if (text_equal(drift->kind, "missing"))
        printf("- %s (%s) is in the XML, and not there: %s\n", drift->subject, or_nothing(drift->type),
               or_nothing(drift->path));
    else if (drift->property)
        printf("~ %s: %s is %s, asked was %s\n", drift->subject, *drift->property,
               or_nothing(drift->effective), or_nothing(drift->asked));
    else
        printf("~ %s: %s, asked was %s\n", drift->subject, or_nothing(drift->effective),
               or_nothing(drift->asked));
}

static void add_drift(struct json_writer *w, const domus_drift *drift)
{
    json_open(w, '{');
    json_key(w, "kind"), json_string(w, drift->kind);
    json_key(w, "subject"), json_string(w, drift->subject);
    qom_add_text(w, "alias", drift->alias);
    qom_add_text(w, "path", drift->path);
    qom_add_text(w, "type", drift->type);
    qom_add_text(w, "property", drift->property);
    qom_add_value(w, "asked", drift->asked);
    qom_add_value(w, "effective", drift->effective);
    json_close(w, '}');
}

static void show(struct session *session, const struct arguments *arguments, const domus_drift_reply *reply)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    bool json = argument_flag(arguments, "json");
    json_open(&w, '[');
    for (u_int i = 0; i < reply->drifts.drifts_len; i++)
        if (json)
            add_drift(&w, &reply->drifts.drifts_val[i]);
        else
            print_drift(&reply->drifts.drifts_val[i]);
    json_close(&w, ']');
    if (json)
        session_show_json(session, buffer_text(&out));
    else if (reply->more)
        puts("... and more");
    else if (!reply->drifts.drifts_len)
        session_confirm(session, "no drift: %llu values are as asked\n",
                        (unsigned long long) reply->compared);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_drift, reply);
    struct client *client = session_domain(session, arguments, &found, err);
    domus_drift_args args = { .dom = found.dom };
    if (!client || client_domus_drift(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    show(session, arguments, &reply);
    return reply.drifts.drifts_len ? COMMAND_DIFFERS : COMMAND_DONE;
}

const struct command drift_command = {
    .name = "drift",
    .group = "Emulator",
    .summary = "tell where a running domain is not what its XML asks for",
    .about =
        "Devices that came or went past domusd, properties with another value than was asked, memory and "
        "processors.  Exit status: 0 no drift, 1 drift, 2 trouble.",
    .parameters = parameters,
    .run = run,
    .compares = true,
};

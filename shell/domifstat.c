/* SPDX-License-Identifier: Apache-2.0 */
/* domifstat: what a network interface sent and received. */
#include <stdio.h>

#include "json/json.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "interface", PARAMETER_TEXT, .position = true, .required = true,
      .help = "the host's device, or the MAC address" },
    JSON_PARAMETER,
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *device = argument_text(arguments, "interface");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_interface_stats_args args = { .dom = found.dom, .device = (char *) device };
    reply_scope(domain_interface_stats, stats);
    if (client_domain_interface_stats(client, &args, &stats, err) < 0)
        return fail_in(err, "Failed to get interface stats %s %s", found.dom.name, device);
    const struct { const char *name; long long value; } numbers[] = {
        { "rx_bytes", stats.rx_bytes }, { "rx_packets", stats.rx_packets }, { "rx_errs", stats.rx_errs },
        { "rx_drop", stats.rx_drop }, { "tx_bytes", stats.tx_bytes }, { "tx_packets", stats.tx_packets },
        { "tx_errs", stats.tx_errs }, { "tx_drop", stats.tx_drop },
    };
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '[');
    json_open(&w, '{');
    json_key(&w, "interface"), json_string(&w, device);
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        if (numbers[i].value < 0)
            continue;                           /* not known */
        json_key(&w, numbers[i].name), json_i64(&w, numbers[i].value);
        if (!argument_flag(arguments, "json"))
            printf("%s %s %lld\n", device, numbers[i].name, numbers[i].value);
    }
    json_close(&w, '}');
    json_close(&w, ']');
    if (argument_flag(arguments, "json"))
        session_show_json(session, buffer_text(&out));
    return COMMAND_DONE;
}

const struct command domifstat_command = {
    .name = "domifstat",
    .group = "Devices",
    .summary = "print what a network interface sent and received",
    .parameters = parameters,
    .run = run,
};

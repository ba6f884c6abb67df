/* SPDX-License-Identifier: Apache-2.0 */
/* domcontrol: whether a domain's emulator can be talked to. */
#include <stdio.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = { DOMAIN_PARAMETER, { 0 } };

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    static const char *const states[] = { "ok", "background job", "occupied", "error" };
    static const char *const reasons[] = { "", "unknown", "monitor failure", "internal (locking) error" };
    enum { ERROR = 3 };
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_get_control_info_args args = { .dom = found.dom };
    reply_scope(domain_get_control_info, info);
    if (client_domain_get_control_info(client, &args, &info, err) < 0)
        return COMMAND_FAILED;
    const char *word = info.state < ARRAY_COUNT(states) ? states[info.state] : "unknown";
    if (info.state == ERROR && info.details && info.details < ARRAY_COUNT(reasons))
        printf("%s: %s\n", word, reasons[info.details]);
    else if (info.stateTime)
        printf("%s (%0.3fs)\n", word, (double) info.stateTime / 1000);
    else
        puts(word);
    return COMMAND_DONE;
}

const struct command domcontrol_command = {
    .name = "domcontrol",
    .group = "Emulator",
    .summary = "print whether a domain's emulator can be talked to",
    .parameters = parameters,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* connect: talks to another daemon from now on. */
#include <stdlib.h>

#include "base/memory.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    { "uri", PARAMETER_TEXT, .position = true, .help = "a URI, or a socket's path; the default if left out" },
    { "readonly", PARAMETER_FLAG, .help = "only look" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    session_disconnect(session);
    free(session->where);
    session->where = memory_copy_text(argument_text(arguments, "uri"));
    session->read_only = argument_flag(arguments, "readonly");
    return session_client(session, err) ? COMMAND_DONE : fail_in(err, "Failed to connect");
}

const struct command connect_command = {
    .name = "connect",
    .group = "Shell",
    .summary = "connect to a daemon",
    .parameters = parameters,
    .run = run,
};

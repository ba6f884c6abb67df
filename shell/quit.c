/* SPDX-License-Identifier: Apache-2.0 */
/* quit, exit: leaves the prompt. */
#include "shell/command.h"
#include "shell/session.h"

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    session->leave = true;
    return COMMAND_DONE;
}

const struct command quit_command = {
    .name = "quit", .group = "Shell", .summary = "leave the shell", .run = run
};
const struct command exit_command = {
    .name = "exit", .group = "Shell", .summary = "leave the shell", .run = run
};

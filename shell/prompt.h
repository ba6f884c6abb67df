/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.h - commands that come as lines: from a terminal, from standard input, from one argument.
 *
 * At a terminal there are history (kept in $XDG_STATE_HOME/domsh_history, else ~/.local/state/domsh_history)
 * and completion of commands, their options and domains' names.  Each function returns the exit code of the
 * last command.
 */
#pragma once
#include <stdio.h>

struct session;

int prompt_run(struct session *session);
int prompt_run_input(struct session *session, FILE *in);
/* Commands after a semicolon run only if those before succeeded. */
int prompt_run_line(struct session *session, const char *line);

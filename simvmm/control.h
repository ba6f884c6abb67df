/* SPDX-License-Identifier: Apache-2.0 */
/* control.h - the socket by which a test moves the guest and injects faults while all runs (-sim control=).
 *
 * A line of a script (script.h) each, done at once or, with WHEN, kept. The answer is what it has to say,
 * and then "ok" or "error: TEXT" as a line of its own. At most CONTROL_CLIENTS_MAX clients at a time.
 */
#pragma once
#include "simvmm/vm.h"

enum { CONTROL_CLIENTS_MAX = 16 };

struct control;

int control_listen(struct vm *vm, const char *path, struct error *err); /* before the loop runs */
/* Where $SIMVMM_CONTROL says, if -sim did not; that it cannot is no reason not to run. */
void control_listen_by_environment(struct vm *vm);
void control_start(struct control *c);
void control_free(struct control *c);

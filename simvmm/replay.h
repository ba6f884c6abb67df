/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - a recorded monitor, played back: the VMM's side of it, and a check of what it is asked.
 *
 * The recording has a line for each message, {"at":MS,"to":COMMAND} or {"at":MS,"from":MESSAGE}, a greeting,
 * a reply or an event; other lines are passed over.  Each client that connects hears it from its beginning.
 * A command must be the next one recorded, with the same arguments; ids are the client's own, and "(secret)"
 * stands for any text.  Then all follows that came before the next command; events behind the last answer are
 * left out.  What differs is answered with an error, and told on standard error with the line of the
 * recording; the next command may still be right.
 */
#pragma once
#include "base/own.h"
#include "simvmm/monitor.h"

struct replay;

struct replay *replay_new(const char *path, struct error *err);
void replay_free(struct replay *r);
DEFINE_OWNED(replay)
void replay_begin(struct replay *r, struct vm *vm, struct monitor *m);        /* a client has connected */
void replay_hear(struct replay *r, struct vm *vm, struct monitor *m, const struct json *command);

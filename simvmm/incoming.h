/* SPDX-License-Identifier: Apache-2.0 */
/* incoming.h - the destination of a migration: waits where -incoming or migrate-incoming said, loads the
 * stream (migrate_stream.h), and goes on as the guest that it came from.
 *
 * A stream of another machine, with other memory or other devices is refused as QEMU does: the program ends,
 * unless migrate-incoming said exit-on-error=false.
 */
#pragma once
#include "simvmm/vm.h"

struct incoming;

int incoming_begin(struct vm *vm, const char *uri, struct error *err); /* -incoming, when the loop runs */
void incoming_free(struct vm *vm);
void incoming_describe(const struct vm *vm, struct arena *arena, struct json *reply); /* for query-migrate */
bool incoming_pause(struct vm *vm); /* a post-copy that goes on is interrupted */
/* What has to be the same on both sides: the machine's name, and the rest. */
char *incoming_machine(const struct vm *vm);
const struct json *incoming_description(const struct vm *vm, struct arena *arena);

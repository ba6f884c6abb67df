/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - QMP events: to every negotiated client, with the VMM's time, rate-limited as QEMU does it.
 *
 * Of some kinds QEMU tells at most once a second: the first one at once, then the newest of what came since.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct vm;
struct json;
struct events;

struct events *events_new(struct vm *vm);
void events_free(struct events *e);

/* `name` must be known; `data` may be NULL. */
void event_emit(struct vm *vm, const char *name, const struct json *data);
bool event_is_known(const char *name);                  /* what simvmm can emit by itself */
/* Any event, known or not, past the limit and without a fault. */
void event_emit_raw(struct vm *vm, const char *name, const char *data_json);
/* Spreads so many over that time. */
void event_flood(struct vm *vm, uint64_t count, uint64_t ms, const char *name, const char *data_json);

/* SPDX-License-Identifier: Apache-2.0 */
/* params.h - lists of typed parameters for replies.
 *
 *     struct params list = { 0 };
 *     params_add_u64(&list, 12345, "cpu.time");
 *     params_add_u32(&list, 1, "block.%zu.backingIndex", i);
 *     ret->params.params_len = params_give(&list, &ret->params.params_val);
 *
 * The type travels with each value and clients rely on it: callers take it from libvirt's list of fields.
 */
#pragma once
#include <stdint.h>

#include "base/vector.h"
#include "rpc/remote.h"

enum param_type {
    PARAM_INT = 1,
    PARAM_UINT,
    PARAM_LLONG,
    PARAM_ULLONG,
    PARAM_DOUBLE,
    PARAM_BOOLEAN,
    PARAM_STRING
};

/* What a client says that takes parameters of type string; ours does not ask whether it may send them. */
enum { TYPED_PARAM_STRING_OKAY = 4 };

struct params { VECTOR(remote_typed_param) items; };

#define PARAM_NAME __attribute__((format(printf, 3, 4)))
void params_add_int(struct params *params, int value, const char *name, ...) PARAM_NAME;
void params_add_u32(struct params *params, unsigned value, const char *name, ...) PARAM_NAME;
void params_add_i64(struct params *params, int64_t value, const char *name, ...) PARAM_NAME;
void params_add_u64(struct params *params, uint64_t value, const char *name, ...) PARAM_NAME;
void params_add_text(struct params *params, const char *value, const char *name, ...) PARAM_NAME;

/* Hands the list to a reply, and is empty again; the number of parameters. */
unsigned params_give(struct params *params, remote_typed_param **ret_items);
void params_done(struct params *params);
#define owned_params __attribute__((cleanup(params_done)))

/* For calls that are made twice, first with `wanted` 0 to learn how many there are: the number goes to
 * ret_total then, and no more than `wanted` are handed over otherwise. */
unsigned params_give_at_most(struct params *params, int wanted, remote_typed_param **ret_items,
                             int *ret_total);

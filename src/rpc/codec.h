/* SPDX-License-Identifier: Apache-2.0 */
/* codec.h - values to bytes and back, by XDR.  Only for src/rpc.
 *
 * Decoding allocates no more than the message justifies; trailing bytes are ignored, as the protocol has it.
 * A string with a NUL byte inside does not decode, since no reader in C would see the rest of it.
 */
#pragma once
#include <rpc/rpc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct codec {
    bool_t (*run)(XDR *x, void *value);
    size_t size;                        /* of the value */
};

/* Defines `name`, the codec of `type`. */
#define DEFINE_CODEC(name, type) \
    static bool_t name##_run(XDR *x, void *value) \
    { \
        return xdr_##type(x, value); \
    } \
    static const struct codec name = { name##_run, sizeof(type) }

/* Appends to `out`, or fails and leaves it as it was. */
int codec_encode(const struct codec *codec, const void *value, struct buffer *out, struct error *err);
/* Fills the value, which may hold anything before; after a failure it is all zeros. */
int codec_decode(const struct codec *codec, const char *bytes, size_t length, void *value, struct error *err);
/* Frees what the value points to, and zeroes it. */
void codec_release(const struct codec *codec, void *value);

/* Of a message that we send (an EVENT row), or NULL. */
const struct codec *event_codec(uint32_t program, int number);

/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_private.h - one client of the server: what it has said, and how it is answered. */
#pragma once
#include <endian.h>
#include <string.h>

#include "base/buffer.h"
#include "loop/stream.h"
#include "simvmm/nbd.h"

enum {
    NBD_PAYLOAD_MAX = 32 << 20,
    NBD_OPTION_MAX = 64 << 10,
    NBD_OUTPUT_MAX = 32 << 20, /* more waiting for the client, and it is not read */
};

struct nbd_client {
    struct nbd *server;
    struct stream *stream;
    struct buffer in;
    const struct export *export; /* NULL: options are being dealt with */
    bool greeted, structured, allocation, no_zeroes, closing;
};

static inline uint64_t be_at(const char *bytes, unsigned size)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v = v << 8 | (unsigned char) bytes[i];
    return v;
}

static inline void be_add(struct buffer *out, uint64_t value, unsigned size)
{
    while (size)
        buffer_add_char(out, (char) (value >> 8 * --size));
}

/* Each takes one thing from c->in, and says whether there was a whole one. */
bool nbd_take_option(struct nbd_client *c);
bool nbd_take_request(struct nbd_client *c);
const struct export *nbd_find(const struct nbd *n, const char *name, size_t length);
struct vm *nbd_vm(const struct nbd *n);
uint16_t nbd_flags(const struct nbd_client *c, const struct export *e);

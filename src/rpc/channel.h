/* SPDX-License-Identifier: Apache-2.0 */
/* channel.h - a two-way stream of bytes between a client and whoever answered its call.
 *
 * The protocol calls it a stream; it belongs to the call that opened it, whose program, procedure and
 * serial all its packets carry.  The handler of such a call opens it as its last step, and must not wait
 * between that and returning: the reply goes first, then the packets.
 *
 * A channel ends in exactly one of four ways: the client finishes it (`finished`), the client aborts it or is
 * gone (`aborted`), its owner fails it (channel_fail), or the call that opened it fails after all
 * (`aborted`).  After that, and in those two callbacks, it is no more; what the client still sends for it is
 * ignored.  All callbacks run on the loop and must not wait; `data` and `room` may fail their channel.
 *
 * Bounds: server_limits.channels for a client.  The owner asks channel_has_room() after it has sent; when
 * there is none it stops its source until `room`.  An owner that cannot take more calls channel_hold(): then
 * nothing more is read from this client, its calls included, until channel_release(), so that at most one
 * frame comes on top of what the owner allows itself.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct call;
struct channel;

struct channel_handler {
    void (*data)(void *arg, const char *bytes, size_t length);
    void (*room)(void *arg);            /* the client has taken everything; may be NULL */
    /* The client has sent all and wants to leave.  -1 tells it what became of its bytes.  May be NULL. */
    int (*finished)(void *arg, struct error *err);
    void (*aborted)(void *arg);
};

/* NULL with an error if this client has too many, or is gone. */
struct channel *channel_open(struct call *call, const struct channel_handler *handler, void *arg,
                             struct error *err);
bool channel_has_room(const struct channel *c);
void channel_send(struct channel *c, const char *bytes, size_t length);         /* copies */
/* There will be no more from us.  What the client sends from now on is dropped; it still has to finish. */
void channel_finish(struct channel *c);
void channel_fail(struct channel *c, const struct error *failure);
void channel_hold(struct channel *c);
void channel_release(struct channel *c);

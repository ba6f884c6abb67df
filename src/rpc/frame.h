/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - the byte stream, cut into frames.  Only for src/rpc.
 *
 * A frame is a header of seven big-endian words and a payload.  After a frame of the types ..._WITH_FDS,
 * whose payload begins with the number of descriptors, there follows one byte for each of them: those bytes
 * carry the descriptors and belong to no frame.  What arrives is kept until a frame is whole; never more is
 * allocated than has arrived.
 */
#pragma once
#include <stdint.h>

#include "base/buffer.h"

enum {
    FRAME_HEADER_SIZE = 28,
    FRAME_PAYLOAD_MAX = 33554432 - 24,  /* so that the length word is at most 33554436 */
    FRAME_SIZE_MAX = FRAME_HEADER_SIZE + FRAME_PAYLOAD_MAX,
    FRAME_FDS_MAX = 32,
};

enum frame_type {
    FRAME_CALL, FRAME_REPLY, FRAME_MESSAGE, FRAME_STREAM,
    FRAME_CALL_WITH_FDS, FRAME_REPLY_WITH_FDS, FRAME_HOLE
};

enum frame_status { FRAME_OK, FRAME_ERROR, FRAME_CONTINUE };

enum { PROGRAM_KEEPALIVE = 0x6b656570, KEEPALIVE_PING = 1, KEEPALIVE_PONG = 2 };

struct frame {
    uint32_t program, version;
    int32_t procedure, type;
    uint32_t serial;
    int32_t status;
    const char *payload;                /* without the number of descriptors; gone with the next read */
    size_t length;
    unsigned fds_count;
};

struct frame_reader {                   /* zeroed: nothing read */
    struct buffer bytes;
    size_t done;                        /* those at the front that are dealt with */
};

void frame_reader_add(struct frame_reader *r, const char *bytes, size_t length);
/* 1: a frame; 0: more bytes are needed; -1: these are no frames, and never will be again. */
int frame_next(struct frame_reader *r, struct frame *ret_frame);
void frame_reader_done(struct frame_reader *r);

/* Appends a header (and the number of descriptors, for types that have one).  The payload is added to `out`
 * after it; then frame_end() writes the length.  Returns where the frame begins. */
size_t frame_begin(struct buffer *out, const struct frame *header);
void frame_end(struct buffer *out, size_t start);

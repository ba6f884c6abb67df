/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/frame.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

static uint32_t get_word(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return ntohl(word);
}

static void put_word(struct buffer *out, uint32_t value)
{
    uint32_t word = htonl(value);
    buffer_add(out, &word, sizeof word);
}

static bool carries_fds(int32_t type)
{
    return type == FRAME_CALL_WITH_FDS || type == FRAME_REPLY_WITH_FDS;
}

void frame_reader_add(struct frame_reader *r, const char *bytes, size_t length)
{
    buffer_drop(&r->bytes, r->done);
    r->done = 0;
    buffer_add(&r->bytes, bytes, length);
}

void frame_reader_done(struct frame_reader *r)
{
    buffer_done(&r->bytes);
    r->done = 0;
}

static void read_header(const char *at, struct frame *frame)
{
    *frame = (struct frame) {
        .program = get_word(at + 4),
        .version = get_word(at + 8),
        .procedure = (int32_t) get_word(at + 12),
        .type = (int32_t) get_word(at + 16),
        .serial = get_word(at + 20),
        .status = (int32_t) get_word(at + 24),
        .payload = at + FRAME_HEADER_SIZE,
    };
}

int frame_next(struct frame_reader *r, struct frame *ret_frame)
{
    size_t there = r->bytes.length - r->done;
    if (there < 4)
        return 0;
    const char *at = r->bytes.data + r->done;
    size_t size = get_word(at);
    if (size < FRAME_HEADER_SIZE || size > FRAME_SIZE_MAX)
        return -1;
    if (there < size)
        return 0;

    struct frame frame;
    read_header(at, &frame);
    frame.length = size - FRAME_HEADER_SIZE;
    if (carries_fds(frame.type)) {
        if (frame.length < 4 || get_word(frame.payload) > FRAME_FDS_MAX)
            return -1;
        frame.fds_count = get_word(frame.payload);
        frame.payload += 4;
        frame.length -= 4;
        if (there < size + frame.fds_count)
            return 0;
    }
    r->done += size + frame.fds_count;
    *ret_frame = frame;
    return 1;
}

size_t frame_begin(struct buffer *out, const struct frame *header)
{
    size_t start = out->length;
    put_word(out, 0);
    put_word(out, header->program);
    put_word(out, header->version);
    put_word(out, (uint32_t) header->procedure);
    put_word(out, (uint32_t) header->type);
    put_word(out, header->serial);
    put_word(out, (uint32_t) header->status);
    if (carries_fds(header->type))
        put_word(out, header->fds_count);
    return start;
}

void frame_end(struct buffer *out, size_t start)
{
    uint32_t word = htonl((uint32_t) (out->length - start));
    memcpy(out->data + start, &word, sizeof word);
}

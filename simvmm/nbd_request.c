/* SPDX-License-Identifier: Apache-2.0 */
/* What a client asks of its export: reading, writing, what is where. */
#include "simvmm/block_io.h"
#include "simvmm/nbd_private.h"

enum { READ, WRITE, DISCONNECT, FLUSH, TRIM, CACHE, WRITE_ZEROES, BLOCK_STATUS };
enum { CHUNK_DONE = 1, CHUNK_NONE = 0, CHUNK_DATA = 1, CHUNK_STATUS = 5, CHUNK_ERROR = 0x8001 };
enum { NBD_EPERM = 1, NBD_EIO = 5, NBD_EINVAL = 22, NBD_ENOSPC = 28 };
enum { HEAD = 28, EXTENTS_MAX = 1024, REQ_ONE = 8, STATE_HOLE = 1, STATE_ZERO = 2 };

struct request {
    uint16_t flags, type;
    uint64_t handle, offset;
    uint32_t length;
    const char *payload;
};

/* ---- replies ---- */

static void chunk(struct nbd_client *c, const struct request *r, int type, const struct buffer *data)
{
    owned_buffer struct buffer out = { 0 };
    be_add(&out, 0x668e33ef, 4);
    be_add(&out, CHUNK_DONE, 2);
    be_add(&out, (uint64_t) type, 2);
    be_add(&out, r->handle, 8);
    be_add(&out, data ? data->length : 0, 4);
    if (data)
        buffer_add(&out, data->data, data->length);
    stream_write(c->stream, out.data, out.length);
}

static void simple(struct nbd_client *c, const struct request *r, uint32_t number, const struct buffer *data)
{
    owned_buffer struct buffer out = { 0 };
    be_add(&out, 0x67446698, 4);
    be_add(&out, number, 4);
    be_add(&out, r->handle, 8);
    if (data)
        buffer_add(&out, data->data, data->length);
    stream_write(c->stream, out.data, out.length);
}

static void refuse(struct nbd_client *c, const struct request *r, uint32_t number, const char *text)
{
    owned_buffer struct buffer data = { 0 };
    be_add(&data, number, 4);
    be_add(&data, strlen(text), 2);
    buffer_add_text(&data, text);
    if (c->structured)
        chunk(c, r, CHUNK_ERROR, &data);
    else
        simple(c, r, number, NULL);
}

static void done(struct nbd_client *c, const struct request *r)
{
    if (c->structured)
        chunk(c, r, CHUNK_NONE, NULL);
    else
        simple(c, r, 0, NULL);
}

/* ---- the work ---- */

static int read_part(struct nbd_client *c, const struct request *r, struct error *err)
{
    owned_buffer struct buffer data = { 0 };
    if (c->structured)
        be_add(&data, r->offset, 8);
    if (block_read(c->export->node, r->offset, buffer_room(&data, r->length), r->length, err) < 0)
        return -1;
    data.length += r->length;
    if (c->structured)
        chunk(c, r, CHUNK_DATA, &data);
    else
        simple(c, r, 0, &data);
    return 0;
}

static int status(struct nbd_client *c, const struct request *r, struct error *err)
{
    owned_buffer struct buffer data = { 0 };
    uint64_t at = r->offset, end = r->offset + r->length, length;
    be_add(&data, 1, 4); /* base:allocation */
    for (unsigned i = 0; at < end && i < (r->flags & REQ_ONE ? 1 : EXTENTS_MAX); i++) {
        enum extent kind;
        if (block_extent(c->export->node, NULL, at, end - at, &kind, &length, err) < 0)
            return -1;
        be_add(&data, length, 4);
        be_add(&data,
               kind == EXTENT_DATA   ? 0
               : kind == EXTENT_ZERO ? STATE_ZERO
                                     : STATE_HOLE | STATE_ZERO,
               4);
        at += length;
    }
    chunk(c, r, CHUNK_STATUS, &data);
    return 0;
}

static int change(struct nbd_client *c, const struct request *r, struct error *err)
{
    struct block_node *b = c->export->node;
    int result = r->type == WRITE          ? block_write(b, r->offset, r->payload, r->length, err)
                 : r->type == WRITE_ZEROES ? block_zero(b, r->offset, r->length, err)
                                           : 0; /* what is trimmed may stay */
    if (result == 0)
        done(c, r);
    return result;
}

static bool changes(const struct request *r)
{
    return r->type == WRITE || r->type == WRITE_ZEROES || r->type == TRIM;
}

static void serve(struct nbd_client *c, const struct request *r)
{
    error_scope(err);
    uint64_t size = c->export->node->size;
    int result = 0;
    if (r->type != FLUSH && (r->offset > size || r->length > size - r->offset))
        refuse(c, r, changes(r) ? NBD_ENOSPC : NBD_EINVAL, "operation past EOF");
    else if (changes(r) && !c->export->writable)
        refuse(c, r, NBD_EPERM, "Export is read-only");
    else if (r->type == READ && r->length > NBD_PAYLOAD_MAX)
        refuse(c, r, NBD_EINVAL, "len (too large) is larger than max len");
    else if (changes(r))
        result = change(c, r, &err);
    else if (r->type == READ)
        result = read_part(c, r, &err);
    else if (r->type == BLOCK_STATUS && c->allocation && r->length)
        result = status(c, r, &err);
    else if (r->type == FLUSH || r->type == CACHE)
        done(c, r);
    else
        refuse(c, r, NBD_EINVAL, "invalid request");
    if (result < 0)
        refuse(c, r, NBD_EIO, error_text(&err));
}

bool nbd_take_request(struct nbd_client *c)
{
    if (c->in.length < HEAD)
        return false;
    const char *head = c->in.data;
    struct request r = { .flags = (uint16_t) be_at(head + 4, 2),
                         .type = (uint16_t) be_at(head + 6, 2),
                         .handle = be_at(head + 8, 8),
                         .offset = be_at(head + 16, 8),
                         .length = (uint32_t) be_at(head + 24, 4),
                         .payload = head + HEAD };
    size_t payload = r.type == WRITE ? r.length : 0;
    if (be_at(head, 4) != 0x25609513 || payload > NBD_PAYLOAD_MAX || r.type == DISCONNECT) {
        c->closing = true;
        return false;
    }
    if (c->in.length < HEAD + payload)
        return false;
    serve(c, &r);
    buffer_drop(&c->in, HEAD + payload);
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/codec.h"

#include <limits.h>
#include <string.h>

#include "rpc/bounded.h"
#include "rpc/frame.h"

#undef xdr_array
#undef xdr_bytes
#undef xdr_string

/* Encoding: an XDR stream that grows a buffer, up to what one frame may hold. */

static struct buffer *output(XDR *x)
{
    return x->x_private;
}

static bool_t put_bytes(XDR *x, const char *bytes, u_int length)
{
    if (output(x)->length - x->x_handy + length > FRAME_PAYLOAD_MAX)
        return FALSE;
    buffer_add(output(x), bytes, length);
    return TRUE;
}

static bool_t put_word(XDR *x, const long *value)
{
    uint32_t word = htonl((uint32_t) *value);
    return put_bytes(x, (const char *) &word, sizeof word);
}

static u_int put_position(XDR *x)
{
    return (u_int) (output(x)->length - x->x_handy);
}

static int32_t *no_inline(XDR *x, u_int length)
{
    return NULL;
}

static const struct xdr_ops put_ops = {
    .x_putlong = put_word, .x_putbytes = put_bytes, .x_getpostn = put_position, .x_inline = no_inline,
};

int codec_encode(const struct codec *codec, const void *value, struct buffer *out, struct error *err)
{
    size_t before = out->length;
    XDR x = { .x_op = XDR_ENCODE, .x_ops = &put_ops, .x_private = out, .x_handy = (u_int) before };
    if (codec->run(&x, (void *) value))
        return 0;
    if (out->data)
        out->data[out->length = before] = 0;
    return fail(err, ERR_RPC, "Unable to encode message payload");
}

/* Decoding: libtirpc's memory stream, and checks in front of what allocates. */

int codec_decode(const struct codec *codec, const char *bytes, size_t length, void *value, struct error *err)
{
    XDR x;
    memset(value, 0, codec->size);
    xdrmem_create(&x, (char *) bytes, (u_int) length, XDR_DECODE);
    x.x_public = (char *) &length;
    if (codec->run(&x, value))
        return 0;
    codec_release(codec, value);
    return fail(err, ERR_RPC, "Unable to decode message payload");
}

void codec_release(const struct codec *codec, void *value)
{
    XDR x = { .x_op = XDR_FREE };
    codec->run(&x, value);
    memset(value, 0, codec->size);
}

/* Whether the count that comes next in the message can be true: each unit takes at least `unit` bytes. */
static bool count_fits(XDR *x, size_t unit)
{
    if (x->x_op != XDR_DECODE)
        return true;
    u_int start = XDR_GETPOS(x), count;
    if (!xdr_u_int(x, &count))
        return false;
    size_t left = *(const size_t *) x->x_public - XDR_GETPOS(x);
    return XDR_SETPOS(x, start) && count <= left / unit;
}

bool_t bounded_array(XDR *x, char **items, u_int *count, u_int max, u_int item_size, xdrproc_t item)
{
    return count_fits(x, BYTES_PER_XDR_UNIT) && xdr_array(x, items, count, max, item_size, item);
}

bool_t bounded_bytes(XDR *x, char **bytes, u_int *count, u_int max)
{
    return count_fits(x, 1) && xdr_bytes(x, bytes, count, max);
}

/* A text that a handler forgot, NULL, is an error and not a crash. */
bool_t bounded_string(XDR *x, char **text, u_int max)
{
    if (x->x_op == XDR_ENCODE)
        return *text && xdr_string(x, text, max);
    if (x->x_op == XDR_FREE)
        return xdr_string(x, text, UINT_MAX);           /* with less, it keeps what is too long */
    u_int start = XDR_GETPOS(x), count;
    if (!count_fits(x, 1) || !xdr_u_int(x, &count) || !XDR_SETPOS(x, start))
        return FALSE;
    return xdr_string(x, text, max) && strlen(*text) == count;
}

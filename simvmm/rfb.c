/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/rfb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/own.h"
#include "loop/stream.h"
#include "simvmm/clock.h"
#include "simvmm/des.h"
#include "simvmm/guest.h"
#include "simvmm/screen.h"

enum {
    VERSION_LENGTH = 12,
    CHALLENGE_LENGTH = 16,
    PENDING_MAX = 4 << 20,
    DESKTOP_SIZE = -223,
    AUTH_NONE = 1,
    AUTH_VNC = 2
};

struct format { uint8_t bits, big_endian; uint16_t max[3]; uint8_t shift[3]; };

struct rfb {
    struct vm *vm;
    const struct rfb_handler *handler;
    void *arg;
    struct stream *stream;
    struct buffer in;
    /* Takes what is complete at the front of `in`: how many bytes, 0 for "more is needed", -1: hang up. */
    long (*step)(struct rfb *r, const uint8_t *bytes, size_t length);
    unsigned minor;
    bool authenticate, leaving;
    uint8_t challenge[CHALLENGE_LENGTH];
    struct format format;
    bool resizes;                       /* it understands another size */
    bool asked;                         /* for the next change */
    unsigned seen, width, height;       /* the version and size of the screen that it has */
};

static long on_message(struct rfb *r, const uint8_t *bytes, size_t length);

/* ---- bytes ---- */

static void add_u16(struct buffer *b, unsigned number)
{
    buffer_add_char(b, (char) (number >> 8));
    buffer_add_char(b, (char) number);
}

static void add_u32(struct buffer *b, uint32_t number)
{
    add_u16(b, number >> 16);
    add_u16(b, number & 0xffff);
}

static unsigned u16(const uint8_t *bytes)
{
    return (unsigned) bytes[0] << 8 | bytes[1];
}

static uint32_t u32(const uint8_t *bytes)
{
    return (uint32_t) u16(bytes) << 16 | u16(bytes + 2);
}

static void send(struct rfb *r, const struct buffer *b)
{
    stream_write(r->stream, b->data, b->length);
}

/* ---- pictures ---- */

static void add_dot(struct buffer *b, const struct format *f, uint32_t dot)
{
    uint32_t value = 0;
    for (int i = 0; i < 3; i++)
        value |= (dot >> (16 - 8 * i) & 255) * f->max[i] / 255 << f->shift[i];
    for (int i = 0; i < f->bits; i += 8)
        buffer_add_char(b, (char) (value >> (f->big_endian ? f->bits - 8 - i : i)));
}

static void add_picture(struct rfb *r, struct buffer *b)
{
    uint32_t dots[SCREEN_WIDTH_MAX] = { 0 };
    add_u16(b, 0), add_u16(b, 0), add_u16(b, r->width), add_u16(b, r->height), add_u32(b, 0);
    for (unsigned y = 0; y < r->height; y++) {
        screen_row(r->vm->screen, y, dots);
        for (unsigned x = 0; x < r->width; x++)
            add_dot(b, &r->format, dots[x]);
    }
}

static bool has_other_size(const struct rfb *r)
{
    return r->resizes
           && (r->width != screen_width(r->vm->screen) || r->height != screen_height(r->vm->screen));
}

static void send_update(struct rfb *r)
{
    owned_buffer struct buffer b = { 0 };
    bool resize = has_other_size(r);
    buffer_add(&b, "\0", 2);
    add_u16(&b, resize ? 2 : 1);
    if (resize) {
        r->width = screen_width(r->vm->screen);
        r->height = screen_height(r->vm->screen);
        add_u16(&b, 0), add_u16(&b, 0), add_u16(&b, r->width), add_u16(&b, r->height);
        add_u32(&b, (uint32_t) DESKTOP_SIZE);
    }
    add_picture(r, &b);
    r->asked = false;
    r->seen = screen_version(r->vm->screen);
    send(r, &b);
}

void rfb_refresh(struct rfb *r)
{
    if (r->asked && r->seen != screen_version(r->vm->screen) && stream_pending(r->stream) < PENDING_MAX)
        send_update(r);
}

/* ---- messages ---- */

static long set_format(struct rfb *r, const uint8_t *m, size_t length)
{
    (void) length;
    struct format f = { .bits = m[4], .big_endian = m[6] };
    for (int i = 0; i < 3; i++) {
        f.max[i] = (uint16_t) u16(m + 8 + 2 * i);
        f.shift[i] = m[14 + i];
        if (f.shift[i] > 31)
            return -1;
    }
    if ((f.bits != 8 && f.bits != 16 && f.bits != 32) || !m[7])
        return -1;                      /* no maps of colours */
    r->format = f;
    return 20;
}

static long set_encodings(struct rfb *r, const uint8_t *m, size_t length)
{
    size_t count = u16(m + 2), all = 4 + 4 * count;
    if (length < all)
        return 0;
    r->resizes = false;
    for (size_t i = 0; i < count; i++)
        r->resizes |= (int32_t) u32(m + 4 + 4 * i) == DESKTOP_SIZE;
    return (long) all;
}

static long ask_update(struct rfb *r, const uint8_t *m, size_t length)
{
    (void) length;
    bool incremental = m[1];
    r->asked = true;
    if (!incremental || r->seen != screen_version(r->vm->screen))
        send_update(r);
    return 10;
}

static long press_key(struct rfb *r, const uint8_t *m, size_t length)
{
    static const struct { uint32_t symbol; char letter; } others[] = {
        { 0xff08, '\b' }, { 0xff09, '\t' }, { 0xff0d, '\r' }, { 0xff8d, '\r' }, { 0xff1b, '\033' },
    };
    (void) length;
    uint32_t symbol = u32(m + 4);
    char letter = symbol >= ' ' && symbol <= '~' ? (char) symbol : '\0';
    for (size_t i = 0; i < ARRAY_COUNT(others); i++)
        if (others[i].symbol == symbol)
            letter = others[i].letter;
    if (m[1] && letter)
        guest_type(r->vm, NULL, &letter, 1);
    return 8;
}

static long move_pointer(struct rfb *r, const uint8_t *m, size_t length)
{
    (void) r, (void) m, (void) length;
    return 6;
}

static long cut_text(struct rfb *r, const uint8_t *m, size_t length)
{
    (void) r;
    uint32_t text = u32(m + 4);
    if (text > RFB_MESSAGE_MAX - 8)
        return -1;
    return length < 8 + text ? 0 : 8 + (long) text;
}

static const struct {
    size_t least;
    long (*read)(struct rfb *r, const uint8_t *bytes, size_t length);
} messages[] = {
    [0] = { 20, set_format }, [2] = { 4, set_encodings }, [3] = { 10, ask_update },
    [4] = { 8, press_key },   [5] = { 6, move_pointer },  [6] = { 8, cut_text },
};

static long on_message(struct rfb *r, const uint8_t *bytes, size_t length)
{
    if (bytes[0] >= ARRAY_COUNT(messages) || !messages[bytes[0]].read)
        return -1;
    return length < messages[bytes[0]].least ? 0 : messages[bytes[0]].read(r, bytes, length);
}

/* ---- the handshake ---- */

static long on_init(struct rfb *r, const uint8_t *bytes, size_t length)
{
    (void) length;
    owned_buffer struct buffer b = { 0 };
    owned_memory char *name = r->vm->name ? memory_printf("QEMU (%s)", r->vm->name)
                                          : memory_copy_text("QEMU");
    r->width = screen_width(r->vm->screen);
    r->height = screen_height(r->vm->screen);
    add_u16(&b, r->width), add_u16(&b, r->height);
    buffer_add(&b, "\x20\x18\0\x01\0\xff\0\xff\0\xff\x10\x08\0\0\0\0", 16);
    add_u32(&b, (uint32_t) strlen(name));
    buffer_add_text(&b, name);
    send(r, &b);
    r->step = on_message;
    r->handler->ready(r->arg, r, bytes[0]);
    return 1;
}

/* Before 3.8 nothing tells that no authentication was enough. */
static void accept_client(struct rfb *r, bool tell)
{
    owned_buffer struct buffer b = { 0 };
    add_u32(&b, 0);
    if (tell)
        send(r, &b);
    r->step = on_init;
}

static long on_response(struct rfb *r, const uint8_t *bytes, size_t length)
{
    static const char reason[] = "Authentication failed";
    uint8_t key[8], right[CHALLENGE_LENGTH];
    if (length < CHALLENGE_LENGTH)
        return 0;
    bool good = r->handler->password(r->arg, key);
    if (good) {
        des_encrypt(key, r->challenge, right);
        des_encrypt(key, r->challenge + 8, right + 8);
        good = memcmp(right, bytes, sizeof right) == 0;
    }
    if (good) {
        accept_client(r, true);
        return CHALLENGE_LENGTH;
    }
    owned_buffer struct buffer b = { 0 };
    add_u32(&b, 1);
    if (r->minor >= 8) {
        add_u32(&b, sizeof reason);
        buffer_add(&b, reason, sizeof reason);          /* QEMU counts its NUL, too */
    }
    send(r, &b);
    return -1;
}

static void challenge(struct rfb *r)
{
    if (getrandom(r->challenge, sizeof r->challenge, 0) < 0)
        memset(r->challenge, 1, sizeof r->challenge);
    stream_write(r->stream, r->challenge, sizeof r->challenge);
    r->step = on_response;
}

static long on_choice(struct rfb *r, const uint8_t *bytes, size_t length)
{
    (void) length;
    if (bytes[0] != (r->authenticate ? AUTH_VNC : AUTH_NONE))
        return -1;
    if (r->authenticate)
        challenge(r);
    else
        accept_client(r, r->minor >= 8);
    return 1;
}

static long on_version(struct rfb *r, const uint8_t *bytes, size_t length)
{
    unsigned major;
    char text[VERSION_LENGTH + 1] = { 0 };
    if (length < VERSION_LENGTH)
        return 0;
    memcpy(text, bytes, VERSION_LENGTH);
    if (sscanf(text, "RFB %3u.%3u\n", &major, &r->minor) != 2 || major != 3)
        return -1;
    owned_buffer struct buffer b = { 0 };
    uint8_t type = r->authenticate ? AUTH_VNC : AUTH_NONE;
    if (r->minor < 7) {
        add_u32(&b, type);
        send(r, &b);
        if (r->authenticate)
            challenge(r);
        else
            accept_client(r, false);
    } else {
        buffer_add_char(&b, 1);
        buffer_add_char(&b, (char) type);
        send(r, &b);
        r->step = on_choice;
    }
    return VERSION_LENGTH;
}

/* ---- the client ---- */

static void hang_up(struct rfb *r)
{
    if (r->leaving)
        return;
    r->leaving = true;
    stream_pause(r->stream);
    if (!stream_pending(r->stream))
        r->handler->closed(r->arg, r);
}

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct rfb *r = arg;
    long taken = 1;
    clock_stir(r->vm->clock);
    buffer_add(&r->in, bytes, length);
    while (r->in.length && taken > 0) {
        taken = r->step(r, (const uint8_t *) r->in.data, r->in.length);
        if (taken > 0)
            buffer_drop(&r->in, (size_t) taken);
    }
    if (taken < 0 || r->in.length > RFB_MESSAGE_MAX)
        hang_up(r);
}

static void on_closed(void *arg, const char *reason)
{
    struct rfb *r = arg;
    (void) reason;
    r->handler->closed(r->arg, r);
}

static void on_drained(void *arg)
{
    struct rfb *r = arg;
    if (r->leaving)
        r->handler->closed(r->arg, r);
    else
        rfb_refresh(r);
}

struct rfb *rfb_new(struct vm *vm, int fd, bool authenticate, const struct rfb_handler *handler, void *arg)
{
    static const struct stream_handler streams = { on_input, on_closed, on_drained };
    struct rfb *r = NEW(struct rfb);
    *r = (struct rfb) { .vm = vm, .handler = handler, .arg = arg, .authenticate = authenticate,
                        .step = on_version,
                        .format = { 32, 0, { 255, 255, 255 }, { 16, 8, 0 } } };
    r->stream = stream_new(fd, &streams, r);
    stream_write(r->stream, "RFB 003.008\n", VERSION_LENGTH);
    return r;
}

void rfb_free(struct rfb *r)
{
    stream_free(r->stream);
    buffer_done(&r->in);
    free(r);
}

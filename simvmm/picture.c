/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/picture.h"

#include <string.h>

enum { STORED_MAX = 65535, ADLER = 65521 };

static void add_row(const struct screen *s, unsigned y, struct buffer *out)
{
    uint32_t dots[SCREEN_WIDTH_MAX];
    screen_row(s, y, dots);
    for (unsigned x = 0; x < screen_width(s); x++)
        for (int shift = 16; shift >= 0; shift -= 8)
            buffer_add_char(out, (char) (dots[x] >> shift));
}

void picture_ppm(const struct screen *s, struct buffer *out)
{
    buffer_printf(out, "P6\n%u %u\n255\n", screen_width(s), screen_height(s));
    for (unsigned y = 0; y < screen_height(s); y++)
        add_row(s, y, out);
}

/* ---- PNG: chunks of length, name, bytes and checksum ---- */

static void add_u32(struct buffer *out, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buffer_add_char(out, (char) (number >> shift));
}

static uint32_t crc(const char *bytes, size_t length)
{
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < length; i++) {
        sum ^= (unsigned char) bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

static void add_chunk(struct buffer *out, const char *name, const struct buffer *bytes)
{
    add_u32(out, (uint32_t) bytes->length);
    size_t start = out->length;
    buffer_add(out, name, 4);
    buffer_add(out, buffer_text(bytes), bytes->length);
    add_u32(out, crc(out->data + start, out->length - start));
}

/* A zlib stream whose blocks are stored as they are. */
static void store(const struct buffer *bytes, struct buffer *out)
{
    uint32_t a = 1, b = 0;
    buffer_add(out, "\x78\x01", 2);
    for (size_t at = 0; at < bytes->length; at += STORED_MAX) {
        size_t length = bytes->length - at < STORED_MAX ? bytes->length - at : STORED_MAX;
        buffer_add_char(out, at + length == bytes->length);
        for (size_t number = length, i = 0; i < 2; i++, number = ~length) {
            buffer_add_char(out, (char) number);
            buffer_add_char(out, (char) (number >> 8));
        }
        buffer_add(out, bytes->data + at, length);
    }
    for (size_t i = 0; i < bytes->length; i++) {
        a = (a + (unsigned char) bytes->data[i]) % ADLER;
        b = (b + a) % ADLER;
    }
    add_u32(out, b << 16 | a);
}

void picture_png(const struct screen *s, struct buffer *out)
{
    owned_buffer struct buffer header = { 0 }, rows = { 0 }, stream = { 0 }, nothing = { 0 };
    add_u32(&header, screen_width(s));
    add_u32(&header, screen_height(s));
    buffer_add(&header, "\x08\x02\0\0\0", 5);           /* eight bits of red, green and blue */
    for (unsigned y = 0; y < screen_height(s); y++) {
        buffer_add_char(&rows, '\0');                   /* not filtered */
        add_row(s, y, &rows);
    }
    store(&rows, &stream);
    buffer_add(out, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(out, "IHDR", &header);
    add_chunk(out, "IDAT", &stream);
    add_chunk(out, "IEND", &nothing);
}

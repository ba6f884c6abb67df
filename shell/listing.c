/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/listing.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "json/json.h"

struct listing {
    const struct column *columns;
    size_t count;
    VECTOR(char *) cells;               /* row by row */
};

struct listing *listing_new(const struct column *columns, size_t count)
{
    struct listing *listing = NEW(struct listing);
    listing->columns = columns;
    listing->count = count;
    return listing;
}

void listing_free(struct listing *listing)
{
    if (!listing)
        return;
    for (size_t i = 0; i < listing->cells.count; i++)
        free(listing->cells.items[i]);
    vector_done(&listing->cells);
    free(listing);
}

void listing_add(struct listing *listing, const char *text)
{
    vector_push(&listing->cells, memory_copy_text(text));
}

void listing_printf(struct listing *listing, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text;
    if (vasprintf(&text, format, ap) < 0)
        abort();
    va_end(ap);
    vector_push(&listing->cells, text);
}

static size_t row_count(const struct listing *listing)
{
    return listing->cells.count / listing->count;
}

static const char *cell(const struct listing *listing, size_t row, size_t column)
{
    return listing->cells.items[row * listing->count + column];
}

/* Characters, not bytes: good enough for what names are made of. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char) *text & 0xC0) != 0x80;
    return width;
}

static size_t column_width(const struct listing *listing, size_t column, bool bare)
{
    size_t width = bare ? 0 : width_of(listing->columns[column].title);
    for (size_t row = 0; row < row_count(listing); row++) {
        const char *text = cell(listing, row, column);
        size_t own = width_of(text ? text : "-");
        width = own > width ? own : width;
    }
    return width;
}

static void add_padded(struct buffer *out, const char *text, size_t width)
{
    buffer_add_text(out, text);
    for (size_t i = width_of(text); i < width; i++)
        buffer_add_char(out, ' ');
}

/* One line; row -1 is the heading.  Every cell but the last is padded. */
static void add_line(const struct listing *listing, ptrdiff_t row, const size_t *widths, struct buffer *out)
{
    size_t last = listing->count - 1;
    while (last && !listing->columns[last].title)
        last--;
    for (size_t i = 0; i <= last; i++) {
        if (!listing->columns[i].title)
            continue;
        const char *text = row < 0 ? listing->columns[i].title : cell(listing, (size_t) row, i);
        buffer_add_text(out, i ? "   " : " ");
        add_padded(out, text ? text : "-", i == last ? 0 : widths[i]);
    }
    buffer_add_char(out, '\n');
}

void listing_format_columns(const struct listing *listing, bool bare, struct buffer *out)
{
    size_t widths[32] = { 0 }, ruler = 1;
    for (size_t i = 0; i < listing->count; i++)
        if (listing->columns[i].title)
            ruler += (widths[i] = column_width(listing, i, bare)) + 3;
    if (!bare) {
        add_line(listing, -1, widths, out);
        for (size_t i = 0; i + 1 < ruler; i++)
            buffer_add_char(out, '-');
        buffer_add_char(out, '\n');
    }
    for (size_t row = 0; row < row_count(listing); row++)
        add_line(listing, (ptrdiff_t) row, widths, out);
}

void listing_format_pairs(const struct listing *listing, size_t width, struct buffer *out)
{
    for (size_t i = 0; i < listing->cells.count; i++) {
        const char *title = listing->columns[i % listing->count].title, *text = listing->cells.items[i];
        if (!title || !text)
            continue;
        owned_memory char *label = memory_printf("%s:", title);
        add_padded(out, label, width);
        buffer_printf(out, " %s\n", text);
    }
}

static void add_key(struct json_writer *w, const struct column *column)
{
    if (column->key) {
        json_key(w, column->key);
        return;
    }
    owned_buffer struct buffer key = { 0 };
    for (const char *p = column->title; *p; p++)
        if (isalnum((unsigned char) *p))
            buffer_add_char(&key, (char) tolower((unsigned char) *p));
        else if (key.length && isalnum((unsigned char) p[1]))
            buffer_add_char(&key, '_');
    json_key(w, buffer_text(&key));
}

static bool is_number(const char *text)
{
    char *end;
    if (!isdigit((unsigned char) text[*text == '-']))
        return false;
    strtod(text, &end);
    return !*end;
}

static void add_json_cell(struct json_writer *w, const struct column *column, const char *text)
{
    if (!text || (column->number && !is_number(text)))
        json_null(w);
    else if (column->number)
        json_raw(w, text);
    else
        json_string(w, text);
}

void listing_format_json(const struct listing *listing, struct buffer *out)
{
    struct json_writer w = { .out = out, .spaced = true };
    json_open(&w, '[');
    for (size_t row = 0; row < row_count(listing); row++) {
        json_open(&w, '{');
        for (size_t i = 0; i < listing->count; i++) {
            add_key(&w, &listing->columns[i]);
            add_json_cell(&w, &listing->columns[i], cell(listing, row, i));
        }
        json_close(&w, '}');
    }
    json_close(&w, ']');
    buffer_add_char(out, '\n');
}

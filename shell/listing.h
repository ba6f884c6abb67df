/* SPDX-License-Identifier: Apache-2.0 */
/* listing.h - what commands print: rows under titles, pairs of title and value, or JSON.
 *
 * Text looks as virsh prints it.  JSON is always an array of objects, a row each; a column's key is its title
 * in snake_case unless the column names one:
 *
 *     static const struct column columns[] = { { .title = "Name" }, { .key = "uuid" } };
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/own.h"

struct column {
    const char *title;                  /* NULL: in JSON only */
    const char *key;                    /* NULL: the title in snake_case */
    bool number;                        /* JSON: a number, and null for what is none */
};

struct listing;

struct listing *listing_new(const struct column *columns, size_t count);
void listing_free(struct listing *listing);
DEFINE_OWNED(listing)

/* The next cell, by column and row; NULL: absent */
void listing_add(struct listing *listing, const char *text);
void listing_printf(struct listing *listing, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Columns under a ruled heading, without it if `bare`. */
void listing_format_columns(const struct listing *listing, bool bare, struct buffer *out);
/* A line for each cell that is not absent, "Title:    value", the titles padded to `width`. */
void listing_format_pairs(const struct listing *listing, size_t width, struct buffer *out);
void listing_format_json(const struct listing *listing, struct buffer *out);

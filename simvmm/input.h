/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - JSON as QEMU reads it: a lexer and a parser that take bytes as they come, and complain in its
 * words.
 *
 * It accepts what QEMU accepts (single quotes, any white space, values back to back) and recovers as QEMU
 * does: after a wrong token the rest of that value is skipped up to its closing bracket, after a stray
 * character reading goes on at the next structural one. Positions (line:column since the stream began)
 * stand in front of the complaint from QEMU 11 on.
 */
#pragma once
#include "json/json.h"

struct input;

struct input_handler {
    void (*value)(void *arg, struct arena *arena, const struct json *value);    /* the arena is now yours */
    void (*complaint)(void *arg, const char *text);     /* "22:1: JSON parse error, expecting value" */
};

struct input *input_new(bool positions, const struct input_handler *handler, void *arg);
void input_free(struct input *in);
DEFINE_OWNED(input)
/* The handler must not free the input from within. */
void input_feed(struct input *in, const char *bytes, size_t length);
void input_end(struct input *in); /* no more bytes: what is half read is completed or complained about */

/* One whole value, for the command line. */
const struct json *input_parse(const char *text, bool positions, struct arena *arena, struct error *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* argv.h - the words of a command line, and the two ways in which QEMU's options are spelt.
 *
 * The key=value way doubles commas in values; the JSON way escapes as JSON does (json.h).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct argv {
    char **words;                       /* NULL-terminated once anything was added */
    size_t count, capacity;
};

void argv_add(struct argv *argv, const char *word);                             /* copies */
void argv_add_pair(struct argv *argv, const char *option, const char *value);   /* two words: -option value */
void argv_format(const struct argv *argv, struct buffer *out);                  /* one line, POSIX-quoted */
void argv_done(struct argv *argv);
#define owned_argv __attribute__((cleanup(argv_done)))

/* Each appends ",key=value" to `out` ("key=value" to an empty one).  A NULL key adds the bare value; a NULL
 * value adds nothing. */
void option_add(struct buffer *out, const char *key, const char *value);
void option_add_u64(struct buffer *out, const char *key, uint64_t value);
void option_add_bool(struct buffer *out, const char *key, bool on);             /* on or off */

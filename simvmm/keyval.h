/* SPDX-License-Identifier: Apache-2.0 */
/* keyval.h - an option's text as a JSON object.
 *
 * QEMU takes most options as key=value,key=value with doubled commas, the newer ones as JSON, too. Both
 * become an object here; in key=value all values are strings, and the getters read numbers, sizes and
 * yes/no from either.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "json/json.h"

enum keyval_style {
    KEYVAL_FLAT,                        /* "a.b" is a name; a key alone means on, "noX" off */
    KEYVAL_NESTED,                      /* a.b=c makes an object in an object; every key needs its "=" */
    KEYVAL_OR_JSON = 4                  /* added to either: text that begins with "{" is JSON */
};

/* `implied` is the key of a first value without one; NULL if there is no such key. *ret_short, if not
 * NULL, is set to a key that stood alone. */
const struct json *keyval_parse(struct arena *a, const char *text, const char *implied, int style,
                                bool positions, const char **ret_short, struct error *err);

/* Of keys that are not there the value stays as it was. */
const char *keyval_text(const struct json *object, const char *key); /* also numbers and booleans, as text */
int keyval_bool(const struct json *object, const char *key, bool *value, struct error *err);
int keyval_number(const struct json *object, const char *key, uint64_t *value, struct error *err);
int keyval_size(const struct json *object, const char *key, uint64_t *value, struct error *err);

bool keyval_parse_bool(const char *text, bool *ret_value);
bool keyval_parse_number(const char *text, uint64_t *ret_value); /* decimal, 0x, octal; with a sign */
bool keyval_parse_size(const char *text, uint64_t unit, uint64_t *ret_value); /* `unit` without a suffix */

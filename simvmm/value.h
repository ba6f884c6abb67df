/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - JSON values made piece by piece, and written the way QEMU writes them.
 *
 * QEMU keeps objects in a hash table of 512 buckets and prints them bucket by bucket, so the order of the
 * members in its replies is a function of their names. value_print() sorts; but of two names in one bucket
 * the later one comes first, so members are set in the order of QEMU's schema.
 */
#pragma once
#include "json/json.h"

struct json *value_object(struct arena *a);
struct json *value_array(struct arena *a);
void value_set(struct arena *a, struct json *object, const char *key,
               const struct json *value); /* value NULL: nothing */
void value_push(struct arena *a, struct json *array, const struct json *value);

const struct json *value_text(struct arena *a, const char *text);              /* NULL gives NULL */
const struct json *value_bytes(struct arena *a, const char *text, size_t length);
const struct json *value_number(struct arena *a, long long number);
const struct json *value_digits(struct arena *a, const char *digits);
const struct json *value_bool(struct arena *a, bool value);
const struct json *value_null(struct arena *a);

void value_set_text(struct arena *a, struct json *object, const char *key,
                    const char *text); /* NULL: nothing */
void value_set_number(struct arena *a, struct json *object, const char *key, long long number);
void value_set_bool(struct arena *a, struct json *object, const char *key, bool value);

const struct json *value_copy(struct arena *a, const struct json *value);      /* into another arena */

void value_print(struct buffer *out, const struct json *value);
unsigned value_bucket(const char *key);

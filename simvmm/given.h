/* SPDX-License-Identifier: Apache-2.0 */
/* given.h - the members of a command's arguments, once the row has checked their types. */
#pragma once
#include "base/error.h"
#include "json/json.h"

bool given_bool(const struct json *given, const char *key, bool otherwise);
int64_t given_number(const struct json *given, const char *key, int64_t otherwise);
/* One of the words (ended by NULL); *ret_index is its place, untouched if the member is not there. */
int given_word(const struct json *given, const char *key, const char *const *words, unsigned *ret_index,
               struct error *err);
/* Refuses members that are not in the list (ended by NULL), in QEMU's words: 'PREFIX.KEY'. */
int given_only(const struct json *given, const char *prefix, const char *const *keys, struct error *err);

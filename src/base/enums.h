/* SPDX-License-Identifier: Apache-2.0 */
/* enums.h - one list makes an enum and its names.
 *
 *     #define DISK_CACHES(_) _(DISK_CACHE_NONE, "none") _(DISK_CACHE_WRITEBACK, "writeback")
 *     DECLARE_ENUM(disk_cache, DISK_CACHE_DEFAULT, DISK_CACHES);      in the header
 *     DEFINE_ENUM(disk_cache, DISK_CACHES);                           in the source
 *
 * The first constant is "absent" and has no name; the others are numbered from 1.
 */
#pragma once
#include <stddef.h>

struct enum_names {
    const char *type;           /* for messages: "disk_cache" */
    const char *const *words;   /* words[0] is NULL */
    size_t count;               /* with the absent one */
};

#define ENUM_ITEM_(id, text) id,
#define ENUM_WORD_(id, text) [id] = text,
#define DECLARE_ENUM(name, absent, list) \
    enum name { absent, list(ENUM_ITEM_) }; \
    extern const struct enum_names name##_names
#define DEFINE_ENUM(name, list) \
    static const char *const name##_words_[] = { list(ENUM_WORD_) }; \
    const struct enum_names name##_names = { \
        #name, name##_words_, sizeof name##_words_ / sizeof *name##_words_ \
    }

int enum_find(const struct enum_names *names, const char *word);        /* 0 if there is no such word */
const char *enum_word(const struct enum_names *names, int value);       /* NULL for absent or outside */

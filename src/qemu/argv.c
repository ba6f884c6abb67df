/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/argv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void argv_add(struct argv *argv, const char *word)
{
    if (argv->count + 2 > argv->capacity) {
        argv->capacity = argv->capacity ? 2 * argv->capacity : 64;
        argv->words = memory_resize(argv->words, argv->capacity * sizeof *argv->words);
    }
    argv->words[argv->count++] = memory_copy_text(word);
    argv->words[argv->count] = NULL;
}

void argv_add_pair(struct argv *argv, const char *option, const char *value)
{
    argv_add(argv, option);
    argv_add(argv, value);
}

void argv_format(const struct argv *argv, struct buffer *out)
{
    for (size_t i = 0; i < argv->count; i++) {
        if (i)
            buffer_add_char(out, ' ');
        text_add_shell_word(out, argv->words[i]);
    }
}

void argv_done(struct argv *argv)
{
    for (size_t i = 0; i < argv->count; i++)
        free(argv->words[i]);
    free(argv->words);
    *argv = (struct argv){ 0 };
}

void option_add(struct buffer *out, const char *key, const char *value)
{
    if (!value)
        return;
    if (out->length)
        buffer_add_char(out, ',');
    if (key)
        buffer_printf(out, "%s=", key);
    for (const char *comma; (comma = strchr(value, ',')); value = comma + 1) {
        buffer_add(out, value, (size_t) (comma - value) + 1);
        buffer_add_char(out, ',');
    }
    buffer_add_text(out, value);
}

void option_add_u64(struct buffer *out, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    option_add(out, key, digits);
}

void option_add_bool(struct buffer *out, const char *key, bool on)
{
    option_add(out, key, on ? "on" : "off");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/keyval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "simvmm/input.h"
#include "simvmm/value.h"

/* ---- key=value ---- */

/* Reads up to a single comma; two commas are one of the value. */
static const char *take_value(const char *at, struct buffer *out)
{
    while (*at) {
        if (*at == ',') {
            if (at[1] != ',')
                break;
            at++;
        }
        buffer_add_char(out, *at++);
    }
    return at;
}

static struct json *below(struct arena *a, struct json *object, const char *key, struct error *err)
{
    const struct json *there = json_get(object, key);
    if (there && there->type != JSON_OBJECT)
        return fail(err, ERR_INVALID_ARG, "Parameters '%s.*' used inconsistently", key), NULL;
    if (!there) {
        there = value_object(a);
        value_set(a, object, key, there);
    }
    return (struct json *) there;
}

/* The last one of a doubled key counts. */
static void put(struct arena *a, struct json *object, const char *key, const struct json *value)
{
    for (size_t i = 0; i < object->length; i++) {
        if (text_equal(object->members[i].key, key)) {
            ((struct json_member *) object->members)[i].value = value;
            return;
        }
    }
    value_set(a, object, key, value);
}

static int put_nested(struct arena *a, struct json *object, char *key, const struct json *value,
                      struct error *err)
{
    char *dot;
    while ((dot = strchr(key, '.')) != NULL) {
        *dot = '\0';
        if (!(object = below(a, object, key, err)))
            return -1;
        key = dot + 1;
    }
    put(a, object, key, value);
    return 0;
}

static int take_pair(struct arena *a, struct json *object, const char **at, const char *implied, int style,
                     const char **ret_short, struct error *err)
{
    size_t length = strcspn(*at, "=,");
    owned_memory char *key = memory_copy_bytes(*at, length);
    owned_buffer struct buffer text = { 0 };
    const struct json *value;
    if ((*at)[length] == '=') {
        *at = take_value(*at + length + 1, &text);
        value = value_text(a, buffer_text(&text));
    } else if (implied) {
        *at = take_value(*at, &text);
        free(key);
        key = memory_copy_text(implied);
        value = value_text(a, buffer_text(&text));
    } else if (style & KEYVAL_NESTED) {
        return fail(err, ERR_INVALID_ARG, "Expected '=' after parameter '%s'", key);
    } else {
        *at += length;
        bool off = text_starts(key, "no");
        if (ret_short)
            *ret_short = arena_copy(a, key);
        if (off)
            memmove(key, key + 2, strlen(key) - 1);
        value = value_text(a, off ? "off" : "on");
    }
    if (!*key && (style & KEYVAL_NESTED))
        return fail(err, ERR_INVALID_ARG, "Invalid parameter ''");
    if (style & KEYVAL_NESTED)
        return put_nested(a, object, key, value, err);
    put(a, object, key, value);
    return 0;
}

const struct json *keyval_parse(struct arena *a, const char *text, const char *implied, int style,
                                bool positions, const char **ret_short, struct error *err)
{
    if ((style & KEYVAL_OR_JSON) && *text == '{')
        return input_parse(text, positions, a, err);
    struct json *object = value_object(a);
    for (const char *at = text; *at;) {
        if (take_pair(a, object, &at, at == text ? implied : NULL, style, ret_short, err) < 0)
            return NULL;
        if (*at == ',')
            at++;
    }
    return object;
}

/* ---- values ---- */

bool keyval_parse_bool(const char *text, bool *ret_value)
{
    bool on = text_equal(text, "on") || text_equal(text, "yes") || text_equal(text, "true") ||
              text_equal(text, "y");
    if (!on && !text_equal(text, "off") && !text_equal(text, "no") && !text_equal(text, "false") &&
        !text_equal(text, "n"))
        return false;
    *ret_value = on;
    return true;
}

bool keyval_parse_number(const char *text, uint64_t *ret_value)
{
    char *end;
    errno = 0;
    if (!*text)
        return false;
    *ret_value = *text == '-' ? (uint64_t) strtoll(text, &end, 0) : strtoull(text, &end, 0);
    return !errno && !*end;
}

bool keyval_parse_size(const char *text, uint64_t unit, uint64_t *ret_value)
{
    static const char suffixes[] = "bkmgtpe";
    if (*text == '-' || !*text)
        return false;
    char *end;
    errno = 0;
    long double number = strtold(text, &end);
    if (end == text || errno)
        return false;
    if (*end) {
        const char *suffix = strchr(suffixes, *end | 0x20);
        if (!suffix || !*suffix || end[1])
            return false;
        unit = 1;
        for (; suffix != suffixes; suffix--)
            unit *= 1024;
    }
    number *= (long double) unit;
    if (number >= 18446744073709551616.0L)
        return false;
    *ret_value = (uint64_t) number;
    return true;
}

const char *keyval_text(const struct json *object, const char *key)
{
    const struct json *value = json_get(object, key);
    if (!value)
        return NULL;
    if (value->type == JSON_BOOL)
        return value->boolean ? "on" : "off";
    return value->type == JSON_STRING || value->type == JSON_NUMBER ? value->text : NULL;
}

int keyval_bool(const struct json *object, const char *key, bool *value, struct error *err)
{
    const char *text = keyval_text(object, key);
    if (text && !keyval_parse_bool(text, value))
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects 'on' or 'off'", key);
    return 0;
}

int keyval_number(const struct json *object, const char *key, uint64_t *value, struct error *err)
{
    const char *text = keyval_text(object, key);
    if (text && !keyval_parse_number(text, value))
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects a number", key);
    return 0;
}

int keyval_size(const struct json *object, const char *key, uint64_t *value, struct error *err)
{
    const char *text = keyval_text(object, key);
    if (text && !keyval_parse_size(text, 1, value))
        return fail(
            err, ERR_INVALID_ARG,
            "Parameter '%s' expects a non-negative number below 2^64\n"
            "Optional suffix k, M, G, T, P or E means kilo-, mega-, giga-, tera-, peta-\n"
                    "and exabytes, respectively.",
            key);
    return 0;
}

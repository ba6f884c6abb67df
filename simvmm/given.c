/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/given.h"

#include "base/text.h"
#include "simvmm/value.h"

bool given_bool(const struct json *given, const char *key, bool otherwise)
{
    json_to_bool(json_get(given, key), &otherwise);
    return otherwise;
}

int64_t given_number(const struct json *given, const char *key, int64_t otherwise)
{
    json_to_i64(json_get(given, key), &otherwise);
    return otherwise;
}

int given_word(const struct json *given, const char *key, const char *const *words, unsigned *ret_index,
               struct error *err)
{
    const char *word = json_get_text(given, key);
    if (!word)
        return 0;
    for (unsigned i = 0; words[i]; i++)
        if (text_equal(words[i], word)) {
            *ret_index = i;
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "Parameter '%s' does not accept value '%s'", key, word);
}

static bool is_among(const char *key, const char *const *keys)
{
    for (size_t k = 0; keys[k]; k++)
        if (text_equal(keys[k], key))
            return true;
    return false;
}

/* QEMU names the first that it finds in its hash table. */
int given_only(const struct json *given, const char *prefix, const char *const *keys, struct error *err)
{
    const char *odd = NULL;
    for (size_t i = 0; i < given->length; i++) {
        const char *key = given->members[i].key;
        if (!is_among(key, keys) && (!odd || value_bucket(key) < value_bucket(odd)))
            odd = key;
    }
    return odd ? fail(err, ERR_INVALID_ARG, "Parameter '%s.%s' is unexpected", prefix, odd) : 0;
}

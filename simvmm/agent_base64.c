/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "simvmm/agent.h"
#include "simvmm/value.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int agent_decode(struct arena *a, const char *text, const char **ret_bytes, size_t *ret_length,
                 struct error *err)
{
    size_t length = strlen(text), count = 0;
    unsigned held = 0, bits = 0;
    char *bytes = arena_alloc(a, length + 1);
    for (size_t i = 0; i < length; i++) {
        const char *digit = text[i] == '=' ? NULL : strchr(digits, text[i]);
        if (!digit && (text[i] != '=' || i + 2 < length))
            return fail(err, ERR_INVALID_ARG, "Base64 data contains invalid characters");
        if (!digit)
            break;
        held = held << 6 | (unsigned) (digit - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[count++] = (char) (held >> bits & 255);
        }
    }
    *ret_bytes = bytes;
    *ret_length = count;
    return 0;
}

void agent_set_encoded(struct arena *a, struct json *object, const char *key, const char *bytes,
                       size_t length)
{
    char *text = arena_alloc(a, (length + 2) / 3 * 4 + 1), *at = text;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned three = (unsigned) (unsigned char) bytes[i] << 16;
        three |= left > 1 ? (unsigned) (unsigned char) bytes[i + 1] << 8 : 0;
        three |= left > 2 ? (unsigned) (unsigned char) bytes[i + 2] : 0;
        *at++ = digits[three >> 18];
        *at++ = digits[three >> 12 & 63];
        *at++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[three & 63] : '=';
    }
    *at = '\0';
    value_set(a, object, key, value_text(a, text));
}

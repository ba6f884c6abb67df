/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/address.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

static char *usual_socket(bool read_only)
{
    return memory_copy_text(read_only ? ADDRESS_SOCKET "-ro" : ADDRESS_SOCKET);
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;
    return at ? (int) (at - digits) : -1;
}

/* %2F and the like. */
static char *unescape(const char *text, size_t length)
{
    struct buffer out = { 0 };
    for (size_t i = 0; i < length; i++) {
        int high = text[i] == '%' && i + 2 < length ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        buffer_add_char(&out, low >= 0 ? (char) (high << 4 | low) : text[i]);
        i += low >= 0 ? 2 : 0;
    }
    return buffer_take(&out);
}

/* The value of socket= in "?a=b&socket=PATH", or NULL. */
static char *find_socket(const char *query)
{
    while (*query) {
        const char *item = query + 1;
        query = item + strcspn(item, "&;");
        if (text_starts(item, "socket="))
            return unescape(item + 7, (size_t) (query - item - 7));
    }
    return NULL;
}

static int resolve_uri(const char *uri, bool read_only, char **ret_path, char **ret_name, struct error *err)
{
    const char *rest = text_starts(uri, "qemu:///") ? uri + 8 :
        text_starts(uri, "qemu+unix:///") ? uri + 13 : NULL;
    if (!rest)
        return fail(err, ERR_INVALID_ARG, "'%s' is not qemu:///system, qemu+unix:///system?socket=PATH or a "
                    "socket's path; remote hosts are not supported", uri);
    size_t length = strcspn(rest, "?#");
    char *path = rest[length] == '?' ? find_socket(rest + length) : NULL;
    *ret_path = path ? path : usual_socket(read_only);
    *ret_name = memory_printf("qemu:///%.*s", (int) length, rest);
    return 0;
}

int address_resolve(const char *where, bool read_only, char **ret_path, char **ret_name, struct error *err)
{
    if (!where || !*where)
        where = getenv("DOMUS_URI");
    if (where && strchr(where, ':'))
        return resolve_uri(where, read_only, ret_path, ret_name, err);
    if (where && *where && !strchr(where, '/'))
        return fail(err, ERR_INVALID_ARG, "'%s' is neither a URI nor a socket's path with a slash", where);
    *ret_path = where && *where ? memory_copy_text(where) : usual_socket(read_only);
    *ret_name = NULL;
    return 0;
}

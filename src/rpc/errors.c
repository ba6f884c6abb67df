/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/errors.h"

#include "base/memory.h"
#include "base/own.h"
#include "rpc/procedures.h"

/* VIR_FROM_*: which part of libvirt would have said it. */
enum { FROM_NONE = 0, FROM_RPC = 7, FROM_QEMU = 10, FROM_DOMAIN = 20 };

enum { LEVEL_ERROR = 2 };

static const struct row {
    int number, from;
    const char *prefix;
} rows[ERR_CODES] = {
    [ERR_NONE] = { 0, FROM_NONE, "" },
    [ERR_INTERNAL] = { 1, FROM_QEMU, "internal error: " },
    [ERR_NO_SUPPORT] = { 3, FROM_NONE, "this function is not supported by the connection driver: " },
    [ERR_INVALID_ARG] = { 8, FROM_QEMU, "invalid argument: " },
    [ERR_OPERATION_FAILED] = { 9, FROM_DOMAIN, "operation failed: " },
    [ERR_NO_NAME] = { 21, FROM_DOMAIN, "missing name information: " },
    [ERR_XML] = { 27, FROM_DOMAIN, "XML error: " },
    [ERR_XML_SYNTAX] = { 35, FROM_DOMAIN, "" },
    [ERR_DENIED] = { 29, FROM_DOMAIN, "operation forbidden: " },
    [ERR_SYSTEM] = { 38, FROM_QEMU, "" },
    [ERR_RPC] = { 39, FROM_RPC, "" },
    [ERR_NO_DOMAIN] = { 42, FROM_QEMU, "Domain not found: " },
    [ERR_OPERATION_INVALID] = { 55, FROM_QEMU, "Requested operation is not valid: " },
    [ERR_NO_METADATA] = { 80, FROM_DOMAIN, "metadata not found: " },
    [ERR_CONFIG_UNSUPPORTED] = { 67, FROM_QEMU, "unsupported configuration: " },
    [ERR_TIMEOUT] = { 68, FROM_QEMU, "Timed out during operation: " },
    [ERR_ABORTED] = { 78, FROM_QEMU, "operation aborted: " },
    [ERR_UNSUPPORTED] = { 84, FROM_QEMU, "Operation not supported: " },
    [ERR_AGENT] = { 86, FROM_QEMU, "Guest agent is not responding: " },
    [ERR_BUSY] = { 87, FROM_QEMU, "resource busy: " },
    [ERR_DEVICE_MISSING] = { 99, FROM_QEMU, "device not found: " },
    [ERR_XML_SCHEMA] = { 92, FROM_DOMAIN, "XML document failed to validate against schema: " },
    [ERR_VMM] = { 1, FROM_QEMU, "internal error: " },
};

int errors_number(enum error_code code)
{
    return rows[code].number;
}

char *errors_message(const struct error *err)
{
    return memory_printf("%s%s", rows[err->code].prefix, error_text(err));
}

void errors_encode(const struct error *err, remote_error *ret_error)
{
    const struct row *row = &rows[err->code];
    owned_memory char *whole = errors_message(err);
    owned_memory char *format = memory_printf("%s%%s", row->prefix);
    *ret_error = (remote_error) {
        .code = row->number, .domain = row->from, .level = LEVEL_ERROR,
        .message = remote_string_new(whole), .str1 = remote_string_new(format),
        .str2 = remote_string_new(error_text(err)),
        .int1 = err->code == ERR_SYSTEM ? err->number : -1, .int2 = -1,
    };
}

/* The first code with this number: ERR_VMM comes back as ERR_INTERNAL. */
static enum error_code code_of(int number)
{
    for (int code = ERR_NONE + 1; code < ERR_CODES; code++)
        if (rows[code].number == number)
            return (enum error_code) code;
    return ERR_OPERATION_FAILED;
}

void errors_decode(const remote_error *remote, struct error *ret_error)
{
    const char *message = remote->message ? *remote->message : "the daemon gave no reason";
    fail(ret_error, code_of(remote->code), "%s", message);
    if (ret_error->code == ERR_SYSTEM)
        ret_error->number = remote->int1;
}

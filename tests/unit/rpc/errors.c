/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/errors.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rpc/codec.h"
#include "rpc/remote_xdr.h"

DEFINE_CODEC(error_codec, remote_error);

static void expect(enum error_code code, int number, int domain, const char *message)
{
    error_scope(err);
    remote_error e;
    fail(&err, code, "why");
    errors_encode(&err, &e);
    cr_assert_eq(e.code, number, "code %d is %d, should be %d", code, e.code, number);
    cr_assert_eq(e.domain, domain, "domain of %d is %d, should be %d", code, e.domain, domain);
    cr_assert_str_eq(*e.message, message);
    cr_assert_eq(e.level, 2);
    cr_assert_null(e.dom);
    cr_assert_null(e.net);
    codec_release(&error_codec, &e);
}

Test(errors, each_has_libvirts_number_domain_and_words)
{
    expect(ERR_NO_DOMAIN, 42, 10, "Domain not found: why");
    expect(ERR_OPERATION_INVALID, 55, 10, "Requested operation is not valid: why");
    expect(ERR_INVALID_ARG, 8, 10, "invalid argument: why");
    expect(ERR_OPERATION_FAILED, 9, 20, "operation failed: why");
    expect(ERR_XML, 27, 20, "XML error: why");
    expect(ERR_XML_SYNTAX, 35, 20, "why");
    expect(ERR_CONFIG_UNSUPPORTED, 67, 10, "unsupported configuration: why");
    expect(ERR_UNSUPPORTED, 84, 10, "Operation not supported: why");
    expect(ERR_DEVICE_MISSING, 99, 10, "device not found: why");
    expect(ERR_AGENT, 86, 10, "Guest agent is not responding: why");
    expect(ERR_NO_METADATA, 80, 20, "metadata not found: why");
    expect(ERR_DENIED, 29, 20, "operation forbidden: why");
    expect(ERR_NO_SUPPORT, 3, 0, "this function is not supported by the connection driver: why");
    expect(ERR_INTERNAL, 1, 10, "internal error: why");
    expect(ERR_VMM, 1, 10, "internal error: why");
    expect(ERR_RPC, 39, 7, "why");
    expect(ERR_TIMEOUT, 68, 10, "Timed out during operation: why");
    expect(ERR_ABORTED, 78, 10, "operation aborted: why");
    expect(ERR_BUSY, 87, 10, "resource busy: why");
    expect(ERR_XML_SCHEMA, 92, 20, "XML document failed to validate against schema: why");
    expect(ERR_NO_NAME, 21, 20, "missing name information: why");
}

Test(errors, each_but_the_vmms_own_survives_the_way_there_and_back)
{
    for (int code = ERR_NONE + 1; code < ERR_CODES; code++) {
        error_scope(err);
        error_scope(back);
        remote_error e;
        fail(&err, (enum error_code) code, "why");
        errors_encode(&err, &e);
        errors_decode(&e, &back);
        cr_assert_eq(back.code, code == ERR_VMM ? ERR_INTERNAL : (enum error_code) code, "code %d", code);
        codec_release(&error_codec, &e);
    }
}

Test(errors, of_the_system_keep_their_errno_and_have_no_prefix)
{
    error_scope(err);
    error_scope(back);
    remote_error e;
    fail_errno(&err, EACCES, "cannot open '/x'");
    errors_encode(&err, &e);
    cr_assert_eq(e.code, 38);
    cr_assert_eq(e.int1, EACCES);
    cr_assert_str_eq(*e.message, "cannot open '/x': Permission denied");
    errors_decode(&e, &back);
    cr_assert_eq(back.number, EACCES);
    codec_release(&error_codec, &e);
}

Test(errors, numbers_of_another_daemon_become_a_failed_operation_with_its_words)
{
    error_scope(err);
    char *text = (char *) "network not found";
    remote_error e = { .code = 43, .message = &text };
    errors_decode(&e, &err);
    cr_assert_eq(err.code, ERR_OPERATION_FAILED);
    cr_assert_str_eq(error_text(&err), "network not found");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/codec.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/own.h"
#include "rig.h"
#include "rpc/bounded.h"
#include "rpc/procedures.h"
#include "rpc/remote_xdr.h"

DEFINE_CODEC(stats_args, remote_connect_get_all_domain_stats_args);
DEFINE_CODEC(stats_ret, remote_connect_get_all_domain_stats_ret);
DEFINE_CODEC(define_args, remote_domain_define_xml_args);
DEFINE_CODEC(secret_args, remote_secret_set_value_args);
DEFINE_CODEC(open_args, remote_connect_open_args);
DEFINE_CODEC(node_info, remote_node_get_info_ret);

static int decode(const struct codec *codec, const char *hex, void *value)
{
    error_scope(err);
    owned_buffer struct buffer bytes = { 0 };
    hex_decode(hex, &bytes);
    int rc = codec_decode(codec, buffer_text(&bytes), bytes.length, value, &err);
    if (rc < 0)
        cr_assert_str_eq(error_text(&err), "Unable to decode message payload");
    return rc;
}

static uint32_t program_of(const char *word)
{
    return *word == 'r' ? PROGRAM_REMOTE : *word == 'q' ? PROGRAM_QEMU : PROGRAM_DOMUS;
}

static const struct codec *codec_of(const char *program, int number, const char *what)
{
    const struct procedure *p = procedure_find(program_of(program), number);
    if (strcmp(what, "message") == 0)
        return event_codec(program_of(program), number);
    return !p ? NULL : strcmp(what, "args") == 0 ? p->args : p->reply;
}

/* Decodes the bytes and encodes them again; also each shorter piece of them, which must fail cleanly. */
static void check_golden(const char *line, const struct codec *codec, const char *hex)
{
    error_scope(err);
    owned_buffer struct buffer bytes = { 0 }, out = { 0 };
    owned_memory void *value = memory_new(codec->size);
    hex_decode(hex, &bytes);
    cr_assert_eq(codec_decode(codec, bytes.data, bytes.length, value, &err), 0, "%s", line);
    cr_assert_eq(codec_encode(codec, value, &out, &err), 0, "%s", line);
    codec_release(codec, value);
    owned_memory char *again = hex_encode(out.data, out.length);
    cr_assert_str_eq(again, hex, "%s", line);
    for (size_t length = 0; length < bytes.length; length++)
        cr_assert_eq(codec_decode(codec, bytes.data, length, value, &err), -1, "%s, cut at %zu", line,
                     length);
}

Test(codec, each_row_has_its_golden_bytes)
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 };
    owned_memory char *path = memory_printf("%s/tests/unit/rpc/golden.tsv", getenv("abs_top_srcdir"));
    cr_assert_eq(file_read(path, 1 << 20, &text, &err), 0, "%s", error_text(&err));
    unsigned lines = 0, wanted = 0;
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        char program[8], name[80], what[8];
        int number, at;
        cr_assert_eq(sscanf(line, "%7s %d %79s %7s %n", program, &number, name, what, &at), 4, "%s", line);
        const struct codec *codec = codec_of(program, number, what);
        cr_assert_not_null(codec, "%s", line);
        check_golden(name, codec, line + at);
    }
#define COUNT_(type) wanted += strcmp(#type, "nothing") != 0;
#define PROC(number, name, subject, right, job, arguments, reply) COUNT_(arguments) COUNT_(reply)
#define EMPTY(number, name, right, arguments, reply) COUNT_(arguments) COUNT_(reply)
#define EVENT(number, name, message) COUNT_(message)
#include "rpc/procedures.def"
    cr_assert_eq(lines, wanted, "golden.tsv has %u lines for %u shapes: run make-golden.py", lines, wanted);
}

Test(codec, a_count_that_cannot_be_true_does_not_decode)
{
    remote_connect_get_all_domain_stats_args args;
    remote_domain_define_xml_args define;
    remote_secret_set_value_args secret;
    cr_assert_eq(decode(&stats_args, "00004000 00000000", &args), -1);          /* 16384 domains in 4 bytes */
    cr_assert_eq(decode(&stats_args, "ffffffff 00000000", &args), -1);
    cr_assert_eq(decode(&define_args, "00400000 61626364", &define), -1);   /* a text of 4 MiB in 4 bytes */
    cr_assert_eq(decode(&define_args, "ffffffff", &define), -1);
    cr_assert_eq(decode(&secret_args, "000102030405060708090a0b0c0d0e0f 00000000 00000000 00010000 00",
                        &secret), -1);
}

Test(codec, a_count_is_compared_with_what_is_left_before_anything_is_allocated)
{
    char bytes[8] = { 0, 0, 0x40, 0 };
    char *items = NULL;
    u_int count = 0;
    size_t length = sizeof bytes;
    XDR x;
    xdrmem_create(&x, bytes, sizeof bytes, XDR_DECODE);
    x.x_public = (char *) &length;
    cr_assert_not(bounded_array(&x, &items, &count, 16384, sizeof(remote_nonnull_domain),
                                (xdrproc_t) xdr_remote_nonnull_domain));
    cr_assert_null(items);              /* libtirpc leaves what it has allocated here */
    cr_assert_not(bounded_bytes(&x, &items, &count, 16384));
    cr_assert_not(bounded_string(&x, &items, 16384));
    cr_assert_null(items);
}

Test(codec, more_than_the_protocol_allows_does_not_decode)
{
    error_scope(err);
    owned_buffer struct buffer bytes = { 0 };
    remote_connect_get_all_domain_stats_args args;
    hex_decode("00004001", &bytes);                     /* 16385, and all of them are there */
    for (int i = 0; i < 16385; i++)
        hex_decode("00000000 00000000000000000000000000000000 00000000", &bytes);
    hex_decode("00000000 00000000", &bytes);
    cr_assert_eq(codec_decode(&stats_args, bytes.data, bytes.length, &args, &err), -1);
}

Test(codec, the_inside_of_a_half_decoded_value_is_freed)
{
    remote_connect_get_all_domain_stats_ret ret;
    memset(&ret, 0xAA, sizeof ret);
    cr_assert_eq(decode(&stats_ret, "00000001 00000002 7661 0000 00000000000000000000000000000000 00000001"
                        "00000002 00000001 61000000 00000007 00000003 78797a00 00000001 62000000 00000009",
                        &ret), -1);
    cr_assert_null(ret.retStats.retStats_val);          /* all zeros again; the sanitizers see leaks */
    cr_assert_eq(ret.retStats.retStats_len, 0);
}

Test(codec, a_text_with_a_nul_inside_does_not_decode)
{
    remote_domain_define_xml_args args;
    cr_assert_eq(decode(&define_args, "00000004 61006200", &args), -1);
    cr_assert_eq(decode(&define_args, "00000004 61626300", &args), -1);
    cr_assert_eq(decode(&define_args, "00000003 61626300", &args), 0);
    cr_assert_str_eq(args.xml, "abc");
    codec_release(&define_args, &args);
}

Test(codec, what_peers_are_known_to_send_is_accepted)
{
    remote_connect_open_args args;
    cr_assert_eq(decode(&open_args, "00000000 00000006 ffffffff", &args), 0);   /* more behind the end */
    cr_assert_null(args.name);
    cr_assert_eq(args.flags, 6);
    cr_assert_eq(decode(&open_args, "00000007 00000001 61ffffff 00000000", &args), 0);  /* 7 is true */
    cr_assert_str_eq(*args.name, "a");
    codec_release(&open_args, &args);
}

Test(codec, a_reply_that_lacks_a_text_does_not_encode)
{
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    buffer_add_text(&out, "before");
    remote_domain_define_xml_args args = { NULL };
    cr_assert_eq(codec_encode(&define_args, &args, &out, &err), -1);
    cr_assert_str_eq(buffer_text(&out), "before");
}

Test(codec, a_character_takes_four_bytes)
{
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    remote_node_get_info_ret info = { .model = "x86_64", .cpus = 2 };
    cr_assert_eq(codec_encode(&node_info, &info, &out, &err), 0);
    cr_assert_eq(out.length, 32 * 4 + 8 + 6 * 4);
    cr_assert_eq(out.data[3], 'x');
    cr_assert_eq(out.data[7], '8');
}

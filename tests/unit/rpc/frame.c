/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/frame.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "rig.h"

/* AUTH_LIST, as virsh sends it first. */
#define AUTH_LIST "0000001c 20008086 00000001 00000042 00000000 00000000 00000000"

static int feed(struct frame_reader *r, const char *hex, struct frame *frame)
{
    owned_buffer struct buffer bytes = { 0 };
    hex_decode(hex, &bytes);
    frame_reader_add(r, bytes.data, bytes.length);
    return frame_next(r, frame);
}

Test(frame, a_header_is_seven_words)
{
    struct frame_reader r = { 0 };
    struct frame f;
    cr_assert_eq(feed(&r, "00000020 20008087 00000002 00000003 00000002 00000005 00000001 61626364", &f), 1);
    cr_assert_eq(f.program, PROGRAM_QEMU);
    cr_assert_eq(f.version, 2);
    cr_assert_eq(f.procedure, 3);
    cr_assert_eq(f.type, FRAME_MESSAGE);
    cr_assert_eq(f.serial, 5);
    cr_assert_eq(f.status, FRAME_ERROR);
    cr_assert_eq(f.length, 4);
    cr_assert_arr_eq(f.payload, "abcd", 4);
    cr_assert_eq(frame_next(&r, &f), 0);
    frame_reader_done(&r);
}

Test(frame, comes_out_whole_however_the_bytes_arrive)
{
    owned_buffer struct buffer bytes = { 0 };
    hex_decode(AUTH_LIST, &bytes);
    struct frame_reader r = { 0 };
    struct frame f;
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < bytes.length; i++) {
            frame_reader_add(&r, bytes.data + i, 1);
            cr_assert_eq(frame_next(&r, &f), i + 1 == bytes.length);
        }
    cr_assert_eq(f.procedure, 66);
    frame_reader_done(&r);
}

Test(frame, several_in_one_piece_come_out_one_by_one)
{
    struct frame_reader r = { 0 };
    struct frame f;
    cr_assert_eq(feed(&r, AUTH_LIST " " AUTH_LIST " " AUTH_LIST " 0000", &f), 1);
    cr_assert_eq(frame_next(&r, &f), 1);
    cr_assert_eq(frame_next(&r, &f), 1);
    cr_assert_eq(frame_next(&r, &f), 0);
    frame_reader_done(&r);
}

Test(frame, no_length_below_a_header_or_above_the_limit_is_accepted)
{
    for (uint32_t length = 0; length < FRAME_HEADER_SIZE; length++) {
        struct frame_reader r = { 0 };
        struct frame f;
        char hex[9];
        snprintf(hex, sizeof hex, "%08x", length);
        cr_assert_eq(feed(&r, hex, &f), -1, "length %u", length);
        cr_assert_eq(frame_next(&r, &f), -1);
        frame_reader_done(&r);
    }
    struct frame_reader r = { 0 };
    struct frame f;
    cr_assert_eq(feed(&r, "02000004", &f), 0);          /* 33554436 */
    frame_reader_done(&r);
    cr_assert_eq(feed(&r, "02000005", &f), -1);
    frame_reader_done(&r);
    cr_assert_eq(feed(&r, "ffffffff", &f), -1);
    frame_reader_done(&r);
}

Test(frame, a_promised_length_allocates_nothing)
{
    struct frame_reader r = { 0 };
    struct frame f;
    cr_assert_eq(feed(&r, "02000004 20008086", &f), 0);
    cr_assert_leq(r.bytes.capacity, 1024);
    frame_reader_done(&r);
}

Test(frame, descriptors_bring_one_byte_each_behind_the_frame)
{
    struct frame_reader r = { 0 };
    struct frame f;
    cr_assert_eq(feed(&r, "00000024 20008086 00000001 000000c4 00000004 00000000 00000000 00000002 61626364",
                      &f), 0);
    cr_assert_eq(feed(&r, "00", &f), 0);
    cr_assert_eq(feed(&r, "00 " AUTH_LIST, &f), 1);
    cr_assert_eq(f.fds_count, 2);
    cr_assert_eq(f.length, 4);
    cr_assert_arr_eq(f.payload, "abcd", 4);
    cr_assert_eq(frame_next(&r, &f), 1);
    cr_assert_eq(f.procedure, 66);
    frame_reader_done(&r);
}

Test(frame, more_than_32_descriptors_or_no_count_of_them_are_no_frames)
{
    struct frame_reader r = { 0 };
    struct frame f;
    cr_assert_eq(feed(&r, "00000020 20008086 00000001 000000c4 00000004 00000000 00000000 00000021", &f), -1);
    frame_reader_done(&r);
    cr_assert_eq(feed(&r, "0000001c 20008086 00000001 000000c4 00000004 00000000 00000000", &f), -1);
    frame_reader_done(&r);
}

Test(frame, what_is_written_is_what_is_read)
{
    owned_buffer struct buffer out = { 0 };
    struct frame f, in = {
        .program = PROGRAM_REMOTE, .version = 1, .procedure = 9, .type = FRAME_REPLY_WITH_FDS,
        .serial = 77, .status = FRAME_CONTINUE, .fds_count = 1,
    };
    buffer_add_text(&out, "before");
    size_t start = frame_begin(&out, &in);
    buffer_add_text(&out, "payload.");
    frame_end(&out, start);
    struct frame_reader r = { 0 };
    frame_reader_add(&r, out.data + 6, out.length - 6);
    frame_reader_add(&r, "", 1);
    cr_assert_eq(frame_next(&r, &f), 1);
    cr_assert_eq(f.serial, 77);
    cr_assert_eq(f.fds_count, 1);
    cr_assert_eq(f.length, 8);
    cr_assert_arr_eq(f.payload, "payload.", 8);
    frame_reader_done(&r);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/channel.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "rig.h"

/* The frames are those that were seen between libvirt's programs: DOMAIN_OPEN_CONSOLE (201), serial 5. */
#define OPENING "00000000 00000000000000000000000000000000 00000000 00000000 00000000"
#define OPENED "0000001c 20008086 00000001 000000c9 00000001 " SERIAL_5 " 00000000"
#define STREAM " 20008086 00000001 000000c9 00000003 " SERIAL_5 " "
#define END_OF_DATA "0000001c" STREAM "00000002"
#define FINISH "0000001c" STREAM "00000000"
#define ABORT "0000001c" STREAM "00000001"

static struct owner {
    struct channel *channel;            /* NULL once it is no more */
    struct buffer data;
    unsigned opened, finished, aborted, rooms;
    bool holds, refuses, fails_call;
} owner;

static void on_data(void *arg, const char *bytes, size_t length)
{
    buffer_add(&owner.data, bytes, length);
    if (owner.holds)
        channel_hold(owner.channel);
}

static void on_room(void *arg)
{
    owner.rooms++;
}

static int on_finished(void *arg, struct error *err)
{
    owner.channel = NULL;
    owner.finished++;
    return owner.refuses ? fail(err, ERR_OPERATION_FAILED, "no space left") : 0;
}

static void on_aborted(void *arg)
{
    owner.channel = NULL;
    owner.aborted++;
}

static int open_it(struct call *call, struct error *err)
{
    static const struct channel_handler handler = { on_data, on_room, on_finished, on_aborted };
    struct channel *channel = channel_open(call, &handler, &owner, err);
    if (!channel)
        return -1;
    owner.channel = channel;
    owner.opened++;
    return owner.fails_call ? fail(err, ERR_OPERATION_FAILED, "after all") : 0;
}

static int begin(const struct server_limits *limits)
{
    owner = (struct owner) { 0 };
    rig_open(limits);
    rig.open_console = open_it;
    return rig_connect();
}

static int begin_open(void)
{
    int fd = begin(NULL);
    rig_call(fd, 201, OPENING);
    rig_expect_hex(fd, OPENED);
    cr_assert_not_null(owner.channel);
    return fd;
}

static void end(void)
{
    rig_close();
    cr_assert_null(owner.channel);
    buffer_done(&owner.data);
}

Test(channel, carries_bytes_both_ways_until_the_client_finishes)
{
    owned_fd int fd = begin_open();
    channel_send(owner.channel, "login: ", 7);
    rig_expect_hex(fd, "00000023" STREAM "00000002 6c6f67696e3a20");
    rig_send_hex(fd, "0000001e" STREAM "00000002 6162");
    rig_send_hex(fd, "0000001d" STREAM "00000002 63");
    rig_send_hex(fd, FINISH);
    rig_expect_hex(fd, FINISH);
    cr_assert_str_eq(buffer_text(&owner.data), "abc");
    cr_assert_eq(owner.finished, 1);
    rig_send_hex(fd, "0000001d" STREAM "00000002 63");         /* it is no more */
    rig_send_hex(fd, FINISH);
    rig_expect_silence(fd);
    cr_assert_eq(owner.data.length, 3);
    end();
    cr_assert_eq(owner.aborted, 0);
}

Test(channel, an_abort_is_confirmed)
{
    owned_fd int fd = begin_open();
    rig_send_hex(fd, ABORT);
    rig_expect_hex(fd, FINISH);
    cr_assert_eq(owner.aborted, 1);
    end();
}

Test(channel, an_empty_packet_ends_our_side_and_the_client_still_finishes)
{
    owned_fd int fd = begin_open();
    channel_send(owner.channel, "x", 1);
    channel_finish(owner.channel);
    channel_finish(owner.channel);
    rig_expect_hex(fd, "0000001d" STREAM "00000002 78");
    rig_expect_hex(fd, END_OF_DATA);
    rig_send_hex(fd, "0000001d" STREAM "00000002 63");
    rig_send_hex(fd, FINISH);
    rig_expect_hex(fd, FINISH);
    cr_assert_eq(owner.data.length, 0);
    cr_assert_eq(owner.finished, 1);
    end();
}

Test(channel, a_failure_of_ours_is_an_error_in_the_stream)
{
    error_scope(err);
    owned_fd int fd = begin_open();
    fail(&err, ERR_OPERATION_FAILED, "another client has it");
    channel_fail(take(owner.channel), &err);
    owned_buffer struct buffer frame = rig_frame(fd), wanted = { 0 };
    hex_decode(ABORT, &wanted);
    cr_assert_geq(frame.length, wanted.length);
    cr_assert_eq(memcmp(frame.data + 4, wanted.data + 4, wanted.length - 4), 0);
    rig_send_hex(fd, FINISH);
    rig_expect_silence(fd);
    end();
    cr_assert_eq(owner.finished + owner.aborted, 0);
}

Test(channel, what_became_of_the_bytes_is_told_at_the_end)
{
    owned_fd int fd = begin_open();
    owner.refuses = true;
    rig_send_hex(fd, FINISH);
    rig_expect_error(fd, 9, "operation failed: no space left");
    end();
}

Test(channel, a_packet_without_meaning_ends_it)
{
    owned_fd int fd = begin_open();
    rig_send_hex(fd, "0000001c 20008086 00000001 000000c9 00000006 " SERIAL_5 " 00000002");
    rig_expect_error(fd, 39, "a packet of type 6 and status 2 has no meaning in this stream");
    cr_assert_eq(owner.aborted, 1);
    rig_call(fd, 201, OPENING);
    rig_expect_hex(fd, OPENED);
    rig_send_hex(fd, "0000001c" STREAM "00000007");
    rig_expect_error(fd, 39, "a packet of type 3 and status 7 has no meaning in this stream");
    end();
}

Test(channel, belongs_to_one_serial_and_procedure)
{
    owned_fd int fd = begin_open();
    rig_send_hex(fd, "0000001d 20008086 00000001 000000c9 00000003 00000006 00000002 63");
    rig_send_hex(fd, "0000001d 20008086 00000001 000000c8 00000003 " SERIAL_5 " 00000002 63");
    rig_send_hex(fd, "0000001d 20008087 00000001 000000c9 00000003 " SERIAL_5 " 00000002 63");
    rig_expect_silence(fd);
    cr_assert_eq(owner.data.length, 0);
    rig_call(fd, 201, OPENING);
    rig_expect_error(fd, 39, "there is a stream for call 5 already");
    rig_send_hex(fd, FINISH);
    rig_expect_hex(fd, FINISH);
    end();
}

Test(channel, does_not_exist_when_its_call_fails)
{
    owned_fd int fd = begin(NULL);
    owner.fails_call = true;
    rig_call(fd, 201, OPENING);
    rig_expect_error(fd, 9, "operation failed: after all");
    cr_assert_eq(owner.aborted, 1);
    rig_send_hex(fd, FINISH);
    rig_expect_silence(fd);
    end();
}

Test(channel, a_client_may_have_so_many)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.channels = 1;
    owned_fd int fd = begin(&limits);
    rig_call(fd, 201, OPENING);
    rig_expect_hex(fd, OPENED);
    rig_send_hex(fd, "0000003c 20008086 00000001 000000c9 00000000 00000006 00000000" OPENING);
    rig_expect_error(fd, 9, "operation failed: this client has 1 open streams, and may not have more");
    end();
    cr_assert_eq(owner.opened, 1);
}

Test(channel, goes_with_its_client)
{
    int fd = begin_open();
    close(fd);
    rig_until(&owner.aborted, 1);
    end();
}

Test(channel, has_no_room_while_the_client_reads_nothing_and_says_when_it_has)
{
    enum { PART = 64 * 1024 };
    static char bytes[PART];
    owned_fd int fd = begin_open();
    size_t sent = 0;
    for (; channel_has_room(owner.channel); sent += PART) {
        channel_send(owner.channel, bytes, PART);
        rig_run(1);
        cr_assert_lt(sent, 8u << 20, "there is always room");
    }
    unsigned before = owner.rooms;
    for (size_t got = 0; got < sent; ) {
        owned_buffer struct buffer frame = rig_frame(fd);
        got += frame.length - FRAME_HEADER_SIZE;
    }
    cr_assert_gt(owner.rooms, before);
    cr_assert(channel_has_room(owner.channel));
    end();
}

Test(channel, cuts_what_it_sends_into_packets_that_old_clients_take)
{
    static char bytes[300000];
    owned_fd int fd = begin_open();
    channel_send(owner.channel, bytes, sizeof bytes);
    owned_buffer struct buffer first = rig_frame(fd), second = rig_frame(fd);
    cr_assert_eq(first.length, FRAME_HEADER_SIZE + 262120u);
    cr_assert_eq(second.length, FRAME_HEADER_SIZE + sizeof bytes - 262120);
    end();
}

Test(channel, a_client_is_not_read_while_its_owner_takes_no_more)
{
    owned_fd int fd = begin_open();
    owner.holds = true;
    rig_send_hex(fd, "0000001d" STREAM "00000002 61");
    rig_send_hex(fd, "0000001d" STREAM "00000002 62");
    rig_send_hex(fd, "0000001c 20008086 00000001 0000003b 00000000 00000006 00000000");
    rig_expect_silence(fd);
    cr_assert_str_eq(buffer_text(&owner.data), "a");
    owner.holds = false;
    channel_release(owner.channel);
    rig_expect_hex(fd, "00000024 20008086 00000001 0000003b 00000001 00000006 00000000 00000004 686f7374");
    cr_assert_str_eq(buffer_text(&owner.data), "ab");
    channel_hold(owner.channel);
    channel_finish(owner.channel);                      /* which lets go */
    rig_send_hex(fd, FINISH);
    rig_expect_hex(fd, END_OF_DATA);
    rig_expect_hex(fd, FINISH);
    end();
}

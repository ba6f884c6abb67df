/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "loop/stream.h"
#include "rig.h"

#define CREATE "00000000 00000000000000000000000000000000 00000000"
#define HOST_REPLY "00000024 20008086 00000001 0000003b 00000001 " SERIAL_5 " 00000000 00000004 686f7374"
#define CREATE_REPLY "0000001c 20008086 00000001 00000009 00000001 " SERIAL_5 " 00000000"
#define PING "0000001c 6b656570 00000001 00000001 00000002 00000000 00000000"
#define PONG "0000001c 6b656570 00000001 00000002 00000002 00000000 00000000"

Test(limits, sixty_four_calls_of_a_client_run_and_all_are_answered)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    for (int i = 0; i < 300; i++)
        rig_call(fd, 9, CREATE);
    rig_until(&rig.running, 64);
    rig_run(20);
    cr_assert_eq(rig.calls, 64);
    rig.released = true;
    for (int i = 0; i < 300; i++)
        rig_expect_hex(fd, CREATE_REPLY);
    cr_assert_eq(rig.running_peak, 64);
    rig_close();
}

Test(limits, a_client_with_too_many_calls_is_not_read_and_the_others_are)
{
    rig_open(NULL);
    owned_fd int busy = rig_connect(), other = rig_connect();
    for (int i = 0; i < 64 + 64; i++)
        rig_call(busy, 9, CREATE);
    rig_until(&rig.running, 64);
    rig_call(other, 59, "");
    rig_expect_hex(other, HOST_REPLY);
    static char junk[1 << 20];                          /* more than a socket holds: it stays there */
    rig_run(20);
    size_t sent = 0;
    for (ssize_t n; (n = send(busy, junk, sizeof junk, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0; rig_run(1))
        sent += (size_t) n;
    cr_assert_lt(sent, (size_t) 2 << 20);
    cr_assert_eq(rig.gone, 0);
    rig_close();
}

Test(limits, pings_are_answered_while_64_calls_run)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    for (int i = 0; i < 64 + 63; i++)
        rig_call(fd, 9, CREATE);
    rig_send_hex(fd, PING);
    rig_expect_hex(fd, PONG);
    rig_close();
}

Test(limits, the_bytes_of_waiting_calls_are_bounded)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.running = 1;
    limits.input = 3 << 20;
    rig_open(&limits);
    owned_fd int fd = rig_connect();
    rig_call(fd, 9, CREATE);
    rig_until(&rig.running, 1);
    owned_buffer struct buffer call = { 0 };
    size_t start = frame_begin(&call, &(struct frame) {
        .program = PROGRAM_REMOTE, .version = 1, .procedure = 59 });
    static char megabyte[1 << 20];
    buffer_add(&call, megabyte, sizeof megabyte);
    frame_end(&call, start);
    size_t sent = 0;
    for (int tries = 0; tries < 200; ) {
        size_t at = sent % call.length;
        ssize_t n = send(fd, call.data + at, call.length - at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            sent += (size_t) n;
        } else {
            rig_run(1);
            tries++;
        }
    }
    cr_assert_lt(sent, (size_t) 6 << 20, "%zu bytes were taken", sent);
    cr_assert_eq(rig.gone, 0);
    rig_close();
}

Test(limits, a_client_that_does_not_read_is_cut_off_alone)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.output = 1 << 20;
    rig_open(&limits);
    owned_fd int deaf = rig_connect(), other = rig_connect();
    rig.capabilities = 100000;
    for (int i = 0; i < 60 && !rig.gone; i++) {
        rig_call(deaf, 7, "");
        rig_run(1);
    }
    rig_until(&rig.gone, 1);
    rig_call(other, 59, "");
    rig_expect_hex(other, HOST_REPLY);
    rig_close();
}

Test(limits, one_reply_may_be_larger_than_what_may_wait)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.output = 1 << 20;
    rig_open(&limits);
    owned_fd int fd = rig_connect();
    rig.capabilities = 3 << 20;
    rig_call(fd, 7, "");
    owned_buffer struct buffer reply = rig_frame(fd);
    cr_assert_eq(reply.length, FRAME_HEADER_SIZE + 4 + rig.capabilities);
    rig_close();
}

Test(limits, a_reply_beyond_the_protocols_limit_becomes_an_error)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig.capabilities = (4 << 20) + 1;
    rig_call(fd, 7, "");
    rig_expect_error(fd, 1, "internal error: the reply to connect_get_capabilities does not fit its limits");
    rig_close();
}

Test(limits, further_clients_wait_until_one_leaves)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.clients = 2;
    rig_open(&limits);
    int a = rig_connect();
    owned_fd int b UNUSED = rig_connect(), c = rig_connect();
    rig_call(c, 59, "");
    rig_expect_silence(c);
    cr_assert_eq(server_clients(rig.server), 2);
    close(a);
    rig_expect_hex(c, HOST_REPLY);
    rig_close();
}

Test(limits, without_a_free_fiber_calls_wait_and_then_run)
{
    rig_open(NULL);
    int fds[80];
    for (int i = 0; i < 80; i++) {
        fds[i] = rig_connect();
        for (int k = 0; k < 60; k++)
            rig_call(fds[i], 9, CREATE);
        rig_run(1);
    }
    rig_until(&rig.running, FIBERS_MAX);
    rig.released = true;
    for (int i = 0; i < 80; i++)
        for (int k = 0; k < 60; k++)
            rig_expect_hex(fds[i], CREATE_REPLY);
    for (int i = 0; i < 80; i++)
        close(fds[i]);
    rig_until(&rig.gone, 80);
    rig_close();
}

Test(limits, many_clients_with_large_unfinished_calls_lose_the_largest)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.input_total = 1 << 20;
    rig_open(&limits);
    static char bytes[700 * 1024];
    owned_fd int small = rig_connect(), large = rig_connect(), other = rig_connect();
    rig_send_hex(small, "02000004");
    rig_send(small, bytes, 400 * 1024);
    rig_send_hex(large, "02000004");
    rig_send(large, bytes, 700 * 1024);
    rig_until(&rig.gone, 1);
    rig_expect_silence(small);
    rig_call(other, 59, "");
    rig_expect_hex(other, HOST_REPLY);
    rig_close();
}

Test(limits, readers_leave_the_last_tenth_of_the_places_to_others)
{
    error_scope(err);
    struct server_limits limits = SERVER_LIMITS;
    limits.clients = 10;
    rig_open(&limits);
    owned_memory char *path = memory_printf("%s-ro", rig.path);
    int listening = unix_listen(path, 0600, 20, &err), readers[12];
    cr_assert_geq(listening, 0, "%s", error_text(&err));
    server_listen(rig.server, listening, true);
    for (int i = 0; i < 12; i++)
        readers[i] = unix_connect(path, &err);
    rig_until(&rig.opened, 9);
    owned_fd int fd = rig_connect();
    rig_call(fd, 59, "");
    rig_expect_hex(fd, HOST_REPLY);
    cr_assert_eq(rig.opened, 10);
    for (int i = 0; i < 12; i++)
        close(readers[i]);
    rig_until(&rig.opened, 13);
    unlink(path);
    rig_close();
}

/* Keepalive */

static struct server_limits quick_pings(void)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.ping_interval = 30;
    limits.ping_count = 3;
    return limits;
}

Test(limits, a_client_that_never_asked_is_never_pinged)
{
    struct server_limits limits = quick_pings();
    rig_open(&limits);
    owned_fd int fd = rig_connect();
    rig_call(fd, 60, "0000000e");
    rig_expect_hex(fd, "00000020 20008086 00000001 0000003c 00000001 " SERIAL_5 " 00000000 00000000");
    rig_run(200);
    rig_expect_silence(fd);
    rig_close();
}

Test(limits, a_silent_client_gets_its_pings_and_is_dropped)
{
    struct server_limits limits = quick_pings();
    rig_open(&limits);
    owned_fd int fd = rig_connect();
    rig_call(fd, 60, "0000000a");
    rig_expect_hex(fd, "00000020 20008086 00000001 0000003c 00000001 " SERIAL_5 " 00000000 00000001");
    for (int i = 0; i < 3; i++)
        rig_expect_hex(fd, PING);
    rig_expect_closed(fd);
    rig_until(&rig.gone, 1);
    rig_close();
}

Test(limits, whoever_answers_pings_stays)
{
    struct server_limits limits = quick_pings();
    rig_open(&limits);
    owned_fd int fd = rig_connect();
    rig_call(fd, 60, "0000000a");
    rig_expect_hex(fd, "00000020 20008086 00000001 0000003c 00000001 " SERIAL_5 " 00000000 00000001");
    for (int i = 0; i < 8; i++) {
        rig_expect_hex(fd, PING);
        rig_send_hex(fd, PONG);
    }
    cr_assert_eq(rig.gone, 0);
    rig_close();
}

Test(limits, a_client_we_do_not_read_is_pinged_but_not_blamed)
{
    struct server_limits limits = quick_pings();
    limits.running = limits.waiting = 2;
    rig_open(&limits);
    owned_fd int fd = rig_connect();
    rig_call(fd, 60, "0000000a");
    rig_expect_hex(fd, "00000020 20008086 00000001 0000003c 00000001 " SERIAL_5 " 00000000 00000001");
    for (int i = 0; i < 10; i++)
        rig_call(fd, 9, CREATE);
    for (int i = 0; i < 8; i++)
        rig_expect_hex(fd, PING);
    cr_assert_eq(rig.gone, 0);
    rig_close();
}

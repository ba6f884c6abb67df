/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"

/* To GET_HOSTNAME (59), serial 5. */
#define HOST_REPLY "00000024 20008086 00000001 0000003b 00000001 " SERIAL_5 " 00000000 00000004 686f7374"
#define NO_SUPPORT "this function is not supported by the connection driver: "

/* Requests and replies as they were seen on the wire between libvirt's own programs. */

Test(server, answers_the_auth_list_as_virsh_expects)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_send_hex(fd, "0000001c 20008086 00000001 00000042 00000000 00000000 00000000");
    rig_expect_hex(fd, "00000024 20008086 00000001 00000042 00000001 00000000 00000000 00000001 00000000");
    rig_close();
}

Test(server, a_void_reply_is_a_header_and_a_void_call_may_carry_junk)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_call(fd, 360, "00000000 00000000");
    rig_expect_hex(fd, "0000001c 20008086 00000001 00000168 00000001 " SERIAL_5 " 00000000");
    rig_close();
}

Test(server, takes_a_call_byte_by_byte)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    owned_buffer struct buffer bytes = { 0 };
    hex_decode("0000001c 20008086 00000001 0000003b 00000000 00000009 00000000", &bytes);
    for (size_t i = 0; i < bytes.length; i++) {
        rig_send(fd, bytes.data + i, 1);
        rig_run(1);
    }
    rig_expect_hex(fd, "00000024 20008086 00000001 0000003b 00000001 00000009 00000000 00000004 686f7374");
    rig_close();
}

Test(server, answers_calls_out_of_order_when_one_takes_longer)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_send_hex(fd, "00000038 20008086 00000001 00000009 00000000 00000001 00000000"
                 "00000000 00000000000000000000000000000000 00000000 00000000");
    rig_call(fd, 59, "");
    rig_expect_hex(fd, HOST_REPLY);
    rig.released = true;
    rig_expect_hex(fd, "0000001c 20008086 00000001 00000009 00000001 00000001 00000000");
    rig_close();
}

Test(server, hands_failures_over_in_libvirts_words)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig.failure = ERR_NO_DOMAIN;
    rig_call(fd, 23, "00000003 76 6d 31 00");
    rig_expect_error(fd, 42, "Domain not found: no 'vm1'");
    rig_close();
}

Test(server, names_the_program_it_does_not_know)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_send_hex(fd, "0000001c 00000099 00000001 00000001 00000000 00000000 00000000");
    rig_expect_error(fd, 39, "Cannot find program 153 version 1");
    rig_send_hex(fd, "0000001c 20008086 00000002 00000001 00000000 00000000 00000000");
    rig_expect_error(fd, 39, "Cannot find program 536903814 version 2");
    rig_send_hex(fd, "0000001c 6b656570 00000001 00000001 00000000 00000000 00000000");
    rig_expect_error(fd, 39, "Cannot find program 1801807216 version 1");
    rig_close();
}

Test(server, tells_calls_that_are_not_built_from_numbers_that_do_not_exist)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_call(fd, 213, "");
    rig_expect_error(fd, 3, NO_SUPPORT "virDomainMigrateBegin3");
    rig_call(fd, 480, "");
    rig_expect_error(fd, 39, "unknown procedure: 480");
    rig_call(fd, -1, "");
    rig_expect_error(fd, 39, "unknown procedure: -1");
    rig_call(fd, 0, "");
    rig_expect_error(fd, 39, "unknown procedure: 0");
    rig_call(fd, 318, "");                              /* a message of ours */
    rig_expect_error(fd, 39, "unknown procedure: 318");
    rig_send_hex(fd, "0000001c 20008087 00000001 00000003 00000000 00000000 00000000");
    rig_expect_error(fd, 3, NO_SUPPORT "virDomainQemuAgentCommand");
    rig_send_hex(fd, "0000001c 446f6d75 00000001 00000063 00000000 00000000 00000000");
    rig_expect_error(fd, 39, "unknown procedure: 99");
    rig_close();
}

Test(server, refuses_arguments_that_do_not_decode_and_goes_on)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_call(fd, 23, "00000100 76");
    rig_expect_error(fd, 39, "Unable to decode message payload");
    rig_call(fd, 23, "");
    rig_expect_error(fd, 39, "Unable to decode message payload");
    rig_send_hex(fd, "0000001c 20008086 00000001 0000003b 00000000 00000000 00000001");
    rig_expect_error(fd, 39, "Unexpected message status 1");
    rig_call(fd, 59, "");
    rig_expect_hex(fd, HOST_REPLY);
    rig_close();
}

Test(server, ignores_what_is_no_call)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    static const char *const types[] = {
        "00000001", "00000002", "00000003", "00000006", "00000007", "ffffffff"
    };
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        rig_send_hex(fd, "0000001c 20008086 00000001 0000003b");
        rig_send_hex(fd, types[i]);
        rig_send_hex(fd, "00000007 00000000");
    }
    rig_send_hex(fd, "0000001c 6b656570 00000001 00000007 00000002 00000000 00000000");
    rig_expect_silence(fd);
    rig_close();
}

Test(server, drops_whoever_does_not_speak_the_protocol)
{
    static const char *const nonsense[] = {
        "00000000", "0000001b 00", "02000005", "47455420 2f20",
        "0000001c 20008086 00000001 000000c4 00000004 00000000 00000000",
        "00000020 20008086 00000001 000000c4 00000004 00000000 00000000 00000021",
        /* a descriptor is announced, and its byte comes without one */
        "00000020 20008086 00000001 000000c4 00000004 00000000 00000000 00000001 00",
    };
    rig_open(NULL);
    for (size_t i = 0; i < ARRAY_COUNT(nonsense); i++) {
        owned_fd int fd = rig_connect();
        rig_send_hex(fd, nonsense[i]);
        rig_expect_closed(fd);
    }
    rig_until(&rig.gone, ARRAY_COUNT(nonsense));
    rig_close();
}

Test(server, closes_after_the_goodbye_is_answered)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_call(fd, 2, "");
    rig_expect_hex(fd, "0000001c 20008086 00000001 00000002 00000001 " SERIAL_5 " 00000000");
    rig_expect_closed(fd);
    rig_until(&rig.gone, 1);
    rig_close();
}

Test(server, sends_messages_to_all_and_the_reply_after_them)
{
    rig_open(NULL);
    owned_fd int a = rig_connect(), b = rig_connect();
    rig_call(b, 59, "");
    rig_expect_hex(b, HOST_REPLY);
    rig_call(a, 34, "00000000 00000000000000000000000000000000 00000000");
#define EVENT_BYTES "00000044 20008086 00000001 0000013e 00000002 00000000 00000000" \
    "00000003 00000002 766d0000 00000000000000000000000000000000 00000000 00000003 00000000"
    rig_expect_hex(b, EVENT_BYTES);
    rig_expect_hex(a, EVENT_BYTES);
    rig_expect_hex(a, "0000001c 20008086 00000001 00000022 00000001 " SERIAL_5 " 00000000");
    rig_close();
}

Test(server, survives_clients_that_leave_with_calls_running_and_waiting)
{
    rig_open(NULL);
    for (int client = 0; client < 5; client++) {
        owned_fd int fd = rig_connect();
        for (int i = 0; i < 100; i++)
            rig_call(fd, 9, "00000000 00000000000000000000000000000000 00000000");
        rig_until(&rig.running, 64 * (unsigned) (client + 1));
    }
    rig_until(&rig.gone, 5);
    cr_assert_eq(server_clients(rig.server), 0);
    cr_assert_eq(server_calls(rig.server), 320);
    rig_close();
}

Test(server, can_be_freed_under_its_running_calls)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    for (int i = 0; i < 70; i++)
        rig_call(fd, 9, "00000000 00000000000000000000000000000000 00000000");
    rig_until(&rig.running, 64);
    server_free(rig.server);
    rig.server = NULL;
    rig_expect_closed(fd);
    rig_close();
}

Test(server, stopped_finishes_what_runs_and_hears_nothing_more)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_call(fd, 9, "00000000 00000000000000000000000000000000 00000000");
    rig_until(&rig.running, 1);
    server_stop(rig.server);
    rig_call(fd, 59, "");
    rig.released = true;
    rig_expect_hex(fd, "0000001c 20008086 00000001 00000009 00000001 " SERIAL_5 " 00000000");
    rig_expect_silence(fd);
    cr_assert_eq(server_calls(rig.server), 0);
    rig_close();
}

/* Descriptors */

static void send_fd(int fd, int passed)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
    struct iovec byte = { (char *) "", 1 };
    struct msghdr m = {
        .msg_iov = &byte, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control,
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    *(int *) (void *) CMSG_DATA(c) = passed;
    cr_assert_eq(sendmsg(fd, &m, 0), 1);
}

static int receive_fd(int fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    char byte = 1;
    struct iovec space = { &byte, 1 };
    struct msghdr m = {
        .msg_iov = &space, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control,
    };
    cr_assert_eq(recvmsg(fd, &m, MSG_DONTWAIT), 1);
    cr_assert_eq(byte, 0);
    cr_assert_not_null(CMSG_FIRSTHDR(&m));
    return *(int *) (void *) CMSG_DATA(CMSG_FIRSTHDR(&m));
}

static size_t open_fds(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

Test(server, passes_32_descriptors_in_and_out_and_closes_them)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    owned_fd int file = open(rig.folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    cr_assert_eq(write(file, "1234567", 7), 7);
    rig_run(5);
    size_t before = open_fds();
    for (int round = 0; round < 3; round++) {
        rig.fds_sizes = 0;
        rig.reply_fds = 32;
        rig_send_hex(fd, "0000003c 20008086 00000001 000000c4 00000004 " SERIAL_5 " 00000000 00000020"
                     "00000000 00000000000000000000000000000000 00000000 00000000");
        for (int i = 0; i < 32; i++)
            send_fd(fd, file);
        rig_expect_hex(fd, "00000038 20008086 00000001 000000c4 00000005 " SERIAL_5 " 00000000 00000020"
                       "00000000 00000000000000000000000000000000 00000000");
        cr_assert_eq(rig.fds, 32);
        cr_assert_eq(rig.fds_sizes, 32 * 7);
        rig_run(5);
        for (int i = 0; i < 32; i++)
            close(receive_fd(fd));
    }
    cr_assert_eq(open_fds(), before);
    rig_call(fd, 59, "");
    rig_expect_hex(fd, HOST_REPLY);
    rig_close();
}

Test(server, a_call_with_no_descriptors_gets_a_plain_reply)
{
    rig_open(NULL);
    owned_fd int fd = rig_connect();
    rig_send_hex(fd, "0000003c 20008086 00000001 000000c4 00000004 " SERIAL_5 " 00000000 00000000"
                 "00000000 00000000000000000000000000000000 00000000 00000000");
    rig_expect_hex(fd, "00000034 20008086 00000001 000000c4 00000001 " SERIAL_5 " 00000000"
                   "00000000 00000000000000000000000000000000 00000000");
    rig_close();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/client.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "loop/stream.h"
#include "rpc/channel.h"
#include "rig.h"

/* The client blocks, so the server has a thread of its own. */
static pthread_t thread;
static int gate[2];

static void *serve(void *arg)
{
    rig_open(NULL);
    cr_assert_eq(write(gate[1], "", 1), 1);
    while (!rig.released)
        rig_run(5);
    for (int i = 0; i < 1000 && server_clients(rig.server); i++)
        rig_run(1);
    rig_close();
    return NULL;
}

static void start(void)
{
    char byte;
    cr_assert_eq(pipe(gate), 0);
    cr_assert_eq(pthread_create(&thread, NULL, serve, NULL), 0);
    cr_assert_eq(read(gate[0], &byte, 1), 1);
}

static void stop(void)
{
    rig.released = true;
    pthread_join(thread, NULL);
    close(gate[0]), close(gate[1]);
}

TestSuite(client, .init = start, .fini = stop);

Test(client, opens_by_path_or_by_uri)
{
    error_scope(err);
    owned(client) struct client *by_path = client_open(rig.path, 0, &err);
    cr_assert_not_null(by_path, "%s", error_text(&err));
    owned_memory char *uri = memory_printf("qemu+unix:///system?socket=%s", rig.path);
    owned(client) struct client *by_uri = client_open(uri, CLIENT_READ_ONLY, &err);
    cr_assert_not_null(by_uri, "%s", error_text(&err));
    cr_assert_str_eq(client_where(by_uri), rig.path);
}

Test(client, hands_back_what_the_daemon_said)
{
    error_scope(err);
    owned(client) struct client *c = client_open(rig.path, 0, &err);
    remote_domain_lookup_by_name_args args = { .name = (char *) "vm1" };
    reply_scope(domain_lookup_by_name, found);
    cr_assert_eq(client_domain_lookup_by_name(c, &args, &found, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(found.dom.name, "vm1");
    cr_assert_eq(found.dom.id, 7);
    rig.failure = ERR_NO_DOMAIN;
    reply_scope(domain_lookup_by_name, missing);
    cr_assert_eq(client_domain_lookup_by_name(c, &args, &missing, &err), -1);
    cr_assert_eq(err.code, ERR_NO_DOMAIN);
    cr_assert_str_eq(error_text(&err), "Domain not found: no 'vm1'");
    cr_assert_eq(client_error_number(c), 42);
}

static void on_lifecycle(void *arg, const remote_domain_event_callback_lifecycle_msg *m)
{
    cr_assert_eq(m->callbackID, 3);
    cr_assert_str_eq(m->msg.dom.name, "vm");
    ++*(int *) arg;
}

static const struct client_events events = { .domain_event_callback_lifecycle = on_lifecycle };

Test(client, hands_events_over_during_calls_and_while_it_waits)
{
    error_scope(err);
    int seen = 0;
    owned(client) struct client *a = client_open(rig.path, 0, &err), *b = client_open(rig.path, 0, &err);
    client_on_events(a, &events, &seen);
    remote_domain_suspend_args args = { .dom = { .name = (char *) "" } };
    cr_assert_eq(client_domain_suspend(a, &args, NULL, &err), 0);
    cr_assert_eq(seen, 1);
    cr_assert_eq(client_read(a, 0, &err), 0);
    cr_assert_eq(client_domain_suspend(b, &args, NULL, &err), 0);
    struct pollfd p = { .fd = client_fd(a), .events = POLLIN };
    cr_assert_eq(poll(&p, 1, 5000), 1);
    cr_assert_eq(client_read(a, 5000, &err), 1);
    cr_assert_eq(seen, 2);
}

Test(client, gives_up_at_its_deadline_and_can_be_used_again)
{
    error_scope(err);
    owned(client) struct client *c = client_open(rig.path, 0, &err);
    client_set_deadline(c, 30);
    remote_domain_create_args args = { .dom = { .name = (char *) "" } };
    cr_assert_eq(client_domain_create(c, &args, NULL, &err), -1);
    cr_assert_eq(err.code, ERR_TIMEOUT);
    cr_assert_str_eq(error_text(&err), "the daemon did not answer domain_create within 30 ms");
    rig.released = true;
    client_set_deadline(c, 5000);
    reply_scope(connect_get_hostname, host);
    error_clear(&err);
    cr_assert_eq(client_connect_get_hostname(c, NULL, &host, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(host.hostname, "host");
}

Test(client, a_call_may_take_longer_than_keepalive_waits_for_an_answer)
{
    error_scope(err);
    owned(client) struct client *c = client_open(rig.path, 0, &err);
    client_set_deadline(c, 400);
    client_set_keepalive(c, 30, 3);
    remote_domain_create_args args = { .dom = { .name = (char *) "" } };
    cr_assert_eq(client_domain_create(c, &args, NULL, &err), -1);
    cr_assert_eq(err.code, ERR_TIMEOUT, "%s", error_text(&err));
    rig.released = true;
    cr_assert(client_is_connected(c));
}

/* It never reads, so what we send it piles up. */
static int open_deaf(struct client *c)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    cr_assert_eq(dup3(ends[0], client_fd(c), O_CLOEXEC), client_fd(c));
    close(ends[0]);
    return ends[1];
}

Test(client, gives_up_a_daemon_that_does_not_even_answer_a_keepalive)
{
    error_scope(err);
    owned(client) struct client *c = client_open(rig.path, 0, &err);
    owned_fd int deaf UNUSED = open_deaf(c);
    client_set_keepalive(c, 30, 3);
    cr_assert_eq(client_connect_get_hostname(c, NULL, NULL, &err), -1);
    cr_assert(strstr(error_text(&err), "not even a keepalive"), "%s", error_text(&err));
    cr_assert(!client_is_connected(c));
}

Test(client, gives_up_a_daemon_that_takes_no_more_bytes)
{
    error_scope(err);
    owned(client) struct client *c = client_open(rig.path, 0, &err);
    owned_fd int deaf UNUSED = open_deaf(c);
    owned_memory char *xml = memory_new((4 << 20) - 1);
    memset(xml, 'x', (4 << 20) - 2);
    client_set_keepalive(c, 30, 3);
    remote_domain_define_xml_args args = { .xml = xml };
    cr_assert_eq(client_domain_define_xml(c, &args, NULL, &err), -1);
    cr_assert(strstr(error_text(&err), "not even a keepalive"), "%s", error_text(&err));
}

Test(client, takes_large_replies)
{
    error_scope(err);
    owned(client) struct client *c = client_open(rig.path, 0, &err);
    rig.capabilities = 4 << 20;
    reply_scope(connect_get_capabilities, ret);
    cr_assert_eq(client_connect_get_capabilities(c, NULL, &ret, &err), 0, "%s", error_text(&err));
    cr_assert_eq(strlen(ret.capabilities), rig.capabilities);
}

Test(client, says_so_when_the_daemon_goes_away)
{
    error_scope(err);
    owned(client) struct client *c = client_open(rig.path, 0, &err);
    cr_assert_eq(shutdown(client_fd(c), SHUT_RDWR), 0);
    cr_assert_eq(client_connect_get_hostname(c, NULL, NULL, &err), -1);
    cr_assert(strstr(error_text(&err), "the connection to the daemon at /tmp/rpc-"), "%s", error_text(&err));
    cr_assert_eq(client_fd(c), -1);
    cr_assert_eq(client_read(c, 0, &err), -1);
    cr_assert_eq(client_error_number(c), 0);
}

Test(client, refuses_addresses_that_name_no_local_daemon)
{
    error_scope(err);
    cr_assert_null(client_open("qemu+ssh://host/system", 0, &err));
    cr_assert_eq(err.code, ERR_INVALID_ARG);
    cr_assert_null(client_open("vm1", 0, &err));
    cr_assert_eq(err.code, ERR_INVALID_ARG);
    cr_assert_null(client_open("/nowhere/sock", 0, &err));
    cr_assert_str_eq(error_text(&err), "cannot connect to '/nowhere/sock': No such file or directory");
}

/* A stream whose owner echoes, ends at an "x" and fails at an "f". */
static struct channel *channel;

static void on_data(void *arg, const char *bytes, size_t length)
{
    error_scope(err);
    if (*bytes == 'f') {
        fail(&err, ERR_OPERATION_FAILED, "no more");
        channel_fail(channel, &err);
        return;
    }
    channel_send(channel, bytes, length);
    if (*bytes == 'x')
        channel_finish(channel);
}

static void on_aborted(void *arg)
{
}

static int open_stream(struct call *call, struct error *err)
{
    static const struct channel_handler handler = { .data = on_data, .aborted = on_aborted };
    channel = channel_open(call, &handler, NULL, err);
    return channel ? 0 : -1;
}

static void note(void *arg, const char *bytes, size_t length)
{
    buffer_add(arg, bytes, length);
}

static struct client *with_stream(struct error *err)
{
    remote_domain_open_console_args args = { .dom = { .name = (char *) "vm" } };
    struct client *c = client_open(rig.path, 0, err);
    rig.open_console = open_stream;
    cr_assert_eq(client_domain_open_console(c, &args, NULL, err), 0, "%s", error_text(err));
    client_stream_begin(c, procedure_find(PROGRAM_REMOTE, 201));
    return c;
}

Test(client, carries_a_stream_both_ways_until_either_side_ends_it)
{
    static char much[300000];
    error_scope(err);
    owned_buffer struct buffer got = { 0 };
    owned(client) struct client *c = with_stream(&err);
    cr_assert_eq(client_stream_receive(c, 0, note, &got, &err), 1);
    cr_assert_eq(client_stream_send(c, "hello", 5, &err), 0);
    cr_assert_eq(client_stream_receive(c, 5000, note, &got, &err), 1);
    cr_assert_str_eq(buffer_text(&got), "hello");
    memset(much, '.', sizeof much);
    cr_assert_eq(client_stream_send(c, much, sizeof much, &err), 0);
    while (got.length < 5 + sizeof much)
        cr_assert_eq(client_stream_receive(c, 5000, note, &got, &err), 1, "%s", error_text(&err));
    cr_assert_eq(client_stream_send(c, "x", 1, &err), 0);
    int rc;
    while ((rc = client_stream_receive(c, 5000, note, &got, &err)) > 0)
        ;
    cr_assert_eq(rc, 0);
    cr_assert_eq(got.length, 6 + sizeof much);
    cr_assert_eq(client_stream_finish(c, &err), 0, "%s", error_text(&err));
    cr_assert_eq(client_connect_get_hostname(c, NULL, NULL, &err), 0, "the connection serves on");
}

Test(client, says_why_a_stream_has_failed)
{
    error_scope(err);
    owned_buffer struct buffer got = { 0 };
    owned(client) struct client *c = with_stream(&err);
    cr_assert_eq(client_stream_send(c, "f", 1, &err), 0);
    int rc;
    while ((rc = client_stream_receive(c, 5000, note, &got, &err)) > 0)
        ;
    cr_assert_eq(rc, -1);
    cr_assert_str_eq(error_text(&err), "operation failed: no more");
    cr_assert_eq(client_error_number(c), 9);
}

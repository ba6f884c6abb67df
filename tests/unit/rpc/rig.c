/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "loop/stream.h"
#include "rpc/codec.h"
#include "rpc/remote_xdr.h"

struct rig rig;

DEFINE_CODEC(error_codec, remote_error);

/* The procedures */

static int create(struct error *err)
{
    rig.running++;
    if (rig.running > rig.running_peak)
        rig.running_peak = rig.running;
    while (!rig.released)
        if (await_sleep(1, err) < 0)
            return -1;
    rig.running--;
    return 0;
}

static int lookup(const remote_domain_lookup_by_name_args *args, remote_domain_lookup_by_name_ret *ret,
                  struct error *err)
{
    if (rig.failure)
        return fail(err, rig.failure, "no '%s'", args->name);
    ret->dom.name = memory_copy_text(args->name);
    ret->dom.id = 7;
    return 0;
}

static int exchange_fds(struct call *call, remote_domain_create_with_flags_ret *ret)
{
    ret->dom.name = memory_copy_text("");
    rig.fds = call->fds_count;
    for (size_t i = 0; i < call->fds_count; i++) {
        struct stat info;
        cr_assert_eq(fstat(call->fds[i], &info), 0);
        rig.fds_sizes += (size_t) info.st_size;
    }
    for (size_t i = 0; i < rig.reply_fds; i++)
        call->reply_fds[call->reply_fds_count++] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return 0;
}

static int send_events(void)
{
    remote_domain_event_callback_lifecycle_msg m = {
        .callbackID = 3, .msg = { .dom = { .name = (char *) "vm" }, .event = 3 },
    };
    for (struct peer *p = server_first(rig.server); p; p = peer_next(p))
        peer_send_domain_event_callback_lifecycle(p, &m);
    return 0;
}

static int supports(struct peer *peer, const remote_connect_supports_feature_args *args,
                    remote_connect_supports_feature_ret *ret)
{
    ret->supported = args->feature == 10;
    if (ret->supported)
        peer_start_keepalive(peer);
    return 0;
}

static int capabilities(remote_connect_get_capabilities_ret *ret)
{
    ret->capabilities = memory_new(rig.capabilities + 1);
    memset(ret->capabilities, 'x', rig.capabilities);
    return 0;
}

static int auth_list(remote_auth_list_ret *ret)
{
    ret->types.types_len = 1;
    ret->types.types_val = memory_new(sizeof(int));
    return 0;
}

static int on_call(void *arg, struct call *call, void *reply, struct error *err)
{
    rig.calls++;
    switch (call->procedure->number) {
    case 2: peer_close_after_reply(call->peer); return 0;
    case 7: return capabilities(reply);
    case 9: return create(err);
    case 23: return lookup(call->args, reply, err);
    case 34: return send_events();
    case 59: ((remote_connect_get_hostname_ret *) reply)->hostname = memory_copy_text("host"); return 0;
    case 60: return supports(call->peer, call->args, reply);
    case 66: return auth_list(reply);
    case 196: return exchange_fds(call, reply);
    case 201: return rig.open_console ? rig.open_console(call, err) : 0;
    default: return 0;
    }
}

static void on_opened(void *arg, struct peer *peer)
{
    rig.opened++;
}

static void on_gone(void *arg, struct peer *peer)
{
    cr_assert(peer_is_gone(peer));
    rig.gone++;
}

/* Life */

void rig_open(const struct server_limits *limits)
{
    static const struct server_handler handler = { on_call, on_opened, on_gone };
    error_scope(err);
    struct server_limits usual = SERVER_LIMITS;
    rig = (struct rig) { .capabilities = 10 };
    strcpy(rig.folder, "/tmp/rpc-XXXXXX");
    cr_assert_not_null(mkdtemp(rig.folder));
    rig.path = memory_printf("%s/s", rig.folder);
    loop_init();
    int fd = unix_listen(rig.path, 0600, 128, &err);
    cr_assert_geq(fd, 0, "%s", error_text(&err));
    rig.server = server_new(&handler, &rig, limits ? limits : &usual);
    server_listen(rig.server, fd, false);
}

void rig_close(void)
{
    rig.released = true;
    for (int i = 0; i < 1000 && fiber_count(); i++)
        rig_run(1);
    server_free(rig.server);
    rig_run(1);
    cr_assert_eq(fiber_count(), 0);
    cr_assert_eq(rig.opened, rig.gone);
    loop_done();
    unlink(rig.path);
    rmdir(rig.folder);
    free(rig.path);
}

int rig_connect(void)
{
    error_scope(err);
    int fd = unix_connect(rig.path, &err);
    cr_assert_geq(fd, 0, "%s", error_text(&err));
    return fd;
}

static void stop(void *arg)
{
    loop_stop();
}

static void run_for(unsigned ms)
{
    owned(timer) struct timer *timer UNUSED = timer_start(ms, 0, stop, NULL);
    loop_run();
}

/* On a busy machine the time may be over after the first turn of the loop: a long run has some more. */
void rig_run(unsigned ms)
{
    run_for(ms);
    for (int i = 0; ms > 1 && i < 10; i++)
        run_for(0);
}

void rig_until(const unsigned *what, unsigned value)
{
    for (int i = 0; i < 5000 && *what != value; i++)
        rig_run(1);
    cr_assert_eq(*what, value, "%u, should be %u", *what, value);
}

/* Bytes */

void hex_decode(const char *hex, struct buffer *out)
{
    for (; hex[0] && hex[1]; hex += hex[2] == ' ' ? 3 : 2) {
        unsigned byte;
        cr_assert_eq(sscanf(hex, "%2x", &byte), 1);
        buffer_add_char(out, (char) byte);
    }
}

char *hex_encode(const void *bytes, size_t length)
{
    struct buffer out = { 0 };
    for (size_t i = 0; i < length; i++)
        buffer_printf(&out, "%02x", ((const unsigned char *) bytes)[i]);
    return buffer_take(&out);
}

void rig_send(int fd, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length; ) {
        ssize_t sent = send(fd, (const char *) bytes + done, length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0)
            done += (size_t) sent;
        else if (errno == EAGAIN)
            rig_run(1);
        else
            return;                     /* the server has dropped us, which a test finds out by itself */
    }
}

void rig_send_hex(int fd, const char *hex)
{
    owned_buffer struct buffer bytes = { 0 };
    hex_decode(hex, &bytes);
    rig_send(fd, bytes.data, bytes.length);
}

void rig_call(int fd, int procedure, const char *hex)
{
    owned_buffer struct buffer out = { 0 };
    size_t start = frame_begin(&out, &(struct frame) {
        .program = PROGRAM_REMOTE, .version = 1, .procedure = procedure, .serial = 5 });
    hex_decode(hex, &out);
    frame_end(&out, start);
    rig_send(fd, out.data, out.length);
}

/* Reads up to `length` bytes; fewer if the connection ends or five seconds pass. */
static void read_some(int fd, struct buffer *in, size_t length)
{
    for (int i = 0; i < 5000 && in->length < length; ) {
        ssize_t got = recv(fd, buffer_room(in, length - in->length), length - in->length, MSG_DONTWAIT);
        if (got > 0) {
            in->length += (size_t) got;
        } else if (got < 0 && errno == EAGAIN) {
            rig_run(1);
            i++;
        } else {
            return;
        }
    }
}

void rig_expect_hex(int fd, const char *hex)
{
    owned_buffer struct buffer wanted = { 0 }, got = { 0 };
    hex_decode(hex, &wanted);
    read_some(fd, &got, wanted.length);
    owned_memory char *a = hex_encode(wanted.data, wanted.length), *b = hex_encode(got.data, got.length);
    cr_assert_str_eq(b, a);
}

struct buffer rig_frame(int fd)
{
    struct buffer frame = { 0 };
    read_some(fd, &frame, 4);
    if (frame.length == 4) {
        const unsigned char *b = (const unsigned char *) frame.data;
        read_some(fd, &frame, (size_t) b[0] << 24 | (size_t) b[1] << 16 | (size_t) b[2] << 8 | b[3]);
    }
    return frame;
}

void rig_expect_silence(int fd)
{
    char byte;
    rig_run(20);
    ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);
    cr_assert(got < 0 && errno == EAGAIN, "%s", got ? "something came" : "it was closed");
}

void rig_expect_closed(int fd)
{
    owned_buffer struct buffer rest = { 0 };
    unsigned gone = rig.gone;
    read_some(fd, &rest, 1);
    cr_assert_eq(rest.length, 0, "something came");
    cr_assert(rig.gone > 0 || gone > 0);
}

void rig_expect_error(int fd, int number, const char *text)
{
    error_scope(err);
    owned_buffer struct buffer frame = rig_frame(fd);
    remote_error e;
    cr_assert_geq(frame.length, (size_t) FRAME_HEADER_SIZE, "no reply came");
    cr_assert_eq(frame.data[27], FRAME_ERROR);
    cr_assert_eq(codec_decode(&error_codec, frame.data + FRAME_HEADER_SIZE,
                              frame.length - FRAME_HEADER_SIZE, &e, &err), 0);
    cr_assert_eq(e.code, number, "code %d, should be %d: %s", e.code, number, *e.message);
    cr_assert_str_eq(*e.message, text);
    cr_assert_eq(e.level, 2);
    codec_release(&error_codec, &e);
}

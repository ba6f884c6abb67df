/* SPDX-License-Identifier: Apache-2.0 */
/* What a client may send, into a real server; and what a daemon may answer, into the client's decoders.
 *
 * The first byte chooses: 0, the rest is the client's whole stream; 1, two bytes choose a procedure and the
 * rest are its arguments, in a frame that is right; 2, two bytes choose a procedure or message and the rest
 * is its reply.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "loop/loop.h"
#include "rpc/codec.h"
#include "rpc/frame.h"
#include "rpc/server.h"

enum { INPUT_MAX = 64 * 1024 };         /* what a socket surely takes at once */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct server *server;

/* The reply stays zeros: lists are empty and texts are missing, which the encoder must notice. */
static int on_call(void *arg, struct call *call, void *reply, struct error *err)
{
    if (call->procedure->program == PROGRAM_REMOTE && call->procedure->number == 2)
        peer_close_after_reply(call->peer);
    peer_start_keepalive(call->peer);
    procedure_rights(call->procedure, call->args);
    return 0;
}

static void on_gone(void *arg, struct peer *peer)
{
    loop_stop();
}

static void start(void)
{
    static const struct server_handler handler = { .call = on_call, .gone = on_gone };
    struct server_limits limits = SERVER_LIMITS;
    loop_init();
    server = server_new(&handler, NULL, &limits);
}

static void serve(const void *bytes, size_t length)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return;
    server_add(server, ends[0], false);
    ssize_t sent = send(ends[1], bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void) sent;
    shutdown(ends[1], SHUT_WR);
    loop_run();
    close(ends[1]);
}

static uint32_t program_of(uint8_t byte)
{
    static const uint32_t programs[] = { PROGRAM_REMOTE, PROGRAM_REMOTE, PROGRAM_QEMU, PROGRAM_DOMUS };
    return programs[byte >> 6];
}

static int number_of(const uint8_t *bytes)
{
    return (bytes[0] & 0x3F) << 8 | bytes[1];
}

static void serve_call(const uint8_t *bytes, size_t length)
{
    owned_buffer struct buffer out = { 0 };
    frame_begin(&out, &(struct frame) {
        .program = program_of(bytes[0]), .version = 1, .procedure = number_of(bytes) });
    buffer_add(&out, bytes + 2, length - 2);
    frame_end(&out, 0);
    serve(out.data, out.length);
}

/* Whatever decodes must encode, and decode again to the same bytes. */
static void round_trip(const struct codec *codec, const char *bytes, size_t length)
{
    error_scope(err);
    owned_buffer struct buffer first = { 0 }, second = { 0 };
    owned_memory void *value = memory_new(codec->size);
    if (codec_decode(codec, bytes, length, value, &err) < 0)
        return;
    bool fine = codec_encode(codec, value, &first, &err) == 0;
    codec_release(codec, value);
    if (!fine || codec_decode(codec, buffer_text(&first), first.length, value, &err) < 0 ||
        codec_encode(codec, value, &second, &err) < 0 || first.length != second.length ||
        (first.length && __builtin_memcmp(first.data, second.data, first.length) != 0))
        __builtin_trap();
    codec_release(codec, value);
}

static void read_reply(const uint8_t *bytes, size_t length)
{
    const struct procedure *p = procedure_find(program_of(bytes[0]), number_of(bytes));
    const struct codec *event = event_codec(program_of(bytes[0]), number_of(bytes));
    const char *payload = (const char *) bytes + 2;
    if (p)
        round_trip(p->reply, payload, length - 2);
    if (p)
        round_trip(p->args, payload, length - 2);
    if (event)
        round_trip(event, payload, length - 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (!server)
        start();
    if (length < 4 || length > INPUT_MAX)
        return 0;
    if (bytes[0] == 0)
        serve(bytes + 1, length - 1);
    else if (bytes[0] == 1)
        serve_call(bytes + 1, length - 1);
    else
        read_reply(bytes + 1, length - 1);
    return 0;
}

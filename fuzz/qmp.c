/* SPDX-License-Identifier: Apache-2.0 */
/* What a VMM may say on its monitor: all calls end, the monitor breaks exactly once, and nothing leaks.
 *
 * The input's first byte says how the rest is said: odd, after a proper greeting; its other
 * bits, in how long pieces. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "loop/loop.h"
#include "qemu/monitor.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { CALLS = 3, PIECES_MAX = 64 };

static const char greeting[] =
    "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 3, \"minor\": 1, \"major\": 11}, \"package\": \"\"}, "
    "\"capabilities\": []}}\r\n{\"return\": {}, \"id\": 1}\r\n";

struct scene {
    const char *text;
    size_t length, piece;
    bool greets;
    int breaks, answers;
};

static void require(bool truth)
{
    if (!truth)
        abort();
}

static void on_event(void *arg, const char *name, const struct json *event, struct arena *arena)
{
    require(text_equal(json_get_text(event, "event"), name));
    arena_free(arena);
}

static void on_broken(void *arg, enum monitor_end end, const char *reason)
{
    struct scene *scene = arg;
    require(scene->answers == CALLS);           /* they fail first */
    scene->breaks++;
}

static void on_done(void *arg, struct monitor_reply *reply, struct error *failure)
{
    struct scene *scene = arg;
    require((reply->value != NULL) == (failure == NULL));
    scene->answers++;
}

WAITS static void say(struct scene *scene, int peer)
{
    error_scope(err);
    if (scene->greets)
        require(write(peer, greeting, sizeof greeting - 1) > 0);
    while (scene->length > 0) {
        size_t size = scene->piece < scene->length ? scene->piece : scene->length;
        ssize_t sent = send(peer, scene->text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        await_sleep(0, &err);
        if (sent < 0 && errno != EAGAIN)
            return;
        if (sent > 0) {
            scene->text += sent;
            scene->length -= (size_t) sent;
        }
    }
}

static void play(void *arg)
{
    static const struct monitor_handler handler = { on_event, on_broken };
    struct scene *scene = arg;
    error_scope(err);
    int fds[2];
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
    struct monitor *m = monitor_open(fds[0], "domain 'fuzz'", &handler, scene);
    for (int i = 0; i < CALLS; i++)
        require(monitor_send(m, "query-status", NULL, on_done, scene, &err) == 0);
    say(scene, fds[1]);
    close(fds[1]);
    while (!scene->breaks)
        await_sleep(1, &err);
    monitor_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0)
        return 0;
    struct scene scene = { .text = (const char *) bytes + 1, .length = length - 1, .greets = bytes[0] & 1 };
    scene.piece = 1 + bytes[0] / 2 + length / PIECES_MAX;
    loop_init();
    fiber_start(play, &scene);
    loop_run();
    require(fiber_count() == 0 && scene.breaks == 1);
    loop_done();
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A guest's console: a channel to its client on one side, the guest's pty on the other.
 *
 * A pty has one session at a time; another client may take it over by force.  When the guest goes, the client
 * is told that no more will come, and the session waits for it to leave; by then it counts no more. */
#include "daemon/domain_console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/request.h"
#include "daemon/session.h"
#include "loop/stream.h"
#include "rpc/channel.h"

enum { CONSOLE_FORCE = 1, CONSOLE_SAFE = 2 };   /* safe: it always is, since only one may have it */
enum { INPUT_FULL = 64 * 1024 };        /* bytes the guest has not taken: then the client is to wait */

struct console {
    struct daemon *daemon;
    struct console *next, **link;       /* in the daemon's list, while the pty is open */
    struct channel *channel;
    struct stream *pty;                 /* NULL once the guest is gone */
    char *path;
    char caller[64];
};

static void console_close(struct console *console)
{
    if (!console->pty)
        return;
    stream_free(take(console->pty));
    *console->link = console->next;
    if (console->next)
        console->next->link = console->link;
}

static void console_free(struct console *console)
{
    console_close(console);
    free(console->path);
    free(console);
}

/* From the client */

static void on_data(void *arg, const char *bytes, size_t length)
{
    struct console *console = arg;
    stream_write(console->pty, bytes, length);
    if (stream_pending(console->pty) > INPUT_FULL)
        channel_hold(console->channel);
}

static void on_room(void *arg)
{
    struct console *console = arg;
    if (console->pty)
        stream_resume(console->pty);
}

static int on_finished(void *arg, struct error *err)
{
    console_free(arg);
    return 0;
}

static void on_aborted(void *arg)
{
    console_free(arg);
}

static const struct channel_handler channel_handler = {
    .data = on_data, .room = on_room, .finished = on_finished, .aborted = on_aborted,
};

/* From the guest */

static void on_output(void *arg, const char *bytes, size_t length)
{
    struct console *console = arg;
    channel_send(console->channel, bytes, length);
    if (!channel_has_room(console->channel))
        stream_pause(console->pty);
}

static void on_drained(void *arg)
{
    struct console *console = arg;
    channel_release(console->channel);
}

static void on_hang_up(void *arg, const char *reason)
{
    struct console *console = arg;
    if (reason)
        log_warning("the console of %s on %s: %s", console->caller, console->path, reason);
    console_close(console);
    channel_finish(console->channel);
}

static const struct stream_handler pty_handler = {
    .input = on_output, .closed = on_hang_up, .drained = on_drained,
};

/* Opening */

static const char *pty_path(const struct domain *dom, const struct chardev *device)
{
    for (size_t i = 0; i < dom->runtime.ptys_count; i++)
        if (device->type == CHARDEV_PTY && text_equal(dom->runtime.ptys[i].alias, device->alias))
            return dom->runtime.ptys[i].path;
    return NULL;
}

/* The first that has this alias; without one, the first that is a pty.  NULL if there is none. */
static const struct chardev *choose(const struct domain *dom, struct chardev *const *items, size_t count,
                                    const char *alias)
{
    for (size_t i = 0; i < count; i++)
        if (alias ? text_equal(items[i]->alias, alias) : pty_path(dom, items[i]) != NULL)
            return items[i];
    return NULL;
}

static const char *find_pty(const struct domain *dom, const char *alias, struct error *err)
{
    const struct domain_def *live = dom->live;
    const struct chardev *device = choose(dom, live->consoles.items, live->consoles.count, alias);
    if (!device)
        device = choose(dom, live->serials.items, live->serials.count, alias);
    if (!device && alias)
        device = choose(dom, live->parallels.items, live->parallels.count, alias);
    const char *path = device ? pty_path(dom, device) : NULL;
    if (path)
        return path;
    if (!alias)
        fail(err, ERR_OPERATION_INVALID, "domain '%s' has no console or serial port of type 'pty'",
             dom->name);
    else if (!device)
        fail(err, ERR_INVALID_ARG, "domain '%s' has no console, serial or parallel port with the alias '%s'",
             dom->name, alias);
    else
        fail(err, ERR_OPERATION_INVALID,
             "device '%s' of domain '%s' is of type '%s'; only a 'pty' can be opened", alias, dom->name,
             enum_word(&chardev_type_names, device->type));
    return NULL;
}

/* The emulator told us the path, and is not to be trusted with what else we could open. */
static int open_pty(const char *path, struct error *err)
{
    if (strncmp(path, "/dev/pts/", 9) != 0 || strchr(path + 9, '/'))
        return fail(err, ERR_VMM, "the emulator says that its pty is '%s', which is none", path);
    int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, errno, "cannot open the guest's pty '%s'", path);
    return fd;
}

static struct console *find_session(const struct daemon *daemon, const char *path)
{
    struct console *console = daemon->consoles;
    while (console && !text_equal(console->path, path))
        console = console->next;
    return console;
}

static void take_over(struct console *console, const char *caller)
{
    error_scope(err);
    log_info("%s loses the console on %s to %s", console->caller, console->path, caller);
    fail(&err, ERR_OPERATION_FAILED, "%s has taken over this console", caller);
    channel_fail(console->channel, &err);
    console_free(console);
}

void domain_consoles_end(struct daemon *daemon)
{
    error_scope(err);
    fail(&err, ERR_ABORTED, "the daemon stops; the guest runs on");
    while (daemon->consoles) {
        struct console *console = daemon->consoles;
        channel_fail(console->channel, &err);
        console_free(console);
    }
}

static void console_start(struct console *console, const char *path, int fd, const char *caller)
{
    struct daemon *daemon = console->daemon;
    console->path = memory_copy_text(path);
    snprintf(console->caller, sizeof console->caller, "%s", caller);
    console->pty = stream_new(fd, &pty_handler, console);
    console->next = daemon->consoles;
    console->link = &daemon->consoles;
    if (console->next)
        console->next->link = &console->next;
    daemon->consoles = console;
}

int on_domain_open_console(struct request *request, const remote_domain_open_console_args *args, nothing *ret,
                           struct error *err)
{
    const struct domain *dom = request->dom;
    const char *alias = args->dev_name ? *args->dev_name : NULL;
    if (check_flags(args->flags, CONSOLE_FORCE | CONSOLE_SAFE, err) < 0 || domain_check_active(dom, err) < 0)
        return -1;
    if (!dom->live)
        return domain_fail_unmanaged(dom, err);
    const char *path = find_pty(dom, alias, err);
    if (!path)
        return -1;
    struct console *other = find_session(request->daemon, path);
    if (other && !(args->flags & CONSOLE_FORCE))
        return fail(err, ERR_OPERATION_INVALID,
                    "%s has this console of domain '%s' open already; with the flag FORCE it is taken over",
                    other->caller, dom->name);
    owned_fd int fd = open_pty(path, err);
    owned_memory struct console *console = NEW(struct console);
    if (fd < 0 || !(console->channel = channel_open(request->call, &channel_handler, console, err)))
        return -1;
    console->daemon = request->daemon;
    if (other)
        take_over(other, request->caller);
    console_start(take(console), path, own_take_fd(&fd), request->caller);
    return 0;
}

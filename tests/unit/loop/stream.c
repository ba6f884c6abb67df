/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "run.h"

/* One end, which notes what happens to it. */
struct end {
    struct stream *stream;
    struct buffer got;
    int inputs, closes, drains;
    char reason[100];
    bool free_on_input, free_on_close, pause_on_input, echo;
};

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct end *end = arg;
    end->inputs++;
    buffer_add(&end->got, bytes, length);
    if (end->echo)
        stream_write(end->stream, bytes, length);
    if (end->pause_on_input)
        stream_pause(end->stream);
    if (end->free_on_input)
        stream_free(take(end->stream));
}

static void on_closed(void *arg, const char *reason)
{
    struct end *end = arg;
    end->closes++;
    snprintf(end->reason, sizeof end->reason, "%s", reason ? reason : "closed");
    if (end->free_on_close)
        stream_free(take(end->stream));
}

static void on_drained(void *arg)
{
    ((struct end *) arg)->drains++;
}

static const struct stream_handler handler = { on_input, on_closed, on_drained };

static void end_init(struct end *end, int fd)
{
    end->free_on_close = true;
    end->stream = stream_new(fd, &handler, end);
}

static void pair(struct end *a, struct end *b)
{
    int fds[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    end_init(a, fds[0]);
    end_init(b, fds[1]);
}

static void end_done(struct end *end)
{
    stream_free(take(end->stream));
    buffer_done(&end->got);
}

/* Sleeps, and has the loop turn: on a busy machine even a long sleep may end after the first turn. */
static void settle(unsigned ms)
{
    error_scope(err);
    await_sleep(ms, &err);
    for (int i = 0; ms > 1 && i < 10; i++)
        await_sleep(0, &err);
}

/* Waits for what takes its time on a busy machine; the caller looks whether it came. */
static void settle_until(const int *what, int value)
{
    for (int i = 0; i < 2000 && *what < value; i++)
        settle(1);
}

static void talks(void *arg)
{
    struct end a = { 0 }, b = { 0 };
    pair(&a, &b);
    stream_write(a.stream, "hel", 3);
    stream_write(a.stream, "lo", 2);
    cr_assert_eq(stream_pending(a.stream), 5);
    settle(5);
    cr_assert_str_eq(buffer_text(&b.got), "hello");
    cr_assert_eq(b.inputs, 1, "what is written in one turn goes at once");
    cr_assert_eq(a.drains, 1);
    cr_assert_eq(stream_pending(a.stream), 0);
    stream_write(b.stream, "bye", 3);
    settle(0);
    stream_free(take(b.stream));
    settle(5);
    cr_assert_str_eq(buffer_text(&a.got), "bye", "last words are heard");
    cr_assert_eq(a.closes, 1);
    cr_assert_str_eq(a.reason, "closed");
    cr_assert_null(a.stream);
    end_done(&a), end_done(&b);
}

Test(stream, carries_bytes_and_tells_the_end)
{
    run_fiber(talks, NULL);
    cr_assert(true);
}

static void echoes_much(void *arg)
{
    struct end a = { 0 }, b = { .echo = true };
    size_t size = 20 * 1000 * 1000;
    owned_memory char *bytes = memory_new(size);
    pair(&a, &b);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char) (i * 7 + i / 251);
    stream_write(a.stream, bytes, size);
    for (int i = 0; i < 2000 && a.got.length < size; i++)
        settle(5);
    cr_assert_eq(a.got.length, size);
    cr_assert_eq(memcmp(a.got.data, bytes, size), 0);
    cr_assert_eq(stream_pending(a.stream), 0);
    end_done(&a), end_done(&b);
}

Test(stream, writes_twenty_megabytes_in_parts_both_ways)
{
    run_fiber(echoes_much, NULL);
    cr_assert(true);
}

static void talks_over_a_terminal(void *arg)
{
    struct end host = { 0 }, guest = { 0 };
    int fds[2];
    struct termios raw = { 0 };
    cfmakeraw(&raw);
    cr_assert_eq(openpty(&fds[0], &fds[1], NULL, &raw, NULL), 0);
    end_init(&guest, fds[0]);
    end_init(&host, fds[1]);
    stream_write(host.stream, "ls\r", 3);
    stream_write(guest.stream, "a b", 3);
    settle_until(&host.inputs, 1);
    settle_until(&guest.inputs, 1);
    cr_assert_str_eq(buffer_text(&guest.got), "ls\r");
    cr_assert_str_eq(buffer_text(&host.got), "a b");
    cr_assert_eq(host.drains, 1);
    stream_free(take(guest.stream));
    settle_until(&host.closes, 1);
    cr_assert_eq(host.closes, 1);
    cr_assert_str_eq(host.reason, "closed");
    end_done(&host), end_done(&guest);
}

Test(stream, carries_bytes_over_a_terminal_and_tells_when_it_is_hung_up)
{
    run_fiber(talks_over_a_terminal, NULL);
    cr_assert(true);
}

static ino_t inode(int fd)
{
    struct stat info;
    cr_assert_eq(fstat(fd, &info), 0);
    return info.st_ino;
}

/* Descriptors: three in one direction between texts, one back; each comes with a 0 of its own. */
static void passes(void *arg)
{
    struct end a = { 0 }, b = { 0 };
    ino_t inodes[4];
    pair(&a, &b);
    stream_write(a.stream, "one", 3);
    for (int i = 0; i < 4; i++) {
        int fds[2];
        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        inodes[i] = inode(fds[0]);
        close(fds[1]);
        stream_write_fd(i < 3 ? a.stream : b.stream, fds[0], 0);
        if (i == 1)
            stream_write(a.stream, "two", 3);
    }
    stream_write(a.stream, "three", 5);
    settle(10);
    cr_assert_eq(b.got.length, 3 + 2 + 3 + 1 + 5);
    cr_assert_eq(memcmp(b.got.data, "one\0\0two\0three", b.got.length), 0);
    cr_assert_eq(a.got.length, 1);
    for (int i = 0; i < 4; i++) {
        owned_fd int fd = stream_take_fd(i < 3 ? b.stream : a.stream);
        cr_assert_geq(fd, 0);
        cr_assert_eq(inode(fd), inodes[i]);
        cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    }
    cr_assert_eq(stream_take_fd(b.stream), -1);
    end_done(&a), end_done(&b);
}

Test(stream, passes_descriptors_both_ways_each_with_a_zero)
{
    run_fiber(passes, NULL);
    cr_assert(true);
}

static void passes_many(void *arg)
{
    struct end a = { 0 }, b = { 0 };
    pair(&a, &b);
    for (int i = 0; i < STREAM_FDS_MAX + 10; i++)
        stream_write_fd(a.stream, open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    int before = dup(0);
    close(before);
    for (int i = 0; i < 2000 && b.got.length < STREAM_FDS_MAX + 10; i++)
        settle(5);
    cr_assert_eq(b.got.length, STREAM_FDS_MAX + 10);
    int count = 0;
    for (int fd; (fd = stream_take_fd(b.stream)) >= 0; count++)
        close(fd);
    cr_assert_eq(count, STREAM_FDS_MAX);
    end_done(&a), end_done(&b);
    int after = dup(0);
    close(after);
    cr_assert_leq(after, before, "nothing is left open");
}

Test(stream, keeps_a_bounded_number_of_descriptors)
{
    run_fiber(passes_many, NULL);
    cr_assert(true);
}

static void pauses(void *arg)
{
    struct end a = { 0 }, b = { .pause_on_input = true };
    pair(&a, &b);
    stream_write(a.stream, "1", 1);
    settle(5);
    stream_write(a.stream, "2", 1);
    settle(5);
    cr_assert_str_eq(buffer_text(&b.got), "1");
    stream_free(take(a.stream));
    settle(5);
    cr_assert_eq(b.closes, 0);
    b.pause_on_input = false;
    stream_resume(b.stream);
    settle(5);
    cr_assert_str_eq(buffer_text(&b.got), "12");
    cr_assert_eq(b.closes, 1);
    end_done(&a), end_done(&b);
}

Test(stream, paused_reads_nothing_and_resumed_loses_nothing)
{
    run_fiber(pauses, NULL);
    cr_assert(true);
}

static void frees_inside(void *arg)
{
    struct end a = { 0 }, b = { .free_on_input = true };
    pair(&a, &b);
    stream_write(a.stream, "x", 1);
    settle(5);
    cr_assert_null(b.stream);
    cr_assert_eq(b.closes, 0);
    cr_assert_eq(a.closes, 1);
    end_done(&a), end_done(&b);
}

Test(stream, may_be_freed_by_its_own_handler)
{
    run_fiber(frees_inside, NULL);
    cr_assert(true);
}

/* The peer speaks, then goes away with our words unread: a reset, and yet its words count. */
static void peer_resets(void *arg)
{
    struct end a = { 0 };
    int fds[2];
    owned_memory char *bytes = memory_new(1000 * 1000);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    end_init(&a, fds[0]);
    stream_write(a.stream, bytes, 1000 * 1000);
    stream_write_fd(a.stream, open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    settle(5);
    cr_assert_gt(stream_pending(a.stream), 0);
    cr_assert_eq(write(fds[1], "last words", 10), 10);
    close(fds[1]);
    settle(5);
    cr_assert_str_eq(buffer_text(&a.got), "last words");
    cr_assert_eq(a.closes, 1);
    end_done(&a);
}

Test(stream, hears_the_last_words_of_a_peer_that_did_not_listen)
{
    run_fiber(peer_resets, NULL);
    cr_assert(true);
}

/* Listening */

static struct end accepted[3];
static int accepts;

static void on_accept(void *arg, int fd)
{
    accepted[accepts].echo = true;
    end_init(&accepted[accepts++], fd);
}

static void listens(void *arg)
{
    error_scope(err);
    char folder[] = "/tmp/loop-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    owned_memory char *path = memory_printf("%s/sock", folder);
    cr_assert_eq(unix_connect(path, &err), -1);
    cr_assert_eq(err.number, ENOENT);
    int fd = unix_listen(path, 0600, 10, &err);
    cr_assert_geq(fd, 0, "%s", error_text(&err));
    cr_assert_eq(unix_listen(path, 0600, 10, &err), -1, "it is served");
    struct listener *l = listener_new(fd, on_accept, NULL);
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0600);

    struct end a = { 0 };
    end_init(&a, unix_connect(path, &err));
    stream_write(a.stream, "hi", 2);
    settle_until(&a.inputs, 1);
    cr_assert_str_eq(buffer_text(&a.got), "hi");
    uid_t user;
    gid_t group;
    pid_t pid;
    cr_assert_eq(stream_peer(a.stream, &user, &group, &pid), 0);
    cr_assert_eq(pid, getpid());

    listener_pause(l);
    int before = accepts;
    struct end b = { 0 };
    end_init(&b, unix_connect(path, &err));
    settle(5);
    cr_assert_eq(accepts, before);
    listener_resume(l);
    settle_until(&accepts, before + 1);
    cr_assert_eq(accepts, before + 1);
    listener_free(l);
    cr_assert_eq(unix_connect(path, &err), -1);
    cr_assert_eq(err.number, ECONNREFUSED);
    fd = unix_listen(path, 0666, 10, &err);
    cr_assert_geq(fd, 0, "a stale file is replaced: %s", error_text(&err));
    close(fd);
    end_done(&a), end_done(&b);
    for (int i = 0; i < 3; i++)
        end_done(&accepted[i]);
    unlink(path);
    rmdir(folder);
}

Test(listener, accepts_pauses_and_replaces_only_a_stale_socket)
{
    run_fiber(listens, NULL);
    cr_assert_geq(accepts, 2);
}

static void allow_descriptors(rlim_t count)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = count;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int lowest_free(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

static void is_short_of_descriptors(void *arg)
{
    error_scope(err);
    char folder[] = "/tmp/loop-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    owned_memory char *path = memory_printf("%s/sock", folder);
    struct listener *l = listener_new(unix_listen(path, 0600, 10, &err), on_accept, NULL);
    struct end a = { 0 };
    end_init(&a, unix_connect(path, &err));
    allow_descriptors((rlim_t) lowest_free());
    clock_t begin = clock();
    settle(1000);
    cr_assert_eq(accepts, 0);
    cr_assert_lt(clock() - begin, CLOCKS_PER_SEC / 2, "it does not spin");
    allow_descriptors(1000);
    for (int i = 0; i < 2000 && accepts < 1; i++)
        settle(5);
    cr_assert_eq(accepts, 1);
    listener_free(l);
    end_done(&a), end_done(&accepted[0]);
    unlink(path);
    rmdir(folder);
}

Test(listener, out_of_descriptors_tries_again_later)
{
    run_fiber(is_short_of_descriptors, NULL);
    cr_assert_eq(accepts, 1);
}

static void loses_descriptors(void *arg)
{
    struct end a = { 0 }, b = { 0 };
    pair(&a, &b);
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);       /* its number is free again once it is sent */
    stream_write_fd(a.stream, fd, 0);
    allow_descriptors((rlim_t) fd);
    settle(5);
    allow_descriptors(1000);
    cr_assert_eq(b.closes, 1);
    cr_assert_str_eq(b.reason, "descriptors were lost, since this process has too many open");
    cr_assert_eq(b.inputs, 0, "what they belong to is not handed on without them");
    end_done(&a), end_done(&b);
}

Test(stream, ends_when_descriptors_cannot_be_received)
{
    run_fiber(loses_descriptors, NULL);
    cr_assert(true);
}

Test(listener, path_too_long_for_a_socket_is_refused_by_name)
{
    error_scope(err);
    char path[200];
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    path[sizeof path - 1] = 0;
    cr_assert_eq(unix_listen(path, 0600, 1, &err), -1);
    cr_assert_not_null(strstr(error_text(&err), "has 199 bytes; it may have 1 to 107"));
    cr_assert_eq(unix_connect(path, &err), -1);
    cr_assert_eq(err.code, ERR_INVALID_ARG);
}

Test(listener, does_not_remove_what_is_no_socket)
{
    error_scope(err);
    cr_assert_eq(unix_listen("/etc/passwd", 0600, 1, &err), -1);
    cr_assert_str_eq(error_text(&err), "'/etc/passwd' is in the way: it is no socket");
}

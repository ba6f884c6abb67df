/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/stdio.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

static int far_end = -1;                /* the threads' */
static pthread_t writer;

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        length -= (size_t) done;
    }
    return true;
}

static void copy(int from, int to)
{
    char bytes[2048];
    ssize_t got;
    while ((got = read(from, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0 && !write_all(to, bytes, (size_t) got))
            return;
}

static void *copy_in(void *arg)
{
    copy(STDIN_FILENO, far_end);        /* its end is not the end of what we have to say */
    return arg;
}

static void *copy_out(void *arg)
{
    copy(far_end, STDOUT_FILENO);
    return arg;
}

/* Signals are the main thread's. */
static int start_threads(struct error *err)
{
    pthread_t reader;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int rc = pthread_create(&writer, NULL, copy_out, NULL);
    if (rc == 0)
        rc = pthread_create(&reader, NULL, copy_in, NULL);
    if (rc == 0)
        pthread_detach(reader);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc ? fail_errno(err, rc, "cannot start a thread for standard input") : 0;
}

int stdio_open(struct error *err)
{
    int pair[2];
    if (far_end >= 0)
        return fail(err, ERR_INVALID_ARG, "cannot use stdio by multiple character devices");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return fail_errno(err, errno, "cannot make a socket pair");
    far_end = pair[1];
    if (start_threads(err) == 0)
        return pair[0];
    close(pair[0]);
    return -1;
}

void stdio_finish(void)
{
    if (far_end >= 0)
        pthread_join(writer, NULL);
}

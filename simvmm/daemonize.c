/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/daemonize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int parent = -1;                 /* a pipe to the waiting parent */

int daemonize(struct error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return fail_errno(err, errno, "cannot make a pipe");
    pid_t pid = fork();
    if (pid < 0)
        return fail_errno(err, errno, "cannot fork");
    if (pid > 0) {
        char byte = 1;
        close(ends[1]);
        ssize_t n = read(ends[0], &byte, 1);
        _exit(n == 1 && byte == 0 ? 0 : 1);
    }
    close(ends[0]);
    parent = ends[1];
    setsid();
    umask(027);
    return 0;
}

void daemonize_ready(struct vm *vm)
{
    if (!vm->daemonize)
        return;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (chdir("/") < 0 || null < 0)
        return;
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    close(null);
    if (write(parent, "", 1) != 1)
        exit(1);
    close(parent);
}

int daemonize_write_pid(struct vm *vm, struct error *err)
{
    if (!vm->pidfile)
        return 0;
    int fd = open(vm->pidfile, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (fd < 0) {
        const char *path = vm->pidfile;
        vm->pidfile = NULL;
        return fail(err, ERR_INVALID_ARG, "cannot create PID file: Could not create '%s': %s", path,
                    strerror(errno));
    }
    char text[24];
    int length = snprintf(text, sizeof text, "%d\n", (int) getpid());
    if (ftruncate(fd, 0) < 0 || write(fd, text, (size_t) length) != length) {
        close(fd);
        return fail(err, ERR_INVALID_ARG, "cannot create PID file: Could not write '%s': %s", vm->pidfile,
                    strerror(errno));
    }
    close(fd);
    return 0;
}

void daemonize_remove_pid(const struct vm *vm)
{
    if (vm->pidfile)
        unlink(vm->pidfile);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "loop/child.h"
#include "loop/private.h"
#include "loop/process_private.h"

static struct rlimit first_limit;       /* of descriptors, as we were started */

void process_raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (first_limit.rlim_cur || getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    first_limit = limit;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Forking */

static char *const standard_environment[] = {
    (char *) "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", (char *) "LC_ALL=C", NULL
};

static int check_spec(const struct process_spec *spec, struct error *err)
{
    if (!spec->argv[0] || spec->argv[0][0] != '/')
        return fail(err, ERR_INVALID_ARG, "a program to run needs an absolute path, not '%s'",
                    spec->argv[0] ? spec->argv[0] : "");
    for (size_t i = 0; i < spec->fds_count; i++)
        if (spec->fds[i].as < 3 || spec->fds[i].as > PROCESS_FD_MAX)
            return fail(err, ERR_INVALID_ARG, "descriptor number %d is not between 3 and %d", spec->fds[i].as,
                        PROCESS_FD_MAX);
    return 0;
}

/* Signals are blocked meanwhile, because the child has our handlers until it has reset them. */
static pid_t fork_child(const struct process_spec *spec, int null, int gate)
{
    owned_memory int *moved = memory_new((spec->fds_count + 3) * sizeof *moved);
    struct child child = {
        .spec = spec, .null = null, .gate = gate, .top = 2, .moved = moved, .parent = getpid()
    };
    child.environment = spec->environment ? spec->environment : standard_environment;
    child.descriptors = first_limit;
    if (!first_limit.rlim_cur)
        getrlimit(RLIMIT_NOFILE, &child.descriptors);
    for (size_t i = 0; i < spec->fds_count; i++)
        if (spec->fds[i].as > child.top)
            child.top = spec->fds[i].as;

    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        child_run(&child);
    int number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return pid;
}

/* The child is there, and unreaped, so its number cannot mean another process. */
static struct process *process_of_child(pid_t pid, const char *program, struct error *err)
{
    struct process *p = NEW(struct process);
    char state;
    p->gate = -1;
    p->program = memory_copy_text(program);
    p->identity.pid = pid;
    snprintf(p->identity.boot_id, sizeof p->identity.boot_id, "%s", process_boot_id());
    p->pidfd = pidfd_open(pid, 0);
    if (p->pidfd < 0)
        fail_errno(err, errno, "cannot open a pidfd of process %d", (int) pid);
    else if (process_read_stat(pid, &state, &p->identity.start_time, err) == 0 && process_watch(p, err) == 0)
        return p;

    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);              /* it waits at its gate, and dies at once */
    if (p->pidfd >= 0)
        close(p->pidfd);
    free(p->program);
    free(p);
    return NULL;
}

struct process *process_fork(const struct process_spec *spec, struct error *err)
{
    if (check_spec(spec, err) < 0)
        return NULL;
    owned_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return fail_errno(err, errno, "cannot open /dev/null"), NULL;
    int gate[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) < 0)
        return fail_errno(err, errno, "cannot make the gate of '%s'", spec->argv[0]), NULL;
    pid_t pid = fork_child(spec, null, gate[1]);
    int number = errno;
    close(gate[1]);
    struct process *p = NULL;
    if (pid < 0)
        fail_errno(err, number, "cannot fork for '%s'", spec->argv[0]);
    else
        p = process_of_child(pid, spec->argv[0], err);
    if (!p)
        return close(gate[0]), NULL;
    p->gate = gate[0];
    return p;
}

/* The gate */

static const char *step_text(int step)
{
    static const char *const texts[] = {
        [CHILD_DESCRIPTORS] = "cannot place its descriptors", [CHILD_SESSION] = "cannot make a session",
        [CHILD_LIMITS] = "cannot set its limits", [CHILD_GROUPS] = "cannot set its groups",
        [CHILD_GROUP] = "cannot set its group", [CHILD_USER] = "cannot set its user",
        [CHILD_FOLDER] = "cannot enter its folder", [CHILD_EXEC] = NULL,
    };
    return step >= 0 && step < (int) ARRAY_COUNT(texts) ? texts[step] : "failed";
}

/* A child that was killed has not read our byte, which we see by the failing send, or by an
 * error instead of the end. */
static int read_report(const struct process *p, int gate, bool was_sent, struct error *err)
{
    struct child_report report;
    ssize_t got = recv(gate, &report, sizeof report, MSG_DONTWAIT);
    if (got == 0 && was_sent)
        return 0;                       /* closed by exec() */
    if (got != sizeof report)
        return fail(err, ERR_INTERNAL, "'%s' was killed before it could run", p->program);
    const char *step = step_text(report.step);
    return step ? fail_errno(err, report.number, "cannot run '%s': %s", p->program, step)
                : fail_errno(err, report.number, "cannot run '%s'", p->program);
}

static void on_report(uv_poll_t *poll, int status, int events)
{
    wait_done(poll->data, 0);
}

static void on_report_closed(uv_handle_t *handle)
{
    wait_done(handle->data, 0);
}

WAITS static int wait_for_report(const struct process *p, int gate, uint64_t deadline, struct error *err)
{
    struct wait readable = { 0 }, closed = { 0 };
    uv_poll_t poll = { .data = &readable };
    int rc = uv_poll_init(loop_uv(), &poll, gate);
    if (rc < 0)
        return fail(err, ERR_INTERNAL, "cannot watch the gate of '%s': %s", p->program, uv_strerror(rc));
    uv_poll_start(&poll, UV_READABLE, on_report);
    rc = wait_until(&readable, deadline, err);
    poll.data = &closed;
    uv_close((uv_handle_t *) &poll, on_report_closed);
    wait_release(&closed);
    return rc < 0 ? fail_in(err, "starting '%s'", p->program) : 0;
}

WAITS int process_exec(struct process *p, uint64_t deadline, struct error *err)
{
    assert(p->gate >= 0 && "released twice");
    owned_fd int gate = p->gate;
    p->gate = -1;
    bool was_sent = send(gate, "", 1, MSG_NOSIGNAL) == 1;
    if (wait_for_report(p, gate, deadline, err) < 0)
        return -1;
    return read_report(p, gate, was_sent, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/process.h"

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

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "loop/child.h"
#include "loop/loop.h"
#include "loop/private.h"

/* A fiber in process_wait(). */
struct waiter {
    struct wait wait;
    struct waiter *next;
};

struct process {
    uv_poll_t poll;                     /* of pidfd: it becomes readable when the process ends */
    int pidfd;
    struct process_identity identity;
    char *program;                      /* for messages; NULL: attached, not our child */
    int gate;                           /* -1 once released */
    bool exited, keep;
    char *exit_text;
    void (*on_exit)(void *arg);
    void *arg;
    struct timer *late_call;            /* of on_exit, when it had exited before */
    struct waiter *waiters;
    struct process *next;               /* among those freed before they ended */
};

/* Children that nobody owns any more; each is reaped when it ends. */
static struct process *unowned;

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

/* Identity */

const char *process_boot_id(void)
{
    static char id[40];
    if (*id)
        return id;
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    if (file_read("/proc/sys/kernel/random/boot_id", 100, &text, &err) < 0)
        return "unknown";
    snprintf(id, sizeof id, "%.*s", (int) strcspn(buffer_text(&text), "\n"), buffer_text(&text));
    return id;
}

/* Field 3 (state) and field 22 (start time).  Field 2 is the program's name in parentheses and may hold
 * anything, so counting begins behind the last parenthesis. */
static int read_stat(pid_t pid, char *ret_state, uint64_t *ret_start_time, struct error *err)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/stat", (int) pid);
    owned_buffer struct buffer text = { 0 };
    if (file_read(path, 4096, &text, err) < 0)
        return -1;
    const char *at = strrchr(buffer_text(&text), ')');
    if (!at || at[1] != ' ' || !at[2])
        return fail(err, ERR_INTERNAL, "cannot understand %s", path);
    char state = at[2];
    for (int field = 2; field < 22 && at; field++)
        at = strchr(at + 1, ' ');
    unsigned long long start_time;
    if (!at || sscanf(at, "%llu", &start_time) != 1)
        return fail(err, ERR_INTERNAL, "cannot understand %s", path);
    *ret_state = state;
    *ret_start_time = start_time;
    return 0;
}

const struct process_identity *process_identity(const struct process *p)
{
    return &p->identity;
}

/* The end of a process */

static const char *exit_sentence(const siginfo_t *info, char *room, size_t size)
{
    if (info->si_code == CLD_EXITED)
        snprintf(room, size, "exited with status %d", info->si_status);
    else
        snprintf(room, size, "was killed by signal %d (%s)", info->si_status, strsignal(info->si_status));
    return room;
}

static void process_note_exit(struct process *p)
{
    char room[100];
    siginfo_t info = { 0 };
    p->exited = true;
    if (p->program && waitid(P_PIDFD, (id_t) p->pidfd, &info, WEXITED | WNOHANG) == 0 && info.si_pid)
        p->exit_text = memory_copy_text(exit_sentence(&info, room, sizeof room));
    else
        p->exit_text = memory_copy_text("is gone");
}

static void free_process(uv_handle_t *handle)
{
    struct process *p = handle->data;
    free(p->program);
    free(p->exit_text);
    free(p);
}

static void process_close(struct process *p)
{
    uv_close((uv_handle_t *) &p->poll, free_process);
    close(p->pidfd);
}

static void unowned_remove(struct process *p)
{
    struct process **at = &unowned;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
}

static void on_unowned_exit(uv_poll_t *poll, int status, int events)
{
    struct process *p = poll->data;
    process_note_exit(p);
    unowned_remove(p);
    process_close(p);
}

static void on_exit_seen(uv_poll_t *poll, int status, int events)
{
    struct process *p = poll->data;
    uv_poll_stop(poll);
    process_note_exit(p);
    for (struct waiter *waiter = p->waiters; waiter; waiter = waiter->next)
        wait_done(&waiter->wait, 0);
    p->waiters = NULL;                  /* they will not look at us again, so that on_exit may free us */
    if (p->on_exit)
        p->on_exit(p->arg);
}

static int process_watch(struct process *p, struct error *err)
{
    p->poll.data = p;
    int rc = uv_poll_init(loop_uv(), &p->poll, p->pidfd);
    if (rc < 0)
        return fail(err, ERR_INTERNAL, "cannot watch process %d: %s", (int) p->identity.pid, uv_strerror(rc));
    uv_poll_start(&p->poll, UV_READABLE, on_exit_seen);
    return 0;
}

/* Start */

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
    struct child child = { .spec = spec, .null = null, .gate = gate, .top = 2, .moved = moved };
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
    else if (read_stat(pid, &state, &p->identity.start_time, err) == 0 && process_watch(p, err) == 0)
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

struct process *process_attach(const struct process_identity *who, struct error *err)
{
    if (!text_equal(who->boot_id, process_boot_id()) || who->pid <= 0)
        return NULL;
    owned_fd int pidfd = pidfd_open(who->pid, 0);
    if (pidfd < 0 && errno != ESRCH)
        fail_errno(err, errno, "cannot open process %d", (int) who->pid);
    if (pidfd < 0)
        return NULL;

    /* Read after opening: if the numbers agree now, the pidfd is of that very process. */
    char state;
    uint64_t start_time;
    error_scope(gone);
    if (read_stat(who->pid, &state, &start_time, &gone) < 0 || start_time != who->start_time ||
        strchr("ZXx", state))
        return NULL;
    struct process *p = NEW(struct process);
    p->identity = *who;
    p->gate = -1;
    p->pidfd = pidfd;
    if (process_watch(p, err) < 0)
        return free(p), NULL;
    pidfd = -1;
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

/* Life */

bool process_has_exited(const struct process *p)
{
    return p->exited;
}

const char *process_exit_text(const struct process *p)
{
    return p->exit_text ? p->exit_text : "is running";
}

int process_signal(struct process *p, int number, struct error *err)
{
    if (p->exited || pidfd_send_signal(p->pidfd, number, NULL, 0) == 0 || errno == ESRCH)
        return 0;
    return fail_errno(err, errno, "cannot send signal %d to process %d", number, (int) p->identity.pid);
}

static void on_late_call(void *arg)
{
    struct process *p = arg;
    p->on_exit(p->arg);
}

void process_on_exit(struct process *p, void (*fn)(void *arg), void *arg)
{
    assert(!p->on_exit && "one watcher a process");
    p->on_exit = fn;
    p->arg = arg;
    if (p->exited)
        p->late_call = timer_start(0, 0, on_late_call, p);
}

WAITS int process_wait(struct process *p, uint64_t deadline, struct error *err)
{
    if (p->exited)
        return 0;
    struct waiter waiter = { .next = p->waiters };
    p->waiters = &waiter;
    if (wait_until(&waiter.wait, deadline, err) == 0)
        return 0;
    struct waiter **at = &p->waiters;
    while (*at != &waiter)
        at = &(*at)->next;
    *at = waiter.next;
    return fail_in(err, "waiting for the end of process %d", (int) p->identity.pid);
}

void process_keep(struct process *p)
{
    p->keep = true;
}

void process_free(struct process *p)
{
    if (!p)
        return;
    assert(!p->waiters && "a fiber waits for this process");
    timer_free(p->late_call);
    bool at_gate = p->gate >= 0;
    if (at_gate)
        close(p->gate);
    if (p->exited || !p->program) {
        process_close(p);
        return;
    }
    if (!p->keep || at_gate)
        pidfd_send_signal(p->pidfd, SIGKILL, NULL, 0);
    p->next = unowned;
    unowned = p;
    uv_poll_start(&p->poll, UV_READABLE, on_unowned_exit);
    uv_unref((uv_handle_t *) &p->poll);         /* a guest that we leave running must not keep us running */
}

void processes_teardown(void)
{
    while (unowned) {
        struct process *p = unowned;
        unowned = p->next;
        process_close(p);
    }
}

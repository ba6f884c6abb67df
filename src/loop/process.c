/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/process.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "loop/loop.h"
#include "loop/private.h"
#include "loop/process_private.h"

/* Children that nobody owns any more; each is reaped when it ends. */
static struct process *unowned;

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

/* Field 2 is the program's name in parentheses and may hold anything, so counting begins behind the last
 * parenthesis. */
int process_read_stat(pid_t pid, char *ret_state, uint64_t *ret_start_time, struct error *err)
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

int process_identify(pid_t pid, struct process_identity *ret_identity, struct error *err)
{
    struct process_identity who = { .pid = pid };
    char state;
    if (process_read_stat(pid, &state, &who.start_time, err) < 0)
        return -1;
    snprintf(who.boot_id, sizeof who.boot_id, "%s", process_boot_id());
    *ret_identity = who;
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

/* What it forked and left behind in its group: a wrapper's guest must not outlive the wrapper.  The number is
 * still the group's while the leader is unreaped, or while no process has it and only a group can. */
static void end_group(const struct process *p)
{
    bool is_unreaped = pidfd_send_signal(p->pidfd, 0, NULL, 0) == 0;
    if (is_unreaped || (kill(p->identity.pid, 0) < 0 && errno == ESRCH))
        kill(-p->identity.pid, SIGKILL);
}

static void process_note_exit(struct process *p)
{
    char room[100];
    siginfo_t info = { 0 };
    end_group(p);
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

int process_watch(struct process *p, struct error *err)
{
    p->poll.data = p;
    int rc = uv_poll_init(loop_uv(), &p->poll, p->pidfd);
    if (rc < 0)
        return fail(err, ERR_INTERNAL, "cannot watch process %d: %s", (int) p->identity.pid, uv_strerror(rc));
    uv_poll_start(&p->poll, UV_READABLE, on_exit_seen);
    return 0;
}

/* Attaching */

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
    if (process_read_stat(who->pid, &state, &start_time, &gone) < 0 || start_time != who->start_time ||
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

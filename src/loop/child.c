/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Noreturn static void give_up(int gate, enum child_step step)
{
    struct child_report report = { step, errno };
    while (write(gate, &report, sizeof report) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* Handlers are the parent's, and would write into the parent's pipes.  The system call, since the C library
 * refuses the signals that it keeps for itself, which somebody above us may have ignored. */
static void reset_signals(void)
{
    static const unsigned long standard[8];     /* the kernel's struct sigaction: SIG_DFL and no flags */
    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, standard, NULL, (NSIG - 1) / 8);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool is_wanted(const struct process_spec *spec, int fd)
{
    for (size_t i = 0; i < spec->fds_count; i++)
        if (spec->fds[i].as == fd)
            return true;
    return false;
}

/* First everything wanted goes above all final numbers, so that no dup2() hits a source not yet copied; then
 * to its final number.  All else is closed at once and not only by exec(): at the gate we must not hold
 * another gate open.  Returns the gate's new number; errno is 0 if all went well. */
static int place_descriptors(const struct child *child)
{
    const struct process_spec *spec = child->spec;
    int first_free = child->top + 1, *moved = child->moved;
    size_t count = 0;
    int standard[3] = { child->null, spec->output < 0 ? child->null : spec->output,
                        spec->errors < 0 ? child->null : spec->errors };
    int gate = fcntl(child->gate, F_DUPFD_CLOEXEC, first_free);
    if (gate < 0)
        return child->gate;
    for (int i = 0; i < 3; i++)
        if ((moved[count++] = fcntl(standard[i], F_DUPFD_CLOEXEC, first_free)) < 0)
            return gate;
    for (size_t i = 0; i < spec->fds_count; i++)
        if ((moved[count++] = fcntl(spec->fds[i].fd, F_DUPFD_CLOEXEC, first_free)) < 0)
            return gate;

    for (size_t i = 0; i < count; i++)
        if (dup2(moved[i], i < 3 ? (int) i : spec->fds[i - 3].as) < 0)
            return gate;
    for (int fd = 3; fd <= child->top; fd++)
        if (!is_wanted(spec, fd))
            close(fd);
    if (gate > first_free && close_range((unsigned) first_free, (unsigned) gate - 1, 0) < 0)
        return gate;
    errno = 0;
    close_range((unsigned) gate + 1, ~0U, 0);
    return gate;
}

static void wait_at_gate(int gate)
{
    char byte;
    ssize_t got;
    do
        got = read(gate, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(127);                     /* the parent is gone */
}

/* The system calls themselves: the C library's wrappers want to tell threads that do not exist here. */
static void become_user(const struct process_spec *spec, int gate)
{
    if (spec->user == (uid_t) -1)
        return;
    if (syscall(SYS_setgroups, spec->groups_count, spec->groups) < 0)
        give_up(gate, CHILD_GROUPS);
    if (syscall(SYS_setresgid, spec->group, spec->group, spec->group) < 0)
        give_up(gate, CHILD_GROUP);
    if (syscall(SYS_setresuid, spec->user, spec->user, spec->user) < 0)
        give_up(gate, CHILD_USER);
}

void child_run(const struct child *child)
{
    const struct process_spec *spec = child->spec;
    reset_signals();
    errno = 0;
    int gate = place_descriptors(child);
    if (errno)
        give_up(gate, CHILD_DESCRIPTORS);
    wait_at_gate(gate);

    umask(0077);
    if (setsid() < 0)
        give_up(gate, CHILD_SESSION);
    if (setrlimit(RLIMIT_NOFILE, &child->descriptors) < 0)
        give_up(gate, CHILD_LIMITS);
    become_user(spec, gate);
    if (spec->dies_with_us && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != child->parent))
        _exit(127);                     /* it may have ended just before */
    if (chdir(spec->folder ? spec->folder : "/") < 0)
        give_up(gate, CHILD_FOLDER);
    execve(spec->argv[0], spec->argv, child->environment);
    give_up(gate, CHILD_EXEC);
}

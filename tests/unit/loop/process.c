/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "loop/process.h"
#include "loop/process_private.h"
#include "run.h"

/* Runs SCRIPT in a shell, with no output and as ourselves. */
#define SCRIPT(text) { .argv = ARGV(text), .output = -1, .errors = -1, .user = (uid_t) -1 }
#define ARGV(...) ((char *const[]) { (char *) "/bin/sh", (char *) "-c", (char *) __VA_ARGS__, NULL })

/* Runs a shell's script and gives what it wrote. */
WAITS static struct process *run_script(struct process_spec spec, struct buffer *out)
{
    error_scope(err);
    int ends[2];
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    spec.output = ends[1];
    struct process *p = process_fork(&spec, &err);
    cr_assert_not_null(p, "%s", error_text(&err));
    close(ends[1]);
    cr_assert_eq(process_exec(p, loop_now() + 20000, &err), 0, "%s", error_text(&err));
    cr_assert_eq(process_wait(p, loop_now() + 20000, &err), 0, "%s", error_text(&err));
    for (ssize_t got; (got = read(ends[0], buffer_room(out, 4096), 4096)) > 0; )
        out->length += (size_t) got;
    buffer_add(out, "", 0);
    close(ends[0]);
    return p;
}

static void sees_hygiene(void *arg)
{
    owned_buffer struct buffer out = { 0 };
    int leak = open("/dev/null", O_RDONLY), given = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    struct process_fd fds[] = { { given, 7 }, { leak, 5 }, { given, 4 } };
    setenv("LISTEN_FDS", "1", 1);
    struct process_spec spec = {
        .argv = ARGV("pwd; umask; echo $(ls /proc/self/fd);"
                     "readlink /proc/self/fd/7; readlink /proc/self/fd/5; env;"
                     "cut -d' ' -f1,6 /proc/$$/stat | tr ' ' = ; exit 3"),
        .errors = -1, .fds = fds, .fds_count = 3, .user = (uid_t) -1,
    };
    owned(process) struct process *p = run_script(spec, &out);
    pid_t pid = process_identity(p)->pid;
    owned_memory char *wanted = memory_printf(
        "/\n0077\n0 1 2 3 4 5 7\n/dev/zero\n/dev/null\nLC_ALL=C\nPWD=/\n%d=%d\n", (int) pid, (int) pid);
    char *path = strstr(out.data, "PATH="), *after = path ? strchr(path, '\n') : NULL;
    cr_assert_not_null(after);
    memmove(path, after + 1, strlen(after));
    cr_assert_str_eq(out.data, wanted, "%s", out.data);
    cr_assert_str_eq(process_exit_text(p), "exited with status 3");
    close(leak);
    close(given);
}

Test(process, child_finds_a_clean_house)
{
    run_fiber(sees_hygiene, NULL);
    cr_assert(true);
}

/* A wrapper that does not exec what it wraps. */
static void leaves_a_child(void *arg)
{
    owned_buffer struct buffer out = { 0 };
    struct process_spec spec = SCRIPT("sleep 60 >/dev/null & echo $!");
    owned(process) struct process *p UNUSED = run_script(spec, &out);
    pid_t child = (pid_t) atoi(out.data);
    cr_assert_gt(child, 1);
    char state = 'Z';
    uint64_t start_time;
    error_scope(gone);
    for (int i = 0; i < 1000 && process_read_stat(child, &state, &start_time, &gone) == 0 && state != 'Z';
         i++) {
        error_scope(err);
        await_sleep(20, &err);
    }
    cr_assert(gone.code || state == 'Z', "process %d is left in state %c", (int) child, state);
}

Test(process, what_it_left_in_its_group_ends_with_it)
{
    run_fiber(leaves_a_child, NULL);
    cr_assert(true);
}

static void sees_signals(void *arg)
{
    owned_buffer struct buffer out = { 0 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    char *const argv[] = { (char *) "/bin/grep", (char *) "-E", (char *) "^Sig(Blk|Ign)",
                           (char *) "/proc/self/status", NULL };
    struct process_spec spec = { .argv = argv, .errors = -1, .user = (uid_t) -1 };
    process_free(run_script(spec, &out));
    cr_assert_str_eq(out.data, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", "%s", out.data);
}

Test(process, child_neither_blocks_nor_ignores_signals)
{
    run_fiber(sees_signals, NULL);
    cr_assert(true);
}

static void sees_limits(void *arg)
{
    owned_buffer struct buffer out = { 0 };
    struct process_spec spec = SCRIPT("ulimit -n; echo $FOO; pwd");
    spec.folder = "/usr";
    spec.environment = (char *const[]) { (char *) "FOO=bar", NULL };
    struct rlimit limit = { 300, 5000 };
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    process_raise_descriptor_limit();
    getrlimit(RLIMIT_NOFILE, &limit);
    cr_assert_eq(limit.rlim_cur, 5000);
    process_free(run_script(spec, &out));
    cr_assert_str_eq(out.data, "300\nbar\n/usr\n");
}

Test(process, child_gets_the_first_descriptor_limit_back)
{
    run_fiber(sees_limits, NULL);
    cr_assert(true);
}

static void becomes_nobody(void *arg)
{
    owned_buffer struct buffer out = { 0 };
    gid_t groups[] = { 7, 9 };
    struct process_spec spec = SCRIPT("id -u; id -g; id -G");
    spec.user = 65534;
    spec.group = 65533;
    spec.groups = groups;
    spec.groups_count = 2;
    process_free(run_script(spec, &out));
    cr_assert_str_eq(out.data, "65534\n65533\n65533 7 9\n");
}

Test(process, child_becomes_another_user)
{
    if (getuid() != 0)
        cr_skip_test("needs root");
    run_fiber(becomes_nobody, NULL);
    cr_assert(true);
}

static void fails_to_exec(void *arg)
{
    error_scope(err);
    struct process_spec spec = SCRIPT("");
    spec.argv = (char *const[]) { (char *) "/no/such/emulator", NULL };
    owned(process) struct process *p = process_fork(&spec, &err);
    cr_assert_eq(process_exec(p, 0, &err), -1);
    cr_assert_str_eq(error_text(&err), "cannot run '/no/such/emulator': No such file or directory");
    cr_assert_eq(err.number, ENOENT);
    cr_assert_eq(process_wait(p, loop_now() + 20000, &err), 0);

    spec.folder = "/no/such/folder";
    owned(process) struct process *q = process_fork(&spec, &err);
    cr_assert_eq(process_exec(q, 0, &err), -1);
    cr_assert_str_eq(error_text(&err),
                     "cannot run '/no/such/emulator': cannot enter its folder: No such file or directory");

    spec.argv = (char *const[]) { (char *) "relative", NULL };
    cr_assert_null(process_fork(&spec, &err));
    cr_assert_str_eq(error_text(&err), "a program to run needs an absolute path, not 'relative'");
}

Test(process, that_cannot_run_says_what_and_why)
{
    run_fiber(fails_to_exec, NULL);
    cr_assert(true);
}

static void signals(void *arg)
{
    error_scope(err);
    struct process_spec spec = SCRIPT("exec sleep 100");
    owned(process) struct process *p = process_fork(&spec, &err);
    cr_assert_eq(process_exec(p, 0, &err), 0);
    cr_assert_eq(process_wait(p, loop_now() + 30, &err), -1);
    cr_assert_eq(err.code, ERR_TIMEOUT);
    cr_assert(!process_has_exited(p));
    cr_assert_eq(process_signal(p, SIGTERM, &err), 0);
    cr_assert_eq(process_wait(p, loop_now() + 20000, &err), 0);
    cr_assert_str_eq(process_exit_text(p), "was killed by signal 15 (Terminated)");
    cr_assert_eq(process_signal(p, SIGTERM, &err), 0, "gone is no error");
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "it is reaped");
}

Test(process, takes_signals_and_tells_how_it_ended)
{
    run_fiber(signals, NULL);
    cr_assert(true);
}

static int exits;

static void count_exit(void *arg)
{
    exits++;
}

static void watches_exit(void *arg)
{
    error_scope(err);
    struct process_spec spec = SCRIPT("exit 0");
    owned(process) struct process *p = process_fork(&spec, &err);
    process_on_exit(p, count_exit, NULL);
    cr_assert_eq(process_exec(p, 0, &err), 0);
    cr_assert_eq(process_wait(p, 0, &err), 0);
    cr_assert_eq(exits, 1);
    owned(process) struct process *q = process_fork(&spec, &err);
    cr_assert_eq(process_exec(q, 0, &err), 0);
    cr_assert_eq(process_wait(q, 0, &err), 0);
    process_on_exit(q, count_exit, NULL);
    cr_assert_eq(exits, 1, "not from within the call");
    for (int i = 0; i < 2000 && exits < 2; i++)
        await_sleep(5, &err);
    cr_assert_eq(exits, 2);
}

Test(process, exit_is_told_once_even_to_who_asks_late)
{
    run_fiber(watches_exit, NULL);
    cr_assert_eq(exits, 2);
}

/* The gate */

static bool is_alive(pid_t pid)
{
    owned_memory char *path = memory_printf("/proc/%d/stat", (int) pid);
    FILE *file = fopen(path, "re");
    char state = 'X';
    if (file) {
        if (fscanf(file, "%*d %*s %c", &state) != 1)
            state = 'X';
        fclose(file);
    }
    return state != 'X' && state != 'Z';
}

static bool dies_soon(pid_t pid)
{
    for (int i = 0; i < 500 && is_alive(pid); i++)
        usleep(10000);
    return !is_alive(pid);
}

/* In a process of its own: forks two children, tells their numbers, and is killed before or after the
 * release. */
static void parent_that_dies(void *arg)
{
    error_scope(err);
    int out = *(int *) arg;
    struct process_spec spec = SCRIPT("exec sleep 100");
    struct process *p = process_fork(&spec, &err), *q = process_fork(&spec, &err);
    struct process *kept = process_fork(&spec, &err);
    process_keep(kept);
    if (!p || !q || process_exec(kept, 0, &err) < 0)
        _exit(1);
    struct process_identity who[3] = { *process_identity(p), *process_identity(q), *process_identity(kept) };
    if (write(out, who, sizeof who) != sizeof who)
        _exit(1);
    kill(getpid(), SIGKILL);
}

static void orphan(struct process_identity ret_who[3])
{
    int ends[2], status;
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        loop_init();
        fiber_start(parent_that_dies, &ends[1]);
        loop_run();
        _exit(1);
    }
    close(ends[1]);
    cr_assert_eq(read(ends[0], ret_who, 3 * sizeof *ret_who), 3 * sizeof *ret_who);
    close(ends[0]);
    waitpid(pid, &status, 0);
    cr_assert(WIFSIGNALED(status));
}

Test(process, at_its_gate_dies_with_its_parent_and_one_released_lives)
{
    struct process_identity who[3];
    orphan(who);
    cr_assert(dies_soon(who[0].pid));
    cr_assert(dies_soon(who[1].pid));
    cr_assert(is_alive(who[2].pid));
    kill(who[2].pid, SIGKILL);
}

static void attaches(void *arg)
{
    error_scope(err);
    struct process_identity who[3], other;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    orphan(who);
    other = who[2];
    other.start_time++;
    cr_assert_null(process_attach(&other, &err));
    cr_assert_eq(err.code, ERR_NONE);
    other = who[2];
    other.boot_id[0] ^= 1;
    cr_assert_null(process_attach(&other, &err));
    other = who[2];
    other.pid = 0;
    cr_assert_null(process_attach(&other, &err));
    cr_assert_eq(err.code, ERR_NONE);

    owned(process) struct process *p = process_attach(&who[2], &err);
    cr_assert_not_null(p);
    process_on_exit(p, count_exit, NULL);
    process_free(process_attach(&who[2], &err));
    cr_assert(is_alive(who[2].pid), "to free an attached process leaves it alone");
    cr_assert_eq(process_signal(p, SIGKILL, &err), 0);
    cr_assert_eq(process_wait(p, loop_now() + 20000, &err), 0);
    cr_assert_str_eq(process_exit_text(p), "is gone");
    cr_assert_eq(exits, 1);
    cr_assert_null(process_attach(&who[2], &err));
    cr_assert_eq(err.code, ERR_NONE);
}

Test(process, of_an_earlier_daemon_is_found_by_number_start_and_boot)
{
    run_fiber(attaches, NULL);
    cr_assert_eq(exits, 1);
}

static pid_t freed[3];

static void frees(void *arg)
{
    error_scope(err);
    struct process_spec spec = SCRIPT("exec sleep 100");
    owned(process) struct process *gate = process_fork(&spec, &err);
    owned(process) struct process *released = process_fork(&spec, &err);
    owned(process) struct process *kept = process_fork(&spec, &err);
    freed[0] = process_identity(gate)->pid;
    freed[1] = process_identity(released)->pid;
    freed[2] = process_identity(kept)->pid;
    cr_assert_eq(process_exec(released, 0, &err), 0);
    cr_assert_eq(process_exec(kept, 0, &err), 0);
    process_keep(kept);
    process_free(take(gate));
    process_free(take(released));
    process_free(take(kept));
    for (int i = 0; i < 2000 && (kill(freed[0], 0) == 0 || kill(freed[1], 0) == 0); i++)
        await_sleep(5, &err);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(kill(freed[i], 0), -1, "it was killed and reaped in the background");
    cr_assert_eq(kill(freed[2], 0), 0);
}

Test(process, freed_is_killed_and_reaped_unless_kept)
{
    run_fiber(frees, NULL);
    cr_assert_eq(kill(freed[2], SIGKILL), 0);
}

static void dies_at_gate(void *arg)
{
    error_scope(err);
    struct process_spec spec = SCRIPT("exit 0");
    owned(process) struct process *p = process_fork(&spec, &err);
    kill(process_identity(p)->pid, SIGKILL);
    cr_assert_eq(process_wait(p, 0, &err), 0);
    cr_assert_eq(process_exec(p, 0, &err), -1);
    cr_assert_str_eq(error_text(&err), "'/bin/sh' was killed before it could run");
}

Test(process, killed_at_its_gate_is_not_taken_for_running)
{
    run_fiber(dies_at_gate, NULL);
    cr_assert(true);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on a real VMM without a guest: simvmm, behind a script that lets it go wrong in a start only,
 * and not when its capabilities are asked for. */
#include "qemu/operations.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../domain/make.h"

#include "base/text.h"
#include "domain/events.h"
#include "domain/status.h"
#include "json/json.h"
#include "qemu/qom_store.h"
#include "qemu/vmm.h"

enum { PATIENCE = 4000 };               /* looks, 5 ms apart: a busy machine may need many, others need few */

struct scene {
    char root[64];
    char *script;
    const char *fault;                  /* of simvmm in a start, or NULL */
    struct registry *registry;
    struct domain *dom;
    struct buffer told;
    struct event_listener *listener;
    void (*play)(struct scene *s);
};

static void listen(void *arg, const struct domain_event *event)
{
    struct scene *s = arg;
    buffer_printf(&s->told, "%d:%d.%d ", (int) event->id, event->type, event->detail);
}

static const char *simvmm(void)
{
    static char path[512];
    const char *build = getenv("abs_top_builddir");
    snprintf(path, sizeof path, "%s/simvmm/simvmm", build ? build : ".");
    return path;
}

static void write_script(struct scene *s)
{
    error_scope(err);
    owned_memory char *text = memory_printf(
        "#!/bin/sh\ncase \"$*\" in *'machine none'*) exec '%s' \"$@\";; esac\nexec '%s' \"$@\" %s %s\n",
        simvmm(), simvmm(), s->fault ? "-sim" : "", s->fault ? s->fault : "");
    s->script = memory_printf("%s/vmm", s->root);
    cr_assert_eq(file_replace(s->script, text, strlen(text), 0755, &err), 0, "%s", error_text(&err));
}

static struct domain *define(struct scene *s)
{
    error_scope(err);
    const struct conf_defaults defaults = { .arch = "x86_64", .emulator = s->script };
    static const char xml[] =
        "<domain type='qemu'><name>vm</name><uuid>" UUID_A "</uuid><memory unit='MiB'>64</memory>"
        "<vcpu>1</vcpu><os><type arch='x86_64' machine='pc'>hvm</type></os>"
        "<devices><serial type='pty'/></devices></domain>";
    owned(domain_def) struct domain_def *def = domain_def_parse(xml, strlen(xml), 0, &defaults, NULL, &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    struct domain *dom = registry_add(s->registry, def);
    dom->persistent = true;
    return domain_ref(dom);
}

/* What goes on in the background (a plan that is saved, a process that is reaped) ends first. */
static void play_fiber(void *arg)
{
    error_scope(err);
    struct scene *s = arg;
    s->play(s);
    for (int i = 0; i < PATIENCE && fiber_count() > 1; i++)
        await_sleep(5, &err);
    loop_stop();
}

static void play(struct scene *s, unsigned timeout_ms)
{
    error_scope(err);
    loop_init();
    s->registry = make_registry(s->root);
    write_script(s);
    owned_memory char *cache = memory_printf("%s/cache", s->root);
    const struct operations_settings settings = { .cache_folder = cache, .start_timeout_ms = timeout_ms };
    cr_assert_eq(operations_init(&settings, &err), 0, "%s", error_text(&err));
    s->dom = define(s);
    s->listener = event_listener_new(registry_events(s->registry), listen, s);
    fiber_start(play_fiber, s);
    loop_run();
    operations_done();
    event_listener_free(s->listener);
    buffer_done(&s->told);
    registry_free(s->registry);
    domain_unref(s->dom);
    cr_assert_eq(fiber_count(), 0, "a fiber is left waiting");
    loop_done();
    remove_root(s->root);
    free(s->script);
}

static bool folder_is_empty(const struct scene *s, const char *folder)
{
    error_scope(err);
    owned_memory char *path = memory_printf("%s/run/%s", s->root, folder);
    char **names = NULL;
    size_t count = 0;
    cr_assert_eq(folder_list(path, &names, &count, &err), 0, "%s", error_text(&err));
    folder_names_free(names, count);
    return count == 0;
}

/* Who waits for children finds none. */
static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* No process, socket or status file. */
WAITS static void check_nothing_is_left(const struct scene *s, int reason)
{
    error_scope(err);
    for (int i = 0; i < PATIENCE && has_children(); i++)
        await_sleep(5, &err);           /* what was killed is reaped in the background */
    cr_assert(!has_children(), "a process is left");
    cr_assert(folder_is_empty(s, "m"), "a socket is left");
    cr_assert(folder_is_empty(s, "status"), "a status file is left");
    cr_assert_eq(s->dom->id, -1);
    cr_assert_eq(s->dom->state, DOMAIN_SHUTOFF);
    cr_assert_eq(s->dom->reason, reason);
    cr_assert_null(s->dom->vmm);
}

WAITS static int run_start(struct scene *s, unsigned flags, struct error *err)
{
    cr_assert_eq(job_begin(s->dom, "start", "test", 0, err), 0, "%s", error_text(err));
    int rc = domain_start(s->dom, flags, err);
    job_end(&s->dom->job);
    return rc;
}

WAITS static int run_destroy(struct scene *s, struct error *err)
{
    if (job_begin(s->dom, "destroy", "test", JOB_FIRST | JOB_CANCEL, err) < 0)
        return -1;
    int rc = domain_destroy(s->dom, 0, err);
    job_end(&s->dom->job);
    return rc;
}

typedef WAITS int operation_function(struct domain *dom, struct error *err);

WAITS static int run_job(struct scene *s, operation_function *operation, struct error *err)
{
    error_clear(err);
    if (job_begin(s->dom, "job", "test", 0, err) < 0)
        return -1;
    int rc = operation(s->dom, err);
    job_end(&s->dom->job);
    return rc;
}

static void check_told(struct scene *s, const char *wanted)
{
    cr_assert_str_eq(buffer_text(&s->told), wanted);
    buffer_drop(&s->told, s->told.length);
}

/* --- a life --- */

WAITS static void live(struct scene *s)
{
    error_scope(err);
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    cr_assert_eq(s->dom->id, 1);
    cr_assert_eq(s->dom->state, DOMAIN_RUNNING);
    check_told(s, "0:4.0 0:2.0 ");
    cr_assert_eq(s->dom->runtime.ptys_count, 1);
    cr_assert(text_starts(s->dom->runtime.ptys[0].path, "/dev/pts/"));
    cr_assert_lt(run_start(s, 0, &err), 0, "it runs already");
    cr_assert_eq(err.code, ERR_OPERATION_INVALID);

    cr_assert_eq(run_job(s, domain_suspend, &err), 0, "%s", error_text(&err));
    cr_assert_eq(run_job(s, domain_suspend, &err), 0, "twice is fine");
    cr_assert(s->dom->state == DOMAIN_PAUSED && s->dom->reason == PAUSED_USER);
    check_told(s, "0:3.0 ");
    cr_assert_eq(run_job(s, domain_resume, &err), 0, "%s", error_text(&err));
    check_told(s, "0:4.0 ");
    cr_assert_lt(run_job(s, domain_resume, &err), 0, "it runs");
    cr_assert_eq(err.code, ERR_OPERATION_INVALID);

    cr_assert_eq(run_destroy(s, &err), 0, "%s", error_text(&err));
    check_told(s, "0:6.2 0:5.1 ");
    check_nothing_is_left(s, SHUTOFF_DESTROYED);
    cr_assert_lt(run_job(s, domain_suspend, &err), 0, "it is off");
    cr_assert_eq(err.code, ERR_OPERATION_INVALID);
}

Test(operations, a_guest_is_started_suspended_resumed_and_destroyed)
{
    struct scene s = { .play = live };
    play(&s, 0);
    cr_assert(true);
}

WAITS static void start_paused(struct scene *s)
{
    error_scope(err);
    cr_assert_eq(run_start(s, START_PAUSED, &err), 0, "%s", error_text(&err));
    cr_assert(s->dom->state == DOMAIN_PAUSED && s->dom->reason == PAUSED_USER);
    check_told(s, "0:2.0 0:3.0 ");
    cr_assert_eq(run_job(s, domain_resume, &err), 0, "%s", error_text(&err));
    cr_assert_eq(s->dom->state, DOMAIN_RUNNING);
    cr_assert_eq(run_destroy(s, &err), 0, "%s", error_text(&err));
    check_nothing_is_left(s, SHUTOFF_DESTROYED);
}

Test(operations, a_guest_starts_paused_if_asked_to)
{
    struct scene s = { .play = start_paused };
    play(&s, 0);
    cr_assert(true);
}

WAITS static void talk(struct scene *s)
{
    error_scope(err);
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    owned_memory char *reply = NULL, *human = NULL, *value = NULL;
    cr_assert_eq(domain_monitor_command(s->dom, "{\"execute\":\"query-status\"}", false, &reply, &err), 0);
    cr_assert_not_null(strstr(reply, "\"running\""), "%s", reply);
    free(take(reply));
    cr_assert_eq(domain_monitor_command(s->dom, "{\"execute\":\"nope\"}", false, &reply, &err), 0);
    cr_assert_not_null(strstr(reply, "CommandNotFound"), "%s", reply);
    cr_assert_eq(domain_qom_get(s->dom, "/machine", "type", &value, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(value, "\"pc-i440fx-11.1-machine\"");
    const struct qom_store *tree = domain_qom_tree(s->dom, false, &err);
    cr_assert_not_null(tree, "%s", error_text(&err));
    cr_assert_gt(qom_store_count(tree), 100);
    const struct start_timings *timings = domain_start_timings(s->dom);
    cr_assert(timings && timings->count >= 8 && timings->total > 0);
    cr_assert_eq(run_destroy(s, &err), 0, "%s", error_text(&err));
    cr_assert_lt(domain_monitor_command(s->dom, "{}", false, &human, &err), 0);
    cr_assert_eq(err.code, ERR_OPERATION_INVALID);
}

Test(operations, a_running_guest_answers_for_itself)
{
    struct scene s = { .play = talk };
    play(&s, 0);
    cr_assert(true);
}

/* --- deaths --- */

WAITS static void wait_until_off(struct scene *s)
{
    error_scope(err);
    for (int i = 0; i < PATIENCE && s->dom->id != -1; i++)
        await_sleep(5, &err);
    cr_assert_eq(s->dom->id, -1, "it is still there");
    cr_assert_null(s->dom->job.what, "its clean-up has ended");
}

WAITS static void quit(struct scene *s)
{
    error_scope(err);
    owned_memory char *reply = NULL;
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    check_told(s, "0:4.0 0:2.0 ");
    cr_assert_eq(domain_monitor_command(s->dom, "{\"execute\":\"quit\"}", false, &reply, &err), 0);
    wait_until_off(s);
    check_told(s, "0:6.2 0:5.0 ");
    check_nothing_is_left(s, SHUTOFF_SHUTDOWN);
}

Test(operations, a_vmm_that_quits_has_shut_down)
{
    struct scene s = { .play = quit };
    play(&s, 0);
    cr_assert(true);
}

WAITS static void crash(struct scene *s)
{
    error_scope(err);
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    check_told(s, "0:4.0 0:2.0 ");
    cr_assert_lt(run_job(s, domain_suspend, &err), 0, "it dies of that");
    cr_assert_not_null(strstr(error_text(&err), "domain 'vm'"), "%s", error_text(&err));
    wait_until_off(s);
    cr_assert(text_ends(buffer_text(&s->told), "0:5.5 "), "%s", buffer_text(&s->told));
    check_nothing_is_left(s, SHUTOFF_CRASHED);
}

Test(operations, a_vmm_that_dies_in_a_command_has_crashed)
{
    struct scene s = { .play = crash, .fault = "crash=stop" };
    play(&s, 0);
    cr_assert(true);
}

/* --- silence --- */

/* The tree of a VMM that was found again: it comes a moment after its monitor. */
WAITS static const struct qom_store *await_tree(struct scene *s, struct error *err)
{
    const struct qom_store *tree = NULL;
    for (int i = 0; i < PATIENCE && !tree; i++) {
        error_clear(err);
        await_sleep(5, err);
        tree = domain_qom_tree(s->dom, false, err);
    }
    return tree;
}

WAITS static void be_silent(struct scene *s)
{
    error_scope(err);
    owned_memory char *reply = NULL;
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    pid_t pid = process_identity(s->dom->vmm->process)->pid;
    cr_assert_eq(kill(pid, SIGSTOP), 0);
    monitor_set_timeout(s->dom->vmm->monitor, 100);
    cr_assert_lt(domain_monitor_command(s->dom, "{\"execute\":\"query-name\"}", false, &reply, &err), 0);
    cr_assert_eq(err.code, ERR_TIMEOUT, "%s", error_text(&err));
    cr_assert_eq(s->dom->state, DOMAIN_RUNNING, "its guest may be well");
    cr_assert_eq(kill(pid, SIGCONT), 0);
    int rc = -1;
    for (int i = 0; i < PATIENCE && rc < 0; i++) {
        error_clear(&err);
        await_sleep(10, &err);
        rc = domain_monitor_command(s->dom, "{\"execute\":\"query-name\"}", false, &reply, &err);
    }
    cr_assert_eq(rc, 0, "%s", error_text(&err));
    cr_assert_eq(s->dom->state, DOMAIN_RUNNING);
    cr_assert_not_null(await_tree(s, &err), "%s", error_text(&err));
    cr_assert_eq(run_destroy(s, &err), 0, "%s", error_text(&err));
    check_nothing_is_left(s, SHUTOFF_DESTROYED);
}

Test(operations, a_vmm_that_is_silent_for_too_long_is_asked_again)
{
    struct scene s = { .play = be_silent };
    play(&s, 0);
    cr_assert(true);
}

/* The first `stop` is what breaks it; the second one works. */
WAITS static void lose_monitor(struct scene *s)
{
    error_scope(err);
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    check_told(s, "0:4.0 0:2.0 ");
    cr_assert_lt(run_job(s, domain_suspend, &err), 0, "its monitor is lost");
    cr_assert_not_null(strstr(error_text(&err), "domain 'vm'"), "%s", error_text(&err));
    cr_assert(domain_is_active(s->dom), "its guest is well");
    cr_assert_lt(run_job(s, domain_suspend, &err), 0, "it is refused at once");
    cr_assert_not_null(strstr(error_text(&err), "runs on, but its monitor is lost"), "%s", error_text(&err));
    for (int i = 0; i < PATIENCE && domain_monitor_is_lost(s->dom); i++)
        await_sleep(10, &err);
    error_clear(&err);
    cr_assert_eq(run_job(s, domain_suspend, &err), 0, "%s", error_text(&err));
    cr_assert_eq(run_destroy(s, &err), 0, "%s", error_text(&err));
    check_nothing_is_left(s, SHUTOFF_DESTROYED);
}

Test(operations, a_vmm_that_closes_its_monitor_is_connected_to_again)
{
    struct scene s = { .play = lose_monitor, .fault = "close=stop:1" };
    play(&s, 0);
    cr_assert(true);
}

Test(operations, a_vmm_that_talks_nonsense_is_connected_to_again)
{
    struct scene s = { .play = lose_monitor, .fault = "garbage=stop:1" };
    play(&s, 0);
    cr_assert(true);
}

WAITS static void stay_silent(struct scene *s)
{
    error_scope(err);
    owned_memory char *reply = NULL;
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    cr_assert_eq(kill(process_identity(s->dom->vmm->process)->pid, SIGSTOP), 0);
    monitor_set_timeout(s->dom->vmm->monitor, 100);
    cr_assert_lt(domain_monitor_command(s->dom, "{\"execute\":\"query-name\"}", false, &reply, &err), 0);
    await_sleep(50, &err);
    cr_assert_eq(run_destroy(s, &err), 0, "a job that asks again gives way: %s", error_text(&err));
    check_nothing_is_left(s, SHUTOFF_DESTROYED);
}

Test(operations, a_vmm_that_stays_silent_is_destroyed_all_the_same)
{
    struct scene s = { .play = stay_silent };
    play(&s, 0);
    cr_assert(true);
}

/* --- starts that fail, at each step --- */

static const struct failure {
    const char *fault;
    enum error_code code;
    const char *step, *text;
} failures[] = {
    { "exit=3,stderr=boom", ERR_VMM, "(handshake)", "exited with status 3: boom" },
    { "crash=qmp_capabilities", ERR_VMM, "(handshake)", "the emulator" },
    { "mute=greeting", ERR_TIMEOUT, "(handshake)", "domain 'vm'" },
    { "mute=replies", ERR_TIMEOUT, "(handshake)", "domain 'vm'" },
    { "garbage=greeting", ERR_VMM, "(handshake)", "domain 'vm'" },
    { "close=qmp_capabilities", ERR_VMM, "(handshake)", "the emulator" },
    { "error=query-chardev:1:not_today", ERR_VMM, "(devices)", "not_today" },
    { "garbage=query-chardev", ERR_VMM, "(devices)", "query-chardev" },
    { "close=set-action", ERR_VMM, "(devices)", "domain 'vm'" },
    { "hang=set-action", ERR_TIMEOUT, "(devices)", "set-action" },
    { "error=cont:1:not_today", ERR_VMM, "(cont)", "not_today" },
    { "hang=cont", ERR_TIMEOUT, "(cont)", "cont" },
    { "crash=cont", ERR_VMM, "(cont)", "domain 'vm'" },
};

static const struct failure *failing;

WAITS static void fail_to_start(struct scene *s)
{
    error_scope(err);
    cr_assert_lt(run_start(s, 0, &err), 0, "%s: it started", failing->fault);
    cr_assert_eq(err.code, failing->code, "%s: %s", failing->fault, error_text(&err));
    cr_assert_not_null(strstr(error_text(&err), failing->step), "%s: %s", failing->fault, error_text(&err));
    cr_assert_not_null(strstr(error_text(&err), failing->text), "%s: %s", failing->fault, error_text(&err));
    cr_assert_not_null(strstr(error_text(&err), "domain 'vm'"), "%s: %s", failing->fault, error_text(&err));
    check_told(s, "");
    check_nothing_is_left(s, SHUTOFF_FAILED);
}

Test(operations, a_start_that_fails_at_any_step_leaves_nothing, .timeout = 60)
{
    for (size_t i = 0; i < ARRAY_COUNT(failures); i++) {
        failing = &failures[i];
        struct scene s = { .play = fail_to_start, .fault = failures[i].fault };
        play(&s, failures[i].code == ERR_TIMEOUT ? 2500 : 0);
    }
    cr_assert(true);
}

/* What the host may refuse, before anything runs. */
static const char *missing;

WAITS static void lack_a_folder(struct scene *s)
{
    error_scope(err);
    owned_memory char *path = memory_printf("%s/%s", s->root, missing);
    owned_memory char *away = memory_printf("%s/away", s->root);
    cr_assert_eq(rename(path, away), 0);
    cr_assert_lt(run_start(s, 0, &err), 0, "it started without %s", missing);
    cr_assert_not_null(strstr(error_text(&err), "domain 'vm'"), "%s", error_text(&err));
    cr_assert_eq(rename(away, path), 0);
    check_nothing_is_left(s, SHUTOFF_FAILED);
}

Test(operations, a_start_without_a_folder_for_its_files_leaves_nothing)
{
    static const char *const folders[] = { "log", "run/m", "run/status" };
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        missing = folders[i];
        struct scene s = { .play = lack_a_folder };
        play(&s, 0);
    }
    cr_assert(true);
}

/* --- destroy while it starts --- */

static int started = 1;

static void start_fiber(void *arg)
{
    error_scope(err);
    struct scene *s = arg;
    started = run_start(s, 0, &err);
    cr_assert_eq(err.code, ERR_ABORTED, "%s", error_text(&err));
}

WAITS static void destroy_starting(struct scene *s)
{
    error_scope(err);
    fiber_start(start_fiber, s);
    for (int i = 0; i < PATIENCE && s->dom->id == -1; i++)
        await_sleep(5, &err);
    await_sleep(50, &err);
    cr_assert(s->dom->state == DOMAIN_PAUSED && s->dom->reason == PAUSED_STARTING_UP);
    cr_assert_lt(run_destroy(s, &err), 0, "there is nothing left to end");
    cr_assert_eq(err.code, ERR_OPERATION_INVALID);
    cr_assert_eq(started, -1);
    check_nothing_is_left(s, SHUTOFF_DESTROYED);
}

Test(operations, a_start_is_cancelled_by_destroy)
{
    struct scene s = { .play = destroy_starting, .fault = "mute=greeting" };
    play(&s, 0);
    cr_assert(true);
}

/* --- the next daemon --- */

WAITS static void find_again(struct scene *s)
{
    error_scope(err);
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    check_told(s, "0:4.0 0:2.0 ");
    cr_assert_eq(run_job(s, domain_suspend, &err), 0, "%s", error_text(&err));

    /* As after a crash: only the files and the process know. */
    operations_done();
    domain_set_inactive(s->dom, SHUTOFF_UNKNOWN);
    struct operations_settings settings = { .cache_folder = NULL };
    cr_assert_eq(operations_init(&settings, &err), 0);
    const struct conf_defaults defaults = { .arch = "x86_64" };
    cr_assert_eq(statuses_load(s->registry, &defaults, &err), 0, "%s", error_text(&err));
    cr_assert_eq(run_job(s, domain_reattach, &err), 0, "%s", error_text(&err));
    cr_assert_eq(s->dom->id, 1);
    cr_assert(s->dom->state == DOMAIN_PAUSED && s->dom->reason == PAUSED_USER);
    cr_assert_eq(s->dom->runtime.ptys_count, 1);
    cr_assert_not_null(await_tree(s, &err), "%s", error_text(&err));
    cr_assert_eq(run_job(s, domain_resume, &err), 0, "%s", error_text(&err));
    cr_assert_eq(run_destroy(s, &err), 0, "%s", error_text(&err));
    while (waitpid(-1, NULL, WNOHANG) > 0);     /* it was the first daemon's child */
    check_nothing_is_left(s, SHUTOFF_DESTROYED);
}

Test(operations, a_guest_is_found_again_with_its_state_and_tree)
{
    struct scene s = { .play = find_again };
    play(&s, 0);
    cr_assert(true);
}

WAITS static void find_dead(struct scene *s)
{
    error_scope(err);
    cr_assert_eq(run_start(s, 0, &err), 0, "%s", error_text(&err));
    operations_done();
    domain_set_inactive(s->dom, SHUTOFF_UNKNOWN);
    const struct conf_defaults defaults = { .arch = "x86_64" };
    cr_assert_eq(statuses_load(s->registry, &defaults, &err), 0, "%s", error_text(&err));
    siginfo_t info;
    pid_t pid = s->dom->record->process.pid;
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0, "it is dead, and not yet reaped");
    struct operations_settings settings = { .cache_folder = NULL };
    cr_assert_eq(operations_init(&settings, &err), 0);
    buffer_drop(&s->told, s->told.length);
    cr_assert_eq(run_job(s, domain_reattach, &err), 0, "%s", error_text(&err));
    check_told(s, "0:5.2 ");
    while (waitpid(-1, NULL, WNOHANG) > 0);
    check_nothing_is_left(s, SHUTOFF_CRASHED);
}

Test(operations, a_guest_that_died_meanwhile_has_crashed)
{
    struct scene s = { .play = find_dead };
    play(&s, 0);
    cr_assert(true);
}

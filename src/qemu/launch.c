/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/launch.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "domain/registry.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/command_line.h"
#include "qemu/emulator.h"
#include "qemu/props.h"
#include "qemu/vnc_ports.h"

enum { UNDO_MS = 5000 };

/* --- the definition of this run --- */

static bool wants_port(const struct graphics *graphics)
{
    const struct listen *listen = graphics->listens.count ? graphics->listens.items[0] : NULL;
    bool elsewhere = listen && (listen->type == LISTEN_NONE || listen->type == LISTEN_SOCKET);
    return graphics->type == GRAPHICS_VNC && !elsewhere && !graphics->socket &&
           (!graphics->port.set || graphics->port.value <= 0);
}

static const char *port_address(const struct graphics *graphics)
{
    const struct listen *listen = graphics->listens.count ? graphics->listens.items[0] : NULL;
    const char *address = listen && listen->address ? listen->address : graphics->listen;
    return address ? address : "127.0.0.1";
}

static int choose_ports(struct domain_def *def, struct error *err)
{
    for (size_t i = 0; i < def->graphics.count; i++) {
        struct graphics *graphics = def->graphics.items[i];
        if (!wants_port(graphics))
            continue;
        int port = vnc_port_find(port_address(graphics), err);
        if (port < 0)
            return -1;
        graphics->port = (struct opt_i64){ true, port };
    }
    return 0;
}

struct domain_def *launch_definition(const struct domain_def *def, const char *emulator, struct error *err)
{
    owned(domain_def) struct domain_def *live = domain_def_copy_live(def);
    live->emulator = arena_copy(live->arena, emulator);
    for (size_t i = 0; i < live->disks.count; i++)
        live->disks.items[i]->cache = disk_effective_cache(live->disks.items[i]);
    if (domain_def_check_startable(live, err) < 0 || choose_ports(live, err) < 0)
        return NULL;
    return take(live);
}

struct command_line launch_command_line(const struct domain_def *def, const struct caps *caps)
{
    return (struct command_line){
        .def = def, .caps = caps, .classic_drives = settings_now()->classic_drives, .monitor_fd = MONITOR_FD,
        .now = time(NULL), .sim_options = emulator_sim_options(caps->emulator)
    };
}

/* --- steps --- */

static WAITS int find_capabilities(struct launch *launch, struct error *err)
{
    const char *emulator = emulator_of(domain_current_def(launch->domain), err);
    launch->vmm->caps = emulator ? caps_get(emulator, err) : NULL;
    return launch->vmm->caps ? 0 : -1;
}

/* From here on the domain has a number, and is listed as starting. */
static WAITS int prepare_definition(struct launch *launch, struct error *err)
{
    struct domain *dom = launch->domain;
    struct vmm *vmm = launch->vmm;
    if (!(vmm->def = launch_definition(dom->def, vmm->caps->emulator, err)))
        return -1;
    const struct command_line what = launch_command_line(vmm->def, vmm->caps);
    if (command_line_build(&what, &launch->argv, err) < 0)
        return -1;
    vmm_take_ports(vmm);
    domain_set_active(dom, registry_next_id(dom->registry));
    domain_set_state(dom, DOMAIN_PAUSED, PAUSED_STARTING_UP);
    domain_set_live(dom, vmm->def);
    return 0;
}

struct log_work { const char *path, *note; struct guest_log *log; struct error err; };

static void open_log(void *arg)
{
    struct log_work *work = arg;
    work->log = guest_log_open(work->path, &work->err);
    if (work->log && work->note)
        guest_log_note(work->log, work->note);
}

WAITS struct guest_log *launch_open_log(const struct domain *dom, const char *note, struct error *err)
{
    owned_memory char *path = place_log(registry_places(dom->registry), dom->name, &dom->uuid);
    struct log_work work = { .path = path, .note = note };
    int rc = await_work(open_log, &work, err);
    owned(guest_log) struct guest_log *log = work.log;
    if (rc == 0 && !log)
        error_move(err, &work.err);
    error_clear(&work.err);
    return rc == 0 ? take(log) : NULL;
}

static WAITS int open_files(struct launch *launch, struct error *err)
{
    launch->vmm->socket = place_monitor(registry_places(launch->domain->registry), launch->domain->id);
    launch->listener = unix_listen(launch->vmm->socket, 0600, 1, err);
    if (launch->listener < 0)
        return -1;
    owned_buffer struct buffer note = { 0 };
    buffer_printf(&note, "starting as domain %d: ", launch->domain->id);
    argv_format(&launch->argv, &note);
    launch->vmm->log = launch_open_log(launch->domain, note.data, err);
    return launch->vmm->log ? 0 : -1;
}

/* On disk before the process may run: whatever happens to us, the next daemon knows of it. */
static WAITS int fork_process(struct launch *launch, struct error *err)
{
    const struct emulator_owner *owner = emulator_owner();
    struct vmm *vmm = launch->vmm;
    struct process_fd fd = { launch->listener, MONITOR_FD };
    struct process_spec spec = {
        .argv = launch->argv.words, .output = vmm->log->fd, .errors = vmm->log->fd,
        .fds = &fd, .fds_count = 1,
        .user = owner->user, .group = owner->group,
        .groups = owner->groups, .groups_count = owner->groups_count
    };
    if (!(vmm->process = process_fork(&spec, err)))
        return -1;
    own_close_fd(&launch->listener);
    launch->listener = -1;
    return status_save(launch->domain, STATUS_STARTING, process_identity(vmm->process), vmm->socket, err);
}

static WAITS int execute(struct launch *launch, struct error *err)
{
    if (vmm_connect(launch->vmm, false, err) < 0)
        return -1;
    monitor_set_timeout(launch->vmm->monitor, settings_now()->start_timeout_ms);
    if (process_exec(launch->vmm->process, launch->deadline, err) == 0)
        return 0;
    process_free(take(launch->vmm->process));
    return -1;
}

/* --- what a new guest is told and asked, all behind the negotiation: one round trip for everything --- */

static struct monitor_call *ask(struct launch *launch, const char *command, const char *arguments)
{
    struct monitor_call *call = NEW(struct monitor_call);
    vector_push(&launch->calls, call);
    monitor_call_start(launch->vmm->monitor, call, command, arguments);
    return call;
}

static void ask_with(struct launch *launch, const char *command, struct props *arguments)
{
    ask(launch, command, props_end(arguments));
}

/* "2031-11-30T19:17:17", UTC, as seconds since 1970. */
static bool parse_time(const char *text, time_t *ret_time)
{
    struct tm tm = { 0 };
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!end || *end)
        return false;
    *ret_time = timegm(&tm);
    return true;
}

static int set_password(struct launch *launch, const struct graphics *graphics, struct error *err)
{
    owned_props struct props password = { 0 }, expiry = { 0 };
    props_begin(&password, "protocol", "vnc");
    props_text(&password, "password", graphics->password);
    props_text(&password, "connected", graphics->connected);
    ask_with(launch, "set_password", &password);

    props_begin(&expiry, "protocol", "vnc");
    time_t until;
    if (!graphics->password_valid_to)
        props_text(&expiry, "time", "never");
    else if (parse_time(graphics->password_valid_to, &until))
        props_printf(&expiry, "time", "%lld", (long long) until);
    else
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "graphics: passwdValidTo='%s' is not like 2031-11-30T19:17:17",
                    graphics->password_valid_to);
    ask_with(launch, "expire_password", &expiry);
    return 0;
}

static int set_passwords(struct launch *launch, struct error *err)
{
    const struct domain_def *def = launch->vmm->def;
    for (size_t i = 0; i < def->graphics.count; i++)
        if (def->graphics.items[i]->type == GRAPHICS_VNC && def->graphics.items[i]->password &&
            set_password(launch, def->graphics.items[i], err) < 0)
            return -1;
    return 0;
}

static void set_links(struct launch *launch)
{
    const struct domain_def *def = launch->vmm->def;
    for (size_t i = 0; i < def->interfaces.count; i++) {
        if (def->interfaces.items[i]->link != LINK_DOWN)
            continue;
        owned_props struct props link;
        props_begin(&link, "name", def->interfaces.items[i]->alias);
        props_bool(&link, "up", false);
        ask_with(launch, "set_link", &link);
    }
}

static void set_balloon(struct launch *launch)
{
    const struct domain_def *def = launch->vmm->def;
    const struct memballoon *balloon = def->memballoon;
    if (!balloon || balloon->model == MEMBALLOON_NONE)
        return;
    if (balloon->stats_period) {
        owned_props struct props period;
        props_open(&period);
        props_printf(&period, "path", "/machine/peripheral/%s", balloon->alias);
        props_text(&period, "property", "guest-stats-polling-interval");
        props_u64(&period, "value", balloon->stats_period);
        ask_with(launch, "qom-set", &period);
    }
    if (def->current_memory.kib && def->current_memory.kib < def->memory.kib) {
        owned_props struct props size;
        props_open(&size);
        props_u64(&size, "value", def->current_memory.kib * 1024);
        ask_with(launch, "balloon", &size);
    }
}

/* So that a panic stops the guest for us to see, and a reboot ends it if that is asked for. */
static void set_actions(struct launch *launch)
{
    if (!caps_has(launch->vmm->caps, CAPS_SET_ACTION))
        return;
    bool reboot_ends = launch->vmm->def->on_reboot == ACTION_DESTROY;
    ask(launch, "set-action",
        reboot_ends ? "{\"panic\":\"pause\",\"reboot\":\"shutdown\"}" : "{\"panic\":\"pause\"}");
}

static WAITS int handshake(struct launch *launch, struct error *err)
{
    struct vmm *vmm = launch->vmm;
    if (launch_has_ptys(vmm->def))
        launch->chardevs = ask(launch, "query-chardev", NULL);
    if (set_passwords(launch, err) < 0)
        return -1;
    set_links(launch);
    set_balloon(launch);
    set_actions(launch);
    vmm_make_tree(vmm, launch->argv.words);     /* reads the plan while the emulator comes up */
    return monitor_handshake(vmm->monitor, launch->deadline, err);
}

bool launch_has_ptys(const struct domain_def *def)
{
    for (size_t i = 0; i < def->serials.count; i++)
        if (def->serials.items[i]->type == CHARDEV_PTY)
            return true;
    for (size_t i = 0; i < def->consoles.count; i++)
        if (def->consoles.items[i]->type == CHARDEV_PTY)
            return true;
    return false;
}

/* {"label":"charserial0","filename":"pty:/dev/pts/3"} */
void launch_note_ptys(struct domain *dom, const struct json *chardevs)
{
    const struct json *item;
    for (size_t i = 0; (item = json_at(chardevs, i)) != NULL; i++) {
        const char *label = json_get_text(item, "label"), *file = json_get_text(item, "filename");
        if (text_starts(label, "char") && text_starts(file, "pty:"))
            domain_set_pty(dom, label + strlen("char"), file + strlen("pty:"));
    }
}

static WAITS int read_answers(struct launch *launch, struct error *err)
{
    for (size_t i = 0; i < launch->calls.count; i++)
        if (monitor_call_wait(launch->calls.items[i], err) < 0)
            return -1;
    if (launch->chardevs)
        launch_note_ptys(launch->domain, launch->chardevs->reply.value);
    return 0;
}

/* The request for the tree leaves right behind `cont`, and whoever wants to look waits for it.  Without a
 * bulk command a tree takes seconds, so then it is read when somebody asks.  The status file is written
 * meanwhile: it says that this guest is to be found again; one that is PAUSED_STARTING_UP there was to
 * run. */
static WAITS int let_run(struct launch *launch, struct error *err)
{
    struct vmm *vmm = launch->vmm;
    if (launch->flags & START_PAUSED)
        domain_set_state(launch->domain, DOMAIN_PAUSED, PAUSED_USER);
    else
        launch->cont = ask(launch, "cont", NULL);
    if (vmm_has_bulk_command(vmm))
        qom_tree_begin(vmm->tree);
    return status_save(launch->domain, STATUS_RUNNING, process_identity(vmm->process), vmm->socket, err);
}

static WAITS int see_it_run(struct launch *launch, struct error *err)
{
    return launch->cont ? monitor_call_wait(launch->cont, err) : 0;
}

static const struct step {
    const char *name;
    WAITS int (*run)(struct launch *launch, struct error *err);
} steps[] = {
    { "capabilities", find_capabilities },
    { "definition", prepare_definition },
    { "files", open_files },
    { "fork", fork_process },           /* and the status file, before anything runs */
    { "exec", execute },
    { "handshake", handshake },         /* the emulator loads and builds the machine */
    { "devices", read_answers },
    { "status", let_run },
    { "cont", see_it_run },
};
_Static_assert(ARRAY_COUNT(steps) <= START_PHASES_MAX, "a phase for each step");

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

static int blame(const struct launch *launch, const char *step, struct error *err)
{
    owned_memory char *subject = memory_printf("domain '%s'", launch->domain->name);
    if (text_starts(error_text(err), subject))
        return fail_in(err, "start failed (%s)", step);
    return fail_in(err, "%s: start failed (%s)", subject, step);
}

WAITS int launch_run(struct launch *launch, struct error *err)
{
    struct start_timings *timings = &launch->vmm->timings;
    double begun = milliseconds(), before = begun;
    for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
        if (steps[i].run(launch, err) < 0) {
            vmm_explain(launch->vmm, err);
            return blame(launch, steps[i].name, err);
        }
        double now = milliseconds();
        timings->phases[timings->count++] = (struct start_phase){ steps[i].name, now - before };
        before = now;
    }
    timings->total = before - begun;
    const struct monitor_totals totals = monitor_totals(launch->vmm->monitor);
    timings->calls = totals.calls;
    timings->request_bytes = totals.request_bytes;
    timings->reply_bytes = totals.reply_bytes;
    return 0;
}

WAITS void launch_undo(struct launch *launch, int shutoff_reason)
{
    struct domain *dom = launch->domain;
    struct vmm *vmm = launch->vmm;
    fiber_uncancel();
    error_scope(err);
    if (vmm->process && (process_signal(vmm->process, SIGKILL, &err) < 0 ||
                         process_wait(vmm->process, loop_now() + UNDO_MS, &err) < 0))
        log_error("domain '%s': process %d of a failed start: %s", dom->name,
                  (int) process_identity(vmm->process)->pid, error_text(&err));
    if (vmm->socket)
        unlink(vmm->socket);
    if (!domain_is_active(dom))
        return;
    if (status_remove(dom, &err) < 0)
        log_error("domain '%s': its status file stays: %s", dom->name, error_text(&err));
    domain_set_inactive(dom, shutoff_reason);
}

void launch_done(struct launch *launch)
{
    for (size_t i = 0; i < launch->calls.count; i++) {
        monitor_call_done(launch->calls.items[i]);
        free(launch->calls.items[i]);
    }
    vector_done(&launch->calls);
    own_close_fd(&launch->listener);
    argv_done(&launch->argv);
    vmm_free(launch->vmm);
}

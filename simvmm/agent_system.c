/* SPDX-License-Identifier: Apache-2.0 */
/* The guest's system: what it is, what it has, and what can be done to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/clock.h"
#include "simvmm/device.h"
#include "simvmm/guest.h"
#include "simvmm/run.h"
#include "simvmm/trouble.h"
#include "simvmm/value.h"

enum { ANSWER_MS = 10 };

struct agent_system *agent_system_new(void)
{
    struct agent_system *s = NEW(struct agent_system);
    error_scope(err);
    static const char release[] = "ID=sim\nNAME=\"Simulated Guest\"\nVERSION_ID=1\n";
    s->files = agent_files_new();
    s->runs = agent_runs_new();
    (void) agent_files_put(s->files, "/etc/os-release", release, sizeof release - 1, &err);
    return s;
}

void agent_system_free(struct agent_system *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->programs.count; i++) {
        free(s->programs.items[i].path);
        free(s->programs.items[i].output);
    }
    vector_done(&s->programs);
    agent_files_free(s->files);
    agent_runs_free(s->runs);
    free(s);
}

void agent_system_reboot(struct agent_system *s)
{
    s->frozen = false;
    memset(s->offline, 0, sizeof s->offline);
}

/* ---- the agent itself ---- */

static int sync_id(struct call *call, struct error *err)
{
    (void) err;
    call_return(call, json_get(call->arguments, "id"));
    return 0;
}

static int ping(struct call *call, struct error *err)
{
    (void) call, (void) err;
    return 0;
}

static int info(struct call *call, struct error *err)
{
    (void) err;
    struct json *v = value_object(call->arena), *list = value_array(call->arena);
    for (const struct agent_command *c = agent_commands; c->command.name; c++) {
        struct json *one = value_object(call->arena);
        value_set_bool(call->arena, one, "enabled", !call->vm->agent_system->frozen || c->when_frozen);
        value_set_text(call->arena, one, "name", c->command.name);
        value_set_bool(call->arena, one, "success-response", !c->silent);
        value_push(call->arena, list, one);
    }
    value_set_text(call->arena, v, "version", vm_is(call->vm, 11) ? "11.1.3" : "7.2.22");
    value_set(call->arena, v, "supported_commands", list);
    call_return(call, v);
    return 0;
}

/* ---- power: asked for now, done when the reply would have left ---- */

static void reboot(struct vm *vm)
{
    run_reset(vm, true, "guest-reset");
}

static int shut_down(struct call *call, struct error *err)
{
    static const struct { const char *mode; void (*run)(struct vm *vm); } modes[] = {
        { "powerdown", guest_power_off }, { "halt", guest_halt }, { "reboot", reboot },
    };
    const char *mode = json_get_text(call->arguments, "mode");
    for (size_t i = 0; i < ARRAY_COUNT(modes); i++)
        if (text_equal(modes[i].mode, mode ? mode : "powerdown")) {
            guest_plan(call->vm, guest_manner(call->vm)->power, modes[i].run);
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "mode is invalid (valid values are: halt|powerdown|reboot");
}

static void sleep_now(struct vm *vm)
{
    run_suspend(vm, false);
}

static void sleep_on_disk(struct vm *vm)
{
    run_suspend(vm, true);
}

static int suspend_ram(struct call *call, struct error *err)
{
    (void) err;
    guest_plan(call->vm, ANSWER_MS, sleep_now);
    return 0;
}

static int suspend_disk(struct call *call, struct error *err)
{
    (void) err;
    guest_plan(call->vm, ANSWER_MS, sleep_on_disk);
    return 0;
}

/* ---- what it is ---- */

static int osinfo(struct call *call, struct error *err)
{
    static const char *const rows[][2] = {
        { "name", "Simulated Guest" },  { "version", "1" },           { "version-id", "1" },
        { "id", "sim" },                { "machine", "x86_64" },      { "pretty-name", "Simulated Guest 1" },
        { "kernel-release", "6.1.0-sim" }, { "kernel-version", "#1 SMP" },
    };
    (void) err;
    struct json *v = value_object(call->arena);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        value_set_text(call->arena, v, rows[i][0], rows[i][1]);
    call_return(call, v);
    return 0;
}

static int host_name(struct call *call, struct error *err)
{
    (void) err;
    struct json *v = value_object(call->arena);
    value_set_text(call->arena, v, "host-name", call->vm->name ? call->vm->name : "guest");
    call_return(call, v);
    return 0;
}

static int users(struct call *call, struct error *err)
{
    (void) err;
    struct json *list = value_array(call->arena), *v = value_object(call->arena);
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.1f",
             (double) (clock_wall(call->vm->clock) - guest_uptime(call->vm) * 1000) / 1000000);
    value_set(call->arena, v, "login-time", value_digits(call->arena, seconds));
    value_set_text(call->arena, v, "user", "root");
    value_push(call->arena, list, v);
    call_return(call, list);
    return 0;
}

/* ---- time ---- */

static int64_t system_time(const struct call *call)
{
    return (int64_t) clock_wall(call->vm->clock) * 1000 + call->vm->agent_system->time_offset;
}

static int get_time(struct call *call, struct error *err)
{
    (void) err;
    call_return(call, value_number(call->arena, system_time(call)));
    return 0;
}

/* It sets the machine's clock, too; without a time it follows that. */
static int set_time(struct call *call, struct error *err)
{
    int64_t wanted = 0, before = call->vm->agent_system->time_offset;
    const struct json *given = json_get(call->arguments, "time");
    if (!given) {
        call->vm->agent_system->time_offset = call->vm->rtc_offset * 1000000000;
        return 0;
    }
    if (!json_to_i64(given, &wanted) || wanted < 0)
        return fail(err, ERR_INVALID_ARG, "Time %lld is too large", (long long) wanted);
    int64_t offset = before + wanted - system_time(call);
    call->vm->agent_system->time_offset = offset;
    return trouble_rtc(call->vm, offset / 1000000000, err);
}

static int timezone_of(struct call *call, struct error *err)
{
    (void) err;
    struct json *v = value_object(call->arena);
    value_set_text(call->arena, v, "zone", "UTC");
    value_set_number(call->arena, v, "offset", 0);
    call_return(call, v);
    return 0;
}

/* ---- processors ---- */

static unsigned processors(const struct vm *vm)
{
    return vm->cpus < AGENT_PROCESSORS_MAX ? vm->cpus : AGENT_PROCESSORS_MAX;
}

static int get_vcpus(struct call *call, struct error *err)
{
    (void) err;
    struct json *list = value_array(call->arena);
    for (unsigned i = 0; i < processors(call->vm); i++) {
        struct json *v = value_object(call->arena);
        value_set_number(call->arena, v, "logical-id", i);
        value_set_bool(call->arena, v, "online", !call->vm->agent_system->offline[i]);
        value_set_bool(call->arena, v, "can-offline", i > 0);
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

static int set_one(struct call *call, const struct json *wanted, struct error *err)
{
    uint64_t id = 0;
    bool online = true;
    if (!json_to_u64(json_get(wanted, "logical-id"), &id)
        || !json_to_bool(json_get(wanted, "online"), &online))
        return fail(err, ERR_INVALID_ARG, "Parameter 'vcpus' needs logical-id and online");
    if (id >= processors(call->vm))
        return fail(err, ERR_INVALID_ARG,
                    "open(\"/sys/devices/system/cpu/cpu%llu/\"): No such file or directory",
                    (unsigned long long) id);
    if (id == 0 && !online)
        return fail(err, ERR_INVALID_ARG, "logical processor #0 can't be offlined");
    call->vm->agent_system->offline[id] = !online;
    return 0;
}

/* How many it could do before one failed; the failure only counts if it was the first. */
static int set_vcpus(struct call *call, struct error *err)
{
    const struct json *wanted = json_get(call->arguments, "vcpus");
    size_t done = 0;
    while (done < wanted->length && set_one(call, wanted->items[done], err) == 0)
        done++;
    if (done < wanted->length && !done)
        return -1;
    error_clear(err);
    call_return(call, value_number(call->arena, (long long) done));
    return 0;
}

/* ---- networks ---- */

static void add_address(struct arena *a, struct json *list, const char *type, const char *text, int prefix)
{
    struct json *v = value_object(a);
    value_set_text(a, v, "ip-address-type", type);
    value_set_text(a, v, "ip-address", text);
    value_set_number(a, v, "prefix", prefix);
    value_push(a, list, v);
}

static struct json *add_interface(struct arena *a, struct json *list, const char *name, const char *mac)
{
    static const char *const counters[] = { "rx-bytes", "rx-packets", "rx-errs", "rx-dropped",
                                            "tx-bytes", "tx-packets", "tx-errs", "tx-dropped" };
    struct json *v = value_object(a), *addresses = value_array(a), *statistics = value_object(a);
    for (size_t i = 0; i < ARRAY_COUNT(counters); i++)
        value_set_number(a, statistics, counters[i], 0);
    value_set_text(a, v, "name", name);
    value_set_text(a, v, "hardware-address", mac);
    value_set(a, v, "ip-addresses", addresses);
    value_set(a, v, "statistics", statistics);
    value_push(a, list, v);
    return addresses;
}

/* "\"52:54:00:...\"" of the nth network card; NULL. */
static const char *mac_of(const struct vm *vm, struct arena *a, size_t nth)
{
    for (size_t i = 0; i < vm->devices.count; i++) {
        const struct qom_property *p = qom_property_find(vm->devices.items[i]->node, "mac");
        if (p && p->value && strlen(p->value) > 2 && nth-- == 0)
            return arena_copy_bytes(a, p->value + 1, strlen(p->value) - 2);
    }
    return NULL;
}

static int interfaces(struct call *call, struct error *err)
{
    (void) err;
    struct arena *a = call->arena;
    struct json *list = value_array(a), *addresses = add_interface(a, list, "lo", "00:00:00:00:00:00");
    const char *mac;
    add_address(a, addresses, "ipv4", "127.0.0.1", 8);
    add_address(a, addresses, "ipv6", "::1", 128);
    for (size_t i = 0; (mac = mac_of(call->vm, a, i)) != NULL; i++) {
        addresses = add_interface(a, list, arena_printf(a, "eth%zu", i), mac);
        add_address(a, addresses, "ipv4", arena_printf(a, "10.0.2.%zu", 15 + i % 200), 24);
    }
    call_return(call, list);
    return 0;
}

/* ---- load ---- */

static int load(struct call *call, struct error *err)
{
    static const char *const spans[] = { "load1m", "load5m", "load15m" };
    struct json *v = value_object(call->arena);
    (void) err;
    for (size_t i = 0; i < ARRAY_COUNT(spans); i++)
        value_set(call->arena, v, spans[i], value_digits(call->arena, "0.01"));
    call_return(call, v);
    return 0;
}

/* ---- users ---- */

static int set_password(struct call *call, struct error *err)
{
    const char *user = json_get_text(call->arguments, "username"), *bytes;
    size_t length;
    if (agent_decode(call->arena, json_get_text(call->arguments, "password"), &bytes, &length, err) < 0)
        return -1;
    if (memchr(bytes, '\n', length))
        return fail(err, ERR_INVALID_ARG, "forbidden characters in raw password");
    if (strpbrk(user, ":\n"))
        return fail(err, ERR_INVALID_ARG, "forbidden characters in username");
    return 0;
}

/* ---- the table, in the order in which guest-info lists them ---- */

#define ARGUMENTS(...) (const struct argument[]) { __VA_ARGS__, { NULL, 0, false } }
#define MUST(name, type) { name, type, false }
#define MAY(name, type) { name, type, true }
#define ROW(name, run, arguments) { { name, ALWAYS, run, arguments }, false, false }
#define ALSO_FROZEN(name, run, arguments) { { name, ALWAYS, run, arguments }, false, true }
#define SILENT(name, run, arguments) { { name, ALWAYS, run, arguments }, true, false }
#define HANDLE MUST("handle", ARG_NUMBER)

const struct agent_command agent_commands[] = {
    ROW("guest-get-load", load, NULL),
    ROW("guest-get-osinfo", osinfo, NULL),
    ROW("guest-get-timezone", timezone_of, NULL),
    ROW("guest-get-users", users, NULL),
    ROW("guest-get-host-name", host_name, NULL),
    ROW("guest-exec", agent_exec,
        ARGUMENTS(MUST("path", ARG_TEXT), MAY("arg", ARG_TEXTS), MAY("env", ARG_TEXTS),
                  MAY("input-data", ARG_TEXT), MAY("capture-output", ARG_ANY))),
    ROW("guest-exec-status", agent_exec_status, ARGUMENTS(MUST("pid", ARG_NUMBER))),
    ROW("guest-set-user-password", set_password,
        ARGUMENTS(MUST("username", ARG_TEXT), MUST("password", ARG_TEXT), MUST("crypted", ARG_BOOL))),
    ROW("guest-get-disks", agent_get_disks, NULL),
    ROW("guest-get-fsinfo", agent_fsinfo, NULL),
    ROW("guest-set-vcpus", set_vcpus, ARGUMENTS(MUST("vcpus", ARG_ARRAY))),
    ROW("guest-get-vcpus", get_vcpus, NULL),
    ROW("guest-network-get-interfaces", interfaces, NULL),
    SILENT("guest-suspend-disk", suspend_disk, NULL),
    SILENT("guest-suspend-ram", suspend_ram, NULL),
    ROW("guest-fstrim", agent_trim, ARGUMENTS(MAY("minimum", ARG_NUMBER))),
    ALSO_FROZEN("guest-fsfreeze-thaw", agent_thaw, NULL),
    ROW("guest-fsfreeze-freeze-list", agent_freeze, ARGUMENTS(MAY("mountpoints", ARG_TEXTS))),
    ROW("guest-fsfreeze-freeze", agent_freeze, NULL),
    ALSO_FROZEN("guest-fsfreeze-status", agent_freeze_status, NULL),
    ROW("guest-file-flush", agent_file_flush, ARGUMENTS(HANDLE)),
    ROW("guest-file-seek", agent_file_seek,
        ARGUMENTS(HANDLE, MUST("offset", ARG_NUMBER), MUST("whence", ARG_ANY))),
    ROW("guest-file-write", agent_file_write,
        ARGUMENTS(HANDLE, MUST("buf-b64", ARG_TEXT), MAY("count", ARG_NUMBER))),
    ROW("guest-file-read", agent_file_read, ARGUMENTS(HANDLE, MAY("count", ARG_NUMBER))),
    ROW("guest-file-close", agent_file_close, ARGUMENTS(HANDLE)),
    ROW("guest-file-open", agent_file_open, ARGUMENTS(MUST("path", ARG_TEXT), MAY("mode", ARG_TEXT))),
    SILENT("guest-shutdown", shut_down, ARGUMENTS(MAY("mode", ARG_TEXT))),
    ALSO_FROZEN("guest-info", info, NULL),
    ROW("guest-set-time", set_time, ARGUMENTS(MAY("time", ARG_NUMBER))),
    ROW("guest-get-time", get_time, NULL),
    ALSO_FROZEN("guest-ping", ping, NULL),
    ALSO_FROZEN("guest-sync", sync_id, ARGUMENTS(MUST("id", ARG_NUMBER))),
    ALSO_FROZEN("guest-sync-delimited", sync_id, ARGUMENTS(MUST("id", ARG_NUMBER))),
    { { NULL, ALWAYS, NULL, NULL }, false, false },
};

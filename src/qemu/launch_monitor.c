/* SPDX-License-Identifier: Apache-2.0 */
/* What a new guest is told and asked: all of it leaves behind the negotiation, and costs one round trip. */
#include "qemu/launch.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "qemu/io_limits.h"
#include "qemu/props.h"

struct monitor_call *launch_ask(struct launch *launch, const char *command, const char *arguments)
{
    struct monitor_call *call = NEW(struct monitor_call);
    vector_push(&launch->calls, call);
    monitor_call_start(launch->vmm->monitor, call, command, arguments);
    return call;
}

static void ask_with(struct launch *launch, const char *command, struct props *arguments)
{
    launch_ask(launch, command, props_end(arguments));
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
    props_begin(&password, "protocol", enum_word(&graphics_type_names, graphics->type));
    props_text(&password, "password", graphics->password);
    props_text(&password, "connected", graphics->connected);
    ask_with(launch, "set_password", &password);

    props_begin(&expiry, "protocol", enum_word(&graphics_type_names, graphics->type));
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
        if (def->graphics.items[i]->password &&
            set_password(launch, def->graphics.items[i], err) < 0)
            return -1;
    return 0;
}

/* Before the guest runs, so that it is never faster than it may be. */
static void set_limits(struct launch *launch)
{
    const struct domain_def *def = launch->vmm->def;
    for (size_t i = 0; i < def->disks.count; i++) {
        const struct disk *disk = def->disks.items[i];
        if (!disk->iotune || !disk_has_source(disk))
            continue;
        owned_props struct props limits;
        io_limits_begin(&limits, disk);
        ask_with(launch, "block_set_io_throttle", &limits);
    }
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
    launch_ask(launch, "set-action",
        reboot_ends ? "{\"panic\":\"pause\",\"reboot\":\"shutdown\"}" : "{\"panic\":\"pause\"}");
}

WAITS int launch_handshake(struct launch *launch, struct error *err)
{
    struct vmm *vmm = launch->vmm;
    if (launch_has_ptys(vmm->def))
        launch->chardevs = launch_ask(launch, "query-chardev", NULL);
    if (launch_pins_threads(vmm->def)) {
        launch->vcpus = launch_ask(launch, "query-cpus-fast", NULL);
        launch->iothreads = launch_ask(launch, "query-iothreads", NULL);
    }
    if (set_passwords(launch, err) < 0)
        return -1;
    set_links(launch);
    set_limits(launch);
    set_balloon(launch);
    set_actions(launch);
    vmm_make_tree(vmm, launch->argv.words, true); /* reads the plan while the emulator comes up */
    return monitor_handshake(vmm->monitor, launch->deadline, err);
}

WAITS int launch_read_answers(struct launch *launch, struct error *err)
{
    for (size_t i = 0; i < launch->calls.count; i++)
        if (monitor_call_wait(launch->calls.items[i], err) < 0)
            return -1;
    if (launch->chardevs)
        launch_note_ptys(launch->domain, launch->chardevs->reply.value);
    return launch_pin_threads(launch, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a start adds to a definition, and what it learns about it. */
#include "qemu/launch.h"

#include <string.h>
#include <time.h>

#include "base/text.h"
#include "qemu/disk_chain.h"
#include "qemu/disk_order.h"
#include "qemu/emulator.h"
#include "qemu/firmware.h"
#include "qemu/line.h"
#include "qemu/startup_policy.h"
#include "qemu/vnc_ports.h"

static bool wants_port(const struct graphics *graphics)
{
    const struct listen *listen = graphics->listens.count ? graphics->listens.items[0] : NULL;
    bool elsewhere = listen && (listen->type == LISTEN_NONE || listen->type == LISTEN_SOCKET);
    bool has_port = graphics->type == GRAPHICS_VNC || graphics->type == GRAPHICS_SPICE;
    return has_port && !elsewhere && !graphics->socket &&
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

bool launch_lost_port(const struct launch *launch)
{
    const struct domain_def *asked = launch->domain->def, *got = launch->vmm->def;
    for (size_t i = 0; got && i < asked->graphics.count; i++) {
        const struct graphics *screen = got->graphics.items[i];
        if (wants_port(asked->graphics.items[i]) &&
            !vnc_port_can_be_bound(port_address(screen), (int) screen->port.value))
            return true;
    }
    return false;
}

static WAITS struct domain_def *launch_definition(const struct domain_def *def, const char *emulator,
                                                  struct error *err)
{
    owned(domain_def) struct domain_def *live = domain_def_copy_live(def);
    if (domain_def_check_startable(live, err) < 0 || startup_policy_apply(live, err) < 0 ||
        disk_chains_complete(live, err) < 0)
        return NULL;
    live->emulator = arena_copy(live->arena, emulator);
    live->memory.kib = line_memory_kib(live);
    disk_order(live);
    for (size_t i = 0; i < live->disks.count; i++) {
        struct disk *disk = live->disks.items[i];
        disk->cache = disk_effective_cache(disk);
        if (disk_has_source(disk) && disk->bus != DISK_BUS_SD)
            disk_number_images(disk, (uint32_t) line_disk_node(live, i));
    }
    if (line_number_channels(live, MONITOR_FD + 1, err) < 0 || choose_ports(live, err) < 0)
        return NULL;
    return take(live);
}

WAITS struct domain_def *launch_prepare(const struct domain_def *def, const struct caps *caps,
                                        struct error *err)
{
    owned(domain_def) struct domain_def *live = launch_definition(def, caps->emulator, err);
    const struct caps_machine *machine = live ? caps_machine_find(caps, live->os.machine) : NULL;
    if (!live)
        return NULL;
    const char *name = machine ? machine->name : live->os.machine;
    if (firmware_choose(live, name, settings_now()->nvram_folder, err) < 0)
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

static bool has_pty(struct chardev *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i]->type == CHARDEV_PTY)
            return true;
    return false;
}

bool launch_has_ptys(const struct domain_def *def)
{
    return has_pty(def->serials.items, def->serials.count) ||
           has_pty(def->parallels.items, def->parallels.count) ||
           has_pty(def->consoles.items, def->consoles.count) ||
           has_pty(def->channels.items, def->channels.count);
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

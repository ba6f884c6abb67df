/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command_line.h"

#include "base/text.h"
#include "conf/passthrough.h"
#include "qemu/line.h"

static void add_name(struct line *line)
{
    owned_buffer struct buffer option = { 0 };
    option_add(&option, "guest", line->def->name);
    option_add(&option, "debug-threads", "on");
    argv_add_pair(line->argv, "-name", buffer_text(&option));
    argv_add(line->argv, "-S");
}

static int add_identity(struct line *line, struct error *err)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format(&line->def->uuid, uuid);
    argv_add_pair(line->argv, "-uuid", uuid);
    if (line_smbios(line, err) < 0)
        return -1;
    if (!line->def->graphics.count)
        argv_add_pair(line->argv, "-display", "none");
    argv_add(line->argv, "-no-user-config");
    argv_add(line->argv, "-nodefaults");
    return 0;
}

/* The socket listens already, so we connect before the emulator has even been loaded: no polling, no race. */
static void add_monitor(struct line *line)
{
    owned_buffer struct buffer chardev = { 0 };
    option_add(&chardev, NULL, "socket");
    option_add(&chardev, "id", "charmonitor");
    option_add_u64(&chardev, "fd", (uint64_t) line->what->monitor_fd);
    option_add_bool(&chardev, "server", true);
    option_add_bool(&chardev, "wait", false);
    argv_add_pair(line->argv, "-chardev", buffer_text(&chardev));
    if (!caps_has(line->caps, CAPS_MONITOR_OBJECT)) {
        argv_add_pair(line->argv, "-mon", "chardev=charmonitor,id=monitor,mode=control");
        return;
    }
    owned_props struct props monitor;
    props_begin(&monitor, "qom-type", "monitor-qmp");
    props_text(&monitor, "id", "monitor");
    props_text(&monitor, "chardev", "charmonitor");
    line_object(line, &monitor);
}

static void add_argument(void *arg, const char *value)
{
    argv_add(arg, value);
}

/* What the owner wrote by hand comes last, and so wins. */
static int add_passthrough(struct line *line, struct error *err)
{
    static const struct { const char *word, *output, *input; } behaviours[] = {
        { "none", NULL, NULL }, { "omit", "hide", "accept" }, { "reject", "hide", "reject" },
        { "crash", "hide", "crash" },
    };
    const char *behaviour = passthrough_deprecation(line->def);
    passthrough_each_argument(line->def, add_argument, line->argv);
    for (size_t i = 0; behaviour && i < ARRAY_COUNT(behaviours); i++) {
        if (!text_equal(behaviours[i].word, behaviour))
            continue;
        owned_props struct props compat;
        props_open(&compat);
        props_text(&compat, "deprecated-output", behaviours[i].output);
        props_text(&compat, "deprecated-input", behaviours[i].input);
        if (behaviours[i].output)
            props_add_to(&compat, line->argv, "-compat", true);
        return 0;
    }
    if (!behaviour)
        return 0;
    return fail(err, ERR_CONFIG_UNSUPPORTED, "<qemu:deprecation>: unknown behavior '%s'", behaviour);
}

static int add_generation(struct line *line, struct error *err)
{
    char uuid[UUID_TEXT_SIZE];
    if (!line->def->has_genid)
        return 0;
    if (line_check_type(line, "vmgenid", "<genid>", err) < 0)
        return -1;
    uuid_format(&line->def->genid, uuid);
    owned_props struct props device;
    props_begin(&device, "driver", "vmgenid");
    props_text(&device, "guid", uuid);
    props_text(&device, "id", "vmgenid0");
    line_device(line, &device);
    return 0;
}

static void add_end(struct line *line)
{
    if (caps_has(line->caps, CAPS_SANDBOX))
        argv_add_pair(line->argv, "-sandbox",
                      "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
    if (line->def->features.vmcoreinfo == ON)
        argv_add_pair(line->argv, "-device", "vmcoreinfo");
    argv_add_pair(line->argv, "-msg", "timestamp=on");
    if (line->what->sim_options)
        argv_add_pair(line->argv, "-sim", line->what->sim_options);
}

static int (*const parts[])(struct line *line, struct error *err) = {
    line_boot, line_iommus, line_memory_devices, line_controllers, line_hubs, line_disks, line_filesystems,
    line_interfaces, line_smartcards, line_chardevs, line_tpms, line_inputs, line_audio, line_screens,
    line_sounds, line_watchdogs, line_redirdevs, line_hostdevs, line_memballoon, line_rngs, line_panics,
    line_shmems, line_vsock, add_generation,
};

int command_line_build(const struct command_line *what, struct argv *ret_argv, struct error *err)
{
    struct line line = { .what = what, .def = what->def, .caps = what->caps, .argv = ret_argv };
    argv_add(line.argv, what->caps->emulator);
    add_name(&line);
    if (domain_def_check_startable(what->def, err) < 0 || line_machine(&line, err) < 0)
        return -1;
    if (add_identity(&line, err) < 0)
        return -1;
    add_monitor(&line);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
        if (parts[i](&line, err) < 0)
            return -1;
    add_end(&line);
    return add_passthrough(&line, err);
}

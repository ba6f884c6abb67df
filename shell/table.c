/* SPDX-License-Identifier: Apache-2.0 */
/* All commands, in the order in which `help` shows them.  A new one is a file and a word here. */
#include "shell/command.h"

#define COMMANDS(_) \
    _(list) _(dominfo) _(domstate) _(domid) _(domname) _(domuuid) _(dumpxml) _(domxml_to_native) \
    _(domstats) _(event) \
    _(define) _(undefine) _(edit) _(autostart) _(desc) _(metadata) _(domrename) _(lint) \
    _(create) _(start) _(shutdown) _(reboot) _(reset) _(suspend) _(resume) _(inject_nmi) _(destroy) \
    _(setmem) _(setmaxmem) _(dommemstat) _(setvcpus) _(vcpucount) _(vcpuinfo) _(vcpupin) _(emulatorpin) \
    _(domblklist) _(domblkinfo) _(domblkstat) _(domiflist) _(domifstat) \
    _(console) _(send_key) _(ttyconsole) _(vncdisplay) _(domdisplay) \
    _(attach_device) _(detach_device) _(update_device) _(attach_disk) _(detach_disk) \
    _(attach_interface) _(detach_interface) _(change_media) \
    _(qom) _(qom_find) _(qom_get) _(qom_set) _(qom_watch) _(qom_diff) _(qom_export) \
    _(device) _(drift) _(cpu_features) \
    _(inject) _(timings) _(domcontrol) _(domjobinfo) _(domjobabort) _(qemu_monitor_command) \
    _(version) _(hostname) _(uri) _(nodeinfo) _(nodecpumap) _(nodecpustats) _(nodememstats) _(freecell) \
    _(maxvcpus) _(cpu_models) _(capabilities) _(domcapabilities) \
    _(help) _(connect) _(quit) _(exit)

#define DECLARE(name) extern const struct command name##_command;
COMMANDS(DECLARE)

#define POINTER(name) &name##_command,
const struct command *const commands[] = { COMMANDS(POINTER) NULL };

/* SPDX-License-Identifier: Apache-2.0 */
/* All commands, in the order in which `help` shows them.  A new one is a file and a word here. */
#include "shell/command.h"

#define COMMANDS(_) \
    _(list) _(dominfo) _(domstate) _(domid) _(domname) _(domuuid) _(dumpxml) _(domxml_to_native) _(event) \
    _(define) _(undefine) _(autostart) _(lint) \
    _(create) _(start) _(suspend) _(resume) _(destroy) \
    _(qom) _(timings) _(qemu_monitor_command) \
    _(version) _(hostname) _(uri) _(nodeinfo) _(capabilities) \
    _(help) _(connect) _(quit) _(exit)

#define DECLARE(name) extern const struct command name##_command;
COMMANDS(DECLARE)

#define POINTER(name) &name##_command,
const struct command *const commands[] = { COMMANDS(POINTER) NULL };

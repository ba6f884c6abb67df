/* SPDX-License-Identifier: Apache-2.0 */
/* simvmm - a VMM without a guest: QEMU's command line, QMP and object tree, for those who manage or test
 * them. */
#include <stdio.h>
#include <unistd.h>

#include "loop/loop.h"
#include "simvmm/chardev.h"
#include "simvmm/control.h"
#include "simvmm/daemonize.h"
#include "simvmm/incoming.h"
#include "simvmm/machine.h"
#include "simvmm/message.h"
#include "simvmm/option.h"
#include "simvmm/run.h"
#include "simvmm/stdio.h"
#include "simvmm/vm.h"

/* All that has to work before anyone may talk to us, in QEMU's order. */
static int set_up(struct vm *vm, struct error *err)
{
    if (machine_create(vm, err) < 0
        || options_apply(vm, STAGE_EARLY, err) < 0
        || options_apply(vm, STAGE_BACKEND, err) < 0
        || options_apply(vm, STAGE_BLOCK, err) < 0
        || options_apply(vm, STAGE_LATE, err) < 0
        || options_apply(vm, STAGE_MONITOR, err) < 0
        || machine_finish(vm, err) < 0
        || options_apply(vm, STAGE_MACHINE, err) < 0
        || options_apply(vm, STAGE_DEVICE, err) < 0
        || options_apply(vm, STAGE_DISPLAY, err) < 0)
        return -1;
    for (size_t i = 0; i < vm->globals.count; i++)
        if (!data_type_exists(vm->data, vm->globals.items[i].driver))
            message_print(vm, "warning: global %s.%s has invalid class name", vm->globals.items[i].driver,
                          vm->globals.items[i].property);
    return 0;
}

/* What -sim wants to happen before anything else. */
static void begin_badly(const struct vm *vm)
{
    if (vm->early_delay)
        usleep(vm->early_delay * 1000);
    if (vm->early_text)
        fprintf(stderr, "%s\n", vm->early_text);
}

static int serve(struct vm *vm, struct error *err)
{
    if (run_watch_signals(vm, err) < 0)
        return -1;
    for (size_t i = 0; i < vm->chardevs.count; i++)
        chardev_start(vm->chardevs.items[i]);
    control_start(vm->control);
    if (vm->incoming_uri && incoming_begin(vm, vm->incoming_uri, err) < 0)
        return fail_in(err, "-incoming %s", vm->incoming_uri);
    run_start(vm);
    daemonize_ready(vm);
    loop_run();
    return vm->exit_status;
}

static int run(struct vm *vm, int argc, char **argv, struct error *err)
{
    int rc = options_read(vm, argc, argv, err);
    if (rc)
        return rc < 0 ? -1 : 0;
    control_listen_by_environment(vm);
    begin_badly(vm);
    if (vm->early_exit)
        return vm->early_exit - 1;
    if (vm->daemonize && daemonize(err) < 0)
        return -1;
    if (daemonize_write_pid(vm, err) < 0)
        return -1;
    loop_init();
    vm->looped = true;
    rc = set_up(vm, err) < 0 ? -1 : serve(vm, err);
    daemonize_remove_pid(vm);
    return rc;
}

int main(int argc, char **argv)
{
    struct vm vm;
    error_scope(err);
    vm_init(&vm, argv[0]);
    int status = run(&vm, argc, argv, &err);
    if (status < 0) {
        if (err.number == OPTION_RAW_ERROR)
            fprintf(stderr, "%s\n", error_text(&err));
        else
            message_print(&vm, "%s", error_text(&err));
        status = 1;
    }
    vm_done(&vm);
    if (vm.looped)
        loop_done();
    stdio_finish();
    return status;
}

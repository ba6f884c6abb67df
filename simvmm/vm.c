/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/vm.h"

#include <string.h>

#include "base/map.h"
#include "simvmm/agent.h"
#include "simvmm/bitmap.h"
#include "simvmm/block.h"
#include "simvmm/chardev.h"
#include "simvmm/clock.h"
#include "simvmm/command.h"
#include "simvmm/control.h"
#include "simvmm/descriptors.h"
#include "simvmm/dump.h"
#include "simvmm/replay.h"
#include "simvmm/faults.h"
#include "simvmm/guest.h"
#include "simvmm/job.h"
#include "simvmm/incoming.h"
#include "simvmm/migration.h"
#include "simvmm/monitor.h"
#include "simvmm/port.h"
#include "simvmm/run.h"
#include "simvmm/screen.h"
#include "simvmm/throttle.h"
#include "simvmm/vnc.h"

int vm_open_data(struct vm *vm, struct error *err)
{
    vm->data = data_open(vm->version);
    return vm->data ? 0 : fail(err, ERR_INTERNAL, "no data of QEMU %s", vm->version);
}

void vm_init(struct vm *vm, const char *program)
{
    const char *slash = strrchr(program, '/');
    *vm = (struct vm) { .arena = arena_new(),
                        .version = "11.1",
                        .bulk = BULK_GETV | BULK_GET,
                        .memory = 128 << 20,
                        .accel = "tcg",
                        .state = RUN_PRELAUNCH,
                        .faults = faults_new(),
                        .descriptors = descriptors_new(),
                        .tree = qom_tree_new(),
                        .policy = policy_default };
    vm->screen = screen_new();
    vm->clock = clock_new();
    vm->events = events_new(vm);
    vm->guest = guest_new(vm);
    vm->program = slash ? slash + 1 : program;
}

void vm_done(struct vm *vm)
{
    run_done(vm);
    control_free(vm->control);
    ports_free(vm);
    guest_free(vm->guest);
    agent_system_free(vm->agent_system);
    dump_free(vm);
    migration_free(vm);
    incoming_free(vm);
    vnc_close(vm);
    jobs_done(vm);
    exports_done(vm);
    screen_free(vm->screen);
    for (size_t i = 0; i < vm->chardevs.count; i++)
        chardev_free(vm->chardevs.items[i]);
    for (size_t i = 0; i < vm->monitors.count; i++)
        monitor_free(vm->monitors.items[i]);
    for (size_t i = 0; i < vm->blocks.count; i++)
        bitmaps_save(vm->blocks.items[i]);
    for (size_t i = 0; i < vm->blocks.count; i++)
        block_free(vm->blocks.items[i]);
    while (vm->throttles.count) {
        vm->throttles.items[0]->users = 1;
        throttle_leave(vm, vm->throttles.items[0]);
    }
    vector_done(&vm->throttles);
    vector_done(&vm->chardevs);
    vector_done(&vm->monitors);
    vector_done(&vm->blocks);
    vector_done(&vm->given);
    vector_done(&vm->netdevs);
    vector_done(&vm->audiodevs);
    vector_done(&vm->iothreads);
    vector_done(&vm->devices);
    vector_done(&vm->unplugging);
    vector_done(&vm->migrate_capabilities);
    vector_done(&vm->globals);
    map_free(vm->places);
    events_free(vm->events);
    clock_free(vm->clock);
    qom_tree_free(vm->tree);
    faults_free(vm->faults);
    replay_free(vm->replay);
    descriptors_free(vm->descriptors);
    data_free(vm->data);
    arena_free(vm->arena);
}

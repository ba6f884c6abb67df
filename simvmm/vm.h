/* SPDX-License-Identifier: Apache-2.0 */
/* vm.h - the whole simulated VMM: what the command line asked for, its tree, its state, its monitors.
 *
 * One exists in a program. The modules work on it in the order of a start: options, back ends, machine,
 * devices, monitors, loop.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "json/json.h"
#include "simvmm/data.h"
#include "simvmm/policy.h"
#include "simvmm/qom_tree.h"

/* Which commands read many objects at once (-sim qom=). */
enum bulk { BULK_GETV = 1, BULK_GET = 2, BULK_TREE = 4 };

/* In QEMU's words; see run.c. */
enum run_state {
    RUN_PRELAUNCH,
    RUN_RUNNING,
    RUN_PAUSED,
    RUN_SHUTDOWN,
    RUN_INMIGRATE,
    RUN_INTERNAL_ERROR,
    RUN_IO_ERROR,
    RUN_WATCHDOG,
    RUN_GUEST_PANICKED,
    RUN_SUSPENDED,
    RUN_FINISH_MIGRATE,
    RUN_POSTMIGRATE,
    RUN_SAVE_VM,
    RUN_RESTORE_VM
};

struct chardev;
struct replay;
struct monitor;
struct block_node;
struct port;
struct job;
struct throttle;
struct export;
struct nbd;
struct device;

struct option;

/* One option of the command line, to be taken at its stage. */
struct given_option {
    const struct option *option;
    const char *text;
    const struct json *object;
    const char *short_form;             /* a key that was written without a value, or NULL */
    bool is_json;
};

struct global { const char *driver, *property, *value; };

struct netdev { const char *id, *type; const char *used_by; };

struct vm {
    struct arena *arena;                /* lives as long as the program */
    struct data *data;
    struct qom_tree *tree;
    const char *program;                /* for messages: the last part of argv[0] */

    /* -sim */
    const char *version;                /* "11.1", "7.2" */
    unsigned bulk;
    bool bulk_given;
    struct faults *faults;
    struct events *events;
    struct control *control;            /* NULL without -sim control= */
    struct descriptors *descriptors;    /* that managers passed */
    unsigned early_delay;               /* ms */
    uint64_t dirty_bytes;               /* what the guest writes to its memory in a second */
    int early_exit;                     /* status + 1; 0: none */
    const char *early_text;
    struct replay *replay;              /* what the monitor says is recorded; NULL: it is our own */

    /* the command line */
    const char *name, *uuid, *machine, *machine_type, *family, *accel, *cpu_model, *cpu_features;
    const struct json *machine_options;
    uint64_t memory, memory_max, memory_slots, low_memory;
    unsigned cpus, cpus_max, sockets, dies, modules, cores, threads;
    bool stopped, no_defaults, timestamps, daemonize;
    struct policy policy;
    const char *pidfile, *kernel, *initrd, *append, *firmware, *vga;
    const struct json *boot;
    VECTOR(struct global) globals;

    VECTOR(struct given_option) given;
    const struct json *option_groups;   /* query-command-line-options, once it was needed */
    VECTOR(struct chardev *) chardevs;
    VECTOR(struct port *) ports;        /* of devices with a character device */
    VECTOR(struct monitor *) monitors;
    VECTOR(struct block_node *) blocks;
    VECTOR(struct job *) jobs;
    VECTOR(struct throttle *) throttles;
    VECTOR(struct export *) exports;
    struct nbd *nbd;                    /* NULL: no server runs */
    VECTOR(struct netdev *) netdevs;
    VECTOR(const char *) audiodevs, iothreads;
    VECTOR(const char *) migrate_capabilities;          /* those that are on */
    struct json *migrate_parameters;    /* NULL until they were asked for */
    struct migration *migration;        /* the outgoing one, or what became of it; NULL */
    struct dump *dump;                  /* that is written, or the last one; NULL */
    struct incoming *incoming;          /* NULL */
    const char *incoming_uri;           /* of -incoming; NULL: none, or deferred */
    bool incoming_deferred;
    VECTOR(struct device *) devices, unplugging;
    struct map *places;                 /* the machine's paths as harvested -> node */
    struct qom_node *own_memory;        /* the RAM that the machine's part brings */
    bool memory_in_cells;               /* -numa says which objects the memory is */
    struct qom_node *main_bus;          /* where PCI devices go by default; NULL if the machine has none */

    enum run_state state;
    bool suspended;                     /* and will be again after cont */
    bool shift_down;                    /* of the keyboard, by input-send-event */
    int exit_status;
    struct clock *clock;
    struct agent_system *agent_system;  /* what its agent knows; NULL until there is one */
    int64_t rtc_offset;                 /* seconds by which the guest has set its clock off */
    struct guest *guest;                /* what the guest does, and is about to do */
    uint64_t balloon, balloon_target;   /* bytes that the guest has now, and should have */
    struct screen *screen;
    struct vnc *vnc;                    /* NULL without -vnc */
    uint64_t stats_interval;            /* seconds between what it tells of its memory; 0: it is not asked */
    struct device *balloon_device;      /* NULL if there is none */
    bool quitting, looped;
};

void vm_init(struct vm *vm, const char *program);
void vm_done(struct vm *vm);
/* Opens the data of vm->version. */
int vm_open_data(struct vm *vm, struct error *err);

static inline bool vm_is(const struct vm *vm, int major)
{
    return (major >= 11) == (vm->version[0] == '1');
}

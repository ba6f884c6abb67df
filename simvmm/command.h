/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - the QMP commands as rows: name, since when, arguments, function.
 *
 * Arguments are checked against the row before the function runs, in QEMU's order and words. What the
 * function returns is either built with value.h and handed to call_return(), or printed as QEMU would into
 * call->out.
 */
#pragma once
#include "simvmm/vm.h"

enum argument_type {
    ARG_TEXT = 1,
    ARG_NUMBER,
    ARG_BOOL,
    ARG_OBJECT,
    ARG_ARRAY,
    ARG_ANY,
    ARG_TEXTS,
    ARG_REST
};
struct argument { const char *name; enum argument_type type; bool optional; };

struct transaction;

struct call {
    const struct command *command;
    struct vm *vm;
    struct monitor *monitor;
    const struct json *arguments;       /* an object, or NULL */
    struct arena *arena;
    struct buffer out;                  /* the "return" value; empty means {} */
    struct transaction *transaction;    /* that it is a part of; NULL */
    const char *prefix;                 /* where its arguments stand, for complaints; NULL */
    const char *error_class;            /* of a failure, if it is not GenericError */
};

struct command {
    const char *name;
    enum command_when { ALWAYS, ONLY_MODERN, ONLY_OLD, BULK_LIST_GET, BULK_LIST_GETV, BULK_TREE_GET } when;
    int (*run)(struct call *call, struct error *err);
    const struct argument *arguments;   /* ended by one without a name; NULL: none */
};

const struct command *command_find(const struct vm *vm, const char *name);
bool command_exists(const struct vm *vm, const struct command *command);
int command_run(const struct command *command, struct call *call, struct error *err);
void call_return(struct call *call, const struct json *value);

/* All rows, by family; ended by one without a name. */
extern const struct command qom_commands[], run_commands[], query_commands[], type_commands[],
    block_commands[], migrate_commands[], pci_commands[], plug_commands[], fixed_commands[],
    fd_commands[], migrate_setting_commands[], incoming_commands[], screen_commands[], input_commands[],
    dump_commands[], stats_commands[], chardev_commands[];
extern const struct command node_commands[], job_commands[], copy_commands[], create_commands[],
    snapshot_commands[], transaction_commands[], bitmap_commands[], medium_commands[], latency_commands[],
    throttle_commands[], state_commands[], export_commands[];
void exports_done(struct vm *vm);       /* the NBD server and what it shows */
extern const struct command *const command_families[];

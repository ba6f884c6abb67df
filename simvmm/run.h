/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - the run state and what changes it: stop, cont, reset, power button, panic, watchdog, signals, the
 * end. Each says so by the events that QEMU has for it, in QEMU's order. */
#pragma once
#include "simvmm/vm.h"

const char *run_state_word(enum run_state state);

void run_start(struct vm *vm);                          /* unless -S */
int run_continue(struct vm *vm, struct error *err);
void run_stop(struct vm *vm);
void run_stop_as(struct vm *vm, enum run_state why);    /* what a failing device or the guest does; STOP */
/* Resets, or with reboot=shutdown shuts down. `guest`: it did so itself. */
void run_reset(struct vm *vm, bool guest, const char *reason);
void run_power_button(struct vm *vm);
void run_suspend(struct vm *vm, bool to_disk);
int run_wake(struct vm *vm, struct error *err);
void run_panic(struct vm *vm);
void run_watchdog(struct vm *vm);
/* Says why, then ends the program, or with shutdown=pause stays as "shutdown" unless the host wanted it. */
void run_shutdown(struct vm *vm, bool guest, const char *reason);
void run_quit(struct vm *vm, const char *reason);       /* says so; the loop ends when run_end() is called */
void run_end(struct vm *vm);
void run_finish_migration(struct vm *vm);               /* the guest stands still, and is sent away */
void run_after_migration(struct vm *vm, enum run_state before);     /* it came to nothing: as before */
void run_postmigrate(struct vm *vm);                    /* the guest is elsewhere now */
void run_incoming_done(struct vm *vm, bool running);    /* it has come; `running`: it ran before */
void run_fail(struct vm *vm);                           /* the program ends with status 1 */
int run_watch_signals(struct vm *vm, struct error *err);
void run_done(struct vm *vm);

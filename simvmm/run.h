/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - the run state and what changes it: stop, cont, reset, power button, signals, the end. */
#pragma once
#include "simvmm/vm.h"

const char *run_state_word(enum run_state state);

void run_start(struct vm *vm);                          /* unless -S */
int run_continue(struct vm *vm, struct error *err);
void run_stop(struct vm *vm);
void run_reset(struct vm *vm, const char *reason);
void run_power_button(struct vm *vm);
/* Says why, then ends the program, or with -no-shutdown stays as "shutdown" if the guest wanted it. */
void run_shutdown(struct vm *vm, bool guest, const char *reason);
void run_quit(struct vm *vm, const char *reason);       /* says so; the loop ends when run_end() is called */
void run_end(struct vm *vm);
int run_watch_signals(struct vm *vm, struct error *err);
void run_done(struct vm *vm);

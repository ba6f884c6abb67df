/* SPDX-License-Identifier: Apache-2.0 */
/* guest.h - the guest that is not there: what it does by itself, by script, and when it is asked to.
 *
 * Its time passes only while the machine runs, and begins anew with each reset. Without a script it is up at
 * once, echoes what is typed, heeds the power button after 50 ms, gives back memory and lets go of devices
 * without delay.
 */
#pragma once
#include "simvmm/script.h"
#include "simvmm/vm.h"

enum unplug_answer { UNPLUG_AGREED, UNPLUG_REFUSED, UNPLUG_IGNORED };

struct guest_manner {
    uint64_t boot;                      /* ms until it is up */
    uint64_t power;                     /* ms from the power button to the end */
    uint64_t unplug;                    /* ms until it answers */
    uint64_t balloon_rate;              /* MiB a second; 0: at once */
    enum unplug_answer unplug_answer;
    bool deaf_to_power;
    bool silent;                        /* it echoes nothing */
    bool agent;                         /* it has one, which runs when it is up */
};

struct guest *guest_new(struct vm *vm);
void guest_free(struct guest *g);
struct guest_manner *guest_manner(const struct vm *vm);
bool guest_has_room(const struct vm *vm);               /* for another line that it keeps */
void guest_take_line(void *vm, struct script_line *line);       /* owns the line */

bool guest_is_up(const struct vm *vm);                  /* it has booted, and neither halted nor ended */
bool guest_runs(const struct vm *vm);                   /* and has the machine's processors */
uint64_t guest_uptime(const struct vm *vm);             /* its time, in ms */
void guest_halt(struct vm *vm);
void guest_power_off(struct vm *vm);

/* What happens to it. */
void guest_run_changed(struct vm *vm);
void guest_was_reset(struct vm *vm);
void guest_press_power(struct vm *vm);
void guest_nmi(struct vm *vm);
/* Bytes typed on a console (NULL: the keyboard); it echoes them there. */
void guest_type(struct vm *vm, struct chardev *from, const char *bytes, size_t length);
/* It says something on its first console and its screen. */
void guest_print(struct vm *vm, const char *text);

void guest_balloon_to(struct vm *vm, uint64_t bytes);   /* what it should have */
void guest_balloon_is(struct vm *vm, uint64_t bytes);   /* what it has now */
/* It is asked to let a device go, and answers with DEVICE_DELETED or DEVICE_UNPLUG_GUEST_ERROR, or never. */
void guest_unplug(struct vm *vm, struct device *device);
void guest_unplug_now(struct vm *vm, struct device *device);
/* A reset takes away at once what was to be unplugged. */
void guest_end_unplugs(struct vm *vm);

/* Calls run(vm) after that much of its time; a reset forgets it. */
void guest_plan(struct vm *vm, uint64_t ms, void (*run)(struct vm *vm));

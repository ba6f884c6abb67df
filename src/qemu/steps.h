/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - what a monitor is told to give a running machine a device, and how it is taken back.
 *
 * The builders of the command line say it; each of their options is a command, with the same words as
 * arguments.
 */
#pragma once
#include "base/vector.h"
#include "qemu/argv.h"
#include "qemu/vmm.h"

struct step { const char *command; char *arguments; const char *undo; char *undo_arguments; };
struct steps { VECTOR(struct step) items; };

void steps_done(struct steps *steps);
#define owned_steps __attribute__((cleanup(steps_done)))

/* The capabilities that a builder is given: what a command line may spell either way, a command takes as JSON
 * only. */
struct caps steps_caps(const struct caps *caps);
/* A guest that was found again learns its capabilities in the background; here they are waited for. */
WAITS int steps_need_caps(struct vmm *vmm, struct error *err);

/* Adds a step for each option and its value. */
int steps_add(struct steps *steps, const struct argv *argv, struct error *err);
/* All of them, or none. */
WAITS int steps_run(struct vmm *vmm, const struct steps *steps, struct error *err);
/* Takes the first `done` of them back, in reverse order; works in a cancelled fiber, too. */
WAITS void steps_undo(struct vmm *vmm, const struct steps *steps, size_t done);

/* {"key":"value"}; allocated. */
char *steps_argument(const char *key, const char *value);

/* Block nodes have a number for each disk, which is not used twice while their guest runs. */
uint32_t steps_next_node(const struct domain_def *def);
void steps_number_disk(struct disk *disk, uint32_t node);
/* The node that the drive sees; allocated. */
char *steps_top_node(const struct vmm *vmm, const struct disk *disk);
WAITS void steps_remove_nodes(struct vmm *vmm, const struct disk *disk);

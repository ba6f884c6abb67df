/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_report.h - the processor of what runs: its features as asked, and as its guest sees them.
 *
 * Read from the tree that is kept, so it costs no call: of the first processor, the properties that are
 * features, and those that the accelerator or the host could not give.  Names are QEMU's; of several for one
 * feature the one that QEMU itself prints.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "loop/fiber.h"

struct domain;

enum { CPU_FEATURES_MAX = 4096 };
enum cpu_flag_state { CPU_FEATURE_ENABLED = 1, CPU_FEATURE_DISABLED, CPU_FEATURE_UNAVAILABLE };
enum cpu_flag_wish { CPU_NOT_ASKED, CPU_ASKED_ON, CPU_ASKED_OFF };

struct cpu_flag {
    const char *name;
    enum cpu_flag_wish asked; /* by name; what a model brings is not asked by name */
    enum cpu_flag_state state;
};

struct cpu_report {
    struct arena *arena;
    const char *model;                /* as the command line has it */
    const char *type;                 /* "qemu64-x86_64-cpu" */
    VECTOR(struct cpu_flag) features; /* by name: enabled, unavailable, and all that were asked for */
};

/* NULL with an error. */
WAITS struct cpu_report *domain_cpu(struct domain *dom, struct error *err);
void cpu_report_free(struct cpu_report *report);
DEFINE_OWNED(cpu_report)

/* SPDX-License-Identifier: Apache-2.0 */
/* emulators.h - which programs run guests, and definitions read with their knowledge. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "conf/domain_def.h"
#include "loop/fiber.h"

struct caps;
struct places;
struct settings;

struct emulators {
    char *given;            /* for definitions without <emulator>; NULL if there is none, and ... */
    char *why_none;         /* ... this says why */
    char *override;         /* runs every guest instead of what its definition says; NULL normally */
    char *sim;              /* the simulated VMM beside us */
};

/* Tells src/qemu, too.  An emulator that is asked for and is not there is an error; "auto" may find none. */
int emulators_init(struct emulators *e, const struct settings *settings, const struct places *places,
                   struct error *err);
void emulators_done(struct emulators *e);

/* The capabilities of the emulator that a client means when it names none; a reference. */
WAITS struct caps *emulators_caps(const struct emulators *e, struct error *err);

/* Reads a definition from a client, off the loop's thread; machine names become canonical.  As
 * domain_def_parse(). */
WAITS struct domain_def *emulators_read_definition(const struct emulators *e, const char *xml, unsigned flags,
                                                   struct findings *findings, struct error *err);

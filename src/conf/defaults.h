/* SPDX-License-Identifier: Apache-2.0 */
/* defaults.h - what a definition leaves out, filled in once, when it is defined.  Private to src/conf.
 *
 * The steps are idempotent: a definition that went through them comes out of them unchanged.
 */
#pragma once
#include "conf/domain_def.h"

struct xml_context;

/* Emulator, architecture and machine: what the checks depend on. */
void defaults_fill_os(struct domain_def *def, const struct conf_defaults *defaults, struct arena *arena);
/* The number of each controller that has none: checks compare them. */
void defaults_number_controllers(struct domain_def *def);
/* The rest.  Reports what cannot be placed. */
void defaults_fill(struct domain_def *def, const struct conf_defaults *defaults, struct xml_context *x);

/* default_devices.c: devices that every machine of a kind has, and the values of devices. */
void defaults_add_devices(struct domain_def *def, struct arena *arena);
/* default_disks.c: drive addresses, and the controllers that they ask for. */
void defaults_place_disks(struct domain_def *def, struct xml_context *x);

struct controller *defaults_add_controller(struct domain_def *def, enum controller_type type, uint32_t index,
                                           enum controller_model model, struct arena *arena);
struct controller *find_controller(const struct domain_def *def, enum controller_type type, uint32_t index);

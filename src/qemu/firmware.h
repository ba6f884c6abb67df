/* SPDX-License-Identifier: Apache-2.0 */
/* firmware.h - which firmware boots a guest, and the variables that it keeps.
 *
 * Firmware packages describe what they bring in /usr/share/qemu/firmware/NN-NAME.json (QEMU's
 * docs/interop/firmware.json); a file of the same name in /etc/qemu/firmware takes its place, and an empty
 * one hides it.  They are tried in the order of their names.
 *
 * A guest's variables are a copy of the firmware's template, made by its first start and kept.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/vector.h"
#include "loop/fiber.h"

struct domain_def;
struct findings;

/* Fills in what firmware='efi', or a loader without its template, leaves open in a definition that nobody
 * else sees yet: loader, kind, template, and a file below `nvram_folder` for the variables. */
WAITS int firmware_choose(struct domain_def *def, const char *machine, const char *nvram_folder,
                          struct error *err);
/* The same for a definition that is about to be stored, blocking: what is chosen is written down there, and
 * what cannot be chosen now is left to a start, with a finding. */
void firmware_fill_in(struct domain_def *def, const char *nvram_folder, struct findings *findings);
/* Copies the template unless the variables are there. */
WAITS int firmware_make_variables(const struct domain_def *def, struct error *err);

/* The efi firmware that this host has for a machine; secure: some of it enforces secure boot. */
struct firmware_list { VECTOR(char *) files; bool secure; };
WAITS int firmware_list(const char *arch, const char *machine, struct firmware_list *ret_list,
                        struct error *err);
void firmware_list_done(struct firmware_list *list);
#define owned_firmware_list __attribute__((cleanup(firmware_list_done)))

/* The file of a stored definition's variables, if it is there: the one it names, else the one that a start
 * made for it.  NULL also if it is a device.  The caller frees. */
char *firmware_variables(const struct domain_def *def);

/* The same, blocking, with descriptions out of these two folders (NULL-terminated; the first one wins). */
int firmware_choose_from(const char *const *folders, struct domain_def *def, const char *machine,
                         const char *nvram_folder, struct error *err);
int firmware_copy_template(const struct domain_def *def, struct error *err);

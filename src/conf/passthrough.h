/* SPDX-License-Identifier: Apache-2.0 */
/* passthrough.h - <qemu:commandline>, <qemu:override>, <qemu:deprecation>: options for the emulator, past
 * everything that is modelled.
 *
 * They are kept as they are written (raw.h), under whatever prefix stands for QEMU_NAMESPACE.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

#define QEMU_NAMESPACE "http://libvirt.org/schemas/domain/qemu/1.0"

struct domain_def;

/* Calls fn for each argument, or each variable of the environment (value may be ""), in order. */
void passthrough_each_argument(const struct domain_def *def, void (*fn)(void *arg, const char *value),
                               void *arg);
void passthrough_each_variable(const struct domain_def *def,
                               void (*fn)(void *arg, const char *name, const char *value), void *arg);
/* "omit", "reject", "crash"...; NULL if nothing is said. */
const char *passthrough_deprecation(const struct domain_def *def);

/* A property of a device, as its owner wants it whatever we would say. */
enum override_kind { OVERRIDE_REMOVE, OVERRIDE_TEXT, OVERRIDE_NUMBER, OVERRIDE_BOOL };
struct override { const char *name, *value; enum override_kind kind; };
bool passthrough_has_overrides(const struct domain_def *def);
/* Calls fn for each override of the device with this alias, in order. */
void passthrough_each_override(const struct domain_def *def, const char *alias,
                               void (*fn)(void *arg, const struct override *override), void *arg);

/* For domain_check(): what stands there makes sense. */
struct xml_context;
void passthrough_check(const struct domain_def *def, struct xml_context *x);

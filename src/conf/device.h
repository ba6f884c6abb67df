/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - one device by itself, as clients attach, change and detach it.
 *
 * A device that is added becomes part of the domain's text, which is then parsed as a whole: so it is checked
 * against all others, and gets address, controller and defaults like them.  A device that is sought is found
 * by what tells it apart: disks by target, interfaces by mac, controllers by type and index, all by alias if
 * one is given, and others by everything that they say but alias and address.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "conf/domain_def.h"

/* Where it stands in a definition. */
enum device_list {
    DEVICES_DISK,
    DEVICES_CONTROLLER,
    DEVICES_FILESYSTEM,
    DEVICES_INTERFACE,
    DEVICES_SERIAL,
    DEVICES_PARALLEL,
    DEVICES_CONSOLE,
    DEVICES_CHANNEL,
    DEVICES_INPUT,
    DEVICES_TPM,
    DEVICES_GRAPHICS,
    DEVICES_SOUND,
    DEVICES_VIDEO,
    DEVICES_HOSTDEV,
    DEVICES_REDIRDEV,
    DEVICES_HUB,
    DEVICES_WATCHDOG,
    DEVICES_RNG,
    DEVICES_PANIC,
    DEVICES_SMARTCARD,
    DEVICES_SHMEM,
    DEVICES_MEMORY,
    DEVICES_IOMMU,
    DEVICES_LISTS
};
struct device_place { enum device_list list; size_t index; };

/* Adds `domain` (a definition's text) with the device in it to `out`.  Fails if `device` is anything but one
 * element. */
int device_insert(const char *domain, const char *device, struct buffer *out, struct error *err);

/* The list that a device of this text belongs to; DEVICES_LISTS if it is of no kind that can be sought. */
enum device_list device_list_of(const char *device);
/* What it is: "disk"; allocated, NULL if the text is no element. */
char *device_element_of(const char *device);
/* ERR_DEVICE_MISSING if there is none; more than one is an error, too. */
int device_find(const struct domain_def *def, const char *device, struct device_place *ret_place,
                struct error *err);
int device_find_alias(const struct domain_def *def, const char *alias, struct device_place *ret_place,
                      struct error *err);

size_t device_count(const struct domain_def *def, enum device_list list);
void *device_at(const struct domain_def *def, struct device_place place);       /* a struct disk, ... */
const char *device_alias_at(const struct domain_def *def,
                            struct device_place place); /* NULL if it has none */
/* "disk 'vda'", "interface 52:54:00:...", "input 'input0'"; allocated. */
char *device_describe(const struct domain_def *def, struct device_place place);

/* Whether both say the same, address and alias included. */
bool device_equal(const struct domain_def *a, struct device_place at, const struct domain_def *b,
                  struct device_place bt);

/* In a copy that nobody else sees yet. */
void device_remove(struct domain_def *def, struct device_place place);
/* From the end of its list to this place. */
void device_move_last_to(struct domain_def *def, struct device_place place);

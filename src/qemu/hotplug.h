/* SPDX-License-Identifier: Apache-2.0 */
/* hotplug.h - devices that come and go while their guest runs.
 *
 * All under the domain's job.  What a VMM refuses is undone, in reverse order, so that either everything of a
 * device is there or nothing.  A device has gone only when the guest let go of it, which may take long:
 * whoever asked waits a few seconds, and when the VMM reports it later, the rest is done by a job of its own.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "conf/device.h"
#include "loop/fiber.h"

struct domain;
struct domain_def;
struct vmm;

/* Whether devices of that list can come while the machine runs. */
bool hotplug_takes(enum device_list list);
/* `wanted` is what runs, and more devices: those are plugged in, and then it is what runs. */
WAITS int domain_plug(struct domain *dom, struct domain_def *wanted, struct error *err);
/* The device of that alias.  ERR_TIMEOUT: the guest has not let go of it yet. */
WAITS int domain_unplug(struct domain *dom, const char *alias, struct error *err);
/* `wanted` is what runs, but for the medium of the drive of that alias; `force` opens a locked tray. */
WAITS int domain_change_medium(struct domain *dom, struct domain_def *wanted, const char *alias, bool force,
                               struct error *err);
/* `wanted` is what runs, but for the link of the interface of that alias. */
WAITS int domain_set_link(struct domain *dom, struct domain_def *wanted, const char *alias,
                          struct error *err);

/* The guest gets that many vcpus, at most the machine's, or fewer: those that came while it ran can go, if it
 * lets go of them.  What runs has the number that was reached, on failure too. */
WAITS int domain_set_live_vcpus(struct domain *dom, unsigned count, struct error *err);
/* For hotplug.c: a device of that alias has gone, which may have been a vcpu. */
WAITS void vcpus_forget(struct domain *dom, const char *alias);

/* The image of the disk of that alias gets this many bytes, and its guest sees it. */
WAITS int domain_resize_disk(struct domain *dom, const char *alias, uint64_t bytes, struct error *err);

/* For vmm_tasks.c: the back ends of devices that have gone since, and their place in the definition. */
WAITS void hotplug_forget_gone(struct vmm *vmm);
/* The same for those that went while nobody listened: the VMM is asked what it has. */
WAITS void hotplug_find_gone(struct vmm *vmm);

/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - what the VMM does when the guest reboots, powers off, panics or its watchdog fires: -action,
 * -no-reboot, -no-shutdown, -watchdog-action, set-action. */
#pragma once
#include <stdbool.h>

#include "base/error.h"

enum policy_event { POLICY_REBOOT, POLICY_SHUTDOWN, POLICY_PANIC, POLICY_WATCHDOG, POLICY_EVENTS };

struct policy { const char *word[POLICY_EVENTS]; };

extern const struct policy policy_default;

/* -1 with QEMU's error if the word is none of that event's. */
int policy_set(struct policy *p, enum policy_event event, const char *word, struct error *err);
const char *policy_event_name(enum policy_event event);
bool policy_is(const struct policy *p, enum policy_event event, const char *word);

/* SPDX-License-Identifier: Apache-2.0 */
/* domain_list.h - lists of domains, filtered as libvirt's clients ask for them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct domain;
struct registry;

enum {
    LIST_ACTIVE = 0x1, LIST_INACTIVE = 0x2, LIST_PERSISTENT = 0x4, LIST_TRANSIENT = 0x8,
    LIST_RUNNING = 0x10, LIST_PAUSED = 0x20, LIST_SHUTOFF = 0x40, LIST_OTHER = 0x80,
    LIST_MANAGED_SAVE = 0x100, LIST_NO_MANAGED_SAVE = 0x200,
    LIST_AUTOSTART = 0x400, LIST_NO_AUTOSTART = 0x800,
    LIST_SNAPSHOT = 0x1000, LIST_NO_SNAPSHOT = 0x2000, LIST_CHECKPOINT = 0x4000, LIST_NO_CHECKPOINT = 0x8000,
    LIST_KNOWN = 0xffff
};

bool domain_list_matches(const struct domain *dom, unsigned flags);
/* In order of uuid; no references are taken.  Release with free(). */
struct domain **domain_list(const struct registry *registry, unsigned flags, size_t *ret_count);
/* Fails if a reply cannot hold as many. */
int domain_list_check_count(size_t count, struct error *err);

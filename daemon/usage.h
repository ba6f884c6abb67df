/* SPDX-License-Identifier: Apache-2.0 */
/* usage.h - what a guest uses of the host, as the kernel counts it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct domain;

struct usage {
    uint64_t user_ns, system_ns;
    uint64_t rss_kib;
    int cpu;                            /* where it ran last */
};

/* Of its VMM's process; false for an inactive domain. */
bool usage_of(const struct domain *dom, struct usage *ret_usage);
/* Of one thread of it. */
bool usage_of_thread(const struct domain *dom, int thread, struct usage *ret_usage);
/* How long that thread was ready to run, and had to wait for a processor. */
bool usage_delay_ns(const struct domain *dom, int thread, uint64_t *ret_ns);

/* Processor time of its VMM, in nanoseconds; 0 for an inactive domain. */
uint64_t usage_cpu_ns(const struct domain *dom);

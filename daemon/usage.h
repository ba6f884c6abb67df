/* SPDX-License-Identifier: Apache-2.0 */
/* usage.h - what a guest uses of the host, as the kernel counts it. */
#pragma once
#include <stdint.h>

struct domain;

/* Processor time of its VMM, in nanoseconds; 0 for an inactive domain. */
uint64_t usage_cpu_ns(const struct domain *dom);

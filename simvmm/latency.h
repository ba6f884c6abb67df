/* SPDX-License-Identifier: Apache-2.0 */
/* latency.h - histograms of how long requests take, as query-blockstats shows them; no guest, so they are
 * empty. */
#pragma once
#include "simvmm/device.h"

/* The kinds of requests, in the order of QEMU's arguments. */
enum { LATENCY_READ, LATENCY_WRITE, LATENCY_APPEND, LATENCY_FLUSH, LATENCY_KINDS };

void latency_add(const struct device *device, struct json *stats, struct arena *a);

/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - the machine we run on, as the kernel tells it. */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/uuid.h"

struct host {
    char arch[32];                      /* "x86_64" */
    struct uuid uuid;                   /* stable, from the machine id */
    uint64_t memory_kib;
    unsigned cpus, mhz;                 /* online ones; 0 MHz if the kernel does not say */
    unsigned nodes, sockets, cores, threads;    /* NUMA nodes; then per node, per socket, per core */
};

int host_read(struct host *ret_host, struct error *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* iotune.h - <iotune>: how fast a guest may use a disk.  0: as fast as it can. */
#pragma once
#include "xml/value.h"

/* A limit for all requests excludes those for reads and writes. */
struct io_limit {
    uint64_t rate;                              /* a second */
    uint64_t burst;                             /* a second, for a while */
    uint64_t burst_seconds;
};

struct iotune {
    struct extras extras;
    struct io_limit bytes, read_bytes, write_bytes;
    struct io_limit requests, read_requests, write_requests;
    uint64_t request_size;                      /* bytes that count as one request */
    const char *group;                          /* disks of one group share the limits */
};

DECLARE_ELEMENT(iotune_element, struct iotune);

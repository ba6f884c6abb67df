/* SPDX-License-Identifier: Apache-2.0 */
/* memory_device.h - <devices><memory>: memory in a slot, beside that of the board.
 *
 * Amounts are KiB.  In a live definition each module that is plugged into a slot has its number.
 */
#pragma once
#include "base/uuid.h"
#include "conf/address.h"
#include "conf/memory.h"
#include "conf/numa.h"

#define MEMORY_MODELS(_) _(MEMORY_DIMM, "dimm") _(MEMORY_NVDIMM, "nvdimm") \
    _(MEMORY_VIRTIO_PMEM, "virtio-pmem") _(MEMORY_VIRTIO_MEM, "virtio-mem") _(MEMORY_SGX_EPC, "sgx-epc")
DECLARE_ENUM(memory_model, MEMORY_MODEL_ABSENT, MEMORY_MODELS);

struct memory_device {
    struct extras extras;
    enum memory_model model;
    enum memory_access access;
    enum yes_no discard;
    struct uuid uuid;                           /* nvdimm */
    struct memory_amount page_size, alignment;  /* <source> */
    const char *nodes;                          /* of the host, a cpuset */
    const char *path;                           /* nvdimm, virtio-pmem */
    bool pmem;
    struct memory_amount size, requested, current, block, label;        /* <target> */
    struct opt_u32 node;                        /* of the guest */
    bool readonly;
    enum yes_no dynamic_slots;
    uint64_t base;                              /* virtio-mem, virtio-pmem */
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(memory_device_element, struct memory_device);

struct domain_def;
struct xml_context;
/* What they have to do with each other. */
void memory_devices_check(const struct domain_def *def, struct xml_context *x);
/* Gives those that have no slot the first free one; in a live definition. */
void memory_devices_assign(struct domain_def *live);
/* "dimm", "nvdimm", ...: what their aliases begin with. */
const char *memory_device_word(const struct memory_device *device);

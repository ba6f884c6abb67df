/* SPDX-License-Identifier: Apache-2.0 */
/* memballoon.h - <memballoon>: how a guest gives memory back.  A domain has one, or says model='none'. */
#pragma once
#include "conf/address.h"
#include "conf/virtio.h"

#define MEMBALLOON_MODELS(_) \
    _(MEMBALLOON_VIRTIO, "virtio") _(MEMBALLOON_TRANSITIONAL, "virtio-transitional") \
    _(MEMBALLOON_NON_TRANSITIONAL, "virtio-non-transitional") _(MEMBALLOON_XEN, "xen") \
    _(MEMBALLOON_NONE, "none")
DECLARE_ENUM(memballoon_model, MEMBALLOON_MODEL_ABSENT, MEMBALLOON_MODELS);

struct memballoon {
    struct extras extras;
    enum memballoon_model model;
    enum on_off autodeflate, free_page_reporting;
    uint32_t stats_period;                      /* seconds; 0: none */
    struct virtio_options virtio;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(memballoon_element, struct memballoon);

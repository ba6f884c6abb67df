/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - rows that many device tables have in common.  Private to src/conf. */
#pragma once
#include "xml/element.h"

/* An alias chosen by the user ("ua-...") stays in the inactive XML; ours are given anew by each start. */
bool alias_is_users(const void *member);

#define ALIAS_PART PART(alias, "alias", "Its name in the VMM.", \
    ATTR("name", alias, string, "unique name; ones that start with ua- are yours to choose", \
         LIVE_UNLESS(alias_is_users)))
#define BOOT_PART PART(boot, "boot", "Its place in the order in which the firmware tries devices.", \
    ATTR("order", boot_order, u32, "place, from 1", REQUIRED, NONZERO))
#define VIRTIO_ROWS \
    ATTR("iommu", virtio.iommu, on_off, "is the device behind the guest's IOMMU?"), \
    ATTR("ats", virtio.ats, on_off, "address translation service"), \
    ATTR("packed", virtio.packed, on_off, "packed virtqueues"), \
    ATTR("page_per_vq", virtio.page_per_vq, on_off, "notification page per virtqueue")

/* Words that several elements have in common. */
CODEC_TYPE(end_mode, const char *);
CODEC_TYPE(sgio, const char *);
extern const struct codec codec_end_mode, codec_sgio;

/* Processors of the host, "0-3,^2": the member holds the normal form (cpuset.h). */
CODEC_TYPE(cpuset, const char *);
extern const struct codec codec_cpuset;

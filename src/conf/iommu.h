/* SPDX-License-Identifier: Apache-2.0 */
/* iommu.h - <iommu>: the guest's own translation of device addresses. */
#pragma once
#include "conf/address.h"

#define IOMMU_MODELS(_) _(IOMMU_INTEL, "intel") _(IOMMU_SMMUV3, "smmuv3") _(IOMMU_VIRTIO, "virtio") \
    _(IOMMU_AMD, "amd")
DECLARE_ENUM(iommu_model, IOMMU_MODEL_ABSENT, IOMMU_MODELS);

struct iommu {
    struct extras extras;
    enum iommu_model model;
    enum on_off intremap, caching_mode, eim, iotlb, dma_translation, xtsup, pt;
    uint32_t aw_bits;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(iommu_element, struct iommu);

/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/iommu.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(iommu_model, IOMMU_MODELS);

static void iommu_check(void *self, struct xml_context *x)
{
    const struct iommu *iommu = self;
    if ((iommu->model == IOMMU_INTEL || iommu->model == IOMMU_SMMUV3) && iommu->address)
        xml_refuse(x, iommu->address, ERR_XML, NULL, "an iommu of model '%s' has no address",
                   enum_word(&iommu_model_names, iommu->model));
}

#define SELF struct iommu
PART(driver, "driver", "What it can do.",
    ATTR("intremap", intremap, on_off, "does it translate interrupts?"),
    ATTR("caching_mode", caching_mode, on_off, "does the guest say what it changes?", IF(model, IOMMU_INTEL)),
    ATTR("eim", eim, on_off, "more than 255 processors", IF(model, IOMMU_INTEL)),
    ATTR("iotlb", iotlb, on_off, "do devices remember translations?"),
    ATTR("aw_bits", aw_bits, u32, "width of addresses", NONZERO, IF(model, IOMMU_INTEL, IOMMU_VIRTIO)),
    ATTR("dma_translation", dma_translation, on_off, "does it translate at all?", IF(model, IOMMU_INTEL)),
    ATTR("xtsup", xtsup, on_off, "more than 255 processors", IF(model, IOMMU_AMD)),
    ATTR("passthrough", pt, on_off, "may devices go without?", IF(model, IOMMU_AMD)));
ALIAS_PART;

const struct element iommu_element = ELEMENT_CHECKED(
    "iommu", "Translation of device addresses.", iommu_check,
    ATTR("model", model, iommu_model, "model of the device", REQUIRED), INLINE(driver), INLINE(alias),
    CHILD(address, address_element));

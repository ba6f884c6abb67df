/* SPDX-License-Identifier: Apache-2.0 */
/* virtio.h - the options that every virtio device's <driver> may carry. */
#pragma once
#include "xml/value.h"

struct virtio_options {
    enum on_off iommu, ats, packed, page_per_vq;
};

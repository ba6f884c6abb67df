/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/memballoon.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(memballoon_model, MEMBALLOON_MODELS);

#define SELF struct memballoon
PART(stats, "stats", "The guest's own figures.",
     ATTR("period", stats_period, u32, "seconds between reports"));
PART(driver, "driver", "Options of virtio.", VIRTIO_ROWS);
ALIAS_PART;

const struct element memballoon_element = ELEMENT("memballoon", "How the guest gives memory back.",
    ATTR("model", model, memballoon_model, "model of the device", REQUIRED),
    ATTR("autodeflate", autodeflate, on_off, "take memory back before the guest kills for it"),
    ATTR("freePageReporting", free_page_reporting, on_off, "tell the host which pages are free"),
    INLINE(alias), CHILD(address, address_element), INLINE(stats), INLINE(driver));

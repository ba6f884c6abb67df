/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/video.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(video_model, VIDEO_MODELS);
DEFINE_WORDS_CODEC(vgaconf, "io", "on", "off");
DEFINE_ENUM_CODEC(video_backend, VIDEO_BACKENDS);

#define SELF struct video
PART(acceleration, "acceleration", "Help from the host's graphics card.",
    ATTR("accel2d", accel2d, yes_no, "draw with it"),
    ATTR("accel3d", accel3d, yes_no, "render with it"),
    ATTR("rendernode", render_node, string, "device of the host"));

PART(resolution, "resolution", "Size of the screen at boot.",
    ATTR("x", width, u32, "pixels", REQUIRED), ATTR("y", height, u32, "pixels", REQUIRED));

PART(model, "model", "What the guest sees.",
    ATTR("type", model, video_model, "model of the card"),
    ATTR("ram", ram, u32, "memory, in KiB", IF(model, VIDEO_QXL)),
    ATTR("vram", vram, u32, "memory for pictures, in KiB"),
    ATTR("vram64", vram64, u32, "more of it, in KiB", IF(model, VIDEO_QXL)),
    ATTR("vgamem", vgamem, u32, "memory for the VGA mode, in KiB", IF(model, VIDEO_QXL)),
    ATTR("heads", heads, u32, "number of screens"),
    ATTR("primary", primary, yes_no, "is it the one the firmware uses?"),
    ATTR("blob", blob, on_off, "share memory with the host", IF(model, VIDEO_VIRTIO)),
    ATTR("edid", edid, on_off, "tell the guest about the screen",
         IF(model, VIDEO_VIRTIO, VIDEO_VGA, VIDEO_BOCHS)),
    INLINE(acceleration), INLINE(resolution));

PART(driver, "driver", "How it is emulated.",
    ATTR("name", backend, video_backend, "by whom"),
    ATTR("vgaconf", vgaconf, vgaconf, "what the console shows"), VIRTIO_ROWS);

ALIAS_PART;

const struct element video_element = ELEMENT("video", "A graphics card.",
    INLINE(driver), INLINE(model), INLINE(alias), CHILD(address, address_element));

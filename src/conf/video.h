/* SPDX-License-Identifier: Apache-2.0 */
/* video.h - <video>: a graphics card.
 *
 * After defaults: the model is set, sizes that the model has are set, and the first card is the primary one.
 */
#pragma once
#include "conf/address.h"
#include "conf/virtio.h"

#define VIDEO_MODELS(_) \
    _(VIDEO_VGA, "vga") _(VIDEO_CIRRUS, "cirrus") _(VIDEO_VMVGA, "vmvga") _(VIDEO_XEN, "xen") \
    _(VIDEO_VBOX, "vbox") _(VIDEO_QXL, "qxl") _(VIDEO_PARALLELS, "parallels") _(VIDEO_VIRTIO, "virtio") \
    _(VIDEO_GOP, "gop") _(VIDEO_NONE, "none") _(VIDEO_BOCHS, "bochs") _(VIDEO_RAMFB, "ramfb")
DECLARE_ENUM(video_model, VIDEO_MODEL_ABSENT, VIDEO_MODELS);

#define VIDEO_BACKENDS(_) _(VIDEO_BACKEND_QEMU, "qemu") _(VIDEO_BACKEND_VHOST_USER, "vhostuser")
DECLARE_ENUM(video_backend, VIDEO_BACKEND_ABSENT, VIDEO_BACKENDS);

struct video {
    struct extras extras;
    enum video_model model;
    uint32_t ram, vram, vram64, vgamem;         /* KiB */
    uint32_t heads;
    enum yes_no primary;
    enum on_off blob, edid;
    enum yes_no accel2d, accel3d;
    const char *render_node;
    uint32_t width, height;                     /* <resolution> */
    enum video_backend backend;                 /* <driver> */
    const char *vgaconf;
    struct virtio_options virtio;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(video_element, struct video);

/* SPDX-License-Identifier: Apache-2.0 */
/* vsock.h - <vsock>: sockets between guest and host. */
#pragma once
#include "conf/address.h"
#include "conf/virtio.h"

#define VSOCK_MODELS(_) \
    _(VSOCK_VIRTIO, "virtio") _(VSOCK_TRANSITIONAL, "virtio-transitional") \
    _(VSOCK_NON_TRANSITIONAL, "virtio-non-transitional")
DECLARE_ENUM(vsock_model, VSOCK_MODEL_ABSENT, VSOCK_MODELS);

struct vsock {
    struct extras extras;
    enum vsock_model model;
    enum yes_no auto_cid;
    uint32_t cid;                               /* the guest's number, from 3; 0: not chosen */
    struct virtio_options virtio;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(vsock_element, struct vsock);

/* SPDX-License-Identifier: Apache-2.0 */
/* rng.h - <rng>: a random number generator, and where the host takes entropy from.
 *
 * After defaults: a random source has a device.
 */
#pragma once
#include "conf/chardev.h"
#include "conf/virtio.h"

#define RNG_MODELS(_) \
    _(RNG_VIRTIO, "virtio") _(RNG_TRANSITIONAL, "virtio-transitional") \
    _(RNG_NON_TRANSITIONAL, "virtio-non-transitional")
DECLARE_ENUM(rng_model, RNG_MODEL_ABSENT, RNG_MODELS);

#define RNG_BACKENDS(_) _(RNG_RANDOM, "random") _(RNG_EGD, "egd") _(RNG_BUILTIN, "builtin")
DECLARE_ENUM(rng_backend, RNG_BACKEND_ABSENT, RNG_BACKENDS);

struct rng {
    struct extras extras;
    enum rng_model model;
    uint32_t rate_bytes, rate_period;           /* period: milliseconds */
    enum rng_backend backend;
    const char *device;                         /* RNG_RANDOM: "/dev/urandom" */
    struct chardev egd;                         /* RNG_EGD: the daemon that is asked; only its source */
    struct virtio_options virtio;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(rng_element, struct rng);

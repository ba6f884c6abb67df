/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/rng.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(rng_model, RNG_MODELS);
DEFINE_ENUM_CODEC(rng_backend, RNG_BACKENDS);
BORROW_ENUM_CODEC(chardev_type);
BORROW_ENUM_CODEC(chardev_protocol);

static void rng_check(void *self, struct xml_context *x)
{
    struct rng *rng = self;
    if (rng->backend == RNG_RANDOM && !rng->device)
        rng->device = "/dev/random";
    if (rng->backend == RNG_EGD && rng->egd.type)
        chardev_check_source(&rng->egd, x);
    else if (rng->backend == RNG_EGD)
        xml_refuse(x, &rng->backend, ERR_XML, "type='tcp' or type='unix' beside it",
                   "the backend does not say how its daemon is reached");
}

#define SELF struct rng
PART(rate, "rate", "How fast the guest may read.",
    ATTR("bytes", rate_bytes, u32, "bytes in a period", REQUIRED, NONZERO),
    ATTR("period", rate_period, u32, "milliseconds"));
PART(source, "source", "The daemon that is asked.",
    ATTR("mode", egd.mode, end_mode, "which end listens"),
    ATTR("path", egd.path, string, "file, device or socket"),
    ATTR("host", egd.host, string, "address"),
    ATTR("service", egd.service, string, "port"));
PART(protocol, "protocol", "How the daemon is spoken to.",
    ATTR("type", egd.protocol, chardev_protocol, "raw", REQUIRED));
PART(backend, "backend", "Where the host takes entropy from.",
    ATTR("model", backend, rng_backend, "kind of source", REQUIRED),
    ATTR("type", egd.type, chardev_type, "kind of connection", IF(backend, RNG_EGD)),
    TEXT(device, string, "device of the host", IF(backend, RNG_RANDOM)),
    INLINE(source, IF(backend, RNG_EGD)), INLINE(protocol, IF(backend, RNG_EGD)));
PART(driver, "driver", "Options of virtio.", VIRTIO_ROWS);
ALIAS_PART;

const struct element rng_element = ELEMENT_CHECKED("rng", "A random number generator.", rng_check,
    ATTR("model", model, rng_model, "model of the device", REQUIRED),
    INLINE(rate), INLINE(backend, REQUIRED), INLINE(driver), INLINE(alias), CHILD(address, address_element));

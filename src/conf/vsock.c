/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/vsock.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(vsock_model, VSOCK_MODELS);

/* A number that is chosen at each start is forgotten between them. */
static void vsock_check(void *self, struct xml_context *x)
{
    struct vsock *vsock = self;
    if (vsock->cid && vsock->cid < 3)
        xml_refuse(x, &vsock->cid, ERR_XML, "from 3", "the address %u is not for guests", vsock->cid);
    if (vsock->auto_cid == YES && !(xml_flags_of(x) & XML_LIVE))
        vsock->cid = 0;
    if (!vsock->auto_cid)
        vsock->auto_cid = vsock->cid ? NO : YES;
}

#define SELF struct vsock
PART(cid, "cid", "The guest's address.",
    ATTR("auto", auto_cid, yes_no, "choose one at each start"), ATTR("address", cid, u32, "the address"));
PART(driver, "driver", "Options of virtio.", VIRTIO_ROWS);
ALIAS_PART;

const struct element vsock_element = ELEMENT_CHECKED("vsock", "Sockets between guest and host.", vsock_check,
    ATTR("model", model, vsock_model, "model of the device", DEFAULT("virtio")),
    INLINE(cid), INLINE(driver), INLINE(alias), CHILD(address, address_element));

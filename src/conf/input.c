/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/input.h"

#include "base/text.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(input_type, INPUT_TYPES);
DEFINE_ENUM_CODEC(input_bus, INPUT_BUSES);

/* Without a bus: a tablet is only found on usb, passthrough only on virtio, the others on ps2. */
static void input_check(void *self, struct xml_context *x)
{
    struct input *input = self;
    if (!input->bus && input->type == INPUT_TABLET)
        input->bus = INPUT_BUS_USB;
    else if (!input->bus && input->type == INPUT_PASSTHROUGH)
        input->bus = INPUT_BUS_VIRTIO;
    else if (!input->bus && input->type != INPUT_EVDEV)
        input->bus = INPUT_BUS_PS2;
    if (input->bus == INPUT_BUS_PS2 && input->type == INPUT_TABLET)
        xml_refuse(x, &input->bus, ERR_CONFIG_UNSUPPORTED, "usb, virtio", "there are no ps2 tablets");
    if (input->model && input->type != INPUT_PASSTHROUGH && input->bus == INPUT_BUS_VIRTIO &&
        !text_equal(input->model, "virtio"))
        xml_refuse(x, &input->model, ERR_CONFIG_UNSUPPORTED, "virtio",
                   "there is no model '%s' of this device", input->model);
    if (input->bus == INPUT_BUS_XEN || input->bus == INPUT_BUS_PARALLELS)
        xml_refuse(x, &input->bus, ERR_CONFIG_UNSUPPORTED, "ps2, usb, virtio",
                   "no QEMU guest has such a bus");
}

#define SELF struct input
ALIAS_PART;

const struct element input_element = ELEMENT_CHECKED("input", "A tablet, mouse or keyboard.", input_check,
    ATTR("type", type, input_type, "kind of device", REQUIRED),
    ATTR("bus", bus, input_bus, "kind of bus"),
    ATTR("model", model, string, "model of the device"),
    INLINE(alias), CHILD(address, address_element));

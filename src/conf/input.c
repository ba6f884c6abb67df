/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/input.h"

#include "base/text.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(input_type, INPUT_TYPES);
DEFINE_ENUM_CODEC(input_bus, INPUT_BUSES);
DEFINE_ENUM_CODEC(grab_mode, GRAB_MODES);
DEFINE_ENUM_CODEC(grab_toggle, GRAB_TOGGLES);

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
    if ((input->type == INPUT_PASSTHROUGH || input->type == INPUT_EVDEV) && !input->evdev)
        xml_refuse(x, &input->type, ERR_XML, input->type == INPUT_EVDEV ? "<source dev='...'>"
                   : "<source evdev='...'>", "it needs a device of the host");
}

#define SELF struct input
PART(driver, "driver", "Options of virtio.", VIRTIO_ROWS);
PART(source, "source", "The host's device.",
    ATTR("evdev", evdev, string, "path", IF(type, INPUT_PASSTHROUGH)),
    ATTR("dev", evdev, string, "path", IF(type, INPUT_EVDEV)),
    ATTR("grab", grab, grab_mode, "all: the other such devices, too", IF(type, INPUT_EVDEV)),
    ATTR("grabToggle", grab_toggle, grab_toggle, "keys that give it back", IF(type, INPUT_EVDEV)),
    ATTR("repeat", repeat, on_off, "repeat keys", IF(type, INPUT_EVDEV)));
ALIAS_PART;

const struct element input_element = ELEMENT_CHECKED("input", "A tablet, mouse or keyboard.", input_check,
    ATTR("type", type, input_type, "kind of device", REQUIRED),
    ATTR("bus", bus, input_bus, "kind of bus"),
    ATTR("model", model, string, "model of the device"),
    INLINE(driver), INLINE(alias), CHILD(address, address_element), INLINE(source));

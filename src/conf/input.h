/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - <input>: tablet, mouse, keyboard. */
#pragma once
#include "conf/address.h"
#include "conf/virtio.h"

#define INPUT_TYPES(_) \
    _(INPUT_MOUSE, "mouse") _(INPUT_TABLET, "tablet") _(INPUT_KEYBOARD, "keyboard") \
    _(INPUT_PASSTHROUGH, "passthrough") _(INPUT_EVDEV, "evdev")
DECLARE_ENUM(input_type, INPUT_TYPE_ABSENT, INPUT_TYPES);

#define INPUT_BUSES(_) \
    _(INPUT_BUS_PS2, "ps2") _(INPUT_BUS_USB, "usb") _(INPUT_BUS_XEN, "xen") \
    _(INPUT_BUS_PARALLELS, "parallels") _(INPUT_BUS_VIRTIO, "virtio") _(INPUT_BUS_NONE, "none")
DECLARE_ENUM(input_bus, INPUT_BUS_ABSENT, INPUT_BUSES);

#define GRAB_MODES(_) _(INPUT_GRAB_ALL, "all")
DECLARE_ENUM(grab_mode, INPUT_GRAB_ABSENT, GRAB_MODES);

#define GRAB_TOGGLES(_) \
    _(TOGGLE_CTRL_CTRL, "ctrl-ctrl") _(TOGGLE_ALT_ALT, "alt-alt") _(TOGGLE_SHIFT_SHIFT, "shift-shift") \
    _(TOGGLE_META_META, "meta-meta") _(TOGGLE_SCROLLLOCK, "scrolllock") \
    _(TOGGLE_CTRL_SCROLLLOCK, "ctrl-scrolllock")
DECLARE_ENUM(grab_toggle, GRAB_TOGGLE_ABSENT, GRAB_TOGGLES);

struct input {
    struct extras extras;
    enum input_type type;
    enum input_bus bus;
    const char *model;
    const char *evdev;                          /* <source>: evdev, passthrough */
    enum grab_mode grab;
    enum grab_toggle grab_toggle;
    enum on_off repeat;
    struct virtio_options virtio;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(input_element, struct input);

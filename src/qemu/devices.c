/* SPDX-License-Identifier: Apache-2.0 */
/* The small ones: input devices, usb hubs and the memory balloon. */
#include "qemu/line.h"

/* "" needs no device: ps2 comes with the board. */
static const char *input_driver(const struct input *input)
{
    static const struct { enum input_bus bus; enum input_type type; const char *driver; } drivers[] = {
        { INPUT_BUS_PS2, INPUT_MOUSE, "" },
        { INPUT_BUS_PS2, INPUT_KEYBOARD, "" },
        { INPUT_BUS_USB, INPUT_MOUSE, "usb-mouse" },
        { INPUT_BUS_USB, INPUT_TABLET, "usb-tablet" },
        { INPUT_BUS_USB, INPUT_KEYBOARD, "usb-kbd" },
        { INPUT_BUS_VIRTIO, INPUT_MOUSE, "virtio-mouse-pci" },
        { INPUT_BUS_VIRTIO, INPUT_TABLET, "virtio-tablet-pci" },
        { INPUT_BUS_VIRTIO, INPUT_KEYBOARD, "virtio-keyboard-pci" },
        { INPUT_BUS_VIRTIO, INPUT_PASSTHROUGH, "virtio-input-host-pci" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++)
        if (drivers[i].bus == input->bus && drivers[i].type == input->type)
            return drivers[i].driver;
    return NULL;
}

/* A device of the host whose events the guest gets, whatever keyboards and mice it has. */
static void add_evdev(struct line *line, const struct input *input)
{
    owned_props struct props object;
    props_begin(&object, "qom-type", "input-linux");
    props_text(&object, "id", input->alias);
    props_text(&object, "evdev", input->evdev);
    props_true(&object, "grab_all", input->grab == INPUT_GRAB_ALL);
    props_true(&object, "repeat", input->repeat == ON);
    props_text(&object, "grab-toggle", enum_word(&grab_toggle_names, input->grab_toggle));
    line_object(line, &object);
}

static int add_input(struct line *line, const struct input *input, struct error *err)
{
    if (input->type == INPUT_EVDEV) {
        if (line_check_type(line, "input-linux", "it", err) < 0)
            return -1;
        add_evdev(line, input);
        return 0;
    }
    const char *driver = input_driver(input);
    if (!driver)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "a %s on bus '%s' is not supported",
                    enum_word(&input_type_names, input->type), enum_word(&input_bus_names, input->bus));
    if (!*driver)
        return 0;
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    line_virtio(&device, &input->virtio);
    props_text(&device, "id", input->alias);
    props_text(&device, "evdev", input->evdev);
    if (line_address(line, &device, input->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

int line_input(struct line *line, size_t index, struct error *err)
{
    const struct input *input = line->def->inputs.items[index];
    return add_input(line, input, err) < 0 ? fail_in(err, "input '%s'", input->alias) : 0;
}

int line_inputs(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->inputs.count; i++)
        if (line_input(line, i, err) < 0)
            return -1;
    return 0;
}

int line_hubs(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->hubs.count; i++) {
        const struct hub *hub = line->def->hubs.items[i];
        if (line_check_type(line, "usb-hub", "hub", err) < 0)
            return -1;
        owned_props struct props device;
        props_begin(&device, "driver", "usb-hub");
        props_text(&device, "id", hub->alias);
        if (line_address(line, &device, hub->address, err) < 0)
            return fail_in(err, "hub '%s'", hub->alias);
        line_device(line, &device);
    }
    return 0;
}

static const char *balloon_driver(enum memballoon_model model)
{
    switch (model) {
    case MEMBALLOON_VIRTIO:
        return "virtio-balloon-pci";
    case MEMBALLOON_TRANSITIONAL:
        return "virtio-balloon-pci-transitional";
    case MEMBALLOON_NON_TRANSITIONAL:
        return "virtio-balloon-pci-non-transitional";
    default:
        return NULL;
    }
}

int line_memballoon(struct line *line, struct error *err)
{
    const struct memballoon *balloon = line->def->memballoon;
    if (!balloon || balloon->model == MEMBALLOON_NONE)
        return 0;
    const char *driver = balloon_driver(balloon->model);
    if (!driver)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "memballoon: model '%s' is not supported",
                    enum_word(&memballoon_model_names, balloon->model));
    if (line_check_type(line, driver, "memballoon", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    line_virtio(&device, &balloon->virtio);
    props_text(&device, "id", balloon->alias);
    props_on_off(&device, "deflate-on-oom", balloon->autodeflate);
    props_on_off(&device, "free-page-reporting", balloon->free_page_reporting);
    if (line_address(line, &device, balloon->address, err) < 0)
        return fail_in(err, "memballoon");
    line_device(line, &device);
    return 0;
}

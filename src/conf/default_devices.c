/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "conf/defaults.h"
#include "conf/kept.h"
#include "conf/machine.h"
#include "conf/virtio_serial.h"
#include "xml/element.h"

struct controller *find_controller(const struct domain_def *def, enum controller_type type, uint32_t index)
{
    for (size_t i = 0; i < def->controllers.count; i++)
        if (def->controllers.items[i]->type == type && def->controllers.items[i]->index.value == index)
            return def->controllers.items[i];
    return NULL;
}

/* Behind all others, unless there is one of its kind with a higher index: then before that. */
struct controller *defaults_add_controller(struct domain_def *def, enum controller_type type, uint32_t index,
                                           enum controller_model model, struct arena *arena)
{
    struct controller *new = ARENA_NEW(arena, struct controller);
    new->type = type;
    new->index = (struct opt_u32) { true, index };
    new->model = model;
    list_add(arena, &def->controllers, new);
    size_t at = def->controllers.count - 1;
    for (size_t i = at; i-- > 0; )
        if (def->controllers.items[i]->type == type && def->controllers.items[i]->index.value > index)
            at = i;
    memmove(def->controllers.items + at + 1, def->controllers.items + at,
            (def->controllers.count - 1 - at) * sizeof *def->controllers.items);
    def->controllers.items[at] = new;
    return new;
}

/* Each kind counts for itself.  A companion has the number of the usb controller before it. */
void defaults_number_controllers(struct domain_def *def)
{
    uint32_t next[CONTROLLER_NVME + 1] = { [CONTROLLER_PCI] = 1 };
    struct opt_u32 master = { true, 0 };
    for (size_t i = 0; i < def->controllers.count; i++) {
        const struct controller *c = def->controllers.items[i];
        if (c->index.set && c->index.value >= next[c->type])
            next[c->type] = c->index.value + 1;
    }
    for (size_t i = 0; i < def->controllers.count; i++) {
        struct controller *c = def->controllers.items[i];
        if (!c->index.set && c->master_startport.set)
            c->index = master;
        else if (!c->index.set)
            c->index = (struct opt_u32) { true, next[c->type]++ };
        if (c->type == CONTROLLER_USB && !c->master_startport.set)
            master = c->index;
    }
}

static bool has_usb(const struct domain_def *def)
{
    for (size_t i = 0; i < def->controllers.count; i++)
        if (def->controllers.items[i]->type == CONTROLLER_USB)
            return true;
    return false;
}

static void fill_controllers(struct domain_def *def, enum machine_kind kind)
{
    for (size_t i = 0; i < def->controllers.count && kind != MACHINE_OTHER; i++) {
        struct controller *c = def->controllers.items[i];
        if (c->type == CONTROLLER_USB && !c->model)
            c->model = kind == MACHINE_PC ? CONTROLLER_PIIX3_UHCI : CONTROLLER_QEMU_XHCI;
        if (c->type == CONTROLLER_SCSI && !c->model)
            c->model = CONTROLLER_LSILOGIC;
    }
}

/* Each card has a slot of the first controller for them, which there is then. */
static void place_smartcards(struct domain_def *def, struct arena *arena)
{
    for (size_t i = 0; i < def->smartcards.count; i++) {
        struct smartcard *card = def->smartcards.items[i];
        if (!card->address) {
            card->address = ARENA_NEW(arena, struct address);
            card->address->type = ADDRESS_CCID;
            card->address->ccid.slot = (uint32_t) i;
        }
        if (!find_controller(def, CONTROLLER_CCID, card->address->ccid.controller))
            defaults_add_controller(def, CONTROLLER_CCID, card->address->ccid.controller,
                                    CONTROLLER_MODEL_ABSENT, arena);
    }
}

static void add_controllers(struct domain_def *def, struct arena *arena)
{
    enum machine_kind kind = machine_kind(def);
    fill_controllers(def, kind);
    if (machine_is_microvm(def))
        virtio_serial_add_controllers(def, arena);
    if (kind == MACHINE_OTHER)
        return;
    if (!has_usb(def))
        defaults_add_controller(def, CONTROLLER_USB, 0, kind == MACHINE_PC ? CONTROLLER_PIIX3_UHCI
                                : CONTROLLER_QEMU_XHCI, arena);
    if (kind == MACHINE_Q35 && !find_controller(def, CONTROLLER_SATA, 0))
        defaults_add_controller(def, CONTROLLER_SATA, 0, CONTROLLER_MODEL_ABSENT, arena);
    if (!find_controller(def, CONTROLLER_PCI, 0))
        defaults_add_controller(def, CONTROLLER_PCI, 0, kind == MACHINE_PC ? CONTROLLER_PCI_ROOT
                                : CONTROLLER_PCIE_ROOT, arena);
    virtio_serial_add_controllers(def, arena);
    place_smartcards(def, arena);
}

static void fill_interface(struct domain_def *def, struct interface *interface)
{
    if (mac_is_zero(&interface->mac)) {
        struct uuid random = uuid_random();
        interface->mac = (struct mac) { { 0x52, 0x54, 0x00 } };
        memcpy(interface->mac.bytes + 3, random.bytes, 3);
    }
    if (!interface->model && interface->type != INTERFACE_HOSTDEV)
        interface->model = machine_is_x86(def) ? "rtl8139" : "virtio";
}

static bool is_serial_console(const struct chardev *console)
{
    return !console->target || console->target == TARGET_SERIAL;
}

static void copy_source(struct chardev *to, const struct chardev *from)
{
    to->type = from->type;
    to->path = from->path, to->mode = from->mode, to->append = from->append;
    to->host = from->host, to->service = from->service, to->channel = from->channel;
    to->bind_host = from->bind_host, to->bind_service = from->bind_service;
    to->tls = from->tls, to->protocol = from->protocol;
    to->reconnect = from->reconnect, to->reconnect_seconds = from->reconnect_seconds;
    to->log_file = from->log_file, to->log_append = from->log_append;
}

/* The first console and the first serial port are one thing seen twice. */
static void mirror_console(struct domain_def *def, struct arena *arena)
{
    struct chardev *console = def->consoles.count ? def->consoles.items[0] : NULL;
    if (def->serials.count && !console) {
        console = ARENA_NEW(arena, struct chardev);
        list_add(arena, &def->consoles, console);
    } else if (!def->serials.count && console && is_serial_console(console) && machine_is_x86(def)) {
        struct chardev *serial = ARENA_NEW(arena, struct chardev);
        *serial = *console;
        serial->tty = NULL;
        serial->target = TARGET_ABSENT;
        serial->extras = (struct extras) { 0 };
        list_add(arena, &def->serials, serial);
    }
    if (!console || !def->serials.count || !is_serial_console(console))
        return;
    copy_source(console, def->serials.items[0]);
    console->target = TARGET_SERIAL;
    console->port = (struct opt_u32) { true, 0 };
}

static const char *serial_model(enum chardev_target target)
{
    switch (target) {
    case TARGET_ISA_SERIAL: return "isa-serial";
    case TARGET_USB_SERIAL: return "usb-serial";
    case TARGET_PCI_SERIAL: return "pci-serial";
    case TARGET_SPAPR_VIO_SERIAL: return "spapr-vty";
    case TARGET_ISA_DEBUG: return "isa-debugcon";
    case TARGET_SCLP_SERIAL: return "sclpconsole";
    default: return NULL;
    }
}

static void number_ports(struct chardev **items, size_t count)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i]->port.set && items[i]->port.value >= next)
            next = items[i]->port.value + 1;
    for (size_t i = 0; i < count; i++)
        if (!items[i]->port.set)
            items[i]->port = (struct opt_u32) { true, next++ };
}

static void fill_serials(struct domain_def *def)
{
    number_ports(def->serials.items, def->serials.count);
    number_ports(def->parallels.items, def->parallels.count);
    number_ports(def->consoles.items, def->consoles.count);
    for (size_t i = 0; i < def->serials.count; i++) {
        struct chardev *serial = def->serials.items[i];
        if (!serial->target && machine_is_x86(def))
            serial->target = serial->address && serial->address->type == ADDRESS_USB ? TARGET_USB_SERIAL
                           : serial->address && serial->address->type == ADDRESS_PCI ? TARGET_PCI_SERIAL
                           : TARGET_ISA_SERIAL;
        if (!serial->model)
            serial->model = serial_model(serial->target);
    }
    for (size_t i = 1; i < def->consoles.count; i++)
        if (!def->consoles.items[i]->target)
            def->consoles.items[i]->target = TARGET_VIRTIO;
}

static void add_input(struct domain_def *def, enum input_type type, struct arena *arena)
{
    for (size_t i = 0; i < def->inputs.count; i++)
        if (def->inputs.items[i]->type == type && def->inputs.items[i]->bus == INPUT_BUS_PS2)
            return;
    struct input *input = ARENA_NEW(arena, struct input);
    input->type = type;
    input->bus = INPUT_BUS_PS2;
    list_add(arena, &def->inputs, input);
}

static void add_audio(struct domain_def *def, struct arena *arena)
{
    if (def->audios.count || !machine_is_x86(def))
        return;
    struct audio *audio = ARENA_NEW(arena, struct audio);
    audio->id = 1;
    audio->type = AUDIO_NONE;
    for (size_t i = 0; i < def->graphics.count; i++)
        if (def->graphics.items[i]->type == GRAPHICS_SPICE)
            audio->type = AUDIO_SPICE;
        else if (def->graphics.items[i]->type == GRAPHICS_SDL)
            audio->type = AUDIO_SDL;
    list_add(arena, &def->audios, audio);
}

/* The chipset of a q35 has a watchdog, whether anybody asks for it or not. */
static void add_watchdog(struct domain_def *def, struct arena *arena)
{
    for (size_t i = 0; i < def->watchdogs.count; i++)
        if (def->watchdogs.items[i]->model == WATCHDOG_ITCO)
            return;
    struct watchdog *watchdog = ARENA_NEW(arena, struct watchdog);
    watchdog->model = WATCHDOG_ITCO;
    watchdog->action = def->watchdogs.count ? def->watchdogs.items[0]->action : WATCHDOG_RESET;
    list_add(arena, &def->watchdogs, watchdog);
}

/* Where a model is not said there is one that the board has. */
static void fill_panics(struct domain_def *def)
{
    for (size_t i = 0; i < def->panics.count && machine_is_x86(def); i++)
        if (!def->panics.items[i]->model)
            def->panics.items[i]->model = PANIC_ISA;
}

static uint32_t round_up_to_power(uint32_t number)
{
    uint32_t power = 1;
    while (power < number && power < UINT32_C(1) << 31)
        power <<= 1;
    return power;
}

static void fill_video(struct domain_def *def, struct video *video)
{
    if (!video->model)
        video->model = machine_is_x86(def) ? VIDEO_CIRRUS : VIDEO_VIRTIO;
    switch (video->model) {
    case VIDEO_QXL:
        video->ram = video->ram ? round_up_to_power(video->ram) : 64 * 1024;
        video->vram = video->vram ? round_up_to_power(video->vram) : 64 * 1024;
        video->vgamem = video->vgamem ? round_up_to_power(video->vgamem) : 16 * 1024;
        break;
    case VIDEO_VGA: case VIDEO_CIRRUS: case VIDEO_VMVGA: case VIDEO_BOCHS:
        video->vram = video->vram ? round_up_to_power(video->vram) : 16 * 1024;
        break;
    default:
        video->vram = video->vram ? round_up_to_power(video->vram) : 0;
        break;
    }
    if (!video->heads && video->model != VIDEO_NONE && video->model != VIDEO_RAMFB)
        video->heads = 1;
}

/* The primary card comes first, wherever it stood. */
static void order_videos(struct domain_def *def)
{
    size_t primary = 0;
    for (size_t i = 0; i < def->videos.count; i++)
        if (def->videos.items[i]->primary == YES)
            primary = i;
    struct video *first = def->videos.count ? def->videos.items[primary] : NULL;
    if (!first)
        return;
    memmove(def->videos.items + 1, def->videos.items, primary * sizeof *def->videos.items);
    def->videos.items[0] = first;
    for (size_t i = 0; i < def->videos.count; i++)
        def->videos.items[i]->primary = i == 0 && first->model != VIDEO_NONE ? YES : YES_NO_ABSENT;
}

static void fill_videos(struct domain_def *def, struct arena *arena)
{
    if (!def->videos.count && def->graphics.count && machine_kind(def) != MACHINE_OTHER)
        list_add(arena, &def->videos, ARENA_NEW(arena, struct video));
    for (size_t i = 0; i < def->videos.count; i++)
        fill_video(def, def->videos.items[i]);
    order_videos(def);
}

void defaults_add_devices(struct domain_def *def, struct arena *arena)
{
    for (size_t i = 0; i < def->disks.count; i++) {
        struct disk *disk = def->disks.items[i];
        if (!disk->driver)
            disk->driver = "qemu";
        if (!disk->format && disk->type != DISK_VHOST_USER && disk->type != DISK_VOLUME)
            disk->format = DISK_RAW;
    }
    for (size_t i = 0; i < def->interfaces.count; i++)
        fill_interface(def, def->interfaces.items[i]);
    mirror_console(def, arena);
    fill_serials(def);
    add_controllers(def, arena);
    if (machine_kind(def) != MACHINE_OTHER && kept_has_ps2(def)) {
        add_input(def, INPUT_MOUSE, arena);
        add_input(def, INPUT_KEYBOARD, arena);
    }
    if (machine_kind(def) == MACHINE_Q35)
        add_watchdog(def, arena);
    fill_panics(def);
    add_audio(def, arena);
    fill_videos(def, arena);
    if (!def->memballoon && machine_is_x86(def)) {
        def->memballoon = ARENA_NEW(arena, struct memballoon);
        def->memballoon->model = MEMBALLOON_VIRTIO;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* line.h - what the parts of the command line share: one file of device functions per kind of element.
 *
 * Each appends the options of one device, in libvirt's order of options and properties.
 */
#pragma once
#include "conf/domain_def.h"
#include "qemu/caps.h"
#include "qemu/command_line.h"
#include "qemu/props.h"

struct line {
    const struct command_line *what;
    const struct domain_def *def;
    const struct caps *caps;
    struct argv *argv;
};

/* End `props` and add them. */
void line_device(struct line *line, struct props *props);
void line_object(struct line *line, struct props *props);
void line_backend(struct line *line, const char *option, struct props *props);     /* -netdev, -audiodev */
void line_blockdev(struct line *line, struct props *props);

/* "OPTION VALUE", of what option_add() made. */
void line_option(struct line *line, const char *option, const struct buffer *value);
const struct timer_def *line_timer(const struct line *line, enum timer_name name);      /* NULL */
void option_add_yes_no(struct buffer *option, const char *key, enum yes_no value);

/* Where the device is plugged in: bus and addr, port, nr...  An address nobody assigned adds nothing. */
int line_address(const struct line *line, struct props *props, const struct address *address,
                 struct error *err);
void line_virtio(struct props *props, const struct virtio_options *options);
/* The boot code of a PCI device. */
void line_rom(struct props *props, enum yes_no enabled, enum on_off bar, const char *file);
/* The device's requests are handled by that <iothread>; 0 adds nothing. */
int line_iothread(const struct line *line, struct props *props, uint32_t id, struct error *err);
/* The same of several threads: `threads` is a LIST_OF(struct queue_thread). */
int line_queue_threads(const struct line *line, struct props *props, struct queue_thread *const *threads,
                       size_t count, struct error *err);
/* Fails unless the emulator has such a device; `of` says whose: "disk 'vda'". */
int line_check_type(const struct line *line, const char *type, const char *of, struct error *err);

/* The controller of this type with this index, or NULL. */
const struct controller *line_controller(const struct line *line, enum controller_type type, uint32_t index);
/* From a device's own order, else the first one of a kind from <os><boot>; 0: none. */
uint32_t line_disk_boot_index(const struct line *line, size_t disk);
uint32_t line_interface_boot_index(const struct line *line, size_t interface);
bool line_is_q35(const struct line *line);
bool line_is_microvm(const struct line *line);
/* Whole MiB, as QEMU's boards want them. */
uint64_t line_memory_kib(const struct domain_def *def);

int line_machine(struct line *line, struct error *err);            /* -machine -accel -cpu -m -smp -numa */
int line_flash(struct line *line, struct error *err);              /* -blockdev of the firmware */
void line_flash_machine(const struct line *line, struct buffer *machine);
void line_firmware(struct line *line);                             /* -bios, -global of its flash */
int line_cpu(struct line *line, const struct caps_machine *machine, struct error *err);
int line_smp(struct line *line, const struct caps_machine *machine, struct error *err);
int line_memory(struct line *line, const struct caps_machine *machine, struct error *err);
bool line_has_cells(const struct line *line);
void line_cells(struct line *line);                                /* -object, -numa */
int line_smbios(struct line *line, struct error *err);
int line_boot(struct line *line, struct error *err);               /* -rtc ... -boot -kernel ... */
int line_controllers(struct line *line, struct error *err);
int line_disks(struct line *line, struct error *err);
int line_interfaces(struct line *line, struct error *err);
int line_chardevs(struct line *line, struct error *err);
int line_inputs(struct line *line, struct error *err);
int line_screens(struct line *line, struct error *err);            /* audio, graphics, video */
int line_memballoon(struct line *line, struct error *err);
int line_hubs(struct line *line, struct error *err);
int line_filesystems(struct line *line, struct error *err);
int line_tpms(struct line *line, struct error *err);
int line_audio(struct line *line, struct error *err);
int line_sounds(struct line *line, struct error *err);
int line_watchdogs(struct line *line, struct error *err);
int line_redirdevs(struct line *line, struct error *err);
int line_hostdevs(struct line *line, struct error *err);
int line_rngs(struct line *line, struct error *err);
int line_panics(struct line *line, struct error *err);
int line_vsock(struct line *line, struct error *err);
int line_smartcards(struct line *line, struct error *err);
int line_shmems(struct line *line, struct error *err);
int line_memory_devices(struct line *line, struct error *err);
int line_iommus(struct line *line, struct error *err);

/* The host's end of a character device, under that id.  `service` is what spice calls its channel (NULL: it
 * has none for such a device). */
int line_chardev_backend(struct line *line, const struct chardev *chardev, const char *id,
                         const char *service, struct error *err);
/* The sockets of channels whose owner left their place to us: numbers them from `first` on, in a definition
 * that is about to start; fails if they are too many. */
int line_number_channels(struct domain_def *live, int first, struct error *err);
/* "audio1": the output of that number, or the first one for 0; NULL if there is none.  Allocated. */
char *line_audio_id(const struct line *line, uint32_t id);

/* One device by itself, which may be plugged in later: its number in the definition. */
int line_controller_device(struct line *line, size_t index, struct error *err);
int line_disk(struct line *line, size_t index, size_t node, struct error *err);
int line_interface(struct line *line, size_t index, struct error *err);
int line_input(struct line *line, size_t index, struct error *err);
int line_rng(struct line *line, size_t index, struct error *err);
/* The number in the names of the disk's block nodes: the last disk of a definition that nothing was plugged
 * into has 1, and the images below it the next ones. */
size_t line_disk_node(const struct domain_def *def, size_t index);

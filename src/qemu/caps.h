/* SPDX-License-Identifier: Apache-2.0 */
/* caps.h - what an emulator can do, asked of itself once.
 *
 * An emulator is run with `-machine none`, asked over QMP, and what it says is kept in memory and in the
 * cache folder under a key that changes whenever the answer could: path, device, inode, size, mtime, whether
 * /dev/kvm is usable, and our own version.  So a start never pays for it twice.  Fibers that ask while a
 * probe runs wait for that one.
 *
 * A value is immutable and counted: hold a reference across waits.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/own.h"
#include "loop/fiber.h"

struct json;

struct caps_machine {
    const char *name, *alias;           /* alias may be NULL */
    unsigned cpus_max;
    bool is_default, deprecated, hotpluggable_cpus;
    const char *default_cpu, *default_ram;      /* "qemu64-x86_64-cpu", "pc.ram"; may be NULL */
};

struct caps_cpu {
    const char *name;
    bool usable;                        /* on this host, with the accelerator that was probed */
    bool deprecated;
};

/* What the command line or the monitor does differently when the emulator has it. */
enum caps_feature {
    CAPS_BLOCKDEV,                      /* -blockdev is complete (4.2) */
    CAPS_JSON_DEVICE,                   /* -device {...}, -object {...} (6.2) */
    CAPS_JSON_BACKENDS,                 /* -netdev {...}, -audiodev {...} (7.2) */
    CAPS_RAW_WITHOUT_FORMAT,            /* a raw image needs no format node: backing-mask-protocol (9.0) */
    CAPS_MONITOR_OBJECT,                /* -object monitor-qmp (11.1) */
    CAPS_SANDBOX,                       /* built with seccomp */
    CAPS_SET_ACTION,                    /* QMP set-action (6.0) */
    CAPS_QOM_LIST_GET,                  /* bulk commands: upstream's, ... */
    CAPS_QOM_LIST_GETV,                 /* ... the same under its first name, ... */
    CAPS_QOM_TREE_GET,                  /* ... and the recursive one */
    CAPS_FEATURES
};

struct caps {
    const char *emulator;               /* the path that was probed */
    const char *arch;                   /* "x86_64" */
    const char *package;                /* distribution's suffix of the version, may be "" */
    unsigned version;                   /* major * 1000000 + minor * 1000 + micro */
    bool kvm_present;                   /* the emulator was built with KVM */
    bool kvm_usable;                    /* ... and it could open /dev/kvm */
    unsigned features;                  /* bits 1 << enum caps_feature */
    size_t machines_count, cpus_count, types_count;
    const struct caps_machine *machines;
    const struct caps_cpu *cpus;
    const char *const *types;           /* every QOM type, sorted: devices, objects, backends */
    const char *key;                    /* the cache key: changes with the binary */

    struct arena *arena;                /* private: owns all of it */
    unsigned references;
};

struct caps *caps_ref(struct caps *caps);
void caps_free(struct caps *caps);      /* gives one reference back */
DEFINE_OWNED(caps)

static inline bool caps_has(const struct caps *caps, enum caps_feature feature)
{
    return caps->features >> feature & 1;
}
bool caps_has_type(const struct caps *caps, const char *type);          /* "virtio-blk-pci" */
/* By name or alias; NULL if there is none. */
const struct caps_machine *caps_machine_find(const struct caps *caps, const char *name);
const struct caps_machine *caps_default_machine(const struct caps *caps);

/* From the replies in the order of enum caps_question, or from a cache file; NULL and an error if they make
 * no sense. */
struct caps *caps_from_replies(const char *emulator, const char *key, const struct json *const *replies,
                               struct error *err);
struct caps *caps_from_text(const char *text, size_t length, struct error *err);
void caps_format(const struct caps *caps, struct buffer *out);

/* The capabilities of the program at `emulator`; the first time for a binary this runs it, for at most 10
 * s.  A program that is no QEMU, hangs or babbles is an error with what it wrote to standard error,
 * remembered until the file changes.  The caller owns a reference. */
WAITS struct caps *caps_get(const char *emulator, struct error *err);
/* The same without waiting: NULL if it is not known (yet). */
struct caps *caps_known(const char *emulator);

/* Where the cache lies, and for which emulators (wrapper scripts) the binary `caps_of` is looked at instead;
 * both may be NULL.  `sim_options` is passed to simvmm (at `sim_path`). */
struct caps_settings { const char *folder, *caps_of, *sim_path, *sim_options; };
void caps_init(const struct caps_settings *settings);
void caps_done(void);

/* SPDX-License-Identifier: Apache-2.0 */
/* domain_def.h - the definition of a domain: <domain>.
 *
 * A definition is a value: parsed into an arena, then never changed, shared by reference count, replaced
 * whole.  An edit is a copy, changed, formatted and parsed again, so that it passes the same checks, and then
 * put in the old one's place.  Nothing here reads a file or the clock.
 *
 * Defaults (uuid, machine, controllers, addresses, memballoon...) are filled in by domain_def_parse(), once,
 * so that what is stored is what every later start uses.
 */
#pragma once
#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/uuid.h"
#include "conf/audio.h"
#include "conf/chardev.h"
#include "conf/clock.h"
#include "conf/controller.h"
#include "conf/cpu.h"
#include "conf/disk.h"
#include "conf/features.h"
#include "conf/filesystem.h"
#include "conf/graphics.h"
#include "conf/hostdev.h"
#include "conf/hub.h"
#include "conf/input.h"
#include "conf/interface.h"
#include "conf/iommu.h"
#include "conf/iothreads.h"
#include "conf/memballoon.h"
#include "conf/memory.h"
#include "conf/memory_backing.h"
#include "conf/memory_device.h"
#include "conf/numatune.h"
#include "conf/os.h"
#include "conf/seclabel.h"
#include "conf/sysinfo.h"
#include "conf/tuning.h"
#include "conf/panic.h"
#include "conf/rng.h"
#include "conf/shmem.h"
#include "conf/smartcard.h"
#include "conf/sound.h"
#include "conf/tpm.h"
#include "conf/video.h"
#include "conf/vsock.h"
#include "conf/watchdog.h"
#include "xml/findings.h"
#include "xml/value.h"

#define DOMAIN_TYPES(_) _(DOMAIN_TYPE_QEMU, "qemu") _(DOMAIN_TYPE_KVM, "kvm") _(DOMAIN_TYPE_HVF, "hvf")
DECLARE_ENUM(domain_type, DOMAIN_TYPE_ABSENT, DOMAIN_TYPES);

#define LIFECYCLE_ACTIONS(_) \
    _(ACTION_DESTROY, "destroy") _(ACTION_RESTART, "restart") _(ACTION_RENAME_RESTART, "rename-restart") \
    _(ACTION_PRESERVE, "preserve") _(ACTION_COREDUMP_DESTROY, "coredump-destroy") \
    _(ACTION_COREDUMP_RESTART, "coredump-restart")
DECLARE_ENUM(lifecycle_action, ACTION_ABSENT, LIFECYCLE_ACTIONS);

#define VCPU_PLACEMENTS(_) _(VCPU_STATIC, "static") _(VCPU_AUTO, "auto")
DECLARE_ENUM(vcpu_placement, VCPU_PLACEMENT_ABSENT, VCPU_PLACEMENTS);

/* <vcpus>: one of the processors. */
struct vcpu {
    struct extras extras;
    struct opt_u32 id;
    enum yes_no enabled, hotpluggable;
    uint32_t order;                             /* from 1 */
};

struct domain_def {
    struct arena *arena;                        /* holds everything, this struct too */
    unsigned references;

    enum domain_type type;
    struct opt_i64 id;                          /* live XML only */
    const char *name;
    struct uuid uuid;
    bool has_genid;                             /* <genid/> without a value gets one */
    struct uuid genid;
    const char *title, *description;
    struct raw *metadata;
    struct memory_amount max_memory, memory, current_memory;
    struct blkiotune *blkiotune;
    struct memtune *memtune;
    struct memory_backing *memory_backing;
    uint32_t max_vcpus;
    uint32_t vcpus;                             /* at boot; after defaults 1..max_vcpus */
    enum vcpu_placement vcpu_placement;
    const char *cpuset;                         /* "0-3,^2", checked */
    LIST_OF(struct vcpu) vcpu_list;             /* <vcpus> */
    struct iothreads iothreads;
    struct cputune *cputune;
    struct numatune *numatune;
    const char *partition;                      /* <resource> */
    LIST_OF(struct sysinfo) sysinfos;
    struct os os;
    struct features features;
    struct cpu *cpu;                            /* NULL: the emulator's default */
    struct clock clock;
    enum lifecycle_action on_poweroff, on_reboot, on_crash;
    enum yes_no suspend_to_mem, suspend_to_disk;        /* <pm> */

    /* <devices>, in document order */
    const char *emulator;
    LIST_OF(struct disk) disks;
    LIST_OF(struct controller) controllers;
    LIST_OF(struct filesystem) filesystems;
    LIST_OF(struct interface) interfaces;
    LIST_OF(struct smartcard) smartcards;
    LIST_OF(struct chardev) serials;
    LIST_OF(struct chardev) parallels;
    LIST_OF(struct chardev) consoles;
    LIST_OF(struct chardev) channels;
    LIST_OF(struct input) inputs;
    LIST_OF(struct tpm) tpms;
    LIST_OF(struct graphics) graphics;
    LIST_OF(struct sound) sounds;
    LIST_OF(struct audio) audios;
    LIST_OF(struct video) videos;
    LIST_OF(struct hostdev) hostdevs;
    LIST_OF(struct chardev) redirdevs;
    LIST_OF(struct hub) hubs;
    LIST_OF(struct watchdog) watchdogs;
    struct memballoon *memballoon;
    LIST_OF(struct seclabel) seclabels;
    LIST_OF(struct rng) rngs;
    LIST_OF(struct panic) panics;
    LIST_OF(struct shmem) shmems;
    LIST_OF(struct memory_device) memory_devices;
    LIST_OF(struct iommu) iommus;
    struct vsock *vsock;
    struct extras extras;
};

DECLARE_ELEMENT(domain_element, struct domain_def);

/* What conf must be told about the world.  All strings outlive the call only. */
struct conf_defaults {
    const char *arch;                           /* "x86_64" */
    const char *emulator;                       /* for a missing <emulator>; NULL leaves it out */
    /* The name that `machine` ("pc", or NULL for the default one) is an alias of, for this emulator (NULL if
     * there is none); NULL keeps the name.  May be NULL itself. */
    const char *(*canonical_machine)(void *arg, const char *emulator, const char *machine);
    void *arg;
};

enum domain_def_flags {
    DOMAIN_DEF_VALIDATE = 1,                    /* parse: unknown content is an error */
    DOMAIN_DEF_LIVE = 2,                        /* parse, format: with id, aliases, ptys... */
    DOMAIN_DEF_SECRETS = 4,                     /* format: with passwords */
};

/* Bytes: of what clients send, and of the same with what a running domain adds. */
enum { DOMAIN_XML_MAX = 4 << 20, DOMAIN_XML_LIVE_MAX = 2 * DOMAIN_XML_MAX };

/* The definition, with a reference, checked and with defaults filled in; NULL and an error that takes the
 * first finding and the number of the others.  `findings` (may be NULL) receives all of them, warnings on
 * success too. */
struct domain_def *domain_def_parse(const char *text, size_t length, unsigned flags,
                                    const struct conf_defaults *defaults, struct findings *findings,
                                    struct error *err);

struct domain_def *domain_def_ref(const struct domain_def *def);
void domain_def_unref(struct domain_def *def);  /* NULL is fine */
static inline void domain_def_free(struct domain_def *def) { domain_def_unref(def); }
DEFINE_OWNED(domain_def)

/* A deep copy, with an arena of its own, to be changed before anybody else sees it. */
struct domain_def *domain_def_copy(const struct domain_def *def);
/* A copy that has an alias at every device: what a start works with. */
struct domain_def *domain_def_copy_live(const struct domain_def *def);

/* What a running guest adds to its live definition.  All of it may be zero. */
struct runtime_path { const char *alias, *path; };              /* "serial0", "/dev/pts/3" */
struct domain_runtime {
    int id;                                     /* from 1 */
    uint64_t balloon_kib;                       /* the actual size; 0: as defined */
    const struct runtime_path *ptys;
    size_t ptys_count;
    int vnc_port, vnc_websocket;                /* of the first vnc screen; 0: as defined */
};

/* Adds the XML.  Without DOMAIN_DEF_LIVE, what only a running guest has is left out, and `runtime` is not
 * looked at. */
void domain_def_format(const struct domain_def *def, unsigned flags, const struct domain_runtime *runtime,
                       struct buffer *out);

/* Content that we keep but do not model. */
struct unmodelled { const char *path; unsigned line; bool blocks_start; };
/* Calls fn for each; stops and returns what fn returned if that is not 0. */
int domain_def_each_unmodelled(const struct domain_def *def,
                               int (*fn)(void *arg, const struct unmodelled *what), void *arg);
/* Fails (ERR_CONFIG_UNSUPPORTED), naming the first and the number of the others, if anything kept blocks a
 * start. */
int domain_def_check_startable(const struct domain_def *def, struct error *err);

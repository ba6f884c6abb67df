/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/domain_def.h"

#include <string.h>

#include "conf/domain_check.h"
#include "conf/known.h"
#include "conf/rows.h"
#include "xml/element.h"
#include "xml/raw.h"

DEFINE_ENUM_CODEC(domain_type, DOMAIN_TYPES);
DEFINE_ENUM_CODEC(lifecycle_action, LIFECYCLE_ACTIONS);
DEFINE_ENUM_CODEC(vcpu_placement, VCPU_PLACEMENTS);

#define SELF struct vcpu
PART(vcpu_element, "vcpu", "A processor.",
    ATTR("id", id, opt_u32, "number", REQUIRED),
    ATTR("enabled", enabled, yes_no, "is it there at boot?", REQUIRED),
    ATTR("hotpluggable", hotpluggable, yes_no, "may it come and go?"),
    ATTR("order", order, u32, "place in the order in which they come", NONZERO));
#undef SELF

#define SELF struct domain_def
PART(vcpu, "vcpu", "The guest's processors.",
    ATTR("placement", vcpu_placement, vcpu_placement, "who places them on the host"),
    ATTR("cpuset", cpuset, cpuset, "processors of the host they may use", CODE(ERR_INVALID_ARG)),
    ATTR("current", vcpus, u32, "how many there are at boot", NONZERO, UNLESS_SAME_AS(max_vcpus)),
    TEXT(max_vcpus, u32, "how many there can be", NONZERO));

PART(genid, "genid", "Changes whenever the guest is copied or rolled back.", PRESENT(has_genid),
    TEXT(genid, uuid, "the value", CODE(ERR_INTERNAL)));

PART(vcpu_list, "vcpus", "Its processors one by one.", LIST(vcpu_list, vcpu_element));
PART(iothreadids, "iothreadids", "Threads for disks, by number.", LIST(iothreads.list, iothread_element));
PART(defaultiothread, "defaultiothread", "The thread of all other disks.",
    ATTR("thread_pool_min", iothreads.default_pool_min, opt_u32, "workers that always run"),
    ATTR("thread_pool_max", iothreads.default_pool_max, opt_u32, "workers that run at most"));
PART(resource, "resource", "Its place among the host's resources.",
    LEAF("partition", partition, string, "path of a group"));

PART(suspend_to_mem, "suspend-to-mem", "Sleep.", ATTR("enabled", suspend_to_mem, yes_no, "may the guest?"));
PART(suspend_to_disk, "suspend-to-disk", "Hibernation.",
     ATTR("enabled", suspend_to_disk, yes_no, "may the guest?"));
PART(pm, "pm", "Power management.", INLINE(suspend_to_mem), INLINE(suspend_to_disk));

PART(devices, "devices", "Everything that is plugged in.",
    LEAF("emulator", emulator, string, "path of the emulator"),
    LIST(disks, disk_element),
    LIST(controllers, controller_element),
    LIST(filesystems, filesystem_element),
    LIST(interfaces, interface_element),
    LIST(smartcards, smartcard_element),
    LIST(serials, serial_element),
    LIST(parallels, parallel_element),
    LIST(consoles, console_element),
    LIST(channels, channel_element),
    LIST(inputs, input_element),
    LIST(tpms, tpm_element),
    LIST(graphics, graphics_element),
    LIST(sounds, sound_element),
    LIST(audios, audio_element),
    LIST(videos, video_element),
    LIST(hostdevs, hostdev_element),
    LIST(redirdevs, redirdev_element),
    LIST(hubs, hub_element),
    LIST(watchdogs, watchdog_element),
    CHILD(memballoon, memballoon_element),
    LIST(rngs, rng_element),
    LIST(panics, panic_element),
    LIST(shmems, shmem_element),
    LIST(memory_devices, memory_device_element),
    LIST(iommus, iommu_element),
    CHILD(vsock, vsock_element));

const struct element domain_element = ELEMENT_CHECKED("domain", "A virtual machine.", domain_check,
    ATTR("type", type, domain_type, "how it is run", REQUIRED, CODE(ERR_CONFIG_UNSUPPORTED)),
    ATTR("id", id, opt_i64, "number while it runs", LIVE_ONLY),
    LEAF("name", name, string, "name, unique on the host"),
    LEAF("uuid", uuid, uuid, "identity, unique everywhere", CODE(ERR_INTERNAL)),
    INLINE(genid),
    LEAF("title", title, string, "one line about it"),
    LEAF("description", description, string, "as many lines as you like"),
    RAW("metadata", metadata, "Whatever other programs want to keep here."),
    NESTED(max_memory, max_memory_element),
    NESTED(memory, memory_element),
    NESTED(current_memory, current_memory_element),
    CHILD(blkiotune, blkiotune_element),
    CHILD(memtune, memtune_element),
    CHILD(memory_backing, memory_backing_element),
    INLINE(vcpu),
    INLINE(vcpu_list),
    LEAF("iothreads", iothreads.count, u32, "number of threads for disks", RANGE(0, IOTHREADS_MAX)),
    INLINE(iothreadids),
    INLINE(defaultiothread),
    CHILD(cputune, cputune_element),
    CHILD(numatune, numatune_element),
    INLINE(resource),
    LIST(sysinfos, sysinfo_element),
    NESTED(os, os_element, REQUIRED),
    NESTED(features, features_element),
    CHILD(cpu, cpu_element),
    NESTED(clock, clock_element),
    LEAF("on_poweroff", on_poweroff, lifecycle_action, "what happens when the guest powers off"),
    LEAF("on_reboot", on_reboot, lifecycle_action, "what happens when the guest reboots"),
    LEAF("on_crash", on_crash, lifecycle_action, "what happens when the guest crashes"),
    INLINE(pm),
    INLINE(devices, ALWAYS),
    LIST(seclabels, seclabel_element));
#undef SELF

static const struct xml_policy policy = { known_judge };

static unsigned engine_flags(unsigned flags)
{
    return (flags & DOMAIN_DEF_VALIDATE ? XML_STRICT : 0) | (flags & DOMAIN_DEF_LIVE ? XML_LIVE : 0) |
           (flags & DOMAIN_DEF_SECRETS ? XML_SECRETS : 0);
}

static size_t bytes_max(unsigned flags)
{
    return flags & DOMAIN_DEF_LIVE ? DOMAIN_XML_LIVE_MAX : DOMAIN_XML_MAX;
}

/* Short words become long ones when defaults are written out; what is stored must be readable again. */
static int check_size(const struct domain_def *def, size_t length, struct error *err)
{
    owned_buffer struct buffer out = { 0 };
    if (length <= DOMAIN_XML_MAX / 64)
        return 0;
    domain_def_format(def, DOMAIN_DEF_SECRETS, NULL, &out);
    if (out.length <= DOMAIN_XML_MAX)
        return 0;
    return fail(err, ERR_XML,
                "with its defaults the definition of '%s' has %zu bytes; at most %d are accepted", def->name,
                out.length, DOMAIN_XML_MAX);
}

struct domain_def *domain_def_parse(const char *text, size_t length, unsigned flags,
                                    const struct conf_defaults *defaults, struct findings *findings,
                                    struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    owned_findings struct findings own = { 0 };
    findings = findings ? findings : &own;
    struct domain_def *def = xml_read(&domain_element, text, length, bytes_max(flags), engine_flags(flags),
                                      &policy, (void *) defaults, arena, findings, err);
    if (!def)
        return NULL;
    if (findings->errors) {
        findings_fail(findings, err);
        return NULL;
    }
    if (!(flags & DOMAIN_DEF_LIVE) && check_size(def, length, err) < 0)
        return NULL;
    def->arena = take(arena);
    def->references = 1;
    return def;
}

struct domain_def *domain_def_ref(const struct domain_def *def)
{
    struct domain_def *counted = (struct domain_def *) def;
    counted->references++;
    return counted;
}

void domain_def_unref(struct domain_def *def)
{
    if (def && --def->references == 0)
        arena_free(def->arena);
}

struct domain_def *domain_def_copy(const struct domain_def *def)
{
    struct arena *arena = arena_new();
    struct domain_def *copy = xml_copy(&domain_element, def, arena);
    copy->arena = arena;
    copy->references = 1;
    return copy;
}

struct visit { int (*fn)(void *arg, const struct unmodelled *what); void *arg; };

static int visit_extra(void *arg, const struct extra *extra)
{
    const struct visit *visit = arg;
    struct unmodelled what = { extra->path, extra->line, extra->blocks };
    return visit->fn(visit->arg, &what);
}

int domain_def_each_unmodelled(const struct domain_def *def,
                               int (*fn)(void *arg, const struct unmodelled *what), void *arg)
{
    struct visit visit = { fn, arg };
    return xml_each_extra(&domain_element, def, visit_extra, &visit);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/cpu.h"

#include "base/map.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(cpu_mode, CPU_MODES);
DEFINE_ENUM_CODEC(cpu_match, CPU_MATCHES);
DEFINE_ENUM_CODEC(cpu_check, CPU_CHECKS);
DEFINE_ENUM_CODEC(cpu_fallback, CPU_FALLBACKS);
DEFINE_ENUM_CODEC(cpu_policy, CPU_POLICIES);
DEFINE_ENUM_CODEC(cpu_cache_mode, CPU_CACHE_MODES);
DEFINE_ENUM_CODEC(cpu_address_mode, CPU_ADDRESSES);

static void check_features(const struct cpu *cpu, struct xml_context *x)
{
    owned(map) struct map *names = map_new();
    for (size_t i = 0; i < cpu->features.count; i++) {
        struct cpu_feature *feature = cpu->features.items[i];
        if (feature->name && map_find_text(names, feature->name))
            xml_refuse(x, &feature->name, ERR_XML, NULL, "the cpu feature '%s' is given twice",
                       feature->name);
        else if (feature->name)
            map_set_text(names, feature->name, feature);
        if (!feature->policy)
            feature->policy = CPU_REQUIRE;
    }
}

static void check_addresses(const struct cpu *cpu, struct xml_context *x)
{
    if (cpu->address_mode == CPU_ADDRESS_EMULATE && !cpu->address_bits)
        xml_refuse(x, &cpu->address_mode, ERR_XML, "bits='42', say", "emulated physical addresses need bits");
    if (cpu->address_mode == CPU_ADDRESS_EMULATE && cpu->address_limit)
        xml_refuse(x, &cpu->address_limit, ERR_XML, NULL, "a limit is for mode='passthrough'");
    if (cpu->address_mode == CPU_ADDRESS_PASSTHROUGH && cpu->address_bits)
        xml_refuse(x, &cpu->address_bits, ERR_XML, NULL, "mode='passthrough' has as many bits as the host");
    if (cpu->address_mode == CPU_ADDRESS_PASSTHROUGH && cpu->mode != CPU_HOST_PASSTHROUGH &&
        cpu->mode != CPU_MAXIMUM)
        xml_refuse(x, &cpu->address_mode, ERR_CONFIG_UNSUPPORTED, "cpu mode='host-passthrough'",
                   "the host's physical addresses come with the host's processor only");
}

static void cpu_element_check(void *self, struct xml_context *x)
{
    struct cpu *cpu = self;
    uint32_t count = cpu->sockets | cpu->dies | cpu->clusters | cpu->cores | cpu->threads;
    if (count && (!cpu->sockets || !cpu->cores || !cpu->threads))
        xml_refuse(x, &cpu->sockets, ERR_XML, "sockets, cores and threads", "an incomplete <topology>");
    if (count && !cpu->dies)
        cpu->dies = 1;
    if (count && !cpu->clusters)
        cpu->clusters = 1;
    if (cpu->cache_mode == CPU_CACHE_EMULATE && cpu->cache_level.set && cpu->cache_level.value != 3)
        xml_refuse(x, &cpu->cache_level, ERR_CONFIG_UNSUPPORTED, "3",
                   "only a cache of level 3 can be emulated");
    if (cpu->cache_mode == CPU_CACHE_PASSTHROUGH && cpu->cache_level.set)
        xml_refuse(x, &cpu->cache_level, ERR_CONFIG_UNSUPPORTED, "no level",
                   "passing the cache through has no level");
    if (!cpu->mode && (cpu->model || cpu->features.count))
        cpu->mode = CPU_CUSTOM;
    if (cpu->model && !cpu->match)
        cpu->match = CPU_EXACT;
    if (cpu->model && !cpu->fallback)
        cpu->fallback = CPU_ALLOW;
    if (!cpu->model && cpu->fallback == CPU_ALLOW)
        cpu->fallback = CPU_FALLBACK_ABSENT;
    check_features(cpu, x);
    check_addresses(cpu, x);
}

#define SELF struct cpu_feature
PART(cpu_feature_element, "feature", "An instruction set or ability.",
    ATTR("policy", policy, cpu_policy, "must the guest have it?"),
    ATTR("name", name, string, "name of the feature", REQUIRED));
#undef SELF

#define SELF struct cpu
PART(model, "model", "A processor by name.",
    ATTR("fallback", fallback, cpu_fallback, "take another one if the host has not this one?"),
    ATTR("vendor_id", vendor_id, string, "vendor shown to the guest"),
    TEXT(model, string, "name of the model"));

PART(topology, "topology", "How the vcpus are grouped.",
    ATTR("sockets", sockets, u32, "number of sockets", NONZERO),
    ATTR("dies", dies, u32, "dies in a socket", NONZERO),
    ATTR("clusters", clusters, u32, "clusters in a die", NONZERO),
    ATTR("cores", cores, u32, "cores in a cluster", NONZERO),
    ATTR("threads", threads, u32, "threads in a core", NONZERO));

PART(cache, "cache", "The processor's cache, as the guest sees it.",
    ATTR("level", cache_level, opt_u32, "level of the cache", RANGE(0, 3)),
    ATTR("mode", cache_mode, cpu_cache_mode, "whose cache", REQUIRED));

PART(maxphysaddr, "maxphysaddr", "How wide physical addresses are.",
    ATTR("mode", address_mode, cpu_address_mode, "who says so", REQUIRED),
    ATTR("bits", address_bits, u32, "bits", NONZERO),
    ATTR("limit", address_limit, u32, "at most so many bits of the host's", NONZERO));

const struct element cpu_element = ELEMENT_CHECKED("cpu", "The guest's processor.", cpu_element_check,
    ATTR("mode", mode, cpu_mode, "how it is chosen"),
    ATTR("match", match, cpu_match, "how close a named one must be"),
    ATTR("check", check, cpu_check, "compare with what the VMM can do?"),
    ATTR("migratable", migratable, on_off, "leave out what cannot migrate"),
    INLINE(model),
    LEAF("vendor", vendor, string, "vendor the host must have"),
    INLINE(topology), INLINE(cache), INLINE(maxphysaddr),
    LIST(features, cpu_feature_element),
    CHILD(numa, numa_element));

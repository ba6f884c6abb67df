/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.h - <cpu>: the guest's processor.
 *
 * No <cpu> at all stays so: the emulator's own default model.
 */
#pragma once
#include "conf/numa.h"
#include "xml/value.h"

#define CPU_MODES(_) \
    _(CPU_CUSTOM, "custom") _(CPU_HOST_MODEL, "host-model") _(CPU_HOST_PASSTHROUGH, "host-passthrough") \
    _(CPU_MAXIMUM, "maximum")
DECLARE_ENUM(cpu_mode, CPU_MODE_ABSENT, CPU_MODES);

#define CPU_MATCHES(_) _(CPU_MINIMUM, "minimum") _(CPU_EXACT, "exact") _(CPU_STRICT, "strict")
DECLARE_ENUM(cpu_match, CPU_MATCH_ABSENT, CPU_MATCHES);

#define CPU_CHECKS(_) _(CPU_CHECK_NONE, "none") _(CPU_CHECK_PARTIAL, "partial") _(CPU_CHECK_FULL, "full")
DECLARE_ENUM(cpu_check, CPU_CHECK_ABSENT, CPU_CHECKS);

#define CPU_FALLBACKS(_) _(CPU_ALLOW, "allow") _(CPU_FORBID, "forbid")
DECLARE_ENUM(cpu_fallback, CPU_FALLBACK_ABSENT, CPU_FALLBACKS);

#define CPU_POLICIES(_) \
    _(CPU_FORCE, "force") _(CPU_REQUIRE, "require") _(CPU_OPTIONAL, "optional") _(CPU_DISABLE, "disable") \
    _(CPU_FORBIDDEN, "forbid")
DECLARE_ENUM(cpu_policy, CPU_POLICY_ABSENT, CPU_POLICIES);

#define CPU_CACHE_MODES(_) \
    _(CPU_CACHE_EMULATE, "emulate") _(CPU_CACHE_PASSTHROUGH, "passthrough") _(CPU_CACHE_DISABLE, "disable")
DECLARE_ENUM(cpu_cache_mode, CPU_CACHE_MODE_ABSENT, CPU_CACHE_MODES);

#define CPU_ADDRESSES(_) _(CPU_ADDRESS_EMULATE, "emulate") _(CPU_ADDRESS_PASSTHROUGH, "passthrough")
DECLARE_ENUM(cpu_address_mode, CPU_ADDRESS_ABSENT, CPU_ADDRESSES);

struct cpu_feature {
    struct extras extras;
    enum cpu_policy policy;
    const char *name;
};

struct cpu {
    struct extras extras;
    enum cpu_mode mode;
    enum cpu_match match;
    enum cpu_check check;
    enum on_off migratable;
    const char *model;
    enum cpu_fallback fallback;
    const char *vendor_id, *vendor;
    uint32_t sockets, dies, clusters, cores, threads;   /* <topology>; all zero: not given */
    struct opt_u32 cache_level;
    enum cpu_cache_mode cache_mode;
    enum cpu_address_mode address_mode;         /* <maxphysaddr> */
    uint32_t address_bits, address_limit;       /* 0: not given */
    LIST_OF(struct cpu_feature) features;
    struct numa *numa;
};

DECLARE_ELEMENT(cpu_element, struct cpu);

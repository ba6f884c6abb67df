/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/domain_check.h"

#include <string.h>

#include "base/text.h"
#include "conf/cpuset.h"
#include "conf/defaults.h"
#include "conf/domain_def.h"
#include "conf/kept.h"
#include "conf/machine.h"
#include "conf/passthrough.h"
#include "xml/element.h"

enum { NAME_MAX_BYTES = 255 };      /* no file is named by it; this is what other tools count on */

static void check_name(const struct domain_def *def, struct xml_context *x)
{
    const char *name = def->name;
    if (!name)
        xml_refuse(x, &def->name, ERR_NO_NAME, NULL, "a domain needs a name");
    else if (!text_is_printable(name) || name[strspn(name, " ")] == '\0')
        xml_refuse(x, &def->name, ERR_XML_SYNTAX, "a name of one line, not blank, without control characters",
                   "'%s' cannot be a domain's name: it must be one line, not blank, without control "
                   "characters", name);
    else if (strchr(name, '/') || text_equal(name, ".") || text_equal(name, ".."))
        xml_refuse(x, &def->name, ERR_XML, "a name without '/', and neither '.' nor '..'",
                   "'%s' cannot be a domain's name", name);
    else if (strlen(name) > NAME_MAX_BYTES)
        xml_refuse(x, &def->name, ERR_XML, "at most 255 bytes",
                   "the name has %zu bytes; at most %d are accepted", strlen(name), NAME_MAX_BYTES);
    if (def->title && strchr(def->title, '\n'))
        xml_refuse(x, &def->title, ERR_XML, NULL, "a title is one line");
}

/* With cells, the guest's memory is theirs, and that of its memory devices. */
static void take_cells(struct domain_def *def)
{
    uint64_t kib = numa_kib(def->cpu ? def->cpu->numa : NULL);
    bool more = def->memory_devices.count > 0;
    if (kib && (!more || kib > def->memory.kib))
        def->memory.kib = kib;
    if (kib)
        def->memory.unit = "KiB";
}

static void check_max_memory(const struct domain_def *def, struct xml_context *x)
{
    const struct memory_amount *max = &def->max_memory;
    if (!max->kib)
        return;
    if (max->kib < def->memory.kib)
        xml_refuse(x, &max->kib, ERR_XML, NULL, "maxMemory is less than the memory at boot");
    if (!def->cpu || !def->cpu->numa || !def->cpu->numa->cells.count)
        xml_refuse(x, max, ERR_CONFIG_UNSUPPORTED, "a numa cell in <cpu>",
                   "memory that grows needs at least one numa cell");
}

static void check_memory(const struct domain_def *def, struct xml_context *x)
{
    check_max_memory(def, x);
    if (def->memory.kib == 0)
        xml_refuse(x, &def->memory, ERR_XML, "more than 0", "the memory size must be given by <memory>");
}

static void check_vcpus(const struct domain_def *def, struct xml_context *x)
{
    uint32_t most = machine_max_vcpus(machine_kind(def)), max = def->max_vcpus ? def->max_vcpus : 1;
    const struct cpu *cpu = def->cpu;
    if (max > most)
        xml_refuse(x, &def->max_vcpus, ERR_CONFIG_UNSUPPORTED, NULL,
                   "%u vcpus are more than the %u of this machine", max, most);
    if (def->vcpus > max)
        xml_refuse(x, &def->vcpus, ERR_XML, NULL, "%u vcpus at boot are more than the maximum of %u",
                   def->vcpus, max);
    if (!cpu || !cpu->sockets || !cpu->cores || !cpu->threads)
        return;
    uint64_t places = cpu->sockets;
    const uint32_t factors[] = { cpu->dies, cpu->clusters, cpu->cores, cpu->threads };
    for (size_t i = 0; i < ARRAY_COUNT(factors); i++)
        if (__builtin_mul_overflow(places, (uint64_t) factors[i], &places))
            places = UINT64_MAX;
    if (places != max)
        xml_refuse(x, &cpu->sockets, ERR_CONFIG_UNSUPPORTED, NULL,
                   "the topology has room for %llu vcpus, and the maximum is %u", (unsigned long long) places,
                   max);
}

/* Each <vcpu> is there once, and as many are enabled as <vcpu current> says. */
static void check_vcpu_list(const struct domain_def *def, struct xml_context *x)
{
    uint32_t max = def->max_vcpus ? def->max_vcpus : 1, enabled = 0;
    bool seen[CPUSET_MAX] = { false };
    for (size_t i = 0; i < def->vcpu_list.count; i++) {
        const struct vcpu *vcpu = def->vcpu_list.items[i];
        uint32_t id = vcpu->id.value;
        if (id >= max || id >= CPUSET_MAX)
            xml_refuse(x, &vcpu->id, ERR_XML, NULL, "there is no vcpu %u: the maximum is %u", id, max);
        else if (seen[id])
            xml_refuse(x, &vcpu->id, ERR_XML, NULL, "vcpu %u is given twice", id);
        else
            seen[id] = true;
        if (id == 0 && vcpu->enabled == NO)
            xml_refuse(x, &vcpu->enabled, ERR_XML, "yes", "vcpu 0 is always there");
        if (vcpu->enabled == NO && vcpu->hotpluggable == NO)
            xml_refuse(x, &vcpu->hotpluggable, ERR_XML, "yes",
                       "vcpu %u is neither there at boot nor may it come later", id);
        enabled += vcpu->enabled == YES;
    }
    if (def->vcpu_list.count == max && enabled != (def->vcpus ? def->vcpus : max))
        xml_refuse(x, &def->vcpus, ERR_XML, NULL, "%u vcpus are enabled in <vcpus>, and %u should be",
                   enabled, def->vcpus ? def->vcpus : max);
}

static void check_cell_vcpus(const struct domain_def *def, struct xml_context *x)
{
    const struct numa *numa = def->cpu ? def->cpu->numa : NULL;
    uint32_t max = def->max_vcpus ? def->max_vcpus : 1;
    for (size_t i = 0; numa && i < numa->cells.count; i++) {
        const char *at = numa->cells.items[i]->cpus;
        for (unsigned first, last; cpuset_next(&at, &first, &last); )
            if (last >= max) {
                xml_refuse(x, &numa->cells.items[i]->cpus, ERR_INTERNAL, NULL,
                           "numa cell %zu has vcpu %u, and the maximum is %u vcpus", i, last, max);
                break;
            }
    }
}

/* A bare name looks as if PATH were searched for it, and it never is.  A path is what documents have that
 * someone fills in later ("PREFIX/bin/qemu-system-x86_64"): it can be kept, and a start refuses it. */
static void check_emulator(const struct domain_def *def, struct xml_context *x)
{
    const char *emulator = def->emulator;
    if (!emulator || *emulator == '/')
        return;
    if (strchr(emulator, '/'))
        xml_warn(x, &def->emulator, "the emulator's path '%s' is not absolute: a start will be refused",
                 emulator);
    else
        xml_refuse(x, &def->emulator, ERR_CONFIG_UNSUPPORTED, "an absolute path",
                   "the emulator's path '%s' is not absolute", emulator);
}

static bool runs(const char *emulator, const char *arch)
{
    static const struct { const char *emulator, *also; } wider[] = {
        { "x86_64", "i686" }, { "i386", "i686" }, { "aarch64", "armv7l" }, { "aarch64", "armv6l" },
        { "arm", "armv7l" }, { "arm", "armv6l" }, { "ppc64", "ppc64le" }, { "ppc64", "ppc" },
    };
    if (text_equal(emulator, arch))
        return true;
    for (size_t i = 0; i < ARRAY_COUNT(wider); i++)
        if (text_equal(emulator, wider[i].emulator) && text_equal(arch, wider[i].also))
            return true;
    return false;
}

/* QEMU's programs say by their names what they emulate. */
static void check_arch(const struct domain_def *def, struct xml_context *x)
{
    static const char *const known[] = { "x86_64", "i386", "aarch64", "arm", "ppc64", "ppc", "s390x",
                                         "riscv64", "riscv32", "alpha", "sparc", "mips", "loongarch64" };
    static const char prefix[] = "qemu-system-";
    const char *slash = def->emulator ? strrchr(def->emulator, '/') : NULL;
    const char *word = slash && text_starts(slash + 1, prefix) ? slash + sizeof prefix : NULL;
    for (size_t i = 0; i < ARRAY_COUNT(known) && word && def->os.arch; i++)
        if (text_equal(word, known[i]) && !runs(word, def->os.arch))
            xml_refuse(x, &def->emulator, ERR_CONFIG_UNSUPPORTED, NULL,
                       "the emulator '%s' does not run guests of architecture '%s'", def->emulator,
                       def->os.arch);
}

static void check_type(const struct domain_def *def, struct xml_context *x)
{
    if (def->type == DOMAIN_TYPE_HVF)
        xml_warn(x, &def->type, "type 'hvf' needs macOS: it is kept, and a start will be refused");
}

void domain_check(void *self, struct xml_context *x)
{
    struct domain_def *def = self;
    defaults_fill_os(def, xml_user(x), xml_arena(x));
    defaults_number_controllers(def);
    check_name(def, x);
    take_cells(def);
    check_memory(def, x);
    check_vcpus(def, x);
    check_vcpu_list(def, x);
    check_cell_vcpus(def, x);
    iothreads_check(def, x);
    tuning_check(def, x);
    numatune_check(def, x);
    sysinfo_check(def, x);
    memory_devices_check(def, x);
    passthrough_check(def, x);
    check_type(def, x);
    check_emulator(def, x);
    check_arch(def, x);
    check_devices(def, x);
    check_kept(def, x);
    if (xml_has_errors(x))
        return;
    defaults_fill(def, xml_user(x), x);
    check_addresses(def, x);
}

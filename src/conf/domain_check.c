/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/domain_check.h"

#include <string.h>

#include "base/text.h"
#include "conf/defaults.h"
#include "conf/domain_def.h"
#include "conf/machine.h"
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

static void check_memory(const struct domain_def *def, struct xml_context *x)
{
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

static void check_emulator(const struct domain_def *def, struct xml_context *x)
{
    if (def->emulator && def->emulator[0] != '/')
        xml_refuse(x, &def->emulator, ERR_CONFIG_UNSUPPORTED, "an absolute path",
                   "the emulator's path '%s' is not absolute", def->emulator);
}

void domain_check(void *self, struct xml_context *x)
{
    struct domain_def *def = self;
    defaults_fill_os(def, xml_user(x), xml_arena(x));
    defaults_number_controllers(def);
    check_name(def, x);
    check_memory(def, x);
    check_vcpus(def, x);
    check_emulator(def, x);
    check_devices(def, x);
    check_kept(def, x);
    if (xml_has_errors(x))
        return;
    defaults_fill(def, xml_user(x), x);
    check_addresses(def, x);
}

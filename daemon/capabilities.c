/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/capabilities.h"

#include "base/log.h"
#include "base/text.h"
#include "daemon/emulators.h"
#include "daemon/host.h"
#include "daemon/host_usage.h"
#include "qemu/caps.h"
#include "xml/raw.h"

static void add_leaf(struct buffer *out, const char *indent, const char *name, const char *text)
{
    buffer_printf(out, "%s<%s>", indent, name);
    xml_add_text(out, text);
    buffer_printf(out, "</%s>\n", name);
}

/* The NUMA nodes, each with its memory and processors. */
static void add_nodes(struct buffer *out)
{
    struct host_nodes nodes;
    host_nodes_read(&nodes);
    buffer_printf(out, "    <topology>\n      <cells num='%zu'>\n", nodes.items.count);
    for (size_t i = 0; i < nodes.items.count; i++) {
        int node = nodes.items.items[i];
        struct host_memory memory = { 0 };
        unsigned char map[1024 / 8] = { 0 };
        owned_buffer struct buffer cpus = { 0 };
        unsigned count = 0;
        host_memory_read(node, &memory);
        host_node_cpus(node, &cpus);
        cpu_map_parse(buffer_text(&cpus), 1024, map);
        for (unsigned cpu = 0; cpu < 1024; cpu++)
            count += cpu_map_has(map, cpu);
        buffer_printf(
            out,
            "        <cell id='%d'>\n          <memory unit='KiB'>%llu</memory>\n          <cpus num='%u'>\n",
            node, (unsigned long long) memory.total, count);
        for (unsigned cpu = 0; cpu < 1024; cpu++)
            if (cpu_map_has(map, cpu))
                buffer_printf(out, "            <cpu id='%u'/>\n", cpu);
        buffer_add_text(out, "          </cpus>\n        </cell>\n");
    }
    buffer_add_text(out, "      </cells>\n    </topology>\n");
    vector_done(&nodes.items);
}

static void add_host(struct buffer *out, const struct host *host)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format(&host->uuid, uuid);
    buffer_add_text(out, "  <host>\n");
    add_leaf(out, "    ", "uuid", uuid);
    buffer_add_text(out, "    <cpu>\n");
    add_leaf(out, "      ", "arch", host->arch);
    buffer_printf(out, "      <topology sockets='%u' dies='1' cores='%u' threads='%u'/>\n    </cpu>\n",
                  host->sockets, host->cores, host->threads);
    add_nodes(out);
    buffer_add_text(out, "  </host>\n");
}

static void add_machine(struct buffer *out, const struct caps_machine *machine, const char *name,
                        const char *canonical)
{
    buffer_printf(out, "      <machine");
    if (canonical)
        xml_add_attribute(out, "canonical", canonical);
    buffer_printf(out, " maxCpus='%u'", machine->cpus_max);
    if (machine->deprecated)
        buffer_add_text(out, " deprecated='yes'");
    buffer_add_char(out, '>');
    xml_add_text(out, name);
    buffer_add_text(out, "</machine>\n");
}

static void add_guest(struct buffer *out, const struct caps *caps)
{
    buffer_add_text(out, "  <guest>\n    <os_type>hvm</os_type>\n    <arch");
    xml_add_attribute(out, "name", caps->arch);
    buffer_printf(out, ">\n      <wordsize>%d</wordsize>\n",
                  text_ends(caps->arch, "64") || text_equal(caps->arch, "s390x") ? 64 : 32);
    add_leaf(out, "      ", "emulator", caps->emulator);
    for (size_t i = 0; i < caps->machines_count; i++) {
        const struct caps_machine *machine = &caps->machines[i];
        add_machine(out, machine, machine->name, NULL);
        if (machine->alias)
            add_machine(out, machine, machine->alias, machine->name);
    }
    buffer_add_text(out, "      <domain type='qemu'/>\n");
    if (caps->kvm_usable)
        buffer_add_text(out, "      <domain type='kvm'/>\n");
    buffer_add_text(out, "    </arch>\n    <features>\n      <acpi default='on' toggle='yes'/>\n"
                         "      <apic default='on' toggle='no'/>\n    </features>\n  </guest>\n");
}

char *capabilities_xml(const struct emulators *e, struct error *err)
{
    struct host host;
    error_scope(none);
    owned_buffer struct buffer xml = { 0 };
    if (host_read(&host, err) < 0)
        return NULL;
    owned(caps) struct caps *caps = emulators_caps(e, &none);
    if (!caps)
        log_debug("capabilities without a guest: %s", error_text(&none));
    buffer_add_text(&xml, "<capabilities>\n\n");
    add_host(&xml, &host);
    if (caps)
        add_guest(&xml, caps);
    buffer_add_text(&xml, "\n</capabilities>\n");
    return buffer_take(&xml);
}

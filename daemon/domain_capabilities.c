/* SPDX-License-Identifier: Apache-2.0 */
/* What a domain of an emulator and a machine may have, for clients that make definitions. */
#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"
#include "daemon/capabilities.h"
#include "daemon/emulators.h"
#include "qemu/caps.h"
#include "qemu/firmware.h"
#include "xml/raw.h"

/* A word that a definition may use: what the emulator must have for it (NULL: nothing), and which boards. */
enum boards { PC = 1, Q35 = 2, OTHER = 4, ANY = PC | Q35 | OTHER };
struct value { const char *word, *type; enum boards boards; };
struct choice { const char *name; const struct value *values; };
struct device { const char *name; const struct choice *choices; };

#define VALUES(...) (const struct value[]) { __VA_ARGS__, { NULL, NULL, ANY } }
#define CHOICES(...) (const struct choice[]) { __VA_ARGS__, { NULL, NULL } }
#define ALWAYS(word) { word, NULL, ANY }

static const struct device devices[] = {
    { "disk",
      CHOICES({ "diskDevice",
                VALUES(ALWAYS("disk"), ALWAYS("cdrom"), { "floppy", "floppy", PC | Q35 }, ALWAYS("lun")) },
              { "bus", VALUES({ "ide", "ide-hd", PC }, { "fdc", "floppy", PC | Q35 },
                              { "scsi", "scsi-hd", ANY }, { "virtio", "virtio-blk-pci", ANY },
                              { "usb", "usb-storage", PC | Q35 }, { "sata", "ich9-ahci", PC | Q35 }) },
              { "model", VALUES({ "virtio", "virtio-blk-pci", ANY },
                                { "virtio-transitional", "virtio-blk-pci-transitional", ANY },
                                { "virtio-non-transitional", "virtio-blk-pci-non-transitional", ANY }) }) },
    { "graphics",
      CHOICES({ "type", VALUES(ALWAYS("vnc"), { "spice", "chardev-spicevmc", ANY },
                               ALWAYS("egl-headless")) }) },
    { "video",
      CHOICES({ "modelType", VALUES({ "vga", "VGA", PC | Q35 }, { "cirrus", "cirrus-vga", PC | Q35 },
                                    { "vmvga", "vmware-svga", PC | Q35 }, { "qxl", "qxl-vga", PC | Q35 },
                                    { "virtio", "virtio-gpu-pci", ANY }, ALWAYS("none"),
                                    { "bochs", "bochs-display", ANY }, { "ramfb", "ramfb", ANY }) }) },
    { "hostdev",
      CHOICES({ "mode", VALUES(ALWAYS("subsystem")) },
              { "startupPolicy", VALUES(ALWAYS("default"), ALWAYS("mandatory"), ALWAYS("requisite"),
                                        ALWAYS("optional")) },
              { "subsysType", VALUES({ "usb", "usb-host", PC | Q35 }, { "pci", "vfio-pci", PC | Q35 }) },
              { "pciBackend", VALUES({ "vfio", "vfio-pci", PC | Q35 }) }) },
    { "rng",
      CHOICES({ "model", VALUES({ "virtio", "virtio-rng-pci", ANY },
                                { "virtio-transitional", "virtio-rng-pci-transitional", ANY },
                                { "virtio-non-transitional", "virtio-rng-pci-non-transitional", ANY }) },
              { "backendModel", VALUES({ "random", "rng-random", ANY }, { "egd", "rng-egd", ANY },
                                       { "builtin", "rng-builtin", ANY }) }) },
    { "filesystem", CHOICES({ "driverType", VALUES({ "path", "virtio-9p-pci", ANY }) }) },
    { "tpm",
      CHOICES({ "model", VALUES({ "tpm-tis", "tpm-tis", PC | Q35 }, { "tpm-crb", "tpm-crb", PC | Q35 }) },
              { "backendModel", VALUES(ALWAYS("passthrough"), ALWAYS("external")) }) },
    { "redirdev", CHOICES({ "bus", VALUES({ "usb", "usb-redir", PC | Q35 }) }) },
    { "channel",
      CHOICES({ "type", VALUES(ALWAYS("pty"), ALWAYS("unix"), { "spicevmc", "chardev-spicevmc", ANY },
                               { "qemu-vdagent", "chardev-qemu-vdagent", ANY }) }) },
    { "panic",
      CHOICES({ "model", VALUES({ "isa", "pvpanic", PC | Q35 }, { "hyperv", NULL, PC | Q35 },
                                { "pvpanic", "pvpanic-pci", PC | Q35 }) }) },
    { "console", CHOICES({ "type", VALUES(ALWAYS("null"), ALWAYS("vc"), ALWAYS("pty"), ALWAYS("dev"),
                                          ALWAYS("file"), ALWAYS("pipe"), ALWAYS("tcp"), ALWAYS("unix")) }) },
};

static enum boards board_of(const struct caps_machine *machine)
{
    if (text_starts(machine->name, "pc-q35") || text_equal(machine->name, "q35"))
        return Q35;
    return text_starts(machine->name, "pc") ? PC : OTHER;
}

static void add_leaf(struct buffer *out, const char *name, const char *text)
{
    buffer_printf(out, "  <%s>", name);
    xml_add_text(out, text);
    buffer_printf(out, "</%s>\n", name);
}

static void add_choice(struct buffer *out, const struct choice *choice, const struct caps *caps,
                       enum boards board)
{
    buffer_printf(out, "      <enum name='%s'>\n", choice->name);
    for (const struct value *value = choice->values; value->word; value++)
        if (value->boards & board && (!value->type || caps_has_type(caps, value->type)))
            buffer_printf(out, "        <value>%s</value>\n", value->word);
    buffer_add_text(out, "      </enum>\n");
}

static void add_devices(struct buffer *out, const struct caps *caps, enum boards board)
{
    buffer_add_text(out, "  <devices>\n");
    for (size_t i = 0; i < ARRAY_COUNT(devices); i++) {
        buffer_printf(out, "    <%s supported='yes'>\n", devices[i].name);
        for (const struct choice *choice = devices[i].choices; choice->name; choice++)
            add_choice(out, choice, caps, board);
        buffer_printf(out, "    </%s>\n", devices[i].name);
    }
    buffer_add_text(out, "  </devices>\n");
}

static void add_cpus(struct buffer *out, const struct caps *caps, bool kvm)
{
    buffer_printf(out, "  <cpu>\n    <mode name='host-passthrough' supported='%s'/>\n", kvm ? "yes" : "no");
    buffer_add_text(out, "    <mode name='custom' supported='yes'>\n");
    for (size_t i = 0; i < caps->cpus_count; i++) {
        const struct caps_cpu *cpu = &caps->cpus[i];
        buffer_printf(out, "      <model usable='%s'%s>", cpu->usable ? "yes" : "no",
                      cpu->deprecated ? " deprecated='yes'" : "");
        xml_add_text(out, cpu->name);
        buffer_add_text(out, "</model>\n");
    }
    buffer_add_text(out, "    </mode>\n  </cpu>\n");
}

static int check_asked(const struct caps *caps, const remote_connect_get_domain_capabilities_args *args,
                       struct error *err)
{
    const char *type = args->virttype ? *args->virttype : NULL, *arch = args->arch ? *args->arch : NULL;
    if (args->flags)
        return fail(err, ERR_INVALID_ARG, "unsupported flags (0x%x)", args->flags);
    if (arch && !text_equal(arch, caps->arch))
        return fail(err, ERR_INVALID_ARG,
                    "architecture from emulator '%s' doesn't match given architecture '%s'", caps->arch,
                    arch);
    if (type && !text_equal(type, "qemu") && !text_equal(type, "kvm"))
        return fail(err, ERR_INVALID_ARG, "unknown virttype: %s", type);
    if (type && text_equal(type, "kvm") && !caps->kvm_usable)
        return fail(err, ERR_INVALID_ARG, "KVM is not supported by '%s' on this host", caps->emulator);
    return 0;
}

static void add_values(struct buffer *out, const char *name, const char *const *words, size_t count)
{
    buffer_printf(out, "      <enum name='%s'>\n", name);
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "        <value>%s</value>\n", words[i]);
    buffer_add_text(out, "      </enum>\n");
}

static void add_os(struct buffer *out, const struct firmware_list *firmware)
{
    static const char *const kinds[] = { "bios", "efi" }, *const types[] = { "rom", "pflash" };
    static const char *const yes_no[] = { "yes", "no" }, *const no_yes[] = { "no", "yes" };
    buffer_add_text(out, "  <os supported='yes'>\n");
    add_values(out, "firmware", kinds, firmware->files.count ? 2 : 1);
    buffer_add_text(out, "    <loader supported='yes'>\n");
    for (size_t i = 0; i < firmware->files.count; i++) {
        buffer_add_text(out, "    ");
        add_leaf(out, "value", firmware->files.items[i]);
    }
    add_values(out, "type", types, 2);
    add_values(out, "readonly", yes_no, 2);
    add_values(out, "secure", no_yes, firmware->secure ? 2 : 1);
    buffer_add_text(out, "    </loader>\n  </os>\n");
}

static void add_memory_backing(struct buffer *out, const struct caps *caps)
{
    static const char *const sources[] = { "file", "anonymous", "memfd" };
    buffer_add_text(out, "  <memoryBacking supported='yes'>\n");
    add_values(out, "sourceType", sources, caps_has_type(caps, "memory-backend-memfd") ? 3 : 2);
    buffer_add_text(out, "  </memoryBacking>\n");
}

/* What is not there is said, too: clients ask. */
static void add_features(struct buffer *out, const struct caps *caps)
{
    const struct { const char *name; bool supported; } features[] = {
        { "gic", false }, { "vmcoreinfo", caps_has_type(caps, "vmcoreinfo") },
        { "genid", caps_has_type(caps, "vmgenid") }, { "backingStoreInput", true }, { "backup", false },
        { "async-teardown", false }, { "sev", false }, { "sgx", false }, { "launchSecurity", false },
    };
    buffer_add_text(out, "  <features>\n");
    for (size_t i = 0; i < ARRAY_COUNT(features); i++)
        buffer_printf(out, "    <%s supported='%s'/>\n", features[i].name,
                      features[i].supported ? "yes" : "no");
    buffer_add_text(out, "  </features>\n");
}

static void add_capabilities(struct buffer *out, const struct caps *caps, const struct caps_machine *machine,
                             const struct firmware_list *firmware, bool kvm)
{
    buffer_add_text(out, "<domainCapabilities>\n");
    add_leaf(out, "path", caps->emulator);
    add_leaf(out, "domain", kvm ? "kvm" : "qemu");
    add_leaf(out, "machine", machine->name);
    add_leaf(out, "arch", caps->arch);
    buffer_printf(out, "  <vcpu max='%u'/>\n  <iothreads supported='yes'/>\n", machine->cpus_max);
    add_os(out, firmware);
    add_cpus(out, caps, kvm);
    add_memory_backing(out, caps);
    add_devices(out, caps, board_of(machine));
    add_features(out, caps);
    buffer_add_text(out, "</domainCapabilities>\n");
}

char *domain_capabilities_xml(const struct emulators *e,
                              const remote_connect_get_domain_capabilities_args *args, struct error *err)
{
    owned_buffer struct buffer xml = { 0 };
    owned(caps) struct caps *caps =
        args->emulatorbin ? caps_get(*args->emulatorbin, err) : emulators_caps(e, err);
    if (!caps || check_asked(caps, args, err) < 0)
        return NULL;
    const struct caps_machine *machine =
        args->machine ? caps_machine_find(caps, *args->machine) : caps_default_machine(caps);
    if (!machine) {
        fail(err, ERR_INVALID_ARG, "the machine '%s' is not supported by emulator '%s'",
             args->machine ? *args->machine : "(default)", caps->emulator);
        return NULL;
    }
    owned_firmware_list struct firmware_list firmware = { 0 };
    owned_memory char *name = memory_copy_text(machine->name), *arch = memory_copy_text(caps->arch);
    if (firmware_list(arch, name, &firmware, err) < 0)
        return NULL;
    add_capabilities(&xml, caps, machine, &firmware,
                     caps->kvm_usable && !(args->virttype && text_equal(*args->virttype, "qemu")));
    return buffer_take(&xml);
}

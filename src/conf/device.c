/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/device.h"

#include <string.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"
#include "xml/element.h"

/* Any list of the definition, as the engine sees it. */
struct any_list { void **items; size_t count; };
#define NO_MEMBER ((size_t) -1)

static const struct kind {
    const struct element *element;
    size_t list;                        /* offset in the definition */
    size_t alias, address;              /* offsets in the device */
} kinds[DEVICES_LISTS] = {
#define KIND(table, member, type)                                                                            \
    {                                                                                                        \
        &table, offsetof(struct domain_def, member), offsetof(struct type, alias),                           \
            offsetof(struct type, address)                                                                   \
    }
    [DEVICES_DISK] = KIND(disk_element, disks, disk),
    [DEVICES_CONTROLLER] = KIND(controller_element, controllers, controller),
    [DEVICES_INTERFACE] = KIND(interface_element, interfaces, interface),
    [DEVICES_SERIAL] = KIND(serial_element, serials, chardev),
    [DEVICES_CONSOLE] = KIND(console_element, consoles, chardev),
    [DEVICES_INPUT] = KIND(input_element, inputs, input),
    [DEVICES_GRAPHICS] = { &graphics_element, offsetof(struct domain_def, graphics), NO_MEMBER, NO_MEMBER },
    [DEVICES_VIDEO] = KIND(video_element, videos, video),
    [DEVICES_FILESYSTEM] = KIND(filesystem_element, filesystems, filesystem),
    [DEVICES_PARALLEL] = KIND(parallel_element, parallels, chardev),
    [DEVICES_CHANNEL] = KIND(channel_element, channels, chardev),
    [DEVICES_TPM] = KIND(tpm_element, tpms, tpm),
    [DEVICES_SOUND] = KIND(sound_element, sounds, sound),
    [DEVICES_HOSTDEV] = KIND(hostdev_element, hostdevs, hostdev),
    [DEVICES_REDIRDEV] = KIND(redirdev_element, redirdevs, chardev),
    [DEVICES_HUB] = KIND(hub_element, hubs, hub),
    [DEVICES_WATCHDOG] = KIND(watchdog_element, watchdogs, watchdog),
    [DEVICES_RNG] = KIND(rng_element, rngs, rng),
    [DEVICES_PANIC] = KIND(panic_element, panics, panic),
    [DEVICES_SMARTCARD] = KIND(smartcard_element, smartcards, smartcard),
    [DEVICES_SHMEM] = KIND(shmem_element, shmems, shmem),
    [DEVICES_MEMORY] = KIND(memory_device_element, memory_devices, memory_device),
    [DEVICES_IOMMU] = KIND(iommu_element, iommus, iommu),
};

static struct any_list *list_of(const struct domain_def *def, enum device_list list)
{
    return (struct any_list *) ((char *) (uintptr_t) def + kinds[list].list);
}

size_t device_count(const struct domain_def *def, enum device_list list)
{
    return list_of(def, list)->count;
}

void *device_at(const struct domain_def *def, struct device_place place)
{
    return list_of(def, place.list)->items[place.index];
}

static const char **alias_of(enum device_list list, void *device)
{
    return kinds[list].alias == NO_MEMBER ? NULL
                                          : (const char **) (void *) ((char *) device + kinds[list].alias);
}

static struct address **address_of(enum device_list list, void *device)
{
    return kinds[list].address == NO_MEMBER
               ? NULL
               : (struct address **) (void *) ((char *) device + kinds[list].address);
}

const char *device_alias_at(const struct domain_def *def, struct device_place place)
{
    const char **alias = alias_of(place.list, device_at(def, place));
    return alias ? *alias : NULL;
}

char *device_describe(const struct domain_def *def, struct device_place place)
{
    const void *device = device_at(def, place);
    const char *alias = device_alias_at(def, place);
    const struct disk *disk = place.list == DEVICES_DISK ? device : NULL;
    const struct interface *interface = place.list == DEVICES_INTERFACE ? device : NULL;
    if (disk && disk->target)
        return memory_printf("disk '%s'", disk->target);
    if (interface && !mac_is_zero(&interface->mac)) {
        char mac[MAC_TEXT_SIZE];
        mac_format(&interface->mac, mac);
        return memory_printf("interface '%s'", mac);
    }
    if (alias)
        return memory_printf("%s '%s'", kinds[place.list].element->name, alias);
    return memory_printf("%s number %zu", kinds[place.list].element->name, place.index + 1);
}

/* --- its text --- */

/* Where the element begins: after white space, comments and the declaration of XML.  NULL if there is none.
 */
static const char *element_start(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        const char *end = text_starts(text, "<?") ? "?>" : text_starts(text, "<!--") ? "-->" : NULL;
        if (!end)
            return *text == '<' ? text : NULL;
        const char *after = strstr(text, end);
        if (!after)
            return NULL;
        text = after + strlen(end);
    }
}

char *device_element_of(const char *text)
{
    const char *start = element_start(text);
    return start ? memory_copy_bytes(start + 1, strcspn(start + 1, " \t\r\n/>")) : NULL;
}

enum device_list device_list_of(const char *device)
{
    owned_memory char *name = device_element_of(device);
    for (enum device_list list = 0; name && list < DEVICES_LISTS; list++)
        if (text_equal(kinds[list].element->name, name))
            return list;
    return DEVICES_LISTS;
}

/* Elements of kinds that nobody seeks are only read to see that they are one element. */
struct anything { struct extras extras; };
static const struct element anything_element = {
    .name = "",
    .size = sizeof(struct anything),
    .fields = (const struct field[]) { { .kind = END_OF_FIELDS } },
};

static void *parse(const char *text, struct arena *arena, struct error *err)
{
    owned_findings struct findings findings = { 0 };
    owned_memory char *name = device_element_of(text);
    enum device_list list = device_list_of(text);
    struct element element = list < DEVICES_LISTS ? *kinds[list].element : anything_element;
    if (!name) {
        fail(err, ERR_XML, "a device is one XML element, and this is none");
        return NULL;
    }
    element.name = name;
    void *device =
        xml_read(&element, text, strlen(text), DOMAIN_XML_MAX, XML_LIVE, NULL, NULL, arena, &findings, err);
    if (!device || !findings.errors)
        return device;
    findings_fail(&findings, err);
    return NULL;
}

int device_insert(const char *domain, const char *device, struct buffer *out, struct error *err)
{
    static const char end[] = "\n  </devices>\n";
    owned(arena) struct arena *arena = arena_new();
    if (!parse(device, arena, err))
        return -1;
    const char *last = NULL;
    for (const char *at = domain; (at = strstr(at, end)); at++)
        last = at + 1;
    if (!last)
        return fail(err, ERR_INTERNAL, "the domain's text has no <devices>");
    buffer_add(out, domain, (size_t) (last - domain));
    buffer_add_text(out, element_start(device));
    buffer_add_text(out, last);
    return 0;
}

/* --- finding --- */

static bool same_address(enum device_list list, void *wanted, void *candidate)
{
    struct address **asked = address_of(list, wanted), **has = address_of(list, candidate);
    if (!asked || !*asked || (*asked)->type == ADDRESS_NONE || !*has)
        return true;
    return (*asked)->type != ADDRESS_PCI ||
           ((*has)->type == ADDRESS_PCI && (*asked)->pci.domain == (*has)->pci.domain &&
            (*asked)->pci.bus == (*has)->pci.bus && (*asked)->pci.slot == (*has)->pci.slot &&
            (*asked)->pci.function == (*has)->pci.function);
}

/* Everything that they say, but alias and address. */
static bool same_text(enum device_list list, void *wanted, void *candidate)
{
    const struct element *element = kinds[list].element;
    owned(arena) struct arena *arena = arena_new();
    void *devices[2] = { wanted, candidate };
    owned_buffer struct buffer a = { 0 };
    owned_buffer struct buffer b = { 0 };
    for (size_t i = 0; i < 2; i++) {
        void *copy = xml_copy(element, devices[i], arena);
        const char **alias = alias_of(list, copy);
        struct address **address = address_of(list, copy);
        if (alias)
            *alias = NULL;
        if (address)
            *address = NULL;
        xml_write(element, copy, XML_SECRETS, i ? &b : &a);
    }
    return text_equal(buffer_text(&a), buffer_text(&b));
}

static bool is_meant(enum device_list list, void *wanted, void *candidate)
{
    const char **asked = alias_of(list, wanted), **has = alias_of(list, candidate);
    if (asked && *asked && *has)
        return text_equal(*asked, *has);
    if (!same_address(list, wanted, candidate))
        return false;
    switch (list) {
    case DEVICES_DISK:
        return text_equal(((struct disk *) wanted)->target, ((struct disk *) candidate)->target);
    case DEVICES_INTERFACE:
        return memcmp(&((struct interface *) wanted)->mac, &((struct interface *) candidate)->mac,
                      sizeof(struct mac)) == 0;
    case DEVICES_CONTROLLER:
        return ((struct controller *) wanted)->type == ((struct controller *) candidate)->type &&
               controller_index(wanted) == controller_index(candidate);
    case DEVICES_GRAPHICS:
        return ((struct graphics *) wanted)->type == ((struct graphics *) candidate)->type;
    default:
        return same_text(list, wanted, candidate);
    }
}

static int fail_missing(enum device_list list, void *wanted, struct error *err)
{
    char mac[MAC_TEXT_SIZE];
    switch (list) {
    case DEVICES_DISK:
        return fail(err, ERR_DEVICE_MISSING, "no target device %s", ((struct disk *) wanted)->target);
    case DEVICES_INTERFACE:
        mac_format(&((struct interface *) wanted)->mac, mac);
        return fail(err, ERR_DEVICE_MISSING, "no device matching MAC address %s found", mac);
    default:
        return fail(err, ERR_DEVICE_MISSING, "there is no such %s", kinds[list].element->name);
    }
}

int device_find(const struct domain_def *def, const char *device, struct device_place *ret_place,
                struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    void *wanted = parse(device, arena, err);
    enum device_list list = device_list_of(device);
    struct device_place place = { list, 0 };
    size_t found = 0;
    if (!wanted)
        return -1;
    if (list == DEVICES_LISTS) {
        owned_memory char *name = device_element_of(device);
        return fail(err, ERR_UNSUPPORTED, "a device of kind '%s' cannot be found in a definition", name);
    }
    for (size_t i = 0; i < device_count(def, list); i++)
        if (is_meant(list, wanted, list_of(def, list)->items[i]) && found++ == 0)
            place.index = i;
    if (found == 0)
        return fail_missing(list, wanted, err);
    if (found > 1)
        return fail(err, ERR_OPERATION_FAILED,
                    "%zu devices of kind '%s' match; an address or alias tells them apart", found,
                    kinds[list].element->name);
    *ret_place = place;
    return 0;
}

int device_find_alias(const struct domain_def *def, const char *alias, struct device_place *ret_place,
                      struct error *err)
{
    for (enum device_list list = 0; list < DEVICES_LISTS; list++)
        for (size_t i = 0; i < device_count(def, list); i++) {
            struct device_place place = { list, i };
            if (text_equal(device_alias_at(def, place), alias)) {
                *ret_place = place;
                return 0;
            }
        }
    return fail(err, ERR_DEVICE_MISSING, "no device found with alias %s", alias);
}

bool device_equal(const struct domain_def *a, struct device_place at, const struct domain_def *b,
                  struct device_place bt)
{
    owned_buffer struct buffer left = { 0 };
    owned_buffer struct buffer right = { 0 };
    xml_write(kinds[at.list].element, device_at(a, at), XML_LIVE | XML_SECRETS, &left);
    xml_write(kinds[bt.list].element, device_at(b, bt), XML_LIVE | XML_SECRETS, &right);
    return text_equal(buffer_text(&left), buffer_text(&right));
}

/* --- changing a copy --- */

void device_remove(struct domain_def *def, struct device_place place)
{
    struct any_list *list = list_of(def, place.list);
    memmove(list->items + place.index, list->items + place.index + 1,
            (list->count - place.index - 1) * sizeof *list->items);
    list->count--;
}

void device_move_last_to(struct domain_def *def, struct device_place place)
{
    struct any_list *list = list_of(def, place.list);
    void *last = list->items[list->count - 1];
    memmove(list->items + place.index + 1, list->items + place.index,
            (list->count - 1 - place.index) * sizeof *list->items);
    list->items[place.index] = last;
}

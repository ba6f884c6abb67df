/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/interface.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(interface_type, INTERFACE_TYPES);
DEFINE_ENUM_CODEC(link_state, LINK_STATES);
DEFINE_WORDS_CODEC(mac_origin, "generated", "static");
DEFINE_WORDS_CODEC(direct_mode, "vepa", "bridge", "private", "passthrough");
DEFINE_WORDS_CODEC(vhostuser_mode, "client", "server");
DEFINE_WORDS_CODEC(vhostuser_source, "unix");
DEFINE_WORDS_CODEC(interface_driver, "qemu", "vhost", "vfio", "kvm", "xen");
DEFINE_WORDS_CODEC(txmode, "iothread", "timer");

void mac_format(const struct mac *mac, char ret_text[MAC_TEXT_SIZE])
{
    const unsigned char *b = mac->bytes;
    snprintf(ret_text, MAC_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
}

bool mac_is_zero(const struct mac *mac)
{
    static const struct mac zero;
    return memcmp(mac, &zero, sizeof zero) == 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Six groups of one or two digits. */
static bool parse_mac(const struct codec *c, struct arena *a, const char *text, void *out)
{
    struct mac mac = { { 0 } };
    for (size_t i = 0; i < 6; i++) {
        int digits = 0;
        for (; digits < 2 && hex_digit(*text) >= 0; digits++, text++)
            mac.bytes[i] = (unsigned char) (mac.bytes[i] * 16 + hex_digit(*text));
        if (!digits || *text != (i < 5 ? ':' : '\0'))
            return false;
        text += i < 5;
    }
    *(struct mac *) out = mac;
    return true;
}

static void format_mac(const struct codec *c, struct buffer *out, const void *in)
{
    char text[MAC_TEXT_SIZE];
    mac_format(in, text);
    buffer_add_text(out, text);
}

CODEC_TYPE(mac, struct mac);
static const struct codec codec_mac = {
    .name = "mac", .size = sizeof(struct mac), .parse = parse_mac, .format = format_mac,
    .expected = "six pairs of hexadecimal digits, such as 52:54:00:12:34:56",
};

/* The host's end of a guest's card is named anew by each start, unless the name is the user's own. */
static bool target_is_users(const void *member)
{
    static const char *const ours[] = { "vnet", "vif", "macvtap", "macvlan" };
    const char *name = *(const char *const *) member;
    for (size_t i = 0; i < ARRAY_COUNT(ours) && name; i++)
        if (text_starts(name, ours[i]))
            return false;
    return name != NULL;
}

/* Well-known models have always been taken in any case. */
static void lower_known_model(struct interface *interface)
{
    static const char *const models[] = {
        "virtio", "virtio-transitional", "virtio-non-transitional", "e1000", "e1000e", "rtl8139", "igb",
        "vmxnet3", "pcnet", "ne2k_pci", "usb-net", "netfront", "spapr-vlan", "i82551", "i82557b", "i82559er",
    };
    for (size_t i = 0; i < ARRAY_COUNT(models) && interface->model; i++)
        if (strcasecmp(interface->model, models[i]) == 0)
            interface->model = models[i];
}

static const char model_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

static void interface_check(void *self, struct xml_context *x)
{
    struct interface *interface = self;
    char text[MAC_TEXT_SIZE];
    lower_known_model(interface);
    if (interface->mac.bytes[0] & 1) {
        mac_format(&interface->mac, text);
        xml_refuse(x, &interface->mac, ERR_XML, "a unicast address: the second digit is even",
                   "'%s' is a multicast address", text);
    }
    if (interface->model && interface->model[strspn(interface->model, model_characters)])
        xml_refuse(x, &interface->model, ERR_INVALID_ARG, "letters, digits, - and _",
                   "the model '%s' has characters that no model has", interface->model);
}

#define SELF struct interface
PART(mac, "mac", "Its hardware address.",
    ATTR("address", mac, mac, "the address"),
    ATTR("type", mac_type, mac_origin, "how it came about"),
    ATTR("check", mac_check, yes_no, "must it be free on the network?"));

#define SOCKET IF(type, INTERFACE_SERVER, INTERFACE_CLIENT, INTERFACE_MCAST, INTERFACE_UDP)
PART(source, "source", "What it is connected to.",
    ATTR("network", network, string, "virtual network", IF(type, INTERFACE_NETWORK)),
    ATTR("portid", port_id, string, "its port, while the guest runs", IF(type, INTERFACE_NETWORK), LIVE_ONLY),
    ATTR("portgroup", portgroup, string, "group of the network", IF(type, INTERFACE_NETWORK)),
    ATTR("bridge", bridge, string, "bridge of the host", IF(type, INTERFACE_BRIDGE)),
    ATTR("dev", source_dev, string, "device of the host",
         IF(type, INTERFACE_DIRECT, INTERFACE_VDPA, INTERFACE_USER, INTERFACE_VHOSTUSER)),
    ATTR("mode", mode, direct_mode, "how guests reach each other", IF(type, INTERFACE_DIRECT)),
    ATTR("mode", mode, vhostuser_mode, "which end we are", IF(type, INTERFACE_VHOSTUSER)),
    ATTR("type", source_type, vhostuser_source, "kind of character device", IF(type, INTERFACE_VHOSTUSER)),
    ATTR("path", path, string, "socket", IF(type, INTERFACE_VHOSTUSER)),
    ATTR("name", source_name, string, "network of the driver", IF(type, INTERFACE_INTERNAL)),
    ATTR("address", source.address, string, "peer", SOCKET),
    ATTR("port", source.port, opt_u32, "port of the peer", RANGE(0, 65535), SOCKET));

PART(target, "target", "Its end on the host.",
    ATTR("dev", target_dev, string, "name of the host's device", LIVE_UNLESS(target_is_users)));

PART(model, "model", "What the guest sees.", ATTR("type", model, string, "model of the card"));

PART(driver, "driver", "How packets are handled.",
    ATTR("name", driver, interface_driver, "what moves the packets"),
    ATTR("txmode", txmode, txmode, "when packets are sent"),
    ATTR("ioeventfd", ioeventfd, on_off, "handle requests outside of the vcpu's thread"),
    ATTR("event_idx", event_idx, on_off, "fewer interrupts"),
    ATTR("queues", queues, u32, "number of queue pairs", NONZERO),
    ATTR("rx_queue_size", rx_queue_size, u32, "size of a receive queue", NONZERO),
    ATTR("tx_queue_size", tx_queue_size, u32, "size of a send queue", NONZERO),
    ATTR("rss", rss, on_off, "spread packets over the queues by hash"),
    ATTR("rss_hash_report", rss_hash_report, on_off, "tell the guest the hash"),
    VIRTIO_ROWS);

PART(link, "link", "Is the cable plugged in?", ATTR("state", link, link_state, "up or down", REQUIRED));
PART(mtu, "mtu", "Largest packet.", ATTR("size", mtu, u32, "bytes", REQUIRED));
PART(rom, "rom", "Its boot code.",
    ATTR("enabled", rom_enabled, yes_no, "is there any?"),
    ATTR("bar", rom_bar, on_off, "does the guest see it?"),
    ATTR("file", rom_file, string, "path of another one"));
BOOT_PART;
ALIAS_PART;

const struct element interface_element = ELEMENT_CHECKED("interface", "A network card.", interface_check,
    ATTR("type", type, interface_type, "kind of connection", REQUIRED),
    ATTR("trustGuestRxFilters", trust_guest_rx_filters, yes_no, "believe the guest's packet filter"),
    INLINE(mac), INLINE(source), INLINE(target), INLINE(model), INLINE(driver), INLINE(link), INLINE(mtu),
    INLINE(boot), INLINE(rom), INLINE(alias), CHILD(address, address_element));

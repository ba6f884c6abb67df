/* SPDX-License-Identifier: Apache-2.0 */
/* interface.h - <interface>: a network card and what it is connected to.
 *
 * After defaults: a mac and a model are set.
 */
#pragma once
#include "conf/address.h"
#include "conf/virtio.h"

#define INTERFACE_TYPES(_) \
    _(INTERFACE_USER, "user") _(INTERFACE_ETHERNET, "ethernet") _(INTERFACE_VHOSTUSER, "vhostuser") \
    _(INTERFACE_SERVER, "server") _(INTERFACE_CLIENT, "client") _(INTERFACE_MCAST, "mcast") \
    _(INTERFACE_NETWORK, "network") _(INTERFACE_BRIDGE, "bridge") _(INTERFACE_INTERNAL, "internal") \
    _(INTERFACE_DIRECT, "direct") _(INTERFACE_HOSTDEV, "hostdev") _(INTERFACE_UDP, "udp") \
    _(INTERFACE_VDPA, "vdpa") _(INTERFACE_NULL, "null") _(INTERFACE_VDS, "vds")
DECLARE_ENUM(interface_type, INTERFACE_TYPE_ABSENT, INTERFACE_TYPES);

#define LINK_STATES(_) _(LINK_UP, "up") _(LINK_DOWN, "down")
DECLARE_ENUM(link_state, LINK_STATE_ABSENT, LINK_STATES);

struct mac { unsigned char bytes[6]; };         /* all zero: absent */
enum { MAC_TEXT_SIZE = 18 };
bool mac_is_zero(const struct mac *mac);
void mac_format(const struct mac *mac, char ret_text[MAC_TEXT_SIZE]);

struct interface {
    struct extras extras;
    enum interface_type type;
    enum yes_no trust_guest_rx_filters;
    struct mac mac;
    enum yes_no mac_check;
    const char *mac_type;

    /* <source> */
    const char *network, *port_id, *portgroup, *bridge, *source_dev, *mode, *source_type, *path, *source_name;
    struct { const char *address; struct opt_u32 port; } source;

    const char *target_dev;                     /* <target dev>: the host's end */
    const char *model;                          /* "virtio", "e1000": QEMU's name without -pci or -net */

    /* <driver> */
    const char *driver;
    const char *txmode;
    enum on_off ioeventfd, event_idx, rss, rss_hash_report;
    uint32_t queues, rx_queue_size, tx_queue_size;
    struct virtio_options virtio;

    enum yes_no rom_enabled;                    /* <rom> */
    enum on_off rom_bar;
    const char *rom_file;

    enum link_state link;
    uint32_t mtu;
    uint32_t boot_order;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(interface_element, struct interface);

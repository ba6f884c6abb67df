/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/address.h"

#include <string.h>

#include "conf/rows.h"

DEFINE_ENUM_CODEC(address_type, ADDRESS_TYPES);

/* "1" or "1.2.3": a port of the root hub, then ports of the hubs behind it. */
static bool is_usb_port(const char *text)
{
    size_t levels = 0;
    for (; levels < 4; levels++) {
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > 3)
            return false;
        text += digits;
        if (*text == '\0')
            return true;
        if (*text++ != '.')
            return false;
    }
    return false;
}

static void address_check(void *self, struct xml_context *x)
{
    const struct address *address = self;
    if (address->usb.port && !is_usb_port(address->usb.port))
        xml_refuse(x, &address->usb.port, ERR_XML, "ports as in 1 or 1.2.3", "'%s' is no usb port",
                   address->usb.port);
}

#define SELF struct address
const struct element address_element = ELEMENT_CHECKED("address", "Where it is plugged in.", address_check,
    ATTR("type", type, address_type, "kind of place", REQUIRED),
    ATTR("domain", pci.domain, hex4, "PCI domain", IF(type, ADDRESS_PCI), ALWAYS, RANGE(0, 0xffff)),
    ATTR("bus", pci.bus, hex2, "index of the pci controller", IF(type, ADDRESS_PCI), ALWAYS, RANGE(0, 255)),
    ATTR("slot", pci.slot, hex2, "slot on the bus", IF(type, ADDRESS_PCI), ALWAYS, RANGE(0, 31)),
    ATTR("function", pci.function, hex1, "function in the slot", IF(type, ADDRESS_PCI), ALWAYS, RANGE(0, 7)),
    ATTR("multifunction", pci.multifunction, on_off, "has the slot other functions?", IF(type, ADDRESS_PCI)),
    ATTR("controller", drive.controller, u32, "index of the controller", IF(type, ADDRESS_DRIVE), ALWAYS,
         RANGE(0, 65535)),
    ATTR("bus", drive.bus, u32, "bus of the controller", IF(type, ADDRESS_DRIVE), ALWAYS, RANGE(0, 255)),
    ATTR("target", drive.target, u32, "target on the bus", IF(type, ADDRESS_DRIVE), ALWAYS, RANGE(0, 65535)),
    ATTR("unit", drive.unit, u32, "unit of the target", IF(type, ADDRESS_DRIVE), ALWAYS, RANGE(0, 65535)),
    ATTR("controller", serial.controller, u32, "index of the controller", IF(type, ADDRESS_VIRTIO_SERIAL),
         ALWAYS,
         RANGE(0, 65535)),
    ATTR("bus", serial.bus, u32, "bus of the controller", IF(type, ADDRESS_VIRTIO_SERIAL), ALWAYS,
         RANGE(0, 255)),
    ATTR("port", serial.port, u32, "port on the bus", IF(type, ADDRESS_VIRTIO_SERIAL), ALWAYS,
         RANGE(0, 65535)),
    ATTR("controller", ccid.controller, u32, "index of the controller", IF(type, ADDRESS_CCID), ALWAYS,
         RANGE(0, 65535)),
    ATTR("slot", ccid.slot, u32, "slot of the controller", IF(type, ADDRESS_CCID), ALWAYS, RANGE(0, 65535)),
    ATTR("bus", usb.bus, u32, "index of the usb controller", IF(type, ADDRESS_USB), ALWAYS, RANGE(0, 65535)),
    ATTR("port", usb.port, string, "port, or ports through hubs: 1.2", IF(type, ADDRESS_USB)),
    ATTR("reg", spapr_reg, hex_u64, "register", IF(type, ADDRESS_SPAPR_VIO)),
    ATTR("cssid", ccw.cssid, hex1, "channel subsystem", IF(type, ADDRESS_CCW), ALWAYS, RANGE(0, 0xfe)),
    ATTR("ssid", ccw.ssid, hex1, "subchannel set", IF(type, ADDRESS_CCW), ALWAYS, RANGE(0, 3)),
    ATTR("devno", ccw.devno, hex4, "device number", IF(type, ADDRESS_CCW), ALWAYS, RANGE(0, 0xffff)),
    ATTR("iobase", isa.iobase, hex1, "first port", IF(type, ADDRESS_ISA)),
    ATTR("irq", isa.irq, hex1, "interrupt", IF(type, ADDRESS_ISA)),
    ATTR("slot", dimm.slot, opt_u32, "memory slot", IF(type, ADDRESS_DIMM)),
    ATTR("base", dimm.base, hex_u64, "where in memory", IF(type, ADDRESS_DIMM)));

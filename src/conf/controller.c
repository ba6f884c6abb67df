/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/controller.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(controller_type, CONTROLLER_TYPES);
DEFINE_ENUM_CODEC(controller_model, CONTROLLER_MODELS);

static bool model_fits(enum controller_type type, enum controller_model model)
{
    switch (type) {
    case CONTROLLER_PCI: return model >= CONTROLLER_PCI_ROOT && model <= CONTROLLER_PCIE_TO_PCI;
    case CONTROLLER_USB: return model >= CONTROLLER_PIIX3_UHCI && model <= CONTROLLER_USB_NONE;
    case CONTROLLER_SCSI:
        return (model >= CONTROLLER_AUTO && model <= CONTROLLER_LSISAS1078) ||
               (model >= CONTROLLER_TRANSITIONAL && model <= CONTROLLER_AM53C974);
    case CONTROLLER_IDE: return model >= CONTROLLER_PIIX3 && model <= CONTROLLER_ICH6;
    case CONTROLLER_VIRTIO_SERIAL: return model >= CONTROLLER_VIRTIO && model <= CONTROLLER_NON_TRANSITIONAL;
    default: return false;
    }
}

static void controller_check(void *self, struct xml_context *x)
{
    struct controller *controller = self;
    if (controller->model && !model_fits(controller->type, controller->model))
        xml_refuse(x, &controller->model, ERR_XML, NULL, "'%s' is no model of %s controllers",
                   enum_word(&controller_model_names, controller->model),
                   enum_word(&controller_type_names, controller->type));
    if (controller->model == CONTROLLER_AUTO)
        controller->model = CONTROLLER_MODEL_ABSENT;
    if (controller->type == CONTROLLER_PCI && controller->model == CONTROLLER_MODEL_ABSENT)
        xml_refuse(x, controller, ERR_XML, "pci-root, pcie-root, pcie-root-port, ...",
                   "a pci controller needs a model");
    bool root = controller->model == CONTROLLER_PCI_ROOT || controller->model == CONTROLLER_PCIE_ROOT;
    if (root && !controller->index.set)
        controller->index.set = true;
    if (root && controller->index.value != 0)
        xml_refuse(x, &controller->index, ERR_XML, "0", "a root bus has the index 0");
    if (root && controller->address)
        xml_refuse(x, controller->address, ERR_XML, NULL, "a root bus has no address");
    if (controller->type == CONTROLLER_PCI && !root && controller->index.set && controller->index.value == 0)
        xml_refuse(x, &controller->index, ERR_XML, "from 1", "index 0 is the root bus");
}

#define SELF struct controller
PART(queue_threads, "iothreads", "Who serves its queues.", LIST(queue_threads, queue_thread_element));
PART(driver, "driver", "How requests are handled.",
    ATTR("queues", queues, u32, "number of queues", NONZERO),
    ATTR("cmd_per_lun", cmd_per_lun, u32, "commands in flight for a unit", NONZERO),
    ATTR("max_sectors", max_sectors, u32, "largest transfer, in sectors", NONZERO),
    ATTR("ioeventfd", ioeventfd, on_off, "handle requests outside of the vcpu's thread"),
    ATTR("iothread", iothread, u32, "number of the thread that handles it", NONZERO),
    VIRTIO_ROWS, INLINE(queue_threads));

PART(master, "master", "The controller that this one accompanies.",
    ATTR("startport", master_startport, opt_u32, "its first port there", REQUIRED, RANGE(0, 15)));

PART(model, "model", "The emulator's device.",
    ATTR("name", pci_model, string, "name of the device", REQUIRED));

PART(target, "target", "What the guest sees of a PCI controller.",
    ATTR("chassisNr", chassis_nr, opt_u32, "number of a bridge's chassis", RANGE(1, 255)),
    ATTR("chassis", chassis, opt_u32, "number of a port's chassis", RANGE(0, 255)),
    ATTR("port", port, opt_hex1, "number of the port", RANGE(0, 255)),
    ATTR("busNr", bus_nr, opt_u32, "number of an expander's bus", RANGE(1, 254)),
    ATTR("index", target_index, opt_u32, "number of a host bridge", RANGE(0, 30)),
    ATTR("hotplug", hotplug, on_off, "may devices come and go?"));

ALIAS_PART;

const struct element controller_element = ELEMENT_CHECKED(
    "controller", "What other devices are plugged into.", controller_check,
    ATTR("type", type, controller_type, "kind of bus", REQUIRED),
    ATTR("index", index, opt_u32, "number among its kind", RANGE(0, 65535)),
    ATTR("model", model, controller_model, "model of the device"),
    ATTR("ports", ports, opt_u32, "number of ports", IF(type, CONTROLLER_USB, CONTROLLER_VIRTIO_SERIAL),
         RANGE(0, 65535)),
    ATTR("vectors", vectors, opt_u32, "number of interrupts", IF(type, CONTROLLER_VIRTIO_SERIAL),
         RANGE(0, 65535)),
    INLINE(driver),
    INLINE(master, IF(type, CONTROLLER_USB)),
    INLINE(model, IF(type, CONTROLLER_PCI)),
    INLINE(target, IF(type, CONTROLLER_PCI)),
    LEAF("serial", serial, string, "serial number", IF(type, CONTROLLER_NVME)),
    INLINE(alias), CHILD(address, address_element));

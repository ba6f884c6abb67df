/* SPDX-License-Identifier: Apache-2.0 */
/* pci_map.h - the buses of a machine and what stands in their slots.  Private to src/conf. */
#pragma once
#include "base/own.h"
#include "base/vector.h"
#include "conf/address.h"
#include "conf/machine.h"

struct domain_def;
struct controller;
struct xml_context;

enum { PCI_BUSES = 256, PCI_SLOTS = 32 };

enum pci_bus_kind {
    PCI_BUS_NONE,
    PCI_BUS_CONVENTIONAL,       /* slots 1 to 31, hotplug: pci-root, bridges */
    PCI_BUS_DMI,                /* slots 0 to 31, no hotplug: for bridges */
    PCI_BUS_ROOT,               /* pcie-root: slots 1 to 31 */
    PCI_BUS_PORT,               /* behind a port: slot 0 only */
    PCI_BUS_SWITCH,             /* behind an upstream port: for downstream ports only */
};

/* A place that a device was given, and what stood there before. */
struct pci_placement { struct address **address, *before; struct address value; };

struct pci_map {
    struct domain_def *def;
    struct xml_context *x;
    enum machine_kind machine;
    enum pci_bus_kind kinds[PCI_BUSES];
    unsigned buses;                                     /* one more than the highest index */
    unsigned char used[PCI_BUSES][PCI_SLOTS];           /* a bit per function */
    bool added_port;
    unsigned missing;                                   /* bridges of a pc that are still to be made */
    VECTOR(struct pci_placement) placements;            /* what pci_undo() takes back */
};

/* Knows all controllers and all addresses that are given; adds controllers for buses that addresses name. */
struct pci_map *pci_map_new(struct domain_def *def, struct xml_context *x);
void pci_map_free(struct pci_map *map);
DEFINE_OWNED(pci_map)

bool pci_is_free(const struct pci_map *map, unsigned bus, unsigned slot, unsigned function);
bool pci_slot_is_free(const struct pci_map *map, unsigned bus, unsigned slot);
void pci_take(struct pci_map *map, struct address **address, unsigned bus, unsigned slot, unsigned function);

/* Takes the first free place for a device of that sort; adds a bus if that helps.  False, reported, if there
 * is none.  On a pc a bridge can no longer be added when its slot is wanted: the place is then on a bus that
 * is not there, which counts as missing. */
bool pci_take_conventional(struct pci_map *map, struct address **address);
bool pci_take_express(struct pci_map *map, struct address **address);
bool pci_take_root_slot(struct pci_map *map, struct address **address);
/* Ports of one slot share it as its functions. */
bool pci_take_root_port(struct pci_map *map, struct controller *port);

/* Takes back all places that were given, for another round with as many bridges as were missing. */
void pci_undo(struct pci_map *map);
void pci_add_bridges(struct pci_map *map, unsigned count);

/* The device, chassis and port number of a pci controller that has its address. */
void pci_fill_controller(struct controller *controller);

/* SPDX-License-Identifier: Apache-2.0 */
/* pci.h - which slot each PCI device gets.  Private to src/conf.
 *
 * On a pc: the chipset's own functions in slot 1, the first graphics card in slot 2, everything else in the
 * first free slot.  On a q35: a pcie-root-port for each device that is not part of the chipset, and a spare
 * one.  The order in which kinds of devices are served is the one that guests know from libvirt, so that a
 * definition gets the same addresses.
 */
#pragma once

struct domain_def;
struct xml_context;

void pci_assign(struct domain_def *def, struct xml_context *x);

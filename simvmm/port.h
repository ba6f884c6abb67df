/* SPDX-License-Identifier: Apache-2.0 */
/* port.h - where the guest and a character device meet: serial ports, virtio consoles, channels.
 *
 * A console is there from the beginning, and the guest echoes what is typed. A channel (virtserialport) is
 * read only once something in the guest has opened it, and QEMU tells of that by VSERPORT_CHANGE; the
 * guest's agent opens its own when the guest is up. Nothing is read while the guest does not run.
 */
#pragma once
#include "simvmm/vm.h"

struct port;

void port_attach(struct vm *vm, const struct device *device);   /* of any device with a chardev */
void port_detach(struct vm *vm, const struct device *device);
void ports_free(struct vm *vm);

void ports_guest_changed(struct vm *vm);                /* the guest runs, or does not */
void ports_agent(struct vm *vm, bool there);            /* its agent begins, or ends */
void ports_close(struct vm *vm);                        /* the guest is reset */
/* By the device's id. */
int port_set_open(struct vm *vm, const char *id, bool open, struct error *err);
/* On the first console. */
void port_print(struct vm *vm, const char *text);

/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/port.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/chardev.h"
#include "simvmm/device.h"
#include "simvmm/guest.h"
#include "simvmm/monitor.h"
#include "simvmm/property.h"
#include "simvmm/value.h"

struct port {
    struct vm *vm;
    const struct device *device;
    struct chardev *chardev;
    bool channel, open;
    struct agent *agent;                /* on the agent's channel, while it is open */
};

static void set_reading(struct port *p)
{
    chardev_pause(p->chardev, !guest_runs(p->vm) || !p->open);
}

/* ---- the host's side ---- */

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct port *p = arg;
    if (!p->channel)
        guest_type(p->vm, p->chardev, bytes, length);
    else if (p->agent)
        agent_input(p->agent, bytes, length);
}

static void on_opened(void *arg)
{
    set_reading(arg);
}

static const struct chardev_front front = { on_input, on_opened };

/* ---- the guest's side ---- */

static void emit_change(const struct port *p)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_bool(a, data, "open", p->open);
    value_set_text(a, data, "id", p->device->id);
    event_emit(p->vm, "VSERPORT_CHANGE", data);
}

static bool is_agents(const struct port *p)
{
    const struct qom_property *name = qom_property_find(p->device->node, "name");
    return name && text_equal(name->value, "\"org.qemu.guest_agent.0\"");
}

static void set_open(struct port *p, bool open)
{
    if (open == p->open)
        return;
    p->open = open;
    chardev_set_used(p->chardev, open);
    if (p->device->id)
        emit_change(p);
    agent_free(p->agent);
    p->agent = open && is_agents(p) ? agent_new(p->vm, p->chardev) : NULL;
    set_reading(p);
}

void port_attach(struct vm *vm, const struct device *device)
{
    struct port *p = NEW(struct port);
    *p = (struct port) { .vm = vm, .device = device, .chardev = chardev_find(vm, device->chardev),
                         .channel = text_equal(device->driver, "virtserialport") };
    p->open = !p->channel;
    chardev_set_front(p->chardev, &front, p);
    chardev_set_used(p->chardev, p->open);
    vector_push(&vm->ports, p);
    set_reading(p);
    if (guest_is_up(vm) && guest_manner(vm)->agent && p->channel && is_agents(p))
        set_open(p, true);
}

static void port_free(struct port *p)
{
    chardev_set_front(p->chardev, NULL, NULL);
    agent_free(p->agent);
    free(p);
}

void port_detach(struct vm *vm, const struct device *device)
{
    for (size_t i = 0; i < vm->ports.count; i++)
        if (vm->ports.items[i]->device == device) {
            port_free(vm->ports.items[i]);
            vector_remove(&vm->ports, i);
            return;
        }
}

void ports_free(struct vm *vm)
{
    for (size_t i = 0; i < vm->ports.count; i++)
        port_free(vm->ports.items[i]);
    vector_done(&vm->ports);
}

/* ---- the guest ---- */

void ports_guest_changed(struct vm *vm)
{
    for (size_t i = 0; i < vm->ports.count; i++)
        set_reading(vm->ports.items[i]);
}

void ports_agent(struct vm *vm, bool there)
{
    for (size_t i = 0; i < vm->ports.count; i++)
        if (vm->ports.items[i]->channel && is_agents(vm->ports.items[i]))
            set_open(vm->ports.items[i], there);
}

void ports_close(struct vm *vm)
{
    for (size_t i = 0; i < vm->ports.count; i++)
        if (vm->ports.items[i]->channel)
            set_open(vm->ports.items[i], false);
}

int port_set_open(struct vm *vm, const char *id, bool open, struct error *err)
{
    for (size_t i = 0; i < vm->ports.count; i++) {
        struct port *p = vm->ports.items[i];
        if (!p->channel || !text_equal(p->device->id, id))
            continue;
        set_open(p, open);
        return 0;
    }
    return fail(err, ERR_INVALID_ARG, "there is no virtserialport '%s'", id);
}

void port_print(struct vm *vm, const char *text)
{
    for (size_t i = 0; i < vm->ports.count; i++)
        if (!vm->ports.items[i]->channel) {
            chardev_write(vm->ports.items[i]->chardev, text, strlen(text));
            return;
        }
}

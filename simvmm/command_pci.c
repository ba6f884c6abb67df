/* SPDX-License-Identifier: Apache-2.0 */
/* query-pci: the board's functions as harvested, the devices' put between them.  No firmware has run, so
 * bridges have no bus numbers yet, and what is behind them does not show. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/device.h"
#include "simvmm/value.h"

/* Members that share a bucket come out in reverse, so they are put in in reverse. */
static const struct json *put_back(struct arena *a, const struct json *from)
{
    struct json *to = from->type == JSON_OBJECT ? value_object(a) : value_array(a);
    if (from->type != JSON_OBJECT && from->type != JSON_ARRAY)
        return from;
    for (size_t i = from->length; from->type == JSON_OBJECT && i-- > 0;)
        value_set(a, to, from->members[i].key, put_back(a, from->members[i].value));
    for (size_t i = 0; from->type == JSON_ARRAY && i < from->length; i++)
        value_push(a, to, put_back(a, from->items[i]));
    return to;
}

static int64_t number(const struct json *object, const char *key)
{
    int64_t n = 0;
    json_to_i64(json_get(object, key), &n);
    return n;
}

static long place_of(const struct json *function)
{
    return (long) (number(function, "slot") << 3 | number(function, "function"));
}

static const struct json *device_value(struct call *call, const struct device *device, struct error *err)
{
    struct arena *a = call->arena;
    const struct part *part = data_part(call->vm->data, "device", device->driver);
    const struct part_line *line = part_line_find(part, "pci");
    const struct json *harvested = line ? json_parse(line->fields[0], strlen(line->fields[0]), a, err) : NULL;
    const struct qom_property *addr = qom_property_find(device->node, "addr");
    if (!harvested || !addr)
        return NULL;
    long devfn = strtol(addr->value, NULL, 10);
    struct json *v = (struct json *) put_back(a, harvested);
    value_set_number(a, v, "bus", 0);
    value_set_number(a, v, "slot", devfn >> 3);
    value_set_number(a, v, "function", devfn & 7);
    value_set_text(a, v, "qdev_id", device->id ? device->id : "");
    return v;
}

static void insert(struct arena *a, struct json *list, const struct json *function)
{
    value_push(a, list, function);
    for (size_t i = list->length - 1; i > 0 && place_of(list->items[i - 1]) > place_of(function); i--) {
        list->items[i] = list->items[i - 1];
        list->items[i - 1] = function;
    }
}

static int query_pci(struct call *call, struct error *err)
{
    struct arena *a = call->arena;
    struct vm *vm = call->vm;
    owned_memory char *name = memory_printf("%s:query-pci", vm->family);
    const char *text = data_reply(vm->data, name);
    struct json *buses = value_array(a), *bus = value_object(a), *functions = value_array(a);
    if (!text) {
        call_return(call, buses);       /* a board without PCI */
        return 0;
    }
    const struct json *board = json_parse(text, strlen(text), a, err);
    const struct json *there = json_get(json_at(board, 0), "devices");
    for (size_t i = 0; there && i < there->length; i++)
        insert(a, functions, put_back(a, there->items[i]));
    for (size_t i = 0; i < vm->devices.count; i++) {
        const struct json *function = NULL;
        if (vm->devices.items[i]->bus == vm->main_bus)
            function = device_value(call, vm->devices.items[i], err);
        if (function)
            insert(a, functions, function);
    }
    value_set_number(a, bus, "bus", 0);
    value_set(a, bus, "devices", functions);
    value_push(a, buses, bus);
    call_return(call, buses);
    return 0;
}

const struct command pci_commands[] = {
    { "query-pci", ALWAYS, query_pci, NULL },
    { NULL, ALWAYS, NULL, NULL },
};

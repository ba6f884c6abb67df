/* SPDX-License-Identifier: Apache-2.0 */
/* Keyboard, mouse and buttons; network cables. */
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/device.h"
#include "simvmm/guest.h"
#include "simvmm/keys.h"
#include "simvmm/run.h"
#include "simvmm/trouble.h"
#include "simvmm/value.h"

/* ---- checking, in QEMU's words ---- */

/* `path`: "keys[0]" or "events[0].data.key". */
static int missing(const char *path, const char *member, struct error *err)
{
    return fail(err, ERR_INVALID_ARG, "Parameter '%s.%s' is missing", path, member);
}

static const char *word_of(const struct json *object, const char *path, const char *member,
                           const char *const *legal, struct error *err)
{
    const struct json *given = json_get(object, member);
    if (!given)
        return missing(path, member, err), NULL;
    if (given->type != JSON_STRING)
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s.%s', expected: string", path,
                    member),
               NULL;
    for (; *legal; legal++)
        if (text_equal(*legal, given->text))
            return *legal;
    return fail(err, ERR_INVALID_ARG, "Parameter '%s' does not accept value '%s'", member, given->text), NULL;
}

static int needs(const struct json *object, const char *path, const char *member, enum json_type type,
                 const char *expected, struct error *err)
{
    const struct json *given = json_get(object, member);
    if (!given)
        return missing(path, member, err);
    if (given->type == type)
        return 0;
    return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s.%s', expected: %s", path, member,
                expected);
}

/* ---- keys ---- */

/* *ret_key NULL: a key that writes nothing. */
static int read_key(const struct json *given, const char *path, const struct key **ret_key, struct error *err)
{
    static const char *const types[] = { "number", "qcode", NULL };
    const char *type = word_of(given, path, "type", types, err);
    uint64_t number = 0;
    if (!type)
        return -1;
    if (text_equal(type, "number")) {
        if (needs(given, path, "data", JSON_NUMBER, "integer", err) < 0)
            return -1;
        json_to_u64(json_get(given, "data"), &number);
        *ret_key = key_by_number(number);
        return 0;
    }
    if (needs(given, path, "data", JSON_STRING, "string", err) < 0)
        return -1;
    const char *name = json_get_text(given, "data");
    if (!(*ret_key = key_by_name(name)))
        return fail(err, ERR_INVALID_ARG, "Parameter 'data' does not accept value '%s'", name);
    return 0;
}

static bool is_shift(const struct key *key)
{
    return key && (text_equal(key->name, "shift") || text_equal(key->name, "shift_r"));
}

static void press(struct vm *vm, const struct key *key, bool shifted)
{
    char letter = !key ? '\0' : shifted ? key->shifted : key->plain;
    if (letter)
        guest_type(vm, NULL, &letter, 1);
}

/* All are held together, so a shift anywhere before counts. */
static int send_key(struct call *call, struct error *err)
{
    const struct json *given = json_get(call->arguments, "keys");
    const struct key **keys = arena_alloc(call->arena, (given->length + 1) * sizeof *keys);
    for (size_t i = 0; i < given->length; i++) {
        owned_memory char *path = memory_printf("keys[%zu]", i);
        if (read_key(given->items[i], path, &keys[i], err) < 0)
            return -1;
    }
    bool shifted = false;
    for (size_t i = 0; i < given->length; i++) {
        shifted |= is_shift(keys[i]);
        press(call->vm, keys[i], shifted);
    }
    return 0;
}

/* ---- events ---- */

static const char *const axes[] = { "x", "y", NULL };
static const char *const buttons[] = { "left", "middle", "right", "wheel-up", "wheel-down", "side", "extra",
                                       "wheel-left", "wheel-right", "touch", NULL };
static const char *const kinds[] = { "key", "btn", "rel", "abs", "mtt", NULL };

static int check_key(const struct json *data, const char *path, struct error *err)
{
    const struct key *key;
    owned_memory char *inner = memory_printf("%s.key", path);
    if (!json_get(data, "key"))
        return missing(path, "key", err);
    if (read_key(json_get(data, "key"), inner, &key, err) < 0)
        return -1;
    return needs(data, path, "down", JSON_BOOL, "boolean", err);
}

static int check_button(const struct json *data, const char *path, struct error *err)
{
    if (!word_of(data, path, "button", buttons, err))
        return -1;
    return needs(data, path, "down", JSON_BOOL, "boolean", err);
}

static int check_move(const struct json *data, const char *path, struct error *err)
{
    if (!word_of(data, path, "axis", axes, err))
        return -1;
    return needs(data, path, "value", JSON_NUMBER, "integer", err);
}

static int check_touch(const struct json *data, const char *path, struct error *err)
{
    static const char *const types[] = { "begin", "update", "end", "cancel", "data", NULL };
    return word_of(data, path, "type", types, err) ? 0 : -1;
}

static int check_event(const struct json *event, size_t index, struct error *err)
{
    static int (*const checks[])(const struct json *data, const char *path, struct error *err) = {
        check_key, check_button, check_move, check_move, check_touch
    };
    owned_memory char *path = memory_printf("events[%zu]", index);
    owned_memory char *inner = memory_printf("events[%zu].data", index);
    const char *kind = word_of(event, path, "type", kinds, err);
    if (!kind)
        return -1;
    if (!json_get(event, "data"))
        return missing(path, "data", err);
    for (size_t i = 0; i < ARRAY_COUNT(checks); i++)
        if (text_equal(kinds[i], kind))
            return checks[i](json_get(event, "data"), inner, err);
    return 0;
}

/* ---- mice ---- */

static const struct { const char *driver, *name; bool absolute, listed; } pointers[] = {
    { "usb-mouse", "QEMU HID Mouse", false, true },
    { "usb-tablet", "QEMU HID Tablet", true, true },
    { "usb-kbd", NULL, false, false },
    { "usb-wacom-tablet", "QEMU PenPartner Tablet", true, true },
    { "virtio-keyboard-pci", NULL, false, false },
    { "virtio-mouse-pci", "QEMU Virtio Mouse", false, true },
    { "virtio-tablet-pci", "QEMU Virtio Tablet", true, true },
};

static size_t pointer_of(const struct device *device)
{
    size_t i = 0;
    while (i < ARRAY_COUNT(pointers) && !text_equal(pointers[i].driver, device->driver))
        i++;
    return i;
}

static bool can_point(const struct vm *vm)
{
    for (size_t i = 0; i < vm->devices.count; i++) {
        size_t p = pointer_of(vm->devices.items[i]);
        if (p < ARRAY_COUNT(pointers) && pointers[p].absolute)
            return true;
    }
    return false;
}

static void add_mouse(struct call *call, struct json *list, long long index, const char *name, bool absolute,
                      bool current)
{
    struct json *v = value_object(call->arena);
    value_set_text(call->arena, v, "name", name);
    value_set_number(call->arena, v, "index", index);
    value_set_bool(call->arena, v, "current", current);
    value_set_bool(call->arena, v, "absolute", absolute);
    value_push(call->arena, list, v);
}

/* The newest first; keyboards are counted and not told. The PC has a keyboard and a mouse of its own. */
static int query_mice(struct call *call, struct error *err)
{
    (void) err;
    struct json *list = value_array(call->arena);
    long long index = 2;
    for (size_t i = 0; i < call->vm->devices.count; i++)
        index += pointer_of(call->vm->devices.items[i]) < ARRAY_COUNT(pointers);
    for (size_t i = call->vm->devices.count; i-- > 0;) {
        size_t p = pointer_of(call->vm->devices.items[i]);
        if (p < ARRAY_COUNT(pointers) && pointers[p].listed)
            add_mouse(call, list, index, pointers[p].name, pointers[p].absolute, false);
        index -= p < ARRAY_COUNT(pointers);
    }
    add_mouse(call, list, 2, "QEMU PS/2 Mouse", false, true);
    call_return(call, list);
    return 0;
}

/* Keys one after another, as they go down; a shift that is down counts. */
static void do_events(struct vm *vm, const struct json *events)
{
    for (size_t i = 0; i < events->length; i++) {
        const struct json *data = json_get(events->items[i], "data");
        const struct key *key = NULL;
        bool down = false;
        error_scope(ignored);
        json_to_bool(json_get(data, "down"), &down);
        if (!text_equal(json_get_text(events->items[i], "type"), "key")
            || read_key(json_get(data, "key"), "", &key, &ignored) < 0)
            continue;
        if (is_shift(key))
            vm->shift_down = down;
        else if (down)
            press(vm, key, vm->shift_down);
    }
}

static int send_event(struct call *call, struct error *err)
{
    const struct json *events = json_get(call->arguments, "events");
    const char *id = json_get_text(call->arguments, "device");
    for (size_t i = 0; i < events->length; i++)
        if (check_event(events->items[i], i, err) < 0)
            return -1;
    if (id && !device_find(call->vm, id))
        return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", id);
    if (call->vm->state != RUN_RUNNING && call->vm->state != RUN_SUSPENDED)
        return fail(err, ERR_OPERATION_INVALID, "VM not running");
    for (size_t i = 0; i < events->length; i++) {
        const char *kind = json_get_text(events->items[i], "type");
        bool lacks = (text_equal(kind, "abs") && !can_point(call->vm)) || text_equal(kind, "mtt");
        if (lacks)
            return fail(err, ERR_INVALID_ARG, "Input handler not found for event type %s", kind);
    }
    do_events(call->vm, events);
    return 0;
}

static int nmi(struct call *call, struct error *err)
{
    (void) err;
    guest_nmi(call->vm);
    return 0;
}

/* ---- networks ---- */

static const struct device *nic_of(const struct vm *vm, const char *name)
{
    const struct device *device = device_find(vm, name);
    return device && qom_property_find(device->node, "mac") ? device : NULL;
}

static bool is_netdev(const struct vm *vm, const char *name)
{
    for (size_t i = 0; i < vm->netdevs.count; i++)
        if (text_equal(vm->netdevs.items[i]->id, name))
            return true;
    return false;
}

static int set_link(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "name");
    if (nic_of(call->vm, name) || is_netdev(call->vm, name))
        return 0;
    return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", name);
}

static void add_filter(struct call *call, struct json *list, const struct device *nic)
{
    enum { VLANS = 4096 };
    struct arena *a = call->arena;
    struct json *v = value_object(a), *vlans = value_array(a);
    const struct qom_property *mac = qom_property_find(nic->node, "mac");
    for (int i = VLANS; i-- > 0;)
        value_push(a, vlans, value_number(a, i));
    value_set_text(a, v, "name", nic->id);
    value_set_bool(a, v, "promiscuous", true);
    value_set_text(a, v, "multicast", "normal");
    value_set_text(a, v, "unicast", "normal");
    value_set_text(a, v, "vlan", "all");
    value_set_bool(a, v, "broadcast-allowed", false);
    value_set_bool(a, v, "multicast-overflow", false);
    value_set_bool(a, v, "unicast-overflow", false);
    value_set_text(a, v, "main-mac", arena_copy_bytes(a, mac->value + 1, strlen(mac->value) - 2));
    value_set(a, v, "vlan-table", vlans);
    value_set(a, v, "unicast-table", value_array(a));
    value_set(a, v, "multicast-table", value_array(a));
    value_push(a, list, v);
}

static int query_filter(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "name");
    struct json *list = value_array(call->arena);
    const struct device *nic = name ? nic_of(call->vm, name) : NULL;
    if (name && is_netdev(call->vm, name))
        return fail(err, ERR_INVALID_ARG, "net client(%s) isn't a NIC", name);
    if (name && !nic)
        return fail(err, ERR_INVALID_ARG, "invalid net client name: %s", name);
    if (nic && !text_starts(nic->driver, "virtio-net"))
        return fail(err, ERR_INVALID_ARG, "net client(%s) doesn't support rx-filter querying", name);
    for (size_t i = 0; i < call->vm->devices.count; i++) {
        const struct device *device = call->vm->devices.items[i];
        if (text_starts(device->driver, "virtio-net") && (!name || text_equal(device->id, name)))
            add_filter(call, list, device);
    }
    trouble_rx_filter_was_read(call->vm, name);
    call_return(call, list);
    return 0;
}

/* ---- the rest ---- */

static int reset_reinjection(struct call *call, struct error *err)
{
    (void) call, (void) err;
    return 0;
}

static int watchdog_action(struct call *call, struct error *err)
{
    struct policy wanted = call->vm->policy;
    const char *word = json_get_text(call->arguments, "action");
    if (policy_set(&wanted, POLICY_WATCHDOG, word, err) < 0)
        return fail(err, ERR_INVALID_ARG, "Parameter 'action' does not accept value '%s'", word);
    call->vm->policy = wanted;
    return 0;
}

#define ARGUMENTS(...) (const struct argument[]) { __VA_ARGS__, { NULL, 0, false } }

const struct command input_commands[] = {
    { "send-key", ALWAYS, send_key,
      ARGUMENTS({ "keys", ARG_ARRAY, false }, { "hold-time", ARG_NUMBER, true }) },
    { "input-send-event", ALWAYS, send_event,
      ARGUMENTS({ "device", ARG_TEXT, true }, { "head", ARG_NUMBER, true }, { "events", ARG_ARRAY, false }) },
    { "query-mice", ALWAYS, query_mice, NULL },
    { "inject-nmi", ALWAYS, nmi, NULL },
    { "set_link", ALWAYS, set_link, ARGUMENTS({ "name", ARG_TEXT, false }, { "up", ARG_BOOL, false }) },
    { "query-rx-filter", ALWAYS, query_filter, ARGUMENTS({ "name", ARG_TEXT, true }) },
    { "rtc-reset-reinjection", ALWAYS, reset_reinjection, NULL },
    { "watchdog-set-action", ALWAYS, watchdog_action, ARGUMENTS({ "action", ARG_TEXT, false }) },
    { NULL, ALWAYS, NULL, NULL },
};

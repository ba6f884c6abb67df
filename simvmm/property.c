/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/property.h"

#include <string.h>

#include "base/text.h"
#include "simvmm/keyval.h"
#include "simvmm/value.h"

static bool is_number(const char *type)
{
    static const char *const types[] = { "uint8", "uint16", "uint32", "uint64", "uint64_t", "int", "int8", "int16",
                                         "int32", "int64", "number" };
    for (size_t i = 0; i < ARRAY_COUNT(types); i++)
        if (text_equal(type, types[i]))
            return true;
    return false;
}

static const char *text_of(const struct json *value)
{
    return value->type == JSON_STRING || value->type == JSON_NUMBER ? value->text
         : value->type == JSON_BOOL ? (value->boolean ? "on" : "off") : NULL;
}

/* Unlike the others, booleans are taken apart by hand in both forms. */
static int set_bool(struct qom_node *node, const char *name, const struct json *value, struct error *err)
{
    bool on = value->type == JSON_BOOL && value->boolean;
    if (value->type == JSON_STRING && !keyval_parse_bool(value->text, &on))
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects 'on' or 'off'", name);
    if (value->type != JSON_BOOL && value->type != JSON_STRING)
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s', expected: boolean", name);
    qom_set_bool(node, name, on);
    return 0;
}

static int set_number(struct qom_node *node, const struct qom_property *p, const struct json *value, struct error *err)
{
    uint64_t number;
    const char *text = text_of(value);
    if (value->type == JSON_BOOL || !text)
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s', expected: integer", p->name);
    bool size = text_equal(p->type, "size");
    if (size ? !keyval_parse_size(text, 1, &number) : !keyval_parse_number(text, &number))
        return fail(err, ERR_INVALID_ARG, size ? "Parameter '%s' expects a non-negative number below 2^64\nOptional suffix"
                    " k, M, G, T, P or E means kilo-, mega-, giga-, tera-, peta-\nand exabytes, respectively."
                    : "Parameter '%s' expects an integer", p->name);
    static const struct { const char *type; long long least; unsigned long long most; } ranges[] = {
        { "uint8", 0, 255 }, { "uint16", 0, 65535 }, { "uint32", 0, 4294967295u }, { "int32", -2147483647LL - 1, 2147483647 },
    };
    for (size_t i = 0; i < ARRAY_COUNT(ranges); i++) {
        bool negative = *text == '-';
        if (text_equal(p->type, ranges[i].type)
            && (negative ? (long long) number < (ranges[i].least < 0 ? ranges[i].least : -2147483648LL) : number > ranges[i].most))
            return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects %s", p->name, ranges[i].type + (*p->type == 'u'));
        if (text_equal(p->type, ranges[i].type) && negative && ranges[i].least == 0)
            number &= ranges[i].most;
    }
    if (*text == '-' && (*p->type == 'i')) {
        owned_memory char *digits = memory_printf("%lld", (long long) number);
        qom_set(node, p->name, digits);
    } else {
        qom_set_number(node, p->name, number);
    }
    return 0;
}

static int set_link(struct vm *vm, struct qom_node *node, const struct qom_property *p, const struct json *value,
                    struct error *err)
{
    const char *text = text_of(value);
    bool ambiguous;
    struct qom_node *target = text && *text ? qom_resolve(vm->tree, text, &ambiguous) : NULL;
    if (text && *text && !target)
        return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", text);
    qom_link(vm->tree, node, p->name, target);
    return 0;
}

static int set_one(struct vm *vm, struct qom_node *node, struct qom_property *p, const struct json *value, struct error *err)
{
    if (text_equal(p->type, "bool"))
        return set_bool(node, p->name, value, err);
    if (is_number(p->type) || text_equal(p->type, "size"))
        return set_number(node, p, value, err);
    if (p->kind == QOM_LINK)
        return set_link(vm, node, p, value, err);
    if (value->type == JSON_OBJECT || value->type == JSON_ARRAY) {
        owned_buffer struct buffer b = { 0 };
        value_print(&b, value);
        qom_set(node, p->name, buffer_text(&b));
        return 0;
    }
    const char *text = text_of(value);
    if (!text)
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s', expected: string", p->name);
    qom_set_text(node, p->name, text);
    return 0;
}

int property_set(struct vm *vm, struct qom_node *node, const char *name, const struct json *value, struct error *err)
{
    struct qom_property *p = qom_property_find(node, name);
    if (!p || p->kind == QOM_CHILD)
        return fail(err, ERR_INVALID_ARG, "Property '%s.%s' not found", node->type, name);
    if (set_one(vm, node, p, value, err) < 0)
        return -1;
    for (size_t i = 0; i < node->properties.count; i++) {
        struct qom_node *inner = node->properties.items[i].kind == QOM_CHILD ? node->properties.items[i].node : NULL;
        struct qom_property *same = inner && qom_property_find(inner, "realized") ? qom_property_find(inner, name) : NULL;
        if (same && same->type == p->type && set_one(vm, inner, same, value, err) < 0)
            return -1;
        p = qom_property_find(node, name);
    }
    return 0;
}

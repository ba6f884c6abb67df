/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/property.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/keyval.h"
#include "simvmm/value.h"

/* The setting of one property. */
struct setting {
    struct vm *vm;
    struct qom_node *node;
    const char *name, *type;            /* interned; the property itself may move */
    const struct json *value;
    bool strict;
};

static const struct number_type {
    const char *name, *word;
    long long least;
    unsigned long long most;
} number_types[] = {
    { "uint8", "uint8_t", 0, UINT8_MAX },
    { "uint16", "uint16_t", 0, UINT16_MAX },
    { "uint32", "uint32_t", 0, UINT32_MAX },
    { "int8", "int8_t", INT8_MIN, INT8_MAX },
    { "int16", "int16_t", INT16_MIN, INT16_MAX },
    { "int32", "int32_t", INT32_MIN, INT32_MAX },
    { "uint64", "uint64", 0, UINT64_MAX },
    { "uint64_t", "uint64", 0, UINT64_MAX },
    { "int", "int64", INT64_MIN, INT64_MAX },
    { "int64", "int64", INT64_MIN, INT64_MAX },
    { "size", "size", 0, UINT64_MAX },
    { "number", "number", INT64_MIN, INT64_MAX },
};

static const struct number_type *number_type(const char *type)
{
    for (size_t i = 0; i < ARRAY_COUNT(number_types); i++)
        if (text_equal(type, number_types[i].name))
            return &number_types[i];
    return NULL;
}

static const char *text_of(const struct json *value)
{
    return value->type == JSON_STRING || value->type == JSON_NUMBER ? value->text
         : value->type == JSON_BOOL ? (value->boolean ? "on" : "off") : NULL;
}

static int wrong_type(const struct setting *s, const char *expected, struct error *err)
{
    return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s', expected: %s", s->name, expected);
}

static int set_bool(const struct setting *s, struct error *err)
{
    bool on = s->value->type == JSON_BOOL && s->value->boolean;
    if (s->value->type != JSON_BOOL && (s->strict || s->value->type != JSON_STRING))
        return wrong_type(s, "boolean", err);
    if (s->value->type == JSON_STRING && !keyval_parse_bool(s->value->text, &on))
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects 'on' or 'off'", s->name);
    qom_set_bool(s->node, s->name, on);
    return 0;
}

/* Strict or not, QEMU reads a signed number where an unsigned one is wanted, and lets it wrap. */
static bool in_range(const struct number_type *t, bool negative, uint64_t number)
{
    if (!negative)
        return number <= t->most;
    return t->least < 0 ? (int64_t) number >= t->least : t->most == UINT64_MAX;
}

static int set_number(const struct setting *s, const struct number_type *t, struct error *err)
{
    const char *text = text_of(s->value);
    uint64_t number = 0;
    bool size = text_equal(t->name, "size");
    if (s->strict && s->value->type != JSON_NUMBER)
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects %s", s->name,
                    size ? "a size value" : "uint64");
    if (!text || (size ? !keyval_parse_size(text, 1, &number) : !keyval_parse_number(text, &number)))
        return fail(err, ERR_INVALID_ARG,
                    size ? "Parameter '%s' expects a size value" : "Parameter '%s' expects integer", s->name);
    bool negative = *text == '-' && (int64_t) number < 0;
    if (!in_range(t, negative, number))
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects %s", s->name, t->word);
    if (!negative || t->least == 0) {
        qom_set_number(s->node, s->name, number);
        return 0;
    }
    owned_memory char *digits = memory_printf("%lld", (long long) number);
    qom_set(s->node, s->name, digits);
    return 0;
}

static int set_link(const struct setting *s, struct error *err)
{
    const char *text = json_text(s->value);
    bool ambiguous;
    if (!text)
        return wrong_type(s, "string", err);
    struct qom_node *target = *text ? qom_resolve(s->vm->tree, text, &ambiguous) : NULL;
    if (*text && !target)
        return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", text);
    qom_link(s->vm->tree, s->node, s->name, target);
    return 0;
}

/* ---- words ---- */

/* QEMU says an enumeration's words in the description: "on/off/auto", "Error handling policy
 * (report/stop)". */
static const char *legal_words(const struct setting *s, struct arena *a)
{
    size_t count;
    const char *refusal;
    const char *const *rows =
        data_properties(s->vm->data, "device-list-properties", s->node->type, &count, &refusal);
    owned_memory char *start = memory_printf("\"name\": \"%s\",", s->name);
    for (size_t i = 0; i < count; i++) {
        const char *description = strstr(rows[i], start) ? strstr(rows[i], "\"description\": \"") : NULL;
        if (!description)
            continue;
        description += strlen("\"description\": \"");
        char *text = arena_copy_bytes(a, description, strcspn(description, "\""));
        char *open = strrchr(text, '(');
        text = open ? open + 1 : text;
        text[strcspn(text, ")")] = '\0';
        return strchr(text, '/') && !strchr(text, ' ') ? text : NULL;
    }
    return NULL;
}

static bool is_word_of(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, "/");
        if (n == length && strncmp(at, word, n) == 0)
            return true;
        at += n + (at[n] == '/');
    }
    return false;
}

static bool is_hex_mac(const char *text)
{
    for (int i = 0; i < 17; i++)
        if (i % 3 == 2 ? text[i] != ':' && text[i] != '-' : !isxdigit((unsigned char) text[i]))
            return false;
    return !text[17];
}

static int set_text(const struct setting *s, struct error *err)
{
    const char *text = text_of(s->value);
    owned(arena) struct arena *a = arena_new();
    if (!text || (s->strict && s->value->type != JSON_STRING))
        return wrong_type(s, "string", err);
    const char *words =
        text_equal(s->type, "str") || text_equal(s->type, "string") ? NULL : legal_words(s, a);
    if (words && !is_word_of(words, text))
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' does not accept value '%s'", s->name, text);
    if (text_equal(s->name, "mac") && !is_hex_mac(text))
        return fail(err, ERR_INVALID_ARG, "Property '%s.%s' doesn't take value '%s'",
                    property_owner(s->node, s->name), s->name, text);
    qom_set_text(s->node, s->name, text);
    return 0;
}

static int set_structure(const struct setting *s)
{
    owned_buffer struct buffer b = { 0 };
    value_print(&b, s->value);
    qom_set(s->node, s->name, buffer_text(&b));
    return 0;
}

/* ---- setting ---- */

static int set(const struct setting *s, struct error *err)
{
    const struct number_type *number = number_type(s->type);
    if (text_equal(s->type, "bool"))
        return set_bool(s, err);
    if (text_starts(s->type, "link<"))
        return set_link(s, err);
    if (s->value->type == JSON_OBJECT || s->value->type == JSON_ARRAY)
        return set_structure(s);
    return number ? set_number(s, number, err) : set_text(s, err);
}

/* The part that really has the property: one that was made with the object, and is a device itself. */
static struct qom_node *part_with(const struct qom_node *node, size_t *at, const char *name, const char *type)
{
    for (; *at < node->properties.count; ++*at) {
        struct qom_node *inner =
            node->properties.items[*at].kind == QOM_CHILD ? node->properties.items[*at].node : NULL;
        const struct qom_property *same =
            inner && qom_property_find(inner, "realized") ? qom_property_find(inner, name) : NULL;
        if (same && text_equal(same->type, type)) {
            ++*at;
            return inner;
        }
    }
    return NULL;
}

const char *property_owner(const struct qom_node *node, const char *name)
{
    const struct qom_property *p = qom_property_find(node, name);
    size_t at = 0;
    const struct qom_node *part = p ? part_with(node, &at, name, p->type) : NULL;
    return part ? part->type : node->type;
}

int property_set(struct vm *vm, struct qom_node *node, const char *name, const struct json *value,
                 bool strict, struct error *err)
{
    const struct qom_property *p = qom_property_find(node, name);
    if (!p || p->kind == QOM_CHILD)
        return fail(err, ERR_INVALID_ARG, "Property '%s.%s' not found", node->type, name);
    struct setting setting = { vm, node, p->name, p->type, value, strict };
    if (set(&setting, err) < 0)
        return -1;
    size_t at = 0;
    struct qom_node *part;
    while ((part = part_with(node, &at, name, setting.type)) != NULL) {
        setting.node = part;
        if (set(&setting, err) < 0)
            return -1;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/passthrough.h"

#include <ctype.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "conf/domain_def.h"
#include "conf/kept.h"
#include "xml/element.h"

/* "qemu:arg" is "arg". */
static const char *local_name(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

/* Its own declarations come first; a kept top element carries all that it needs. */
static bool is_ours(const struct raw *raw)
{
    for (size_t i = 0; i < raw->attributes_count; i++)
        if (text_starts(raw->attributes[i].name, "xmlns") &&
            text_equal(raw->attributes[i].value, QEMU_NAMESPACE))
            return true;
    return false;
}

/* The next kept element of that local name; begin with NULL. */
static const struct extra *next_element(const struct domain_def *def, const char *name,
                                        const struct extra *after)
{
    for (const struct extra *x = after ? after->next : def->extras.first; x; x = x->next)
        if (x->raw && text_equal(local_name(x->raw->name), name) && is_ours(x->raw))
            return x;
    return NULL;
}

static const struct raw *next_child(const struct raw *child, const char *name)
{
    while (child && (child->kind != RAW_ELEMENT || !text_equal(local_name(child->name), name)))
        child = child->next;
    return child;
}

void passthrough_each_argument(const struct domain_def *def, void (*fn)(void *arg, const char *value),
                               void *arg)
{
    for (const struct extra *x = NULL; (x = next_element(def, "commandline", x)); )
        for (const struct raw *c = x->raw->children; (c = next_child(c, "arg")); c = c->next)
            if (raw_get(c, "value"))
                fn(arg, raw_get(c, "value"));
}

void passthrough_each_variable(const struct domain_def *def,
                               void (*fn)(void *arg, const char *name, const char *value), void *arg)
{
    for (const struct extra *x = NULL; (x = next_element(def, "commandline", x)); )
        for (const struct raw *c = x->raw->children; (c = next_child(c, "env")); c = c->next)
            if (raw_get(c, "name"))
                fn(arg, raw_get(c, "name"), raw_get(c, "value") ? raw_get(c, "value") : "");
}

const char *passthrough_deprecation(const struct domain_def *def)
{
    const struct extra *x = next_element(def, "deprecation", NULL);
    return x ? raw_get(x->raw, "behavior") : NULL;
}

/* False: no type of a property, or no value of it. */
static bool read_override(const struct raw *property, struct override *ret_override)
{
    static const struct { const char *word; enum override_kind kind; } kinds[] = {
        { "remove", OVERRIDE_REMOVE }, { "string", OVERRIDE_TEXT }, { "signed", OVERRIDE_NUMBER },
        { "unsigned", OVERRIDE_NUMBER }, { "bool", OVERRIDE_BOOL },
    };
    const char *type = raw_get(property, "type"), *value = raw_get(property, "value");
    int64_t number;
    size_t i = 0;
    while (i < ARRAY_COUNT(kinds) && !text_equal(kinds[i].word, type))
        i++;
    if (i == ARRAY_COUNT(kinds) || !raw_get(property, "name") || (!value && kinds[i].kind != OVERRIDE_REMOVE))
        return false;
    if (kinds[i].kind == OVERRIDE_NUMBER && (!text_to_i64(value, &number) || (*type == 'u' && number < 0)))
        return false;
    if (kinds[i].kind == OVERRIDE_BOOL && !text_equal(value, "true") && !text_equal(value, "false"))
        return false;
    *ret_override = (struct override){ raw_get(property, "name"), value, kinds[i].kind };
    return true;
}

bool passthrough_has_overrides(const struct domain_def *def)
{
    return next_element(def, "override", NULL) != NULL;
}

void passthrough_each_override(const struct domain_def *def, const char *alias,
                               void (*fn)(void *arg, const struct override *override), void *arg)
{
    for (const struct extra *x = NULL; (x = next_element(def, "override", x)); )
        for (const struct raw *d = x->raw->children; (d = next_child(d, "device")); d = d->next) {
            const struct raw *front = next_child(d->children, "frontend");
            if (!front || !text_equal(raw_get(d, "alias"), alias))
                continue;
            for (const struct raw *p = front->children; (p = next_child(p, "property")); p = p->next) {
                struct override override;
                if (read_override(p, &override))
                    fn(arg, &override);
            }
        }
}

static void check_overrides(const struct domain_def *def, const struct raw *raw, struct xml_context *x)
{
    for (const struct raw *d = raw->children; (d = next_child(d, "device")); d = d->next) {
        const struct raw *front = next_child(d->children, "frontend");
        const struct raw *p = front ? front->children : NULL;
        for (; (p = next_child(p, "property")); p = p->next) {
            struct override override;
            if (!read_override(p, &override))
                xml_refuse(x, def, ERR_XML, "string, signed, unsigned, bool with a value, or remove",
                           "qemu:override of '%s': the property '%s' makes no sense",
                           raw_get(d, "alias") ? raw_get(d, "alias") : "",
                           raw_get(p, "name") ? raw_get(p, "name") : "");
        }
    }
}

/* A letter or '_', then those and digits. */
static bool is_variable(const char *name)
{
    if (!isalpha((unsigned char) *name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char) *name) && *name != '_')
            return false;
    return true;
}

static void check_children(const struct domain_def *def, const struct raw *raw, struct xml_context *x)
{
    for (const struct raw *c = raw->children; (c = next_child(c, "arg")); c = c->next)
        if (!raw_get(c, "value"))
            xml_refuse(x, def, ERR_XML, "value='...'", "an argument of qemu:commandline has no value");
    for (const struct raw *c = raw->children; (c = next_child(c, "env")); c = c->next) {
        const char *name = raw_get(c, "name");
        if (!name || !is_variable(name))
            xml_refuse(x, def, ERR_XML, "letters, digits and '_'",
                       "'%s' cannot be a variable of qemu:commandline", name ? name : "");
    }
}

void passthrough_check(const struct domain_def *def, struct xml_context *x)
{
    for (const struct extra *extra = NULL; (extra = next_element(def, "commandline", extra)); )
        check_children(def, extra->raw, x);
    for (const struct extra *extra = NULL; (extra = next_element(def, "override", extra)); )
        check_overrides(def, extra->raw, x);
}

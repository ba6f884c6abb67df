/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/metadata.h"

#include <string.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"
#include "conf/domain_def.h"
#include "xml/element.h"
#include "xml/raw.h"

static const char *after_colon(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

/* "xmlns:app" of <app:x>, "xmlns" of <x>; allocated. */
static char *declaration_of(const struct raw *element)
{
    size_t length = (size_t) (after_colon(element->name) - element->name);
    return length ? memory_printf("xmlns:%.*s", (int) length - 1, element->name) : memory_copy_text("xmlns");
}

static bool is_of(const struct raw *element, const char *uri)
{
    if (element->kind != RAW_ELEMENT)
        return false;
    owned_memory char *declaration = declaration_of(element);
    for (size_t i = 0; i < element->attributes_count; i++)
        if (text_equal(element->attributes[i].name, declaration))
            return text_equal(element->attributes[i].value, uri);
    return false;
}

const struct raw *metadata_find(const struct domain_def *def, const char *uri)
{
    for (const struct raw *child = def->metadata ? def->metadata->children : NULL; child; child = child->next)
        if (is_of(child, uri))
            return child;
    return NULL;
}

void metadata_format(const struct raw *element, const char *uri, struct buffer *out)
{
    owned_memory char *declaration = declaration_of(element);
    owned_memory struct raw_attribute *attributes =
        memory_new((element->attributes_count + 1) * sizeof *attributes);
    struct raw plain = *element;
    plain.name = after_colon(element->name);
    plain.attributes = attributes;
    plain.attributes_count = 0;
    for (size_t i = 0; i < element->attributes_count; i++)
        if (!text_equal(element->attributes[i].name, declaration) ||
            !text_equal(element->attributes[i].value, uri))
            attributes[plain.attributes_count++] = element->attributes[i];
    raw_format(&plain, NULL, 0, out);
    while (out->length && out->data[out->length - 1] == '\n')
        out->data[--out->length] = '\0';
}

/* --- changing it --- */

/* What the text is read into: the engine keeps a subtree only as part of something. */
struct holder { struct raw *metadata; struct extras extras; };
#define SELF struct holder
static const struct element holder_element =
    ELEMENT("holder", "", RAW("metadata", metadata, "What a program gave."));
#undef SELF

static struct raw *parse(const char *xml, struct arena *arena, struct error *err)
{
    owned_findings struct findings findings = { 0 };
    owned_buffer struct buffer text = { 0 };
    buffer_printf(&text, "<holder><metadata>%s</metadata></holder>", xml);
    const struct holder *holder = xml_read(&holder_element, text.data, text.length, DOMAIN_XML_MAX,
                                           XML_STRICT, NULL, NULL, arena, &findings, err);
    if (!holder)
        return NULL;
    struct raw *only = NULL;
    size_t count = 0;
    for (struct raw *child = holder->metadata ? holder->metadata->children : NULL; child; child = child->next)
        if (child->kind == RAW_ELEMENT)
            only = child, count++;
    if (count != 1 || findings.errors) {
        fail(err, ERR_XML, "metadata is one XML element, without anything before or after it");
        return NULL;
    }
    return only;
}

static bool is_name(const char *text)
{
    static const char start[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.-";
    return text && *text && strchr(start, *text) && strspn(text, more) == strlen(text);
}

static void add_declaration(struct raw *element, const char *prefix, const char *uri, struct arena *arena)
{
    struct raw_attribute *attributes =
        arena_alloc(arena, (element->attributes_count + 1) * sizeof *attributes);
    attributes[0] =
        (struct raw_attribute) { arena_printf(arena, "xmlns:%s", prefix), arena_copy(arena, uri) };
    for (size_t i = 0; i < element->attributes_count; i++)
        attributes[i + 1] = element->attributes[i];
    element->attributes = attributes;
    element->attributes_count++;
    element->name = arena_printf(arena, "%s:%s", prefix, after_colon(element->name));
}

static void remove_element(struct domain_def *def, const char *uri)
{
    struct raw *metadata = def->metadata;
    for (struct raw **link = metadata ? &metadata->children : NULL; link && *link; ) {
        if (is_of(*link, uri))
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
    if (metadata && !metadata->children)
        def->metadata = NULL;
}

int metadata_set(struct domain_def *def, const char *uri, const char *prefix, const char *xml,
                 struct error *err)
{
    if (!xml) {
        remove_element(def, uri);
        return 0;
    }
    if (!is_name(prefix))
        return fail(err, ERR_INVALID_ARG, "'%s' cannot be the prefix of an XML namespace",
                    prefix ? prefix : "");
    struct raw *element = parse(xml, def->arena, err);
    if (!element)
        return -1;
    add_declaration(element, prefix, uri, def->arena);
    element->next = NULL;
    remove_element(def, uri);
    if (!def->metadata) {
        def->metadata = ARENA_NEW(def->arena, struct raw);
        def->metadata->name = "metadata";
    }
    struct raw **end = &def->metadata->children;
    while (*end)
        end = &(*end)->next;
    *end = element;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "qemu/qom_pool.h"

struct object {
    uint32_t name, type, parent;
    uint32_t first_child, children;
    uint32_t first_property, properties;        /* QOM_NONE: not read yet */
};

struct property { uint32_t name, type, value; };

/* What a property's `value` is when it is no offset. */
enum { VALUE_NONE = 0, VALUE_SECRET = 1 };

struct qom_store {
    VECTOR(struct object) objects;
    VECTOR(struct property) properties;
    struct qom_pool names, values;
    size_t entries;                     /* as qom-list counts */
    uint32_t leaf_property;             /* the one property that all irq leaves share; QOM_NONE: none yet */
    struct buffer scratch;
    uint32_t last_child;                /* the last one looked up by name: the next is often its neighbour */
};

/* Objects of this type consist of "type" alone, whatever machine they are on. */
static const char leaf_type[] = "irq";

/* Values that no one may see. */
static const struct {
    const char *type_prefix, *property;
} secrets[] = {
    { "secret", "data" },
};

struct qom_store *qom_store_new(void)
{
    struct qom_store *s = NEW(struct qom_store);
    struct object root = { .parent = QOM_NONE, .first_property = QOM_NONE };
    root.name = qom_pool_add(&s->names, "/", 1);
    root.type = qom_pool_add(&s->names, "container", strlen("container"));
    qom_pool_add(&s->values, "", 0);    /* takes the offset that means secret */
    vector_push(&s->objects, root);
    s->entries = 0;
    s->leaf_property = QOM_NONE;
    return s;
}

void qom_store_free(struct qom_store *s)
{
    if (!s)
        return;
    vector_done(&s->objects);
    vector_done(&s->properties);
    qom_pool_done(&s->names);
    qom_pool_done(&s->values);
    buffer_done(&s->scratch);
    free(s);
}

/* --- making ----------------------------------------------------------------------------------- */

bool qom_type_hides(const char *object_type, const char *property)
{
    for (size_t i = 0; i < ARRAY_COUNT(secrets); i++)
        if (strcmp(property, secrets[i].property) == 0 && text_starts(object_type, secrets[i].type_prefix))
            return true;
    return false;
}

static bool is_child(const char *type)
{
    return text_starts(type, "child<") && text_ends(type, ">");
}

static int check_bounds(const struct qom_store *s, uint32_t object, size_t more, struct error *err)
{
    unsigned depth = 0;
    for (uint32_t up = object; up != QOM_ROOT; up = s->objects.items[up].parent)
        depth++;
    if (depth >= QOM_DEPTH_MAX)
        return fail(err, ERR_VMM, "the object tree is deeper than %d levels", QOM_DEPTH_MAX);
    if (s->objects.count + more > QOM_OBJECTS_MAX)
        return fail(err, ERR_VMM, "the object tree has more than %d objects", QOM_OBJECTS_MAX);
    if (s->properties.count + more > QOM_PROPERTIES_MAX)
        return fail(err, ERR_VMM, "the object tree has more than %d properties", QOM_PROPERTIES_MAX);
    if (s->names.texts.length + s->values.texts.length > QOM_TEXTS_MAX)
        return fail(err, ERR_VMM, "the object tree has more than %d bytes of texts", QOM_TEXTS_MAX);
    return 0;
}

/* An entry's name and type, checked. */
static int read_entry(const struct json *entry, const char **ret_name, const char **ret_type,
                      struct error *err)
{
    const struct json *name = json_get(entry, "name"), *type = json_get(entry, "type");
    const struct json *texts[] = { name, type };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        if (!json_text(texts[i]) || texts[i]->length == 0 || texts[i]->length > QOM_NAME_MAX ||
            strlen(texts[i]->text) != texts[i]->length)
            return fail(err, ERR_VMM, "an object's property has no proper name or type");
    if (is_child(type->text) && strchr(name->text, '/'))
        return fail(err, ERR_VMM, "an object is called '%.100s', with a slash", name->text);
    *ret_name = name->text;
    *ret_type = type->text;
    return 0;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *) left, *(const char *const *) right);
}

/* Every entry is proper, and no two have one name. */
static int check_entries(const struct json *entries, struct error *err)
{
    owned_memory const char **names = memory_new((entries->length + 1) * sizeof *names);
    const char *type = NULL;
    for (size_t i = 0; i < entries->length; i++)
        if (read_entry(entries->items[i], &names[i], &type, err) < 0)
            return -1;
    qsort(names, entries->length, sizeof *names, compare_texts);
    for (size_t i = 1; i < entries->length; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return fail(err, ERR_VMM, "an object has two properties '%.100s'", names[i]);
    return 0;
}

static uint32_t add_value(struct qom_store *s, const struct json *value)
{
    if (!value)
        return VALUE_NONE;
    s->scratch.length = 0;
    struct json_writer w = { .out = &s->scratch };
    json_value(&w, value);
    return qom_pool_add(&s->values, s->scratch.data, s->scratch.length);
}

static void add_property(struct qom_store *s, const char *name, const char *type, uint32_t value)
{
    struct property p = { qom_pool_add(&s->names, name, strlen(name)),
                          qom_pool_add(&s->names, type, strlen(type)), value };
    vector_push(&s->properties, p);
}

static void fill_leaf(struct qom_store *s, struct object *leaf)
{
    if (s->leaf_property == QOM_NONE) {
        s->leaf_property = (uint32_t) s->properties.count;
        add_property(s, "type", "string", qom_pool_add(&s->values, "\"irq\"", strlen("\"irq\"")));
    }
    leaf->first_property = s->leaf_property;
    leaf->properties = 1;
    s->entries++;
}

static void add_child(struct qom_store *s, uint32_t parent, const char *name, const char *type)
{
    size_t prefix = strlen("child<");
    struct object child = { .parent = parent, .first_property = QOM_NONE };
    child.name = qom_pool_add(&s->names, name, strlen(name));
    child.type = qom_pool_add(&s->names, type + prefix, strlen(type) - prefix - 1);
    if (strcmp(qom_pool_text(&s->names, child.type), leaf_type) == 0)
        fill_leaf(s, &child);
    vector_push(&s->objects, child);
}

/* The type that the object states; its parent's word is what counts, but a secret hides under neither. */
static const char *stated_type(const struct json *properties)
{
    for (size_t i = 0; i < properties->length; i++)
        if (text_equal(json_get_text(properties->items[i], "name"), "type"))
            return json_get_text(properties->items[i], "value");
    return NULL;
}

static void put_properties(struct qom_store *s, uint32_t object, const struct json *properties)
{
    const char *stated = stated_type(properties);
    if (object == QOM_ROOT && stated)
        s->objects.items[QOM_ROOT].type = qom_pool_add(&s->names, stated, strlen(stated));
    uint32_t first = (uint32_t) s->properties.count;
    for (size_t i = 0; i < properties->length; i++) {
        const char *name = json_get_text(properties->items[i], "name");
        const char *type = json_get_text(properties->items[i], "type");
        if (is_child(type))
            continue;
        bool hidden =
            qom_type_hides(qom_store_type(s, object), name) || (stated && qom_type_hides(stated, name));
        uint32_t value = hidden ? VALUE_SECRET : add_value(s, json_get(properties->items[i], "value"));
        add_property(s, name, type, value);
    }
    s->objects.items[object].first_property = first;
    s->objects.items[object].properties = (uint32_t) s->properties.count - first;
}

static void put_children(struct qom_store *s, uint32_t object, const struct json *properties)
{
    uint32_t first = (uint32_t) s->objects.count;
    for (size_t i = 0; i < properties->length; i++) {
        const char *type = json_get_text(properties->items[i], "type");
        if (is_child(type))
            add_child(s, object, json_get_text(properties->items[i], "name"), type);
    }
    s->objects.items[object].first_child = first;
    s->objects.items[object].children = (uint32_t) s->objects.count - first;
}

int qom_store_put(struct qom_store *s, uint32_t object, const struct json *properties, struct error *err)
{
    assert(!qom_store_is_read(s, object));
    if (!properties || properties->type != JSON_ARRAY)
        return fail(err, ERR_VMM, "an object's properties are no list");
    if (check_bounds(s, object, properties->length, err) < 0 || check_entries(properties, err) < 0)
        return -1;
    put_properties(s, object, properties);
    put_children(s, object, properties);
    s->entries += properties->length;
    return 0;
}

bool qom_store_is_read(const struct qom_store *s, uint32_t object)
{
    return s->objects.items[object].first_property != QOM_NONE;
}

bool qom_store_is_leaf(const struct qom_store *s, uint32_t object)
{
    return s->leaf_property != QOM_NONE && s->objects.items[object].first_property == s->leaf_property;
}

#define SHRINK(v) do { \
        (v)->items = memory_resize((v)->items, ((v)->count + 1) * sizeof *(v)->items); \
        (v)->capacity = (v)->count + 1; \
    } while (0)

void qom_store_seal(struct qom_store *s)
{
    SHRINK(&s->objects);
    SHRINK(&s->properties);
    qom_pool_seal(&s->names);
    qom_pool_seal(&s->values);
    buffer_done(&s->scratch);
}

/* --- looking ---------------------------------------------------------------------------------- */

uint32_t qom_store_count(const struct qom_store *s)
{
    return (uint32_t) s->objects.count;
}

size_t qom_store_properties(const struct qom_store *s)
{
    return s->entries;
}

size_t qom_store_size(const struct qom_store *s)
{
    return sizeof *s + s->objects.capacity * sizeof *s->objects.items + s->scratch.capacity +
           s->properties.capacity * sizeof *s->properties.items + qom_pool_size(&s->names) +
           qom_pool_size(&s->values);
}

uint32_t qom_store_parent(const struct qom_store *s, uint32_t object)
{
    return s->objects.items[object].parent;
}

const char *qom_store_name(const struct qom_store *s, uint32_t object)
{
    return qom_pool_text(&s->names, s->objects.items[object].name);
}

const char *qom_store_type(const struct qom_store *s, uint32_t object)
{
    return qom_pool_text(&s->names, s->objects.items[object].type);
}

uint32_t qom_store_children(const struct qom_store *s, uint32_t object, uint32_t *ret_first)
{
    *ret_first = s->objects.items[object].first_child;
    return s->objects.items[object].children;
}

uint32_t qom_store_child_named(const struct qom_store *s, uint32_t object, const char *name, size_t length)
{
    const struct object *o = &s->objects.items[object];
    uint32_t guess = s->last_child + 1 - o->first_child;
    for (uint32_t i = 0; i < o->children; i++) {
        uint32_t child = o->first_child + (guess < o->children ? (guess + i) % o->children : i);
        const char *text = qom_store_name(s, child);
        if (strncmp(text, name, length) == 0 && text[length] == 0) {
            ((struct qom_store *) s)->last_child = child;       /* no part of its value */
            return child;
        }
    }
    return QOM_NONE;
}

uint32_t qom_store_next(const struct qom_store *s, uint32_t top, uint32_t object)
{
    if (s->objects.items[object].children)
        return s->objects.items[object].first_child;
    for (; object != top; object = s->objects.items[object].parent) {
        const struct object *parent = &s->objects.items[s->objects.items[object].parent];
        if (object + 1 < parent->first_child + parent->children)
            return object + 1;
    }
    return QOM_NONE;
}

void qom_store_add_path(const struct qom_store *s, uint32_t object, struct buffer *out)
{
    uint32_t line[QOM_DEPTH_MAX + 1];
    size_t depth = 0;
    for (; object != QOM_ROOT; object = s->objects.items[object].parent)
        line[depth++] = object;
    if (depth == 0)
        buffer_add_char(out, '/');
    while (depth > 0) {
        buffer_add_char(out, '/');
        buffer_add_text(out, qom_store_name(s, line[--depth]));
    }
}

size_t qom_store_property_count(const struct qom_store *s, uint32_t object)
{
    return s->objects.items[object].properties;
}

struct qom_property qom_store_property(const struct qom_store *s, uint32_t object, size_t index)
{
    const struct property *p = &s->properties.items[s->objects.items[object].first_property + index];
    bool secret = p->value == VALUE_SECRET;
    return (struct qom_property) { qom_pool_text(&s->names, p->name), qom_pool_text(&s->names, p->type),
                                   secret ? NULL : qom_pool_text(&s->values, p->value), secret };
}

bool qom_store_find_property(const struct qom_store *s, uint32_t object, const char *name,
                             struct qom_property *ret_property)
{
    for (size_t i = 0; i < qom_store_property_count(s, object); i++) {
        struct qom_property p = qom_store_property(s, object, i);
        if (strcmp(p.name, name) == 0) {
            *ret_property = p;
            return true;
        }
    }
    return false;
}

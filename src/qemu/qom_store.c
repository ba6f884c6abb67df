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

/* Values that no one may see. */
static const struct { const char *type_prefix, *property; } secrets[] = {
    { "secret", "data" },
};

struct qom_store {
    VECTOR(struct object) objects;
    VECTOR(struct property) properties;
    struct qom_pool names, values;
    size_t entries;                     /* as qom-list counts */
    uint32_t open;                      /* the object that is being put; QOM_NONE: none */
    bool hides;                         /* ... and it says that it is a secret */
    struct buffer withheld[ARRAY_COUNT(secrets)];
    struct buffer scratch;
    uint32_t last_child;                /* the last one looked up by name: the next is often its neighbour */
};

/* Objects of this type consist of "type" alone, whatever machine they are on; they share one property. */
static const char leaf_type[] = "irq";
enum { LEAF_PROPERTY = 0 };

static void add_property(struct qom_store *s, const char *name, const char *type, uint32_t value)
{
    struct property p = { qom_pool_add(&s->names, name, strlen(name)),
                          qom_pool_add(&s->names, type, strlen(type)), value };
    vector_push(&s->properties, p);
}

struct qom_store *qom_store_new(void)
{
    struct qom_store *s = NEW(struct qom_store);
    struct object root = { .parent = QOM_NONE, .first_property = QOM_NONE };
    root.name = qom_pool_add(&s->names, "/", 1);
    root.type = qom_pool_add(&s->names, "container", strlen("container"));
    qom_pool_add(&s->values, "", 0);    /* takes the offset that means secret */
    vector_push(&s->objects, root);
    s->open = QOM_NONE;
    add_property(s, "type", "string", qom_pool_add(&s->values, "\"irq\"", strlen("\"irq\"")));
    return s;
}

static void done_with_making(struct qom_store *s)
{
    for (size_t i = 0; i < ARRAY_COUNT(secrets); i++)
        buffer_done(&s->withheld[i]);
    buffer_done(&s->scratch);
}

void qom_store_free(struct qom_store *s)
{
    if (!s)
        return;
    vector_done(&s->objects);
    vector_done(&s->properties);
    qom_pool_done(&s->names);
    qom_pool_done(&s->values);
    done_with_making(s);
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

static int check_bounds(const struct qom_store *s, struct error *err)
{
    if (s->objects.count >= QOM_OBJECTS_MAX)
        return fail(err, ERR_VMM, "the object tree has more than %d objects", QOM_OBJECTS_MAX);
    if (s->properties.count >= QOM_PROPERTIES_MAX)
        return fail(err, ERR_VMM, "the object tree has more than %d properties", QOM_PROPERTIES_MAX);
    if (s->names.texts.length + s->values.texts.length > QOM_TEXTS_MAX)
        return fail(err, ERR_VMM, "the object tree has more than %d bytes of texts", QOM_TEXTS_MAX);
    return 0;
}


static void add_child(struct qom_store *s, const char *name, const char *type)
{
    size_t prefix = strlen("child<");
    struct object child = { .parent = s->open, .first_property = QOM_NONE };
    child.name = qom_pool_add(&s->names, name, strlen(name));
    child.type = qom_pool_add(&s->names, type + prefix, strlen(type) - prefix - 1);
    if (strcmp(qom_pool_text(&s->names, child.type), leaf_type) == 0) {
        child.first_property = LEAF_PROPERTY;
        child.properties = 1;
        s->entries++;
    }
    vector_push(&s->objects, child);
}

int qom_store_open(struct qom_store *s, uint32_t object, struct error *err)
{
    unsigned depth = 0;
    assert(!qom_store_is_read(s, object) && s->open == QOM_NONE);
    for (uint32_t up = object; up != QOM_ROOT; up = s->objects.items[up].parent)
        depth++;
    if (depth >= QOM_DEPTH_MAX)
        return fail(err, ERR_VMM, "the object tree is deeper than %d levels", QOM_DEPTH_MAX);
    s->open = object;
    s->hides = false;
    s->objects.items[object].first_property = (uint32_t) s->properties.count;
    s->objects.items[object].first_child = (uint32_t) s->objects.count;
    return 0;
}

/* What the object says it is.  Its parent's word is what counts, but a secret hides under neither. */
static void note_stated_type(struct qom_store *s, const char *value)
{
    size_t length = strlen(value);
    if (length < 2 || value[0] != '"')
        return;
    if (s->open == QOM_ROOT)
        s->objects.items[QOM_ROOT].type = qom_pool_add(&s->names, value + 1, length - 2);
    for (size_t i = 0; i < ARRAY_COUNT(secrets); i++)
        s->hides |= text_starts(value + 1, secrets[i].type_prefix);
}

/* Until all of the object is known, what may be a secret is kept aside. */
static bool withhold(struct qom_store *s, const char *name, const char *value)
{
    for (size_t i = 0; value && i < ARRAY_COUNT(secrets); i++) {
        if (strcmp(name, secrets[i].property) != 0)
            continue;
        s->withheld[i].length = 0;
        buffer_add_text(&s->withheld[i], value);
        return true;
    }
    return false;
}

int qom_store_add(struct qom_store *s, const char *name, const char *type, const char *value,
                  struct error *err)
{
    if (name[0] == 0 || type[0] == 0 || strlen(name) > QOM_NAME_MAX || strlen(type) > QOM_NAME_MAX)
        return fail(err, ERR_VMM, "an object's property has no proper name or type");
    if (check_bounds(s, err) < 0)
        return -1;
    s->entries++;
    if (is_child(type)) {
        if (strchr(name, '/'))
            return fail(err, ERR_VMM, "an object is called '%.100s', with a slash", name);
        add_child(s, name, type);
        return 0;
    }
    bool kept = value && !withhold(s, name, value);
    add_property(s, name, type, kept ? qom_pool_add(&s->values, value, strlen(value)) : VALUE_NONE);
    if (kept && strcmp(name, "type") == 0)
        note_stated_type(s, value);
    return 0;
}

/* Decides on what was kept aside. */
static void settle_secrets(struct qom_store *s, const struct object *o)
{
    for (size_t i = 0; i < ARRAY_COUNT(secrets); i++) {
        struct buffer *held = &s->withheld[i];
        bool hidden = s->hides || text_starts(qom_pool_text(&s->names, o->type), secrets[i].type_prefix);
        for (uint32_t at = o->first_property; at < s->properties.count; at++) {
            struct property *p = &s->properties.items[at];
            if (strcmp(qom_pool_text(&s->names, p->name), secrets[i].property) != 0)
                continue;
            if (hidden)
                p->value = VALUE_SECRET;
            else if (held->length)
                p->value = qom_pool_add(&s->values, held->data, held->length);
        }
        held->length = 0;
    }
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *) left, b = *(const uint32_t *) right;
    return (a > b) - (a < b);
}

/* No two entries have one name. */
static int check_names(const struct qom_store *s, const struct object *o, struct error *err)
{
    size_t count = 0;
    owned_memory uint32_t *names = memory_new((o->properties + o->children + 1) * sizeof *names);
    for (uint32_t i = 0; i < o->properties; i++)
        names[count++] = s->properties.items[o->first_property + i].name;
    for (uint32_t i = 0; i < o->children; i++)
        names[count++] = s->objects.items[o->first_child + i].name;
    qsort(names, count, sizeof *names, compare_numbers);
    for (size_t i = 1; i < count; i++)
        if (names[i - 1] == names[i])
            return fail(err, ERR_VMM, "an object has two properties '%.100s'",
                        qom_pool_text(&s->names, names[i]));
    return 0;
}

int qom_store_close(struct qom_store *s, struct error *err)
{
    struct object *o = &s->objects.items[s->open];
    o->properties = (uint32_t) s->properties.count - o->first_property;
    o->children = (uint32_t) s->objects.count - o->first_child;
    settle_secrets(s, o);
    s->open = QOM_NONE;
    return check_names(s, o, err);
}

/* JSON as text, in the scratch buffer; NULL if there is none. */
static const char *value_text(struct qom_store *s, const struct json *value)
{
    s->scratch.length = 0;
    struct json_writer w = { .out = &s->scratch };
    if (value)
        json_value(&w, value);
    return value ? s->scratch.data : NULL;
}

static int put_entry(struct qom_store *s, const struct json *entry, struct error *err)
{
    const struct json *name = json_get(entry, "name"), *type = json_get(entry, "type");
    if (!json_text(name) || !json_text(type) || strlen(name->text) != name->length ||
        strlen(type->text) != type->length)
        return fail(err, ERR_VMM, "an object's property has no proper name or type");
    const char *value = is_child(type->text) ? NULL : value_text(s, json_get(entry, "value"));
    return qom_store_add(s, name->text, type->text, value, err);
}

int qom_store_put(struct qom_store *s, uint32_t object, const struct json *properties, struct error *err)
{
    if (!properties || properties->type != JSON_ARRAY)
        return fail(err, ERR_VMM, "an object's properties are no list");
    if (qom_store_open(s, object, err) < 0)
        return -1;
    for (size_t i = 0; i < properties->length; i++)
        if (put_entry(s, properties->items[i], err) < 0)
            return -1;
    return qom_store_close(s, err);
}

bool qom_store_is_read(const struct qom_store *s, uint32_t object)
{
    return s->objects.items[object].first_property != QOM_NONE;
}

bool qom_store_is_leaf(const struct qom_store *s, uint32_t object)
{
    return s->objects.items[object].first_property == LEAF_PROPERTY;
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
    done_with_making(s);
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

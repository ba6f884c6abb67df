/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/objects_match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"

/* What changes without anybody having changed it. */
static const struct {
    const char *path, *type, *property, *reason;
} masks[] = {
    { "*", "*", "rtc-time", "the clock goes on" },
    { "*", "*", "date", "the clock goes on" },
    { "*", "*", "guest-stats", "the guest reports it anew" },
    { "*", "*memory-region", "addr", "the firmware maps it" },
    { "*", "*memory-region", "container", "the firmware maps it" },
    { "*", "*memory-region", "priority", "the firmware maps it" },
    { "*/pci_bridge_*", "*memory-region", "size", "the firmware opens it" },
    { "*/kvmvapic-rom*", "memory-region", "*", "the firmware makes a copy of it" },
    { "*", "*", "pm_io_base", "the firmware sets it" },
    { "*", "*", "smb_io_base", "the firmware sets it" },
    { "*", "*", "gpe0_blk", "the firmware sets it" },
    { "*", "*", "MCFG", "the firmware sets it" },
    { "*", "*", "mcfg*", "the firmware sets it" },
    { "*", "*", "thread-id", "the host numbers its threads" },
    { "/chardevs/charmonitor", "*", "*", "the monitor's socket is another one at each start" },
    { "*", "chardev-pty", "filename", "the host numbers its terminals" },
};

/* What tells numbered objects of one type apart. */
static const char *const identities[] = {
    "parent_bus", "addr",  "port",    "nr",     "iobase",  "apic-id", "mac",
    "serial",     "drive", "chardev", "netdev", "node-id", "slot",    "name",
};

const char *objects_mask(const struct object *object, const char *property)
{
    for (size_t i = 0; i < ARRAY_COUNT(masks); i++)
        if (text_matches(object->path, masks[i].path) && text_matches(object->type, masks[i].type) &&
            text_matches(property, masks[i].property))
            return masks[i].reason;
    return NULL;
}

/* --- one side --- */

struct side {
    const struct objects *objects;
    VECTOR(uint32_t) first, next; /* the first child of each object, its next sibling; NO_OBJECT */
    VECTOR(uint32_t) partner;     /* in the other tree; NO_OBJECT */
    struct map *places;           /* path to index + 1 */
};

static void side_init(struct side *s, const struct objects *objects)
{
    size_t count = objects->list.count;
    s->objects = objects;
    s->places = map_new();
    for (size_t i = 0; i < count; i++) {
        vector_push(&s->first, NO_OBJECT);
        vector_push(&s->next, NO_OBJECT);
        vector_push(&s->partner, NO_OBJECT);
        map_set_text(s->places, objects->list.items[i].path, (void *) (uintptr_t) (i + 1));
    }
    for (size_t i = count; i-- > 1;) {
        uint32_t parent = objects->list.items[i].parent;
        s->next.items[i] = s->first.items[parent];
        s->first.items[parent] = (uint32_t) i;
    }
}

static void side_done(struct side *s)
{
    vector_done(&s->first);
    vector_done(&s->next);
    vector_done(&s->partner);
    map_free(s->places);
}

/* The object behind a link's value; NO_OBJECT. */
static uint32_t target_of(const struct side *s, const struct object_property *link)
{
    if (!text_starts(link->type, "link<") || !link->value || link->value[0] != '"' ||
        strchr(link->value, '\\'))
        return NO_OBJECT;
    owned_memory char *path = memory_copy_bytes(link->value + 1, strlen(link->value) - 2);
    return (uint32_t) (uintptr_t) map_find_text(s->places, path) - 1;
}

/* --- keys: what must be equal for two things to be the same --- */

/* The length of "device" in "device[7]"; 0: it is not numbered. */
static size_t base_length(const char *name)
{
    size_t length = strlen(name), digits = 0;
    if (length < 3 || name[length - 1] != ']')
        return 0;
    while (digits + 2 < length && isdigit((unsigned char) name[length - 2 - digits]))
        digits++;
    return digits && name[length - 2 - digits] == '[' ? length - 2 - digits : 0;
}

static uint64_t number_in(const char *name)
{
    size_t base = base_length(name);
    return base ? strtoull(name + base + 1, NULL, 10) : 0;
}

/* Without the numbers in brackets, which differ between trees. */
static void add_unnumbered(struct buffer *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        buffer_add_char(out, *c);
        while (*c == '[' && isdigit((unsigned char) c[1]))
            c++;
    }
}

static char *object_key(const struct object *o, bool identity)
{
    struct buffer out = { 0 };
    size_t base = base_length(o->name);
    buffer_printf(&out, "%.*s\n%s\n", (int) (base ? base : strlen(o->name)), o->name, o->type);
    for (size_t i = 0; identity && base && i < ARRAY_COUNT(identities); i++)
        for (size_t p = 0; p < o->count; p++)
            if (text_equal(o->properties[p].name, identities[i]) && o->properties[p].value) {
                add_unnumbered(&out, o->properties[p].value);
                buffer_printf(&out, "\n%zu", i);
            }
    return buffer_take(&out);
}

struct keyed {
    char *key;
    uint64_t number;
    size_t index;
};
struct keys {
    VECTOR(struct keyed) list;
};

static void keys_done(struct keys *keys)
{
    for (size_t i = 0; i < keys->list.count; i++)
        free(keys->list.items[i].key);
    vector_done(&keys->list);
}

static int by_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static void keys_sort(struct keys *keys)
{
    if (keys->list.count)
        qsort(keys->list.items, keys->list.count, sizeof *keys->list.items, by_key);
}

static int behind(const struct keys *a, size_t i, const struct keys *b, size_t j)
{
    return i == a->list.count   ? 1
           : j == b->list.count ? -1
                                : strcmp(a->list.items[i].key, b->list.items[j].key);
}

/* --- pairing objects --- */

static void add_children(const struct side *s, uint32_t parent, bool identity, struct keys *out)
{
    for (uint32_t c = s->first.items[parent]; c != NO_OBJECT; c = s->next.items[c]) {
        const struct object *o = &s->objects->list.items[c];
        struct keyed keyed = { s->partner.items[c] == NO_OBJECT ? object_key(o, identity) : NULL,
                               number_in(o->name), c };
        if (keyed.key)
            vector_push(&out->list, keyed);
    }
    keys_sort(out);
}

static void pair_children(struct side *a, struct side *b, uint32_t pa, uint32_t pb, bool identity)
{
    __attribute__((cleanup(keys_done))) struct keys x = { 0 }, y = { 0 };
    add_children(a, pa, identity, &x);
    add_children(b, pb, identity, &y);
    for (size_t i = 0, j = 0; i < x.list.count && j < y.list.count;) {
        int order = behind(&x, i, &y, j);
        if (order == 0) {
            size_t from = x.list.items[i].index, to = y.list.items[j].index;
            a->partner.items[from] = (uint32_t) to;
            b->partner.items[to] = (uint32_t) from;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static void pair_all(struct side *a, struct side *b)
{
    if (a->objects->list.count == 0 || b->objects->list.count == 0)
        return;
    a->partner.items[0] = b->partner.items[0] = 0;
    for (uint32_t i = 0; i < a->objects->list.count; i++) { /* parents come before their children */
        if (a->partner.items[i] == NO_OBJECT)
            continue;
        pair_children(a, b, i, a->partner.items[i], true);
        pair_children(a, b, i, a->partner.items[i], false);
    }
}

/* --- comparing --- */

struct comparison {
    struct side a, b;
    bool all;
    struct changes *changes;
};

static void tell(struct comparison *c, struct change change)
{
    vector_push(&c->changes->list, change);
}

/* A numbered link is known by where it leads; all else by its name. */
static char *property_key(const struct side *s, const struct object_property *p, bool is_a)
{
    size_t base = base_length(p->name);
    uint32_t target = base ? target_of(s, p) : NO_OBJECT;
    if (target == NO_OBJECT)
        return base && text_starts(p->type, "link<")
                   ? memory_printf("%.*s[] %s", (int) base, p->name, p->value ? p->value : "")
                   : memory_copy_text(p->name);
    uint32_t in_a = is_a ? target : s->partner.items[target];
    if (in_a == NO_OBJECT)
        return NULL; /* leads to what came */
    if (is_a && s->partner.items[target] == NO_OBJECT)
        return NULL; /* or went */
    return memory_printf("%.*s[] #%u", (int) base, p->name, in_a);
}

static void add_properties(const struct side *s, const struct object *o, bool is_a, struct keys *out)
{
    for (size_t i = 0; i < o->count; i++) {
        struct keyed keyed = { property_key(s, &o->properties[i], is_a), number_in(o->properties[i].name),
                               i };
        if (keyed.key)
            vector_push(&out->list, keyed);
    }
    keys_sort(out);
}

static bool same_value(const struct comparison *c, const struct object_property *p,
                       const struct object_property *q)
{
    uint32_t from = target_of(&c->a, p), to = target_of(&c->b, q);
    if (from != NO_OBJECT && to != NO_OBJECT)
        return c->a.partner.items[from] == to;
    return text_equal(p->value, q->value);
}

static void tell_property(struct comparison *c, enum change_kind kind, uint32_t a, uint32_t b,
                          const struct object_property *old, const struct object_property *new)
{
    const struct object *o =
        kind == PROPERTY_REMOVED ? &c->a.objects->list.items[a] : &c->b.objects->list.items[b];
    if (!c->all && objects_mask(o, (new ? new : old)->name))
        c->changes->masked++;
    else
        tell(c, (struct change) { kind, kind == PROPERTY_REMOVED ? a : b, old, new, 0 });
}

static void compare_pair(struct comparison *c, uint32_t a, uint32_t b)
{
    const struct object *p = &c->a.objects->list.items[a], *q = &c->b.objects->list.items[b];
    __attribute__((cleanup(keys_done))) struct keys x = { 0 }, y = { 0 };
    add_properties(&c->a, p, true, &x);
    add_properties(&c->b, q, false, &y);
    for (size_t i = 0, j = 0; i < x.list.count || j < y.list.count;) {
        int order = behind(&x, i, &y, j);
        const struct object_property *old = order <= 0 ? &p->properties[x.list.items[i].index] : NULL;
        const struct object_property *new = order >= 0 ? &q->properties[y.list.items[j].index] : NULL;
        if (!old || !new)
            tell_property(c, old ? PROPERTY_REMOVED : PROPERTY_ADDED, a, b, old, new);
        else if (base_length(old->name) == 0 || !text_starts(old->type, "link<"))
            if (!text_equal(old->type, new->type) || !same_value(c, old, new))
                tell_property(c, PROPERTY_CHANGED, a, b, old, new);
        i += old != NULL;
        j += new != NULL;
    }
}

static unsigned count_below(const struct side *s, uint32_t object)
{
    unsigned count = 0;
    uint32_t o = object + 1;
    size_t length = strlen(s->objects->list.items[object].path);
    for (; o < s->objects->list.count; o++) {
        const char *path = s->objects->list.items[o].path;
        count += strncmp(path, s->objects->list.items[object].path, length) == 0 && path[length] == '/';
    }
    return count;
}

/* The uppermost of those without a partner. */
static void tell_unpaired(struct comparison *c, const struct side *s, uint32_t object, enum change_kind kind)
{
    uint32_t parent = s->objects->list.items[object].parent;
    if (!c->all && objects_mask(&s->objects->list.items[object], "")) {
        c->changes->masked++;
        return;
    }
    if (parent == NO_OBJECT || s->partner.items[parent] != NO_OBJECT)
        tell(c, (struct change) { kind, object, NULL, NULL, count_below(s, object) });
}

void objects_compare(const struct objects *a, const struct objects *b, bool all, struct changes *ret_changes)
{
    struct comparison c = { .all = all, .changes = ret_changes };
    *ret_changes = (struct changes) { 0 };
    side_init(&c.a, a);
    side_init(&c.b, b);
    pair_all(&c.a, &c.b);
    for (uint32_t i = 0; i < a->list.count; i++)
        if (c.a.partner.items[i] == NO_OBJECT)
            tell_unpaired(&c, &c.a, i, OBJECT_REMOVED);
        else
            compare_pair(&c, i, c.a.partner.items[i]);
    for (uint32_t i = 0; i < b->list.count; i++)
        if (c.b.partner.items[i] == NO_OBJECT)
            tell_unpaired(&c, &c.b, i, OBJECT_ADDED);
    side_done(&c.a);
    side_done(&c.b);
}

void changes_done(struct changes *changes)
{
    vector_done(&changes->list);
}

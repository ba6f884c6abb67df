/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/table.h"

#include <string.h>

#include "xml/raw.h"

const char *field_name(const struct field *f)
{
    return f->element ? f->element->name : f->name;
}

static bool guard_holds(const struct guard *guard, const void *self)
{
    int value;
    if (!guard->values)
        return true;
    memcpy(&value, (const char *) self + guard->offset, sizeof value);
    return guard->values >> (value & 63) & 1;
}

bool field_applies(const struct field *f, const void *self)
{
    return guard_holds(&f->guards[0], self) && guard_holds(&f->guards[1], self);
}

static bool is_zero(const void *p, size_t n)
{
    const char *c = p;
    while (n && !*c)
        c++, n--;
    return n == 0;
}

static bool has_extras(const struct element *e, const void *self)
{
    const struct extras *extras = (const void *) ((const char *) self + e->extras);
    for (const struct extra *x = extras->first; x; x = x->next)
        if (x->in == e)
            return true;
    return false;
}

static bool element_is_set(const struct element *e, const void *self)
{
    for (const struct field *f = e->fields; f->kind; f++)
        if (field_applies(f, self) && field_is_set(f, self))
            return true;
    return has_extras(e, self);
}

bool field_is_set(const struct field *f, const void *self)
{
    const void *member = (const char *) self + f->offset;
    switch (f->kind) {
    case FIELD_INLINE: return element_is_set(f->element, self);
    case FIELD_NESTED: return element_is_set(f->element, member);
    case FIELD_CHILD:
    case FIELD_RAW: return *(void *const *) member != NULL;
    case FIELD_LIST: return ((const struct any_list *) member)->count > 0;
    default: return !is_zero(member, f->codec->size);
    }
}

static void *copy_pointer_list(const struct field *f, const struct any_list *list, struct arena *arena)
{
    void **items = arena_alloc(arena, list->count * sizeof *items);
    for (size_t i = 0; i < list->count; i++)
        items[i] = xml_copy(f->element, list->items[i], arena);
    return items;
}

/* `self` is a shallow copy already; makes it deep. */
static void deepen(const struct element *e, void *self, struct arena *arena)
{
    for (const struct field *f = e->fields; f->kind; f++) {
        void *member = (char *) self + f->offset;
        switch (f->kind) {
        case FIELD_INLINE:
            deepen(f->element, self, arena);
            break;
        case FIELD_NESTED:
            deepen(f->element, member, arena);
            extras_copy((struct extras *) ((char *) member + f->element->extras), arena);
            break;
        case FIELD_CHILD:
            if (*(void **) member)
                *(void **) member = xml_copy(f->element, *(void **) member, arena);
            break;
        case FIELD_LIST:
            if (((struct any_list *) member)->count)
                ((struct any_list *) member)->items = copy_pointer_list(f, member, arena);
            break;
        case FIELD_RAW:
            *(struct raw **) member = (struct raw *) raw_copy(*(struct raw **) member, arena);
            break;
        default:
            if (f->codec->pointer)
                *(char **) member = arena_copy(arena, *(char **) member);
            break;
        }
    }
}

void *xml_copy(const struct element *e, const void *self, struct arena *arena)
{
    void *copy = memcpy(arena_alloc(arena, e->size), self, e->size);
    deepen(e, copy, arena);
    extras_copy((struct extras *) ((char *) copy + e->extras), arena);
    return copy;
}

static int each_own_extra(const struct element *e, const void *self, int (*fn)(void *, const struct extra *),
                          void *arg)
{
    const struct extras *extras = (const void *) ((const char *) self + e->extras);
    int rc = 0;
    for (const struct extra *x = extras->first; x && !rc; x = x->next)
        rc = fn(arg, x);
    return rc;
}

static int each_extra_below(const struct element *e, const void *self,
                            int (*fn)(void *, const struct extra *), void *arg)
{
    int rc = 0;
    for (const struct field *f = e->fields; f->kind && !rc; f++) {
        const void *member = (const char *) self + f->offset;
        const struct any_list *list = member;
        if (f->kind == FIELD_INLINE)
            rc = each_extra_below(f->element, self, fn, arg);
        else if (f->kind == FIELD_NESTED)
            rc = xml_each_extra(f->element, member, fn, arg);
        else if (f->kind == FIELD_CHILD && *(void *const *) member)
            rc = xml_each_extra(f->element, *(void *const *) member, fn, arg);
        for (size_t i = 0; f->kind == FIELD_LIST && i < list->count && !rc; i++)
            rc = xml_each_extra(f->element, list->items[i], fn, arg);
    }
    return rc;
}

int xml_each_extra(const struct element *e, const void *self, int (*fn)(void *arg, const struct extra *extra),
                   void *arg)
{
    int rc = each_own_extra(e, self, fn, arg);
    return rc ? rc : each_extra_below(e, self, fn, arg);
}

void list_add(struct arena *arena, void *list, void *item)
{
    struct any_list *any = list;
    void **items = arena_alloc(arena, (any->count + 1) * sizeof *items);
    if (any->count)
        memcpy(items, any->items, any->count * sizeof *items);
    items[any->count++] = item;
    any->items = items;
}

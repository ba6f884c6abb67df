/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

/* Properties whose value changes by itself. */
static const char *const volatile_names[] = { "rtc-time", "date", "guest-stats" };

struct pair { uint32_t a, b; };         /* objects with the same path; QOM_NONE: only on the other side */

struct comparison {
    const struct qom_store *a, *b;
    VECTOR(struct pair) open;
    struct buffer *out;
    size_t limit, differences;
};

static const char *shown_value(const struct qom_property *p)
{
    return p->value ? p->value : p->secret ? "(secret)" : "(unreadable)";
}

static void tell(struct comparison *c, char sign, const struct qom_store *s, uint32_t object,
                 const struct qom_property *p)
{
    if (c->differences++ >= c->limit || !c->out)
        return;
    buffer_printf(c->out, "%c ", sign);
    qom_store_add_path(s, object, c->out);
    if (p)
        buffer_printf(c->out, " %s %s %s\n", p->name, p->type, shown_value(p));
    else
        buffer_printf(c->out, " %s\n", qom_store_type(s, object));
}

static bool is_volatile(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(volatile_names); i++)
        if (strcmp(name, volatile_names[i]) == 0)
            return true;
    return false;
}

static bool same_value(const char *a, const char *b)
{
    if (!a || !b || strcmp(a, b) == 0)
        return (a == NULL) == (b == NULL);
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    const struct json *x = json_parse(a, strlen(a), arena, &err), *y = json_parse(b, strlen(b), arena, &err);
    return x && y && json_equal(x, y);
}

static bool same_property(const struct qom_property *p, const struct qom_property *q)
{
    return strcmp(p->type, q->type) == 0 && p->secret == q->secret &&
           (is_volatile(p->name) || same_value(p->value, q->value));
}

/* --- what is compared, in order of name; the caller frees ------------------------------------- */

static int compare_properties(const void *left, const void *right)
{
    return strcmp(((const struct qom_property *) left)->name, ((const struct qom_property *) right)->name);
}

static struct qom_property *sorted_properties(const struct qom_store *s, uint32_t object, size_t *ret_count)
{
    size_t count = *ret_count = qom_store_property_count(s, object);
    struct qom_property *list = memory_new((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = qom_store_property(s, object, i);
    qsort(list, count, sizeof *list, compare_properties);
    return list;
}

struct named { const char *name; uint32_t object; };

static int compare_named(const void *left, const void *right)
{
    return strcmp(((const struct named *) left)->name, ((const struct named *) right)->name);
}

static struct named *sorted_children(const struct qom_store *s, uint32_t object, size_t *ret_count)
{
    uint32_t first, count = qom_store_children(s, object, &first);
    struct named *list = memory_new((count + 1) * sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct named) { qom_store_name(s, first + i), first + i };
    qsort(list, count, sizeof *list, compare_named);
    *ret_count = count;
    return list;
}

/* Which of two sorted lists is behind: < 0 the left, > 0 the right, 0 both stand on the same name. */
static int behind(const char *left, const char *right)
{
    return !left ? 1 : !right ? -1 : strcmp(left, right);
}

/* --- merging ---------------------------------------------------------------------------------- */

static void compare_object(struct comparison *c, struct pair at)
{
    size_t m, n;
    owned_memory struct qom_property *p = sorted_properties(c->a, at.a, &m);
    owned_memory struct qom_property *q = sorted_properties(c->b, at.b, &n);
    if (strcmp(qom_store_type(c->a, at.a), qom_store_type(c->b, at.b)) != 0) {
        tell(c, '-', c->a, at.a, NULL);
        tell(c, '+', c->b, at.b, NULL);
    }
    for (size_t i = 0, j = 0; i < m || j < n; ) {
        int order = behind(i < m ? p[i].name : NULL, j < n ? q[j].name : NULL);
        if (order < 0 || (order == 0 && !same_property(&p[i], &q[j])))
            tell(c, '-', c->a, at.a, &p[i]);
        if (order > 0 || (order == 0 && !same_property(&p[i], &q[j])))
            tell(c, '+', c->b, at.b, &q[j]);
        i += order <= 0;
        j += order >= 0;
    }
}

static void open_children(struct comparison *c, struct pair at)
{
    size_t m, n;
    owned_memory struct named *p = sorted_children(c->a, at.a, &m);
    owned_memory struct named *q = sorted_children(c->b, at.b, &n);
    for (size_t i = 0, j = 0; i < m || j < n; ) {
        int order = behind(i < m ? p[i].name : NULL, j < n ? q[j].name : NULL);
        struct pair pair = { order <= 0 ? p[i].object : QOM_NONE, order >= 0 ? q[j].object : QOM_NONE };
        vector_push(&c->open, pair);
        i += order <= 0;
        j += order >= 0;
    }
}

static void tell_subtree(struct comparison *c, char sign, const struct qom_store *s, uint32_t top)
{
    for (uint32_t o = top; o != QOM_NONE; o = qom_store_next(s, top, o))
        tell(c, sign, s, o, NULL);
}

size_t qom_compare(const struct qom_store *a, const struct qom_store *b, struct buffer *out, size_t limit)
{
    struct comparison c = { .a = a, .b = b, .out = out, .limit = limit };
    struct pair root = { QOM_ROOT, QOM_ROOT };
    vector_push(&c.open, root);
    while (c.open.count) {
        struct pair at = c.open.items[--c.open.count];
        if (at.a == QOM_NONE) {
            tell_subtree(&c, '+', b, at.b);
        } else if (at.b == QOM_NONE) {
            tell_subtree(&c, '-', a, at.a);
        } else {
            compare_object(&c, at);
            open_children(&c, at);
        }
    }
    vector_done(&c.open);
    return c.differences;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a VMM may say of its object tree: a list of what bulk commands answer, [[{name, type, value?}...]...],
 * object after object.  Whatever tree comes of it must equal itself, and a plan for it must lead to each of
 * its objects. */
#include <stdint.h>
#include <stdlib.h>

#include "qemu/qom_compare.h"
#include "qemu/qom_plan.h"

enum { OBJECTS_MAX = 200 };             /* larger trees are only slower */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool fine)
{
    if (!fine)
        abort();
}

static struct qom_store *make_tree(const struct json *answers)
{
    owned(qom_store) struct qom_store *store = qom_store_new();
    error_scope(err);
    size_t taken = 0;
    for (uint32_t object = 0; object < qom_store_count(store); object++) {
        const struct json nothing = { .type = JSON_ARRAY }, *answer = json_at(answers, taken);
        if (qom_store_is_read(store, object))
            continue;
        taken += answer != NULL;
        if (qom_store_put(store, object, answer ? answer : &nothing, &err) < 0)
            return NULL;
    }
    qom_store_seal(store);
    return take(store);
}

static void check_plan(const struct qom_store *store)
{
    owned(qom_plan) struct qom_plan *plan = qom_plan_make(store, "key", NULL);
    uint32_t objects[OBJECTS_MAX] = { QOM_ROOT };
    for (size_t i = 1; i < qom_plan_count(plan); i++) {
        const struct qom_plan_object *o = qom_plan_object(plan, i);
        bool ambiguous;
        must(o->parent < i && o->start < i);
        objects[i] = qom_store_child(store, objects[o->parent], o->name);
        must(objects[i] != QOM_NONE && qom_store_find(store, o->request, &ambiguous) == objects[i]);
        must(o->request[0] == '/' || qom_store_walk(store, objects[o->start], o->request) == objects[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    const struct json *answers = json_parse((const char *) bytes, length, arena, &err);
    owned(qom_store) struct qom_store *store = answers ? make_tree(answers) : NULL;
    if (!store)
        return 0;
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    for (uint32_t object = QOM_ROOT; object != QOM_NONE; object = qom_store_next(store, QOM_ROOT, object))
        qom_store_write(store, object, &w);
    must(qom_compare(store, store, NULL, 0) == 0);
    if (qom_store_count(store) <= OBJECTS_MAX)
        check_plan(store);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"

const struct json *json_get(const struct json *object, const char *key)
{
    if (!object || object->type != JSON_OBJECT)
        return NULL;
    for (size_t i = object->length; i-- > 0; )
        if (strcmp(object->members[i].key, key) == 0)
            return object->members[i].value;
    return NULL;
}

const struct json *json_at(const struct json *array, size_t index)
{
    return array && array->type == JSON_ARRAY && index < array->length ? array->items[index] : NULL;
}

const char *json_text(const struct json *string)
{
    return string && string->type == JSON_STRING ? string->text : NULL;
}

const char *json_get_text(const struct json *object, const char *key)
{
    return json_text(json_get(object, key));
}

bool json_to_u64(const struct json *number, uint64_t *ret_value)
{
    return number && number->type == JSON_NUMBER && text_to_u64(number->text, UINT64_MAX, ret_value);
}

bool json_to_i64(const struct json *number, int64_t *ret_value)
{
    return number && number->type == JSON_NUMBER && text_to_i64(number->text, ret_value);
}

bool json_to_bool(const struct json *boolean, bool *ret_value)
{
    if (!boolean || boolean->type != JSON_BOOL)
        return false;
    *ret_value = boolean->boolean;
    return true;
}

/* --- equality: a list of pairs still to compare, as depth is the sender's choice and stacks are small --- */

struct pair { const struct json *a, *b; };
struct work { VECTOR(struct pair) pairs; };

static void push(struct work *work, const struct json *a, const struct json *b)
{
    struct pair pair = { a, b };
    vector_push(&work->pairs, pair);
}

static bool same_number(const struct json *a, const struct json *b)
{
    uint64_t u, v;
    int64_t i, j;
    if (json_to_u64(a, &u) && json_to_u64(b, &v))
        return u == v;
    if (json_to_i64(a, &i) && json_to_i64(b, &j))
        return i == j;
    return strcmp(a->text, b->text) == 0;
}

static int compare_members(const void *left, const void *right)
{
    const struct json_member *a = *(const struct json_member *const *) left;
    const struct json_member *b = *(const struct json_member *const *) right;
    int order = strcmp(a->key, b->key);
    return order ? order : (a > b) - (a < b);
}

/* The members by key; of a doubled key only the last.  The caller frees the list. */
static const struct json_member **sorted_members(const struct json *object, size_t *ret_count)
{
    const struct json_member **list = memory_new((object->length + 1) * sizeof *list);
    for (size_t i = 0; i < object->length; i++)
        list[i] = &object->members[i];
    qsort(list, object->length, sizeof *list, compare_members);
    size_t count = 0;
    for (size_t i = 0; i < object->length; i++) {
        if (count && strcmp(list[count - 1]->key, list[i]->key) == 0)
            count--;
        list[count++] = list[i];
    }
    *ret_count = count;
    return list;
}

static bool same_keys(struct work *work, const struct json *a, const struct json *b)
{
    size_t count, other;
    owned_memory const struct json_member **left = sorted_members(a, &count);
    owned_memory const struct json_member **right = sorted_members(b, &other);
    if (count != other)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(left[i]->key, right[i]->key) != 0)
            return false;
        push(work, left[i]->value, right[i]->value);
    }
    return true;
}

/* Compares what can be seen at once, and puts the parts on the list. */
static bool same_surface(struct work *work, const struct json *a, const struct json *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->type != b->type)
        return false;
    switch (a->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->boolean == b->boolean;
    case JSON_NUMBER:
        return same_number(a, b);
    case JSON_STRING:
        return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    case JSON_ARRAY:
        if (a->length != b->length)
            return false;
        for (size_t i = 0; i < a->length; i++)
            push(work, a->items[i], b->items[i]);
        return true;
    case JSON_OBJECT:
        return same_keys(work, a, b);
    }
    return false;
}

bool json_equal(const struct json *a, const struct json *b)
{
    struct work work = { 0 };
    push(&work, a, b);
    bool same = true;
    while (same && work.pairs.count) {
        struct pair pair = work.pairs.items[--work.pairs.count];
        same = same_surface(&work, pair.a, pair.b);
    }
    vector_done(&work.pairs);
    return same;
}

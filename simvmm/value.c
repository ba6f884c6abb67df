/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static struct json *value_new(struct arena *a, enum json_type type)
{
    struct json *v = ARENA_NEW(a, struct json);
    v->type = type;
    return v;
}

struct json *value_object(struct arena *a)
{
    return value_new(a, JSON_OBJECT);
}

struct json *value_array(struct arena *a)
{
    return value_new(a, JSON_ARRAY);
}

/* Room for one more: the arrays double, and are full whenever the count is a power of two. */
static const void *grown(struct arena *a, const void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    void *bigger = arena_alloc(a, (count ? 2 * count : 1) * size);
    if (count)
        memcpy(bigger, items, count * size);
    return bigger;
}

void value_set(struct arena *a, struct json *object, const char *key, const struct json *value)
{
    if (!value)
        return;
    object->members = grown(a, object->members, object->length, sizeof *object->members);
    ((struct json_member *) object->members)[object->length++] =
        (struct json_member) { arena_copy(a, key), value };
}

void value_push(struct arena *a, struct json *array, const struct json *value)
{
    if (!value)
        return;
    array->items = (const struct json **) grown(a, array->items, array->length, sizeof *array->items);
    array->items[array->length++] = value;
}

const struct json *value_bytes(struct arena *a, const char *text, size_t length)
{
    struct json *v = value_new(a, JSON_STRING);
    v->text = arena_copy_bytes(a, text, length);
    v->length = length;
    return v;
}

const struct json *value_text(struct arena *a, const char *text)
{
    return text ? value_bytes(a, text, strlen(text)) : NULL;
}

const struct json *value_digits(struct arena *a, const char *digits)
{
    struct json *v = value_new(a, JSON_NUMBER);
    v->text = arena_copy(a, digits);
    v->length = strlen(digits);
    return v;
}

const struct json *value_number(struct arena *a, long long number)
{
    return value_digits(a, arena_printf(a, "%lld", number));
}

const struct json *value_bool(struct arena *a, bool value)
{
    struct json *v = value_new(a, JSON_BOOL);
    v->boolean = value;
    return v;
}

const struct json *value_null(struct arena *a)
{
    return value_new(a, JSON_NULL);
}

void value_set_text(struct arena *a, struct json *object, const char *key, const char *text)
{
    value_set(a, object, key, value_text(a, text));
}

void value_set_number(struct arena *a, struct json *object, const char *key, long long number)
{
    value_set(a, object, key, value_number(a, number));
}

void value_set_bool(struct arena *a, struct json *object, const char *key, bool value)
{
    value_set(a, object, key, value_bool(a, value));
}

const struct json *value_copy(struct arena *a, const struct json *value)
{
    if (value->type == JSON_ARRAY) {
        struct json *array = value_array(a);
        for (size_t i = 0; i < value->length; i++)
            value_push(a, array, value_copy(a, value->items[i]));
        return array;
    }
    if (value->type == JSON_OBJECT) {
        struct json *object = value_object(a);
        for (size_t i = 0; i < value->length; i++)
            value_set(a, object, value->members[i].key, value_copy(a, value->members[i].value));
        return object;
    }
    struct json *copy = value_new(a, value->type);
    *copy = *value;
    if (value->type == JSON_STRING || value->type == JSON_NUMBER)
        copy->text = arena_copy_bytes(a, value->text, value->length);
    return copy;
}

/* ---- printing ---- */

unsigned value_bucket(const char *key)
{
    unsigned hash = 0x238F13AFu * (unsigned) strlen(key);
    for (unsigned i = 0; key[i]; i++)
        hash += (unsigned) (unsigned char) key[i] << (i * 5 % 24);
    return (1103515243u * hash + 12345u) % 512;
}

struct place { unsigned bucket, index; };

/* By bucket; in one bucket the newest first. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return x->index > y->index ? -1 : 1;
}

static void print_object(struct json_writer *w, const struct json *object);

static void print(struct json_writer *w, const struct json *value)
{
    if (value->type == JSON_OBJECT) {
        print_object(w, value);
    } else if (value->type == JSON_ARRAY) {
        json_open(w, '[');
        for (size_t i = 0; i < value->length; i++)
            print(w, value->items[i]);
        json_close(w, ']');
    } else {
        json_value(w, value);
    }
}

static void print_object(struct json_writer *w, const struct json *object)
{
    struct place few[16];
    struct place *places = object->length <= 16 ? few : memory_new(object->length * sizeof *places);
    for (size_t i = 0; i < object->length; i++)
        places[i] = (struct place) { value_bucket(object->members[i].key), (unsigned) i };
    qsort(places, object->length, sizeof *places, compare_places);
    json_open(w, '{');
    for (size_t i = 0; i < object->length; i++) {
        json_key(w, object->members[places[i].index].key);
        print(w, object->members[places[i].index].value);
    }
    json_close(w, '}');
    if (places != few)
        free(places);
}

void value_print(struct buffer *out, const struct json *value)
{
    struct json_writer w = { .out = out, .spaced = true, .ascii = true };
    print(&w, value);
}

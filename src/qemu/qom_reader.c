/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_reader.h"

#include <string.h>

static void refuse(struct qom_reader *r, const char *why)
{
    if (!r->error.code)
        fail(&r->error, ERR_VMM, "%s", why);
}

static bool is(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

static bool opens(enum json_event event)
{
    return event == JSON_HEARD_OBJECT || event == JSON_HEARD_ARRAY;
}

/* A whole value, or the beginning of one, behind a member's name; or what is inside of it. */
static void on_value(struct qom_reader *r, enum json_event event, const char *text, size_t length)
{
    bool ends = event == JSON_HEARD_END_OBJECT || event == JSON_HEARD_END_ARRAY;
    if (r->target == &r->value)
        json_heard(&r->writer, event, text, length);
    else if (r->target && event == JSON_HEARD_STRING && !memchr(text, 0, length))
        buffer_add(r->target, text, length);
    else if (r->target)
        refuse(r, "an object's property has no proper name or type");
    r->nested += opens(event);
    r->nested -= ends;
}

/* --- one property -------------------------------------------------------------------------------- */

static void begin_entry(struct qom_reader *r)
{
    r->name.length = r->type.length = r->value.length = 0;
    r->level = QOM_READ_ENTRY;
}

static void begin_member(struct qom_reader *r, const char *text, size_t length)
{
    r->target = is("name", text, length) ? &r->name : is("type", text, length) ? &r->type :
                is("value", text, length) ? &r->value : NULL;
    if (r->target)
        r->target->length = 0;
    r->writer = (struct json_writer) { .out = &r->value };
}

static void end_entry(struct qom_reader *r)
{
    const char *value = r->value.length ? r->value.data : NULL;
    r->level = QOM_READ_LIST;
    if (r->object == QOM_NONE)
        return;
    if (r->name.length == 0 || r->type.length == 0)
        refuse(r, "an object's property has no proper name or type");
    else
        qom_store_add(r->store, r->name.data, r->type.data, value, &r->error);
}

/* --- one object ---------------------------------------------------------------------------------- */

static void begin_item(struct qom_reader *r)
{
    r->listed = false;
    r->level = QOM_READ_ITEM;
}

static void begin_list(struct qom_reader *r)
{
    if (r->listed) {
        refuse(r, "an object has its properties twice");
        return;
    }
    r->listed = true;
    r->level = QOM_READ_LIST;
    r->object = r->choose(r->arg, r->items);
    if (r->object != QOM_NONE)
        qom_store_open(r->store, r->object, &r->error);
}

static void end_list(struct qom_reader *r)
{
    r->level = QOM_READ_ITEM;
    if (r->object != QOM_NONE)
        qom_store_close(r->store, &r->error);
}

static void end_item(struct qom_reader *r)
{
    if (!r->listed)
        refuse(r, "an object's properties are no list");
    r->items++;
    r->level = QOM_READ_ITEMS;
}

/* "properties" is wanted, and a list; all else in an item is of no interest. */
static void hear_in_item(struct qom_reader *r, enum json_event event, const char *text, size_t length)
{
    bool wanted = r->target == &r->name;
    r->target = NULL;
    if (event == JSON_HEARD_NAME)
        r->target = is("properties", text, length) ? &r->name : NULL;
    else if (event == JSON_HEARD_END_OBJECT)
        end_item(r);
    else if (!wanted)
        on_value(r, event, text, length);
    else if (event == JSON_HEARD_ARRAY)
        begin_list(r);
    else
        refuse(r, "an object's properties are no list");
}

static void hear_outside(struct qom_reader *r, enum json_event event)
{
    if (r->level == QOM_READ_NOTHING && event == JSON_HEARD_ARRAY)
        r->level = QOM_READ_ITEMS;
    else if (r->level == QOM_READ_ITEMS && event == JSON_HEARD_OBJECT)
        begin_item(r);
    else if (r->level == QOM_READ_ITEMS && event == JSON_HEARD_END_ARRAY)
        r->level = QOM_READ_ALL;
    else if (r->level == QOM_READ_LIST && event == JSON_HEARD_OBJECT)
        begin_entry(r);
    else if (r->level == QOM_READ_LIST && event == JSON_HEARD_END_ARRAY)
        end_list(r);
    else
        refuse(r, "the emulator's list of objects is none");
}

void qom_reader_hear(void *reader, enum json_event event, const char *text, size_t length)
{
    struct qom_reader *r = reader;
    if (r->error.code)
        return;
    if (r->nested)
        on_value(r, event, text, length);
    else if (r->level == QOM_READ_ITEM)
        hear_in_item(r, event, text, length);
    else if (r->level != QOM_READ_ENTRY)
        hear_outside(r, event);
    else if (event == JSON_HEARD_NAME)
        begin_member(r, text, length);
    else if (event == JSON_HEARD_END_OBJECT)
        end_entry(r);
    else
        on_value(r, event, text, length);
}

int qom_reader_end(struct qom_reader *r, size_t count, struct error *err)
{
    if (r->error.code) {
        error_move(err, &r->error);
        return -1;
    }
    if (r->level != QOM_READ_ALL || r->items != count)
        return fail(err, ERR_VMM, "the emulator's answer has not one item for each of %zu paths", count);
    return 0;
}

void qom_reader_done(struct qom_reader *r)
{
    buffer_done(&r->name);
    buffer_done(&r->type);
    buffer_done(&r->value);
    error_clear(&r->error);
}

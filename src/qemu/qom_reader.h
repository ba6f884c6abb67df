/* SPDX-License-Identifier: Apache-2.0 */
/* qom_reader.h - the answer of a bulk command, read into a store while it comes.
 *
 * [{"properties": [{"name", "type", "value"?}, ...]}, ...]: at most one property is held at a time, however
 * large the answer is.  Which object an item is about is asked when it begins, when all before it is in the
 * store.
 */
#pragma once
#include "qemu/qom_store.h"

enum qom_reader_level {
    QOM_READ_NOTHING, QOM_READ_ITEMS, QOM_READ_ITEM, QOM_READ_LIST, QOM_READ_ENTRY, QOM_READ_ALL
};

/* Zeroed, with the first three members set, it is ready for one answer. */
struct qom_reader {
    struct qom_store *store;
    /* The object of the store that item `index` is about; QOM_NONE: it is passed over. */
    uint32_t (*choose)(void *arg, size_t index);
    void *arg;
    struct json_listener listener;      /* what a call is told by, should it need a place */

    enum qom_reader_level level;        /* private, like all that follows */
    size_t items;
    struct error error;                 /* the first failure; all after it is passed over */
    uint32_t object;
    bool listed;                        /* the item has had its properties */
    struct buffer *target;              /* of the member whose value comes next; NULL: nobody wants it */
    unsigned nested;                    /* inside of such a value */
    struct buffer name, type, value;
    struct json_writer writer;          /* of the value */
};

/* For struct json_listener. */
void qom_reader_hear(void *reader, enum json_event event, const char *text, size_t length);
/* 0 if there was an answer of `count` items, all of them proper. */
int qom_reader_end(struct qom_reader *r, size_t count, struct error *err);
void qom_reader_done(struct qom_reader *r);
#define owned_qom_reader __attribute__((cleanup(qom_reader_done)))

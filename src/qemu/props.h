/* SPDX-License-Identifier: Apache-2.0 */
/* props.h - the properties of one device, block node or back end, in order.
 *
 * Written as the JSON that QEMU takes today; for an emulator that does not know that spelling yet, the same
 * is turned into key=value (nested members as outer.inner).  Absent values (NULL, ON_OFF_ABSENT, unset) add
 * nothing, so that a device reads as the list of all that it may have.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json/json.h"
#include "qemu/argv.h"
#include "xml/value.h"

struct props {
    struct buffer text;
    struct json_writer writer;
};

#define owned_props __attribute__((cleanup(props_done)))

/* The first property is the kind: "driver" of devices and nodes, "qom-type" of objects, "type" of netdevs. */
void props_begin(struct props *props, const char *kind, const char *value);
void props_open(struct props *props);                   /* without a kind */
void props_done(struct props *props);
/* Changes the ending of the first property's value, if it has that ending. */
void props_change_kind(struct props *props, const char *from, const char *to);

void props_text(struct props *props, const char *key, const char *value);
__attribute__((format(printf, 3, 4)))
void props_printf(struct props *props, const char *key, const char *format, ...);
void props_u64(struct props *props, const char *key, uint64_t value);
void props_positive(struct props *props, const char *key, uint64_t value);     /* 0 is absent */
void props_opt_u32(struct props *props, const char *key, struct opt_u32 value);
void props_bool(struct props *props, const char *key, bool value);
void props_true(struct props *props, const char *key, bool value);             /* false is absent */
void props_on_off(struct props *props, const char *key, enum on_off value);
void props_null(struct props *props, const char *key);
void props_object(struct props *props, const char *key); /* until props_close_object() */
void props_close_object(struct props *props);
void props_array(struct props *props, const char *key);         /* until props_close_array() */
void props_array_u64(struct props *props, uint64_t value);
void props_array_object(struct props *props);           /* until props_close_object() */
void props_close_array(struct props *props);

/* Ends the list; its JSON text, valid until props_done(). */
const char *props_end(struct props *props);
/* Ends the list and adds "OPTION {...}", or "OPTION key=value,..." unless `json`. */
void props_add_to(struct props *props, struct argv *argv, const char *option, bool json);

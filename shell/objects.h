/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h - an emulator's object tree in the shell's hands: from the daemon, or from a file.
 *
 * An export is text, a JSON object a line: first what it is of ({"export": "domus-qom", "version": 1,
 * "domain", "uuid", "time", "objects": how many}), then each object ({"path", "type", "properties": [{"name",
 * "type", "value"?}]}), a parent before its children.  A property without value could not be read, or is a
 * secret.  Files are read with nothing in them believed.
 */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/vector.h"
#include "json/json.h"
#include "rpc/procedures.h"

#define NO_OBJECT UINT32_MAX
enum { OBJECTS_MAX = 200000, EXPORT_BYTES_MAX = 256 << 20 };

struct object_property {
    const char *name, *type, *value;
}; /* value: JSON text; NULL: none */

struct object {
    const char *path, *name, *type; /* name: the path's last step; "/" for the root */
    uint32_t parent;                /* NO_OBJECT for the first */
    const struct object_property *properties;
    size_t count;
};

struct objects {
    struct arena *arena; /* of all texts */
    VECTOR(struct object) list;
    const char *label; /* what it is of, for people */
};

struct objects *objects_new(const char *label);
void objects_free(struct objects *objects);
DEFINE_OWNED(objects)

/* Adds what the daemon replied. */
int objects_add_reply(struct objects *objects, const domus_qom_tree_ret *reply, struct error *err);
/* Adds an export's lines. */
int objects_add_export(struct objects *objects, const char *text, size_t length, struct error *err);
/* Writes one object as a member of an export, or of a list. */
void objects_write(struct json_writer *w, const domus_qom_object *object);
/* Writes an export. */
void objects_export(const domus_qom_tree_ret *tree, const remote_nonnull_domain *dom, struct buffer *out);

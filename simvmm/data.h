/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - what was harvested from a real QEMU: parts of trees, replies, types.
 *
 * The files simvmm/data/VERSION.{tree,replies} are built into the program; their format is described in
 * simvmm/data/README. Only an index is made at start; shapes and parts are read when they are first asked
 * for. All strings live as long as the data; names of properties and types are interned, so equal means
 * identical.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/own.h"

struct data;

struct part_property {
    const char *name, *type, *value;
}; /* value: JSON as QEMU prints it; NULL if it has none */

struct part_node {
    const char *path;                   /* "@" is the thing itself, "@/x" is below it, else absolute */
    const struct part_property *properties;
    size_t count;
};

struct part_change { const char *path; struct part_property property; };

/* Any other line of a part: its first word and what follows. */
struct part_line { const char *word, *fields[4]; };

struct part {
    const char *kind, *name;            /* "device", "virtio-blk-pci" */
    const char *bus;                    /* of a device: the kind of bus that it plugs into */
    const char *machine;                /* on which it was harvested */
    const struct part_node *nodes;      /* parents first */
    size_t nodes_count;
    const struct part_change *changes;  /* to nodes that were there before */
    size_t changes_count;
    const struct part_line *lines;
    size_t lines_count;
};

struct data *data_open(const char *version);                    /* NULL if there is no such version */
void data_free(struct data *d);
DEFINE_OWNED(data)

const struct part *data_part(struct data *d, const char *kind, const char *name); /* NULL if not harvested */
/* The part's first line with that word; NULL. */
const struct part_line *part_line_find(const struct part *part, const char *word);
const char *data_reply(const struct data *d, const char *name);         /* JSON text, NULL if not harvested */
const char *data_intern(struct data *d, const char *word);

/* Types: an unknown one is of no type and has no parent. */
const char *data_type_parent(const struct data *d, const char *type);
bool data_type_is(const struct data *d, const char *type, const char *ancestor);
bool data_type_is_abstract(const struct data *d, const char *type);
bool data_type_exists(const struct data *d, const char *type);

/* Replies of device-list-properties and qom-list-properties: rows of JSON text. NULL if there are none for
 * that type; *ret_error is then the error object QEMU gave, or NULL. */
const char *const *data_properties(struct data *d, const char *command, const char *type, size_t *ret_count,
                                   const char **ret_error);

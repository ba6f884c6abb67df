/* SPDX-License-Identifier: Apache-2.0 */
/* asked.h - what a definition asks of its emulator, and whether an emulator's tree has it.
 *
 * What is asked are the options of the command line that would start the definition as it runs now,
 * hot-plugged devices included, each as an object with the words of QEMU's manual; what somebody gave by hand
 * in <qemu:commandline> is among them.  What is in effect is a property of the object of that id.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/vector.h"
#include "json/json.h"
#include "loop/fiber.h"
#include "qemu/qom_store.h"

struct caps;
struct domain;
struct domain_def;

struct asked_option {
    const char *option;          /* "-device" */
    const char *kind_key, *kind; /* "driver", "type" or "qom-type", and which; kind may be NULL */
    const char *id;              /* its id or node-name; NULL if it has none */
    const struct json *values;   /* an object */
};

struct asked {
    struct arena *arena;
    struct caps *caps; /* of the emulator that is asked */
    VECTOR(struct asked_option) options;
};

struct asked *asked_new(const struct domain_def *def, const struct caps *caps, struct error *err);
void asked_free(struct asked *asked);
DEFINE_OWNED(asked)

/* What a running domain is asked to be, and its tree, borrowed until the caller's next wait: both are of the
 * same run.  Needs no job.  NULL with an error. */
WAITS struct asked *domain_asked(struct domain *dom, bool refresh, const struct qom_store **ret_store,
                                 struct error *err);

/* The last one; NULL if there is none. */
const struct asked_option *asked_find(const struct asked *asked, const char *option, const char *id);

/* Reads "virtio-blk-pci,id=a,addr=0x5" or {...}; `first` names what stands without a key.  NULL: it is
 * neither. */
const struct json *asked_parse(struct arena *arena, const char *text, const char *first);

/* The object that an option becomes: of -device, -object and -machine; QOM_NONE. */
uint32_t asked_object(const struct qom_store *store, const struct asked_option *option);

enum agreement {
    AGREES,
    DIFFERS,
    UNCOMPARED, /* nothing of that name is in the tree, or it cannot be read */
};
/* One value, with where the tree says it. */
enum agreement asked_compare(const struct qom_store *store, uint32_t object, const char *key,
                             const struct json *value, struct qom_property *ret_property);

/* SPDX-License-Identifier: Apache-2.0 */
/* qom.h - what the commands about the object tree share. */
#pragma once
#include "json/json.h"
#include "shell/command.h"

/* A word without a slash is the id of a device, which is below /machine/peripheral; NULL stays NULL.
 * Allocated. */
char *qom_full_path(const char *word);
/* A value as people read it: JSON text, '?' for none. */
static inline const char *qom_shown(char *const *value)
{
    return value ? *value : "?";
}
/* Adds "key": "the text"; nothing where there is none. */
void qom_add_text(struct json_writer *w, const char *key, char *const *text);
/* Adds "key": the JSON text; nothing where there is none. */
void qom_add_value(struct json_writer *w, const char *key, char *const *value);

#define OBJECT_PARAMETER                                                                                     \
    {                                                                                                        \
        "path", PARAMETER_OBJECT, .position = true, .required = true,                                        \
                                  .help = "an object: its path, or the id of a device"                       \
    }
#define PROPERTY_PARAMETER                                                                                   \
    {                                                                                                        \
        "property", PARAMETER_PROPERTY, .position = true, .required = true, .help = "the name of a property" \
    }

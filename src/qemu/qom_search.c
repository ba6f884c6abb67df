/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_search.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool fits(const char *text, const char *pattern)
{
    return !pattern || text_matches(text, pattern);
}

static bool value_fits(const char *value, const char *pattern)
{
    if (!pattern || !value)
        return !pattern;
    size_t length = strlen(value);
    if (text_matches(value, pattern))
        return true;
    if (length < 2 || value[0] != '"')
        return false;
    owned_memory char *inner = memory_copy_bytes(value + 1, length - 2);
    return text_matches(inner, pattern);
}

static void search_properties(const struct qom_store *store, const struct qom_search *search, uint32_t object,
                              qom_found *found, void *arg)
{
    for (size_t i = 0; i < qom_store_property_count(store, object); i++) {
        const struct qom_property property = qom_store_property(store, object, i);
        if (fits(property.name, search->property) && value_fits(property.value, search->value))
            found(arg, object, &property);
    }
}

void qom_search(const struct qom_store *store, const struct qom_search *search, qom_found *found, void *arg)
{
    owned_buffer struct buffer path = { 0 };
    for (uint32_t o = QOM_ROOT; o != QOM_NONE; o = qom_store_next(store, QOM_ROOT, o)) {
        path.length = 0;
        qom_store_add_path(store, o, &path);
        if (!fits(buffer_text(&path), search->path) || !fits(qom_store_type(store, o), search->type))
            continue;
        if (search->property || search->value)
            search_properties(store, search, o, found, arg);
        else
            found(arg, o, NULL);
    }
}

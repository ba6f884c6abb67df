/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/kept.h"

#include <string.h>

#include "base/text.h"
#include "xml/codec.h"

const struct extra *kept_next(const struct extras *extras, const char *path_start, const struct extra *after)
{
    for (const struct extra *x = after ? after->next : extras->first; x; x = x->next)
        if (x->raw && text_starts(x->path, path_start))
            return x;
    return NULL;
}

bool kept_has_ps2(const struct domain_def *def)
{
    return def->features.ps2 != OFF;
}

bool kept_has_boot_order(const struct domain_def *def)
{
    for (const struct extra *e = NULL; (e = kept_next(&def->extras, "devices/", e)); )
        if (raw_get(raw_find(e->raw, "boot"), "order"))
            return true;
    return false;
}

const struct raw *raw_find(const struct raw *raw, const char *name)
{
    for (const struct raw *c = raw ? raw->children : NULL; c; c = c->next)
        if (c->kind == RAW_ELEMENT && text_equal(c->name, name))
            return c;
    return NULL;
}

const char *raw_get(const struct raw *raw, const char *attribute)
{
    for (size_t i = 0; raw && i < raw->attributes_count; i++)
        if (text_equal(raw->attributes[i].name, attribute))
            return raw->attributes[i].value;
    return NULL;
}

bool raw_get_number(const struct raw *raw, const char *attribute, uint32_t *ret_number)
{
    const char *text = raw_get(raw, attribute);
    return text && codec_hex1.parse(&codec_hex1, NULL, text, ret_number);
}

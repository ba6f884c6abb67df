/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_listing.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* About how many each object has. */
enum { USUAL_PROPERTIES = 8, CPU_PROPERTIES = 540 };

/* "    /vga.vram[0] (memory-region)": two spaces a level; "/ (container)" alone is the root. */
static bool read_line(const char *line, size_t length, size_t *ret_level, char **ret_name,
                      char **ret_type)
{
    size_t indent = strspn(line, " "), end = length;
    while (end > indent && line[end - 1] != '(')
        end--;
    if (indent % 2 || indent >= length || line[indent] != '/' || end < indent + 3 || line[end - 2] != ' ' ||
        line[length - 1] != ')')
        return false;
    *ret_level = indent / 2;
    *ret_name = memory_copy_bytes(line + indent + 1, end - 2 - indent - 1);
    *ret_type = memory_copy_bytes(line + end, length - 1 - end);
    return true;
}

struct qom_sketch *qom_listing_parse(const char *text)
{
    owned(qom_sketch) struct qom_sketch *sketch = qom_sketch_new();
    uint32_t line_of[QOM_DEPTH_MAX] = { 0 };
    size_t last = 0;
    while (*text) {
        size_t length = strcspn(text, "\r\n"), level;
        owned_memory char *name = NULL, *type = NULL;
        bool first = sketch->objects.count == 0;
        if (!read_line(text, length, &level, &name, &type) || level >= QOM_DEPTH_MAX ||
            (first ? level != 0 || *name : level == 0 || level > last + 1 || !*name || strchr(name, '/')) ||
            sketch->objects.count >= QOM_OBJECTS_MAX)
            return NULL;
        line_of[level] = qom_sketch_add(sketch, level ? line_of[level - 1] : 0, first ? "/" : name,
                                        strcmp(type, "irq") == 0,
                                        text_ends(type, "-cpu") ? CPU_PROPERTIES : USUAL_PROPERTIES);
        last = level;
        text += length + strspn(text + length, "\r\n");
    }
    return sketch->objects.count ? take(sketch) : NULL;
}

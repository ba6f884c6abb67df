/* SPDX-License-Identifier: Apache-2.0 */
/* Two exports of an object tree, a NUL byte between them, as `domsh qom-diff` reads files that anybody wrote.
 * A tree does not differ from itself, and two differ whichever is first. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shell/objects_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool fine)
{
    if (!fine)
        abort();
}

/* NULL, with an error, if it is none. */
static struct objects *read_export(const char *text, size_t length)
{
    owned(objects) struct objects *objects = objects_new("input");
    error_scope(err);
    int rc = objects_add_export(objects, text, length, &err);
    must((rc == 0) == (err.code == ERR_NONE));
    return rc < 0 ? NULL : take(objects);
}

static size_t differences(const struct objects *a, const struct objects *b, bool all)
{
    struct changes changes;
    objects_compare(a, b, all, &changes);
    size_t count = changes.list.count;
    changes_done(&changes);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const char *text = (const char *) bytes, *middle = memchr(text, 0, length);
    size_t first = middle ? (size_t) (middle - text) : length;
    owned(objects) struct objects *a = read_export(text, first);
    owned(objects) struct objects *b = middle ? read_export(middle + 1, length - first - 1) : NULL;
    if (a)
        must(differences(a, a, true) == 0);
    if (a && b)
        must((differences(a, b, true) == 0) == (differences(b, a, true) == 0));
    return 0;
}

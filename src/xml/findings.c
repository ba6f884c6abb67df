/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"

enum { FINDING_TEXT_MAX = 1024 };

/* Cuts between characters, not inside one. */
static char *copy_cut(const char *text)
{
    if (!text)
        return NULL;
    size_t length = strnlen(text, FINDING_TEXT_MAX + 1);
    if (length <= FINDING_TEXT_MAX)
        return memory_copy_bytes(text, length);
    for (length = FINDING_TEXT_MAX; length && ((unsigned char) text[length] & 0xc0) == 0x80; )
        length--;
    return memory_printf("%.*s...", (int) length, text);
}

void findings_add(struct findings *f, const struct finding *finding)
{
    if (finding->severity == SEVERITY_ERROR)
        f->errors++;
    else
        f->warnings++;
    /* An error must not be crowded out by warnings: it is what the call fails with. */
    if (f->count == FINDINGS_MAX && (finding->severity != SEVERITY_ERROR || f->errors > 1))
        return;
    if (!f->items)
        f->items = memory_new((FINDINGS_MAX + 1) * sizeof *f->items);
    f->items[f->count++] = (struct finding) {
        finding->severity, finding->code, finding->line, copy_cut(finding->path), copy_cut(finding->value),
        copy_cut(finding->expected), copy_cut(finding->text),
    };
}

char *finding_describe(const struct finding *finding)
{
    owned_buffer struct buffer b = { 0 };
    if (finding->line)
        buffer_printf(&b, "line %u: ", finding->line);
    if (finding->path)
        buffer_printf(&b, "%s: ", finding->path);
    text_add_printable(&b, finding->text ? finding->text : "is not acceptable");
    return buffer_take(&b);
}

int findings_fail(const struct findings *f, struct error *err)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->items[i].severity != SEVERITY_ERROR)
            continue;
        owned_memory char *text = finding_describe(&f->items[i]);
        if (f->errors > 1)
            return fail(err, f->items[i].code, "%s (and %zu more)", text, f->errors - 1);
        return fail(err, f->items[i].code, "%s", text);
    }
    return fail(err, ERR_INTERNAL, "a document was refused without a finding");
}

void findings_done(struct findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->items[i].path);
        free(f->items[i].value);
        free(f->items[i].expected);
        free(f->items[i].text);
    }
    free(f->items);
    *f = (struct findings) { 0 };
}

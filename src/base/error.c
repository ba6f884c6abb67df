/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

/* The same with what is no text escaped; lines stay lines. */
static char *printable(char *text)
{
    owned_buffer struct buffer shown = { 0 };
    for (char *rest = text, *line; (line = strsep(&rest, "\n")); ) {
        if (line > text)
            buffer_add_char(&shown, '\n');
        text_add_printable(&shown, line);
    }
    free(text);
    return buffer_take(&shown);
}

/* Sets the text, cut at the limit without splitting a UTF-8 sequence. */
static void set_text(struct error *err, char *text)
{
    text = printable(text);
    size_t length = strlen(text);
    if (length > ERROR_TEXT_MAX) {
        length = ERROR_TEXT_MAX;
        while (length && ((unsigned char) text[length] & 0xC0) == 0x80)
            length--;
        text[length] = 0;
    }
    free(err->text);
    err->text = text;
}

__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list ap)
{
    char *text = NULL;
    if (vasprintf(&text, format, ap) < 0)
        abort();
    return text;
}

int fail(struct error *err, enum error_code code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = format_text(format, ap);
    va_end(ap);
    err->code = code;
    err->number = 0;
    set_text(err, text);
    return -1;
}

int fail_errno(struct error *err, int number, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = format_text(format, ap);
    va_end(ap);
    char *whole = memory_printf("%s: %s", text, strerror(number));
    free(text);
    err->code = ERR_SYSTEM;
    err->number = number;
    set_text(err, whole);
    return -1;
}

int fail_in(struct error *err, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = format_text(format, ap);
    va_end(ap);
    char *whole = memory_printf("%s: %s", text, error_text(err));
    free(text);
    set_text(err, whole);
    return -1;
}

const char *error_text(const struct error *err)
{
    return err->text ? err->text : "no error";
}

void error_clear(struct error *err)
{
    free(err->text);
    *err = (struct error) { ERR_NONE, 0, NULL };
}

void error_move(struct error *to, struct error *from)
{
    error_clear(to);
    *to = *from;
    *from = (struct error) { ERR_NONE, 0, NULL };
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "base/files.h"

void message_print(const struct vm *vm, const char *format, ...)
{
    if (vm->timestamps) {
        struct timeval now;
        struct tm tm;
        char text[32];
        gettimeofday(&now, NULL);
        gmtime_r(&now.tv_sec, &tm);
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
        fprintf(stderr, "%s.%06ldZ ", text, (long) now.tv_usec);
    }
    fprintf(stderr, "%s: ", vm->program);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void message_add_process_name(struct buffer *out, int pid)
{
    owned_memory char *path = memory_printf("/proc/%d/cmdline", pid);
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    if (file_read(path, 4096, &text, &err) < 0 || !text.length)
        buffer_add_text(out, "<unknown process>");
    else
        buffer_add_text(out, buffer_text(&text));
}

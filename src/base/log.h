/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - one line an event, on standard error or a file.
 *
 * A line is "TIME LEVEL text", control bytes escaped, so that nothing a guest or a client says can forge a
 * line.  Libraries log at debug at most; the end of a job logs, once.  Under systemd (JOURNAL_STREAM set and
 * standard error is that stream) lines start with "<N>" instead of a time.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_set_level(enum log_level level);
bool log_is_written(enum log_level level);              /* for those whose lines cost something to make */
int log_open(const char *path, struct error *err);      /* appends; NULL is standard error; again to reopen */
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

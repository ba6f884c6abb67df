/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"

static enum log_level threshold = LOG_LEVEL_INFO;
static int log_fd = STDERR_FILENO;

static const struct { const char *word, *syslog; } levels[] = {
    [LOG_LEVEL_ERROR] = { "error", "<3>" },
    [LOG_LEVEL_WARNING] = { "warning", "<4>" },
    [LOG_LEVEL_INFO] = { "info", "<6>" },
    [LOG_LEVEL_DEBUG] = { "debug", "<7>" },
};

void log_set_level(enum log_level level)
{
    threshold = level;
}

bool log_is_written(enum log_level level)
{
    return level <= threshold;
}

int log_open(const char *path, struct error *err)
{
    int fd = STDERR_FILENO;
    if (path && (fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0640)) < 0)
        return fail_errno(err, errno, "cannot open the log file %s", path);
    if (log_fd != STDERR_FILENO)
        close(log_fd);
    log_fd = fd;
    return 0;
}

/* JOURNAL_STREAM is "device:inode" of the socket that systemd gave us. */
static int to_journal(void)
{
    static int known = -1;
    if (known < 0) {
        const char *stream = getenv("JOURNAL_STREAM");
        unsigned long long device, inode;
        struct stat st;
        known = stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && !fstat(STDERR_FILENO, &st)
            && st.st_dev == device && st.st_ino == inode;
    }
    return known && log_fd == STDERR_FILENO;
}

void log_write(enum log_level level, const char *format, ...)
{
    if (level > threshold)
        return;
    owned_memory char *text = NULL;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0)
        abort();
    va_end(ap);

    owned_buffer struct buffer line = { 0 };
    if (to_journal()) {
        buffer_add_text(&line, levels[level].syslog);
    } else {
        struct timespec now;
        struct tm utc;
        clock_gettime(CLOCK_REALTIME, &now);
        gmtime_r(&now.tv_sec, &utc);
        char stamp[32];
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
        buffer_printf(&line, "%s.%03ldZ %s ", stamp, now.tv_nsec / 1000000, levels[level].word);
    }
    text_add_printable(&line, text);
    buffer_add_char(&line, '\n');
    if (write(log_fd, line.data, line.length) < 0)
        return;                                         /* there is nobody left to tell */
}

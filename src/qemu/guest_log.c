/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/guest_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

struct guest_log *guest_log_open(const char *path, struct error *err)
{
    owned_fd int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        fail_errno(err, errno, "log file '%s' cannot be opened", path);
        return NULL;
    }
    struct guest_log *log = NEW(struct guest_log);
    log->fd = fd;
    fd = -1;
    log->path = memory_copy_text(path);
    guest_log_cut(log);
    log->start = lseek(log->fd, 0, SEEK_END);
    return log;
}

void guest_log_free(struct guest_log *log)
{
    if (!log)
        return;
    close(log->fd);
    free(log->path);
    free(log);
}

static void write_all(int fd, const char *bytes, size_t length)
{
    for (ssize_t n; length && ((n = write(fd, bytes, length)) > 0 || (n < 0 && errno == EINTR)); )
        if (n > 0)
            bytes += n, length -= (size_t) n;
}

void guest_log_note(struct guest_log *log, const char *text)
{
    char stamp[32];
    struct tm tm;
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    owned_buffer struct buffer line = { 0 };
    buffer_printf(&line, "%s ", stamp);
    text_add_printable(&line, text);
    buffer_add_char(&line, '\n');
    write_all(log->fd, line.data, line.length);
    log->start = lseek(log->fd, 0, SEEK_END);
}

bool guest_log_is_large(const struct guest_log *log)
{
    struct stat st;
    return fstat(log->fd, &st) == 0 && st.st_size > GUEST_LOG_MAX;
}

struct guest_log *guest_log_copy(const struct guest_log *log)
{
    int fd = fcntl(log->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return NULL;
    struct guest_log *copy = NEW(struct guest_log);
    *copy = (struct guest_log){ fd, memory_copy_text(log->path), log->start };
    return copy;
}

/* A log that cannot be copied is cut all the same: the bound is what matters. */
void guest_log_cut(struct guest_log *log)
{
    struct stat st;
    if (fstat(log->fd, &st) < 0 || st.st_size <= GUEST_LOG_MAX)
        return;
    owned_memory char *old_path = memory_printf("%s.old", log->path);
    owned_fd int old = open(old_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    owned_memory char *bytes = memory_new(GUEST_LOG_MAX);
    ssize_t n = pread(log->fd, bytes, GUEST_LOG_MAX, st.st_size - GUEST_LOG_MAX);
    if (old >= 0 && n > 0)
        write_all(old, bytes, (size_t) n);
    if (ftruncate(log->fd, 0) == 0)
        log->start = 0;
}

/* Lines that a VMM writes in good health. */
static bool says_nothing(const char *line)
{
    return !*line || strstr(line, ": terminating on signal ") ||
           text_starts(line, "char device redirected to ");
}

char *guest_log_tail(const struct guest_log *log)
{
    char bytes[GUEST_LOG_TAIL + 1];
    off_t end = lseek(log->fd, 0, SEEK_END);
    off_t start = log->start <= end ? log->start : 0;          /* it was cut since */
    off_t from = end - GUEST_LOG_TAIL > start ? end - GUEST_LOG_TAIL : start;
    ssize_t n = pread(log->fd, bytes, GUEST_LOG_TAIL, from);
    bytes[n > 0 ? n : 0] = 0;
    owned_buffer struct buffer tail = { 0 };
    char *rest = bytes;
    for (char *line; (line = strsep(&rest, "\r\n")) != NULL; ) {
        if (says_nothing(line))
            continue;
        if (tail.length)
            buffer_add_text(&tail, "; ");
        text_add_printable(&tail, line);
    }
    if (tail.length > GUEST_LOG_TAIL) {
        tail.length = GUEST_LOG_TAIL;
        while (tail.length && ((unsigned char) tail.data[tail.length] & 0xC0) == 0x80)
            tail.length--;
        tail.data[tail.length] = 0;
    }
    return buffer_take(&tail);
}

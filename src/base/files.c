/* SPDX-License-Identifier: Apache-2.0 */
#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/vector.h"

int file_read(const char *path, size_t limit, struct buffer *out, struct error *err)
{
    owned_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail_errno(err, errno, "cannot open %s", path);
    out->length = 0;
    for (;;) {
        ssize_t n = read(fd, buffer_room(out, 16384), 16384);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, errno, "cannot read %s", path);
        out->length += (size_t) n;
        out->data[out->length] = 0;
        if (out->length > limit)
            return fail(err, ERR_INTERNAL, "%s is larger than %zu bytes", path, limit);
        if (n == 0)
            return 0;
    }
}

int file_read_regular(const char *path, size_t limit, struct buffer *out, struct error *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return fail_errno(err, errno, "cannot open %s", path);
    if (!S_ISREG(st.st_mode))
        return fail(err, ERR_INTERNAL, "%s is no file", path);
    return file_read(path, limit, out, err);
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        length -= (size_t) n;
    }
    return 0;
}

static int sync_folder_of(const char *path, struct error *err)
{
    owned_memory char *copy = memory_copy_text(path);
    const char *folder = dirname(copy);
    owned_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0)
        return fail_errno(err, errno, "cannot sync the folder %s", folder);
    return 0;
}

static int create(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
}

/* ext4 begins to write a new file out when it is renamed over an old one, but not when they change places. */
static int put_in_place(const char *temporary, const char *path, bool synced)
{
    if (!synced && renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return unlink(temporary);
    return rename(temporary, path);     /* there is no old one, or the file system cannot */
}

static int write_beside(const char *path, const void *bytes, size_t length, mode_t mode, bool synced,
                        struct error *err)
{
    owned_memory char *temporary = memory_printf("%s.new", path);
    owned_fd int fd = create(temporary, mode);
    if (fd < 0 && errno == EEXIST && unlink(temporary) == 0)    /* left by a crash */
        fd = create(temporary, mode);
    if (fd < 0)
        return fail_errno(err, errno, "cannot create %s", temporary);
    if (write_all(fd, bytes, length) < 0 || (synced && fsync(fd) < 0) ||
        put_in_place(temporary, path, synced) < 0) {
        fail_errno(err, errno, "cannot write %s", path);
        unlink(temporary);
        return -1;
    }
    return 0;
}

int file_replace(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err)
{
    return write_beside(path, bytes, length, mode, true, err) < 0 ? -1 : sync_folder_of(path, err);
}

int file_swap(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err)
{
    return write_beside(path, bytes, length, mode, false, err);
}

int file_drop(const char *path, struct error *err)
{
    return unlink(path) == 0 || errno == ENOENT ? 0 : fail_errno(err, errno, "cannot remove %s", path);
}

int file_remove(const char *path, struct error *err)
{
    if (unlink(path) == 0)
        return sync_folder_of(path, err);
    return errno == ENOENT ? 0 : fail_errno(err, errno, "cannot remove %s", path);
}

int folder_make(const char *path, mode_t mode, struct error *err)
{
    owned_memory char *copy = memory_copy_text(path);
    for (char *p = copy; *p; p++) {
        if (*p != '/' || p == copy)
            continue;
        *p = 0;
        if (mkdir(copy, mode) < 0 && errno != EEXIST)
            return fail_errno(err, errno, "cannot make the folder %s", copy);
        *p = '/';
    }
    struct stat st;
    if (mkdir(copy, mode) < 0 && errno != EEXIST)
        return fail_errno(err, errno, "cannot make the folder %s", copy);
    if (stat(copy, &st) < 0 || !S_ISDIR(st.st_mode))
        return fail(err, ERR_INTERNAL, "%s is in the way: it is no folder", copy);
    return 0;
}

void files_fill_standard(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY | O_NOCTTY) != fd)
            _exit(1);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

int folder_list(const char *path, char ***ret_names, size_t *ret_count, struct error *err)
{
    DIR *dir = opendir(path);
    if (!dir && errno != ENOENT)
        return fail_errno(err, errno, "cannot list the folder %s", path);
    VECTOR(char *) names = { 0 };
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL; )
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            vector_push(&names, memory_copy_text(e->d_name));
    if (dir)
        closedir(dir);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, by_name);
    *ret_names = names.items;
    *ret_count = names.count;
    return 0;
}

void folder_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

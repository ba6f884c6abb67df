/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"
#include "qemu/image_header.h"

struct work { const char *path; enum disk_format format; struct image_size size; struct error err; };

static uint64_t header_capacity(int fd)
{
    owned_memory unsigned char *bytes = memory_new(IMAGE_HEADER_MAX);
    struct image_header header = { 0 };
    error_scope(ignored);
    ssize_t length = pread(fd, bytes, IMAGE_HEADER_MAX, 0);
    return length > 0 && image_header_parse(bytes, (size_t) length, &header, &ignored) == 0 &&
           header.format == DISK_QCOW2 ? header.capacity : 0;
}

/* Not a pipe or a terminal, which an open would hang on. */
static int measure_open(struct work *work, const struct stat *st)
{
    owned_fd int fd = open(work->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return fail_errno(&work->err, errno, "cannot open '%s'", work->path);
    struct image_size *size = &work->size;
    if (S_ISBLK(st->st_mode)) {
        off_t end = lseek(fd, 0, SEEK_END);
        size->physical = size->allocation = end > 0 ? (uint64_t) end : 0;
    } else {
        size->physical = (uint64_t) st->st_size;
        size->allocation = (uint64_t) st->st_blocks * 512;
    }
    if (work->format == DISK_QCOW2)
        size->capacity = header_capacity(fd);
    else if (work->format <= DISK_RAW)
        size->capacity = size->physical;
    return 0;
}

static void measure(void *arg)
{
    struct work *work = arg;
    struct stat st;
    if (stat(work->path, &st) < 0)
        fail_errno(&work->err, errno, "cannot stat file '%s'", work->path);
    else if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
        fail(&work->err, ERR_INVALID_ARG, "'%s' is neither a file nor a block device", work->path);
    else
        measure_open(work, &st);
}

int image_measure(const char *path, enum disk_format format, struct image_size *ret_size, struct error *err)
{
    owned_memory char *own_path = memory_copy_text(path);
    struct work work = { .path = own_path, .format = format };
    int rc = await_work(measure, &work, err);
    if (rc == 0 && work.err.code != ERR_NONE) {
        error_move(err, &work.err);
        rc = -1;
    }
    error_clear(&work.err);
    if (rc == 0)
        *ret_size = work.size;
    return rc;
}

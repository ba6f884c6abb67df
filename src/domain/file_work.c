/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/file_work.h"

#include "base/files.h"

struct file_work {
    const char *path;
    const void *bytes;                  /* NULL: remove it */
    size_t length;
    mode_t mode;
    int rc;
    struct error *err;
};

static void run(void *arg)
{
    struct file_work *work = arg;
    work->rc = work->bytes ? file_replace(work->path, work->bytes, work->length, work->mode, work->err)
                           : file_remove(work->path, work->err);
}

static WAITS int await(struct file_work *work, struct error *err)
{
    error_scope(of_file);
    work->err = &of_file;
    int rc = await_work(run, work, err);
    if (work->rc < 0)
        error_move(err, &of_file);
    return work->rc < 0 ? work->rc : rc;
}

int file_work_replace(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err)
{
    return await(&(struct file_work) { .path = path, .bytes = bytes, .length = length, .mode = mode }, err);
}

int file_work_remove(const char *path, struct error *err)
{
    return await(&(struct file_work) { .path = path }, err);
}

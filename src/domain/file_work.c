/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/file_work.h"

#include "base/files.h"

struct file_work {
    bool synced;
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
    if (work->bytes)
        work->rc = (work->synced ? file_replace : file_swap)(work->path, work->bytes, work->length, work->mode,
                                                             work->err);
    else
        work->rc = (work->synced ? file_remove : file_drop)(work->path, work->err);
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
    struct file_work work = { .path = path, .bytes = bytes, .length = length, .mode = mode, .synced = true };
    return await(&work, err);
}

int file_work_remove(const char *path, struct error *err)
{
    return await(&(struct file_work) { .path = path, .synced = true }, err);
}

int file_work_swap(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err)
{
    return await(&(struct file_work) { .path = path, .bytes = bytes, .length = length, .mode = mode }, err);
}

int file_work_drop(const char *path, struct error *err)
{
    return await(&(struct file_work) { .path = path }, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/file_work.h"

#include "base/files.h"

struct file_work {
    const char *path;
    const void *bytes;
    size_t length;
    mode_t mode;
    int rc;
    struct error *err;
};

static void swap(void *arg)
{
    struct file_work *work = arg;
    work->rc = file_swap(work->path, work->bytes, work->length, work->mode, work->err);
}

static void drop(void *arg)
{
    struct file_work *work = arg;
    work->rc = file_drop(work->path, work->err);
}

static void remove_synced(void *arg)
{
    struct file_work *work = arg;
    work->rc = file_remove(work->path, work->err);
}

static WAITS int await(void (*fn)(void *arg), struct file_work *work, struct error *err)
{
    error_scope(of_file);
    work->err = &of_file;
    int rc = await_work(fn, work, err);
    if (work->rc < 0)
        error_move(err, &of_file);
    return work->rc < 0 ? work->rc : rc;
}

int file_work_swap(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err)
{
    struct file_work work = { .path = path, .bytes = bytes, .length = length, .mode = mode };
    return await(swap, &work, err);
}

int file_work_drop(const char *path, struct error *err)
{
    return await(drop, &(struct file_work) { .path = path }, err);
}

int file_work_remove(const char *path, struct error *err)
{
    return await(remove_synced, &(struct file_work) { .path = path }, err);
}

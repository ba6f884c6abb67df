/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/image_lock.h"

#include <fcntl.h>
#include <unistd.h>

enum { DOES = 100, MINDS = 200, READING = 0, WRITING = 1 };

static bool is_held(int fd, off_t byte)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static void hold(int fd, off_t byte)
{
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
    (void) fcntl(fd, F_OFD_SETLK, &lock); /* where there are no such locks, QEMU does without, too */
}

int image_lock(int fd, const char *path, bool write, bool share, struct error *err)
{
    if (write && is_held(fd, MINDS + WRITING))
        return fail(err, ERR_INVALID_ARG,
                    "Failed to get \"write\" lock\nIs another process using the image [%s]?", path);
    if (!share && is_held(fd, DOES + WRITING))
        return fail(err, ERR_INVALID_ARG,
                    "Failed to get shared \"write\" lock\nIs another process using the image [%s]?", path);
    hold(fd, DOES + READING);
    if (write)
        hold(fd, DOES + WRITING);
    if (!share)
        hold(fd, MINDS + WRITING);
    return 0;
}

void image_unlock(int fd)
{
    struct flock lock = {
        .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = DOES, .l_len = MINDS + WRITING + 1 - DOES
    };
    (void) fcntl(fd, F_OFD_SETLK, &lock);
}

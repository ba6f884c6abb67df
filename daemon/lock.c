/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"

int lock_take(const char *run_folder, struct error *err)
{
    owned_memory char *path = memory_printf("%s/domusd.lock", run_folder);
    owned_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail_errno(err, errno, "cannot open %s", path);

    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(fd, F_SETLK, &lock) < 0) {
        int number = errno;
        if (number != EAGAIN && number != EACCES)
            return fail_errno(err, number, "cannot lock %s", path);
        if (fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
            lock.l_pid = 0;
        return fail(err, ERR_BUSY, "another domusd (process %d) already serves %s", (int) lock.l_pid,
                    run_folder);
    }
    if (ftruncate(fd, 0) < 0 || dprintf(fd, "%d\n", (int) getpid()) < 0)
        return fail_errno(err, errno, "cannot write %s", path);
    int kept = fd;
    fd = -1;
    return kept;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* New files with a format in them, as qemu-img makes them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/block_io.h"

int block_make_file(const char *file, const char *format, const struct qcow2_plan *plan, struct error *err)
{
    bool qcow2 = text_equal(format, "qcow2");
    if (!qcow2 && !text_equal(format, "raw"))
        return fail(err, ERR_INVALID_ARG, "Unknown file format '%s'", format);
    owned_fd int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail(err, ERR_INVALID_ARG, "Could not create '%s': %s", file, strerror(errno));
    if (qcow2)
        return qcow2_create(fd, plan, err);
    if (plan->backing)
        return fail(err, ERR_INVALID_ARG, "Backing file not supported for file format '%s'", format);
    return ftruncate(fd, (off_t) plan->size) == 0
               ? 0
               : fail(err, ERR_INVALID_ARG, "Could not resize '%s': %s", file, strerror(errno));
}

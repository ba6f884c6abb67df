/* SPDX-License-Identifier: Apache-2.0 */
/* A guest's memory in a file, for debuggers. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/request.h"
#include "qemu/dump.h"
#include "qemu/operations.h"
#include "qemu/power.h"

/* VIR_DUMP_* */
enum {
    DUMP_CRASH = 0x1, DUMP_LIVE = 0x2, DUMP_BYPASS_CACHE = 0x4, DUMP_RESET = 0x8, DUMP_MEMORY_ONLY = 0x10
};
enum { DUMP_KNOWN = DUMP_CRASH | DUMP_LIVE | DUMP_BYPASS_CACHE | DUMP_RESET | DUMP_MEMORY_ONLY };

struct opening { const char *path; int fd, number; };

/* What is there already is replaced, but for what is no file. */
static void open_file(void *arg)
{
    struct opening *opening = arg;
    opening->fd = open(opening->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    opening->number = errno;
}

static WAITS int open_target(const char *to, struct error *err)
{
    owned_memory char *path = memory_copy_text(to);
    struct opening opening = { .path = path, .fd = -1 };
    if (*path != '/')
        return fail(err, ERR_INVALID_ARG, "a dump goes to an absolute path, not to '%s'", path);
    if (await_work(open_file, &opening, err) < 0) {
        own_close_fd(&opening.fd);
        return -1;
    }
    return opening.fd < 0 ? fail_errno(err, opening.number, "cannot write to '%s'", path) : opening.fd;
}

static int check(const struct request *request, unsigned format, unsigned flags, struct error *err)
{
    if (check_flags(flags, DUMP_KNOWN, err) < 0 || domain_check_active(request->dom, err) < 0)
        return -1;
    if (!(flags & DUMP_MEMORY_ONLY))
        return fail(err, ERR_NO_SUPPORT,
                    "a dump of the whole machine; with --memory-only its memory is dumped");
    if (flags & DUMP_CRASH && flags & (DUMP_LIVE | DUMP_RESET))
        return fail(err, ERR_INVALID_ARG, "a guest that is to end can neither run on nor be reset");
    return format < DUMP_FORMATS ? 0 : fail(err, ERR_INVALID_ARG, "unknown dump format %u", format);
}

/* What becomes of the guest afterwards. */
static WAITS int go_on(struct domain *dom, bool paused_by_us, unsigned flags, struct error *err)
{
    if (flags & DUMP_CRASH)
        return domain_destroy(dom, 0, err);
    if (flags & DUMP_RESET && domain_reset(dom, err) < 0)
        return -1;
    return paused_by_us ? domain_resume(dom, err) : 0;
}

static WAITS int dump(struct request *request, const char *to, unsigned format, unsigned flags,
                      struct error *err)
{
    struct domain *dom = request->dom;
    if (check(request, format, flags, err) < 0)
        return -1;
    int fd = open_target(to, err);
    if (fd < 0)
        return -1;
    bool pause = dom->state == DOMAIN_RUNNING && !(flags & DUMP_LIVE);
    if (pause && domain_suspend(dom, err) < 0) {
        close(fd);
        return -1;
    }
    int rc = domain_dump_memory(dom, fd, (enum dump_format) format, err);
    error_scope(after);
    if (rc < 0 && pause && domain_is_active(dom)) {
        domain_resume(dom, &after);
        return -1;
    }
    return rc < 0 ? -1 : go_on(dom, pause, flags, err);
}

int on_domain_core_dump(struct request *request, const remote_domain_core_dump_args *args, nothing *ret,
                        struct error *err)
{
    return dump(request, args->to, DUMP_ELF, args->flags, err);
}

int on_domain_core_dump_with_format(struct request *request,
                                    const remote_domain_core_dump_with_format_args *args, nothing *ret,
                                    struct error *err)
{
    return dump(request, args->to, args->dumpformat, args->flags, err);
}

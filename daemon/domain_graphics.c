/* SPDX-License-Identifier: Apache-2.0 */
/* A guest's screen over the connection that the client has: one end of a socket goes to the VMM. */
#include <errno.h>
#include <sys/socket.h>

#include "base/own.h"
#include "daemon/request.h"
#include "qemu/viewers.h"

enum { GRAPHICS_SKIP_PASSWORD = 1 };

int on_domain_open_graphics(struct request *request, const remote_domain_open_graphics_args *args,
                            nothing *ret, struct error *err)
{
    struct call *call = request->call;
    if (check_flags(args->flags, GRAPHICS_SKIP_PASSWORD, err) < 0)
        return -1;
    if (call->fds_count != 1)
        return fail(err, ERR_INVALID_ARG, "one socket has to come with this call, and not %zu",
                    call->fds_count);
    return domain_add_viewer(request->dom, args->idx, args->flags & GRAPHICS_SKIP_PASSWORD,
                             own_take_fd(&call->fds[0]), err);
}

int on_domain_open_graphics_fd(struct request *request, const remote_domain_open_graphics_fd_args *args,
                               nothing *ret, struct error *err)
{
    struct call *call = request->call;
    int ends[2];
    if (check_flags(args->flags, GRAPHICS_SKIP_PASSWORD, err) < 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return fail_errno(err, errno, "no pair of sockets for a screen");
    owned_fd int ours = ends[0];
    if (domain_add_viewer(request->dom, args->idx, args->flags & GRAPHICS_SKIP_PASSWORD, ends[1], err) < 0)
        return -1;
    call->reply_fds[call->reply_fds_count++] = own_take_fd(&ours);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that reach through to the emulator. */
#include "daemon/request.h"
#include "qemu/operations.h"

enum { MONITOR_COMMAND_HMP = 1 };

/* An error that the emulator replies with is a reply: the caller speaks to it, not to us. */
int on_qemu_domain_monitor_command(struct request *request, const qemu_domain_monitor_command_args *args,
                                   qemu_domain_monitor_command_ret *ret, struct error *err)
{
    if (check_flags(args->flags, MONITOR_COMMAND_HMP, err) < 0 || domain_check_active(request->dom, err) < 0)
        return -1;
    return domain_monitor_command(request->dom, args->cmd, args->flags & MONITOR_COMMAND_HMP, &ret->result,
                                  err);
}

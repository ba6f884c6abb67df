/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/dump.h"

#include "base/own.h"
#include "base/text.h"
#include "domain/domain.h"
#include "qemu/props.h"
#include "qemu/vmm.h"

enum { POLL_MS = 50 };

static WAITS int begin(struct vmm *vmm, int fd, enum dump_format format, struct error *err)
{
    static const char *const formats[DUMP_FORMATS] = {
        "elf", "kdump-zlib", "kdump-lzo", "kdump-snappy", "win-dmp",
    };
    owned_props struct props props;
    props_open(&props);
    props_bool(&props, "paging", false);
    props_text(&props, "protocol", "fd:dump");
    props_bool(&props, "detach", true);
    props_text(&props, "format", formats[format]);
    monitor_pass_fd(vmm->monitor, fd);
    if (monitor_call(vmm->monitor, "getfd", "{\"fdname\":\"dump\"}", NULL, err) < 0)
        return -1;
    if (monitor_call(vmm->monitor, "dump-guest-memory", props_end(&props), NULL, err) == 0)
        return 0;
    error_scope(ignored);               /* it is closed already if the VMM took it before it refused */
    monitor_call(vmm->monitor, "closefd", "{\"fdname\":\"dump\"}", NULL, &ignored);
    return -1;
}

/* 1: it goes on; 0: it is complete. */
static WAITS int ask(struct vmm *vmm, struct error *err)
{
    struct monitor_reply reply __attribute__((cleanup(monitor_reply_done))) = { 0 };
    if (monitor_call(vmm->monitor, "query-dump", NULL, &reply, err) < 0)
        return -1;
    const char *status = json_get_text(reply.value, "status");
    if (text_equal(status, "completed"))
        return 0;
    return text_equal(status, "active") ? 1 : fail(err, ERR_OPERATION_FAILED, "the emulator's dump failed");
}

int domain_dump_memory(struct domain *dom, int fd, enum dump_format format, struct error *err)
{
    owned_fd int file = fd;
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || begin(vmm, own_take_fd(&file), format, err) < 0)
        return -1;
    for (int rc; (rc = (vmm = vmm_get(dom, err)) ? ask(vmm, err) : -1) != 0; )
        if (rc < 0 || await_sleep(POLL_MS, err) < 0)
            return -1;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/screendump.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"
#include "domain/domain.h"
#include "qemu/props.h"
#include "qemu/vmm.h"

/* QEMU takes a descriptor for writing only where it means to write. */
static int open_for_writing(int fd, struct error *err)
{
    owned_memory char *path = memory_printf("/proc/self/fd/%d", fd);
    int writer = open(path, O_WRONLY | O_CLOEXEC);
    return writer < 0 ? fail_errno(err, errno, "cannot open a file for the picture") : writer;
}

static WAITS int hand_over(struct vmm *vmm, int writer, uint32_t set, struct error *err)
{
    owned_props struct props props;
    props_open(&props);
    props_u64(&props, "fdset-id", set);
    monitor_pass_fd(vmm->monitor, writer);
    return monitor_call(vmm->monitor, "add-fd", props_end(&props), NULL, err);
}

static WAITS void take_back(struct vmm *vmm, uint32_t set)
{
    error_scope(gone);
    owned_props struct props props;
    props_open(&props);
    props_u64(&props, "fdset-id", set);
    monitor_call(vmm->monitor, "remove-fd", props_end(&props), NULL, &gone);
}

static WAITS int dump(struct vmm *vmm, uint32_t set, const char *device, struct error *err)
{
    owned_props struct props props;
    props_open(&props);
    props_printf(&props, "filename", "/dev/fdset/%u", set);
    props_text(&props, "device", device);
    return monitor_call(vmm->monitor, "screendump", props_end(&props), NULL, err);
}

int domain_screendump(struct domain *dom, unsigned screen, struct error *err)
{
    static uint32_t sets;               /* command lines have none; pictures are taken beside each other */
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return -1;
    if (screen >= vmm->def->videos.count)
        return fail(err, ERR_INVALID_ARG, "domain '%s' has %zu screens, and no number %u", dom->name,
                    vmm->def->videos.count, screen);
    owned_memory char *device = screen ? memory_copy_text(vmm->def->videos.items[screen]->alias) : NULL;
    owned_fd int picture = memfd_create("screen", MFD_CLOEXEC);
    if (picture < 0)
        return fail_errno(err, errno, "there is no memory for a picture");
    int writer = open_for_writing(picture, err), id = dom->id;
    uint32_t set = ++sets;
    if (writer < 0 || hand_over(vmm, writer, set, err) < 0)
        return -1;
    int rc = dump(vmm, set, device, err);
    if (dom->id == id && dom->vmm == vmm)
        take_back(vmm, set);
    return rc < 0 ? -1 : own_take_fd(&picture);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/channels.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "conf/domain_def.h"
#include "domain/places.h"
#include "domain/registry.h"
#include "loop/stream.h"

static char *path_of(const struct domain *dom, size_t index)
{
    return place_channel(registry_places(dom->registry), &dom->uuid, index);
}

void channels_place(const struct domain *dom, struct domain_def *live)
{
    for (size_t i = 0; i < live->channels.count; i++) {
        if (!live->channels.items[i]->listener)
            continue;
        owned_memory char *path = path_of(dom, i);
        live->channels.items[i]->path = arena_copy(live->arena, path);
    }
}

void channels_add(struct channels *channels, int fd, int as)
{
    channels->fds = memory_resize(channels->fds, (channels->count + 1) * sizeof *channels->fds);
    channels->fds[channels->count++] = (struct process_fd){ fd, as };
}

int channels_open(const struct domain_def *live, struct channels *channels, struct error *err)
{
    for (size_t i = 0; i < live->channels.count; i++) {
        const struct chardev *channel = live->channels.items[i];
        if (!channel->listener)
            continue;
        int fd = unix_listen(channel->path, 0600, 1, err);
        if (fd < 0)
            return fail_in(err, "channel '%s'", channel->alias);
        channels_add(channels, fd, channel->listener);
    }
    return 0;
}

void channels_close(struct channels *channels)
{
    for (size_t i = 0; i < channels->count; i++)
        close(channels->fds[i].fd);
    free(channels->fds);
    *channels = (struct channels){ 0 };
}

void channels_remove(const struct domain *dom, const struct domain_def *live)
{
    for (size_t i = 0; live && i < live->channels.count; i++) {
        owned_memory char *path = path_of(dom, i);
        if (text_equal(live->channels.items[i]->path, path))
            unlink(path);
    }
}

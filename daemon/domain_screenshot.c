/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of a guest's screen, sent as a stream. */
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/request.h"
#include "qemu/screendump.h"
#include "rpc/channel.h"

enum { PART_MAX = 64 * 1024 };

struct picture { struct channel *channel; int fd; };

static void picture_free(struct picture *picture)
{
    close(picture->fd);
    free(picture);
}

/* As much as its client takes now; the file is in memory, so reading it does not block. */
static void send_some(void *arg)
{
    struct picture *picture = arg;
    owned_memory char *part = memory_new(PART_MAX);
    while (channel_has_room(picture->channel)) {
        ssize_t length = read(picture->fd, part, PART_MAX);
        if (length <= 0) {
            channel_finish(picture->channel);
            return;
        }
        channel_send(picture->channel, part, (size_t) length);
    }
}

/* There is nothing that it could tell us. */
static void on_data(void *arg, const char *bytes, size_t length)
{
}

static int on_finished(void *arg, struct error *err)
{
    picture_free(arg);
    return 0;
}

static void on_aborted(void *arg)
{
    picture_free(arg);
}

static const struct channel_handler handler = {
    .data = on_data, .room = send_some, .finished = on_finished, .aborted = on_aborted,
};

int on_domain_screenshot(struct request *request, const remote_domain_screenshot_args *args,
                         remote_domain_screenshot_ret *ret, struct error *err)
{
    if (check_flags(args->flags, 0, err) < 0 || domain_check_active(request->dom, err) < 0)
        return -1;
    owned_memory struct picture *picture = NEW(struct picture);
    picture->fd = domain_screendump(request->dom, args->screen, err);
    if (picture->fd < 0)
        return -1;
    picture->channel = channel_open(request->call, &handler, picture, err);
    if (!picture->channel) {
        close(picture->fd);
        return -1;
    }
    ret->mime = NEW(char *);
    *ret->mime = memory_copy_text("image/x-portable-pixmap");
    take(picture);                      /* it begins when the reply has gone */
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/startup_policy.h"

#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/text.h"
#include "base/vector.h"
#include "domain/domain.h"
#include "domain/events.h"

/* VIR_DOMAIN_EVENT_DISK_* */
enum { CHANGED_MISSING = 0, DROPPED_MISSING = 1 };

static bool holds_media(const struct disk *disk)
{
    return disk->device == DISK_CDROM || disk->device == DISK_FLOPPY;
}

static bool may_be_missing(const struct disk *disk)
{
    return disk->startup_policy == STARTUP_OPTIONAL && disk_path(disk);
}

static bool wants_look(const struct domain_def *def)
{
    for (size_t i = 0; i < def->disks.count; i++)
        if (may_be_missing(def->disks.items[i]))
            return true;
    return false;
}

/* A server's files may take their time. */
static void look(void *arg)
{
    struct domain_def *live = arg;
    struct stat st;
    for (size_t i = 0; i < live->disks.count; ) {
        struct disk *disk = live->disks.items[i];
        if (!may_be_missing(disk) || stat(disk_path(disk), &st) == 0) {
            i++;
        } else if (holds_media(disk)) {
            disk->file = disk->dev = NULL;
            disk->backing = NULL;
        } else {
            vector_remove(&live->disks, i);
        }
    }
}

WAITS int startup_policy_apply(struct domain_def *live, struct error *err)
{
    return wants_look(live) ? await_work(look, live, err) : 0;
}

static const struct disk *find(const struct domain_def *def, const char *target)
{
    for (size_t i = 0; i < def->disks.count; i++)
        if (text_equal(def->disks.items[i]->target, target))
            return def->disks.items[i];
    return NULL;
}

void startup_policy_tell(const struct domain *dom, const struct domain_def *live)
{
    if (!wants_look(dom->def))
        return;
    owned(domain_def) struct domain_def *whole = domain_def_copy_live(dom->def);        /* has aliases */
    for (size_t i = 0; i < whole->disks.count; i++) {
        const struct disk *asked = whole->disks.items[i];
        const struct disk *got = may_be_missing(asked) ? find(live, asked->target) : NULL;
        if (!may_be_missing(asked) || (got && disk_path(got)))
            continue;
        log_warning("domain '%s': '%s' of disk '%s' is missing, and optional: this run has %s", dom->name,
                    disk_path(asked), asked->target, got ? "the drive empty" : "no such disk");
        const struct domain_event event = {
            .id = DOMAIN_EVENT_DISK_CHANGE, .type = got ? CHANGED_MISSING : DROPPED_MISSING,
            .path = disk_path(asked), .alias = asked->alias ? asked->alias : "",
        };
        domain_emit(dom, &event);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "conf/domain_def.h"
#include "conf/machine.h"
#include "xml/element.h"

static void merge_ptys(struct chardev **items, size_t count, const struct domain_runtime *runtime,
                       struct arena *a)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < runtime->ptys_count; k++)
            if (items[i]->type == CHARDEV_PTY && text_equal(items[i]->alias, runtime->ptys[k].alias))
                items[i]->path = arena_copy(a, runtime->ptys[k].path);
}

static void merge_screen(struct domain_def *def, const struct domain_runtime *runtime)
{
    for (size_t i = 0; i < def->graphics.count; i++) {
        struct graphics *graphics = def->graphics.items[i];
        if (graphics->type != GRAPHICS_VNC)
            continue;
        if (runtime->vnc_port)
            graphics->port = (struct opt_i64) { true, runtime->vnc_port };
        if (runtime->vnc_websocket)
            graphics->websocket = (struct opt_i64) { true, runtime->vnc_websocket };
        return;
    }
}

/* A copy with what only the running guest knows. */
static struct domain_def *merge(const struct domain_def *def, const struct domain_runtime *runtime)
{
    struct domain_def *live = domain_def_copy(def);
    if (runtime->id > 0)
        live->id = (struct opt_i64) { true, runtime->id };
    if (runtime->balloon_kib)
        live->current_memory.kib = runtime->balloon_kib;
    merge_ptys(live->serials.items, live->serials.count, runtime, live->arena);
    merge_ptys(live->parallels.items, live->parallels.count, runtime, live->arena);
    merge_ptys(live->channels.items, live->channels.count, runtime, live->arena);
    merge_ptys(live->consoles.items, live->consoles.count, runtime, live->arena);
    for (size_t i = 0; i < live->consoles.count; i++)
        live->consoles.items[i]->tty = live->consoles.items[i]->path;
    for (size_t i = 0; i < live->disks.count; i++)
        live->disks.items[i]->cache = disk_effective_cache(live->disks.items[i]);
    merge_screen(live, runtime);
    return live;
}

void domain_def_format(const struct domain_def *def, unsigned flags, const struct domain_runtime *runtime,
                       struct buffer *out)
{
    unsigned engine = (flags & DOMAIN_DEF_LIVE ? XML_LIVE : 0) |
                      (flags & DOMAIN_DEF_SECRETS ? XML_SECRETS : 0);
    owned(domain_def) struct domain_def *merged = NULL;
    if ((flags & DOMAIN_DEF_LIVE) && runtime)
        def = merged = merge(def, runtime);
    xml_write(&domain_element, def, engine, out);
}

struct blocking { const char *path; unsigned line; size_t count; };

static int count_blocking(void *arg, const struct unmodelled *what)
{
    struct blocking *blocking = arg;
    if (what->blocks_start && blocking->count++ == 0) {
        blocking->path = what->path;
        blocking->line = what->line;
    }
    return 0;
}

int domain_def_check_startable(const struct domain_def *def, struct error *err)
{
    struct blocking blocking = { 0 };
    if (def->type == DOMAIN_TYPE_HVF)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "domain '%s': type 'hvf' needs macOS; types 'qemu' and 'kvm' run here", def->name);
    if (machine_kind(def) == MACHINE_OTHER && !machine_is_microvm(def))
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "domain '%s': machines such as '%s' (%s) are not supported yet; pc, q35 and microvm "
                    "of x86_64 are",
                    def->name, def->os.machine ? def->os.machine : "", def->os.arch);
    domain_def_each_unmodelled(def, count_blocking, &blocking);
    if (blocking.count == 1)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "domain '%s': '%s' (line %u) is not supported yet",
                    def->name, blocking.path, blocking.line);
    if (blocking.count)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "domain '%s': '%s' (line %u) and %zu more are not supported yet", def->name,
                    blocking.path, blocking.line, blocking.count - 1);
    return 0;
}

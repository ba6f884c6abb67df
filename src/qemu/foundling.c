/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/foundling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "domain/status.h"
#include "qemu/emulator.h"
#include "qemu/launch.h"

enum { SOCKETS_BYTES_MAX = 64 << 20, WORDS_BYTES_MAX = 4 << 20 };

static const char found[] = "it runs, but its status file is gone; domusd tries to take it over";
static const char left[] = "it runs, but its status file is gone, and it cannot be taken over (the log says "
                           "why); when it has ended, restart domusd";

struct foundling {
    pid_t pid;
    struct argv argv;                   /* as it runs */
};

static void foundling_done(struct foundling *foundling)
{
    argv_done(&foundling->argv);
}
#define owned_foundling __attribute__((cleanup(foundling_done)))

/* --- the process behind a socket --- */

/* "Num: RefCount Protocol Flags Type St Inode Path"; a listener's flags say so. */
static unsigned long inode_of_listener(const char *path)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    if (file_read("/proc/net/unix", SOCKETS_BYTES_MAX, &text, &err) < 0)
        return 0;
    char *rest = text.data;
    for (char *line; (line = strsep(&rest, "\n")) != NULL; ) {
        unsigned long flags, inode;
        int end = 0;
        if (sscanf(line, "%*x: %*x %*x %lx %*x %*x %lu %n", &flags, &inode, &end) == 2 && end &&
            flags & 0x10000 && text_equal(line + end, path))
            return inode;
    }
    return 0;
}

/* The leader of the session that we made for it; what it forked may have the socket, too. */
static bool has_monitor(pid_t pid, unsigned long inode)
{
    char link[64], target[64] = "", wanted[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int) pid, MONITOR_FD);
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    return getsid(pid) == pid && readlink(link, target, sizeof target - 1) > 0 && text_equal(target, wanted);
}

static void read_words(pid_t pid, struct argv *ret_argv)
{
    owned_memory char *path = memory_printf("/proc/%d/cmdline", (int) pid);
    owned_buffer struct buffer text = { 0 };
    error_scope(gone);
    if (file_read(path, WORDS_BYTES_MAX, &text, &gone) < 0)
        return;
    for (size_t at = 0; at < text.length; at += strlen(text.data + at) + 1)
        argv_add(ret_argv, text.data + at);
}

static bool find_behind(const char *socket, struct foundling *ret_foundling)
{
    unsigned long inode = inode_of_listener(socket);
    char **names = NULL;
    size_t count = 0;
    error_scope(err);
    if (!inode || folder_list("/proc", &names, &count, &err) < 0)
        return false;
    for (size_t i = 0; i < count && !ret_foundling->pid; i++) {
        uint64_t pid;
        if (text_to_u64(names[i], INT32_MAX, &pid) && pid && has_monitor((pid_t) pid, inode)) {
            ret_foundling->pid = (pid_t) pid;
            read_words((pid_t) pid, &ret_foundling->argv);
        }
    }
    folder_names_free(names, count);
    return ret_foundling->pid != 0;
}

/* What follows the option for the nth time (from 0), or NULL. */
static const char *word_after(const struct argv *argv, const char *option, size_t n)
{
    for (size_t i = 0; i + 1 < argv->count; i++)
        if (text_equal(argv->words[i], option) && n-- == 0)
            return argv->words[i + 1];
    return NULL;
}

/* --- finding --- */

static void find(struct registry *registry, const char *socket, int id)
{
    owned_foundling struct foundling it = { 0 };
    struct uuid uuid;
    char text[UUID_TEXT_SIZE];
    const char *word = find_behind(socket, &it) ? word_after(&it.argv, "-uuid", 0) : NULL;
    if (!word || !uuid_parse(word, &uuid)) {
        log_error("a guest that no status file speaks of runs behind %s, and is left alone", socket);
        return;
    }
    uuid_format(&uuid, text);
    struct domain *dom = registry_find(registry, &uuid);
    if (dom && dom->unmanaged)          /* its status file is there, and we do not understand it */
        return;
    if (dom && dom->record) {
        log_error("process %d runs as domain '%s', too, and is left alone", (int) it.pid, dom->name);
        return;
    }
    if (!dom)
        registry_add_unmanaged(registry, &uuid, text, id, left);
    else
        domain_set_active(dom, id);
    if (dom) {
        dom->unmanaged = dom->persistent ? found : left;
        domain_set_state(dom, DOMAIN_NOSTATE, 0);
    }
    log_warning("process %d runs as domain '%s', and no status file speaks of it", (int) it.pid,
                dom ? dom->name : text);
}

void foundlings_find(struct registry *registry)
{
    owned_memory char *folder = memory_printf("%s/m", registry_places(registry)->run);
    char **names;
    size_t count;
    error_scope(err);
    if (folder_list(folder, &names, &count, &err) < 0)
        return;
    for (size_t i = 0; i < count; i++) {
        int id = place_monitor_id(names[i]);
        owned_memory char *socket = memory_printf("%s/%s", folder, names[i]);
        if (id > 0 && !registry_find_id(registry, id))
            find(registry, socket, id);
    }
    folder_names_free(names, count);
}

bool foundling_is(const struct domain *dom)
{
    return dom->unmanaged == found;
}

/* --- taking over --- */

/* "127.0.0.1:3,…": the port that was chosen for the nth screen. */
static void take_port(struct graphics *graphics, const char *word)
{
    const char *colon = word ? strchr(word, ':') : NULL;
    unsigned display;
    bool is_vnc = graphics->type == GRAPHICS_VNC && colon && sscanf(colon, ":%u", &display) == 1;
    if (is_vnc && display <= UINT16_MAX)
        graphics->port = (struct opt_i64){ true, 5900 + (int64_t) display };
}

static bool same_words(const struct argv *a, const struct argv *b, const char **ret_first)
{
    for (size_t i = 0; i < a->count || i < b->count; i++)
        if (i >= a->count || i >= b->count || !text_equal(a->words[i], b->words[i]))
            return *ret_first = i < a->count ? a->words[i] : "nothing", false;
    return true;
}

/* The definition that it runs, or NULL. */
static WAITS struct domain_def *live_definition(const struct domain *dom, const struct foundling *it,
                                                struct error *err)
{
    const char *emulator = emulator_of(dom->def, err), *first;
    owned(caps) struct caps *caps = emulator ? caps_get(emulator, err) : NULL;
    if (!caps)
        return NULL;
    owned(domain_def) struct domain_def *asked = domain_def_copy(dom->def);
    for (size_t i = 0; i < asked->graphics.count; i++)
        take_port(asked->graphics.items[i], word_after(&it->argv, "-vnc", i));
    owned(domain_def) struct domain_def *live = launch_prepare(asked, caps, err);
    owned_argv struct argv argv = { 0 };
    if (!live)
        return NULL;
    const struct command_line what = launch_command_line(live, caps);
    if (command_line_build(&what, &argv, err) < 0)
        return NULL;
    if (!same_words(&it->argv, &argv, &first)) {
        fail(err, ERR_OPERATION_FAILED,
             "its definition gives another command line than process %d has, from '%s' on", (int) it->pid,
             first);
        return NULL;
    }
    return take(live);
}

static struct status *make_record(const struct domain *dom, const struct process_identity *process,
                                  const char *monitor)
{
    struct arena *arena = arena_new();
    struct status *record = ARENA_NEW(arena, struct status);
    *record = (struct status){
        .arena = arena, .phase = STATUS_RUNNING, .uuid = dom->uuid, .id = (uint32_t) dom->id,
        .process = *process, .boot_id = arena_copy(arena, process->boot_id),
        .monitor = arena_copy(arena, monitor), .state = DOMAIN_RUNNING,
    };
    return record;
}

WAITS static int take_over(struct domain *dom, const char *socket, struct error *err)
{
    owned_foundling struct foundling it = { 0 };
    struct process_identity process;
    if (!find_behind(socket, &it) || process_identify(it.pid, &process, err) < 0)
        return fail(err, ERR_OPERATION_FAILED, "its process is gone");
    owned(domain_def) struct domain_def *live = live_definition(dom, &it, err);
    if (!live)
        return -1;
    domain_set_live(dom, live);
    domain_set_state(dom, DOMAIN_RUNNING, RUNNING_UNKNOWN);
    dom->unmanaged = NULL;
    dom->record = make_record(dom, &process, socket);
    if (status_save(dom, STATUS_RUNNING, &process, socket, err) < 0)
        log_warning("domain '%s': %s", dom->name, error_text(err));
    error_clear(err);
    return domain_reattach(dom, err);
}

WAITS int foundling_adopt(struct domain *dom, struct error *err)
{
    owned_memory char *socket = place_monitor(registry_places(dom->registry), dom->id);
    dom->unmanaged = left;
    return take_over(dom, socket, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "domain/file_work.h"
#include "loop/stream.h"
#include "xml/element.h"
#include "xml/raw.h"

enum { STATUS_BYTES_MAX = DOMAIN_XML_LIVE_MAX + 65536 };

#define ROOT "domus-status"
#define PUT_AWAY ".damaged"             /* what is added to the name of a file that nobody can read */

DEFINE_ENUM_CODEC(status_phase, STATUS_PHASES);

#define SELF struct status
PART(process_part, "process", "The VMM: a number, and what tells it from a later process with the same one.",
     ATTR("pid", pid, u64, "process id", REQUIRED),
     ATTR("start", start_time, u64, "clock ticks from boot to its start", REQUIRED),
     ATTR("boot", boot_id, string, "id of the boot", REQUIRED));
PART(monitor_part, "monitor", "How to speak to it.", ATTR("path", monitor, string, "its socket"));
PART(state_part, "state", "The domain's state, in libvirt's numbers.",
     ATTR("value", state, u32, "state", ALWAYS),
     ATTR("reason", reason, u32, "reason", ALWAYS));
PART(job_part, "job", "The change that was under way.", ATTR("name", job, string, "name of the procedure"));
static const struct element status_element = ELEMENT(
    ROOT, "What the next daemon must know about a running VMM.",
    ATTR("version", version, string, "major.minor; a newer major is not touched", REQUIRED),
    ATTR("phase", phase, status_phase, "how far its start came", REQUIRED),
    LEAF("uuid", uuid, uuid, "the domain's uuid", REQUIRED),
    LEAF("name", name, string, "the domain's name", REQUIRED),
    LEAF("id", id, u32, "the domain's id", REQUIRED), INLINE(process_part, REQUIRED), INLINE(monitor_part),
    INLINE(state_part), INLINE(job_part),
    FLAG("autodestroy", autodestroy, "The guest was to live no longer than the client that started it."),
    RAW("domain", live_xml, "The definition that runs.", REQUIRED));
#undef SELF

static enum xml_verdict keep_all(const char *parent, const char *name)
{
    return XML_KEEP;
}
static const struct xml_policy policy = { .judge = keep_all };

void status_free(struct status *status)
{
    if (!status)
        return;
    domain_def_unref(status->live);
    arena_free(status->arena);
}

/* --- writing --- */

/* The definition is text of src/conf's, with what events changed; it goes in as the last child.  While a
 * start is under way there is no live one yet, and what is being started serves: it is all that a transient
 * domain leaves behind. */
static void add_live(const struct domain *dom, struct buffer *out)
{
    static const char end[] = "</" ROOT ">";
    size_t cut = out->length;
    while (cut > 0 && strncmp(out->data + cut - 1, end, strlen(end)) != 0)
        cut--;
    out->length = cut - 1;
    out->data[out->length] = '\0';
    domain_def_format(domain_current_def(dom), DOMAIN_DEF_LIVE | DOMAIN_DEF_SECRETS, &dom->runtime, out);
    buffer_printf(out, "%s\n", end);
}

int status_save(struct domain *dom, enum status_phase phase, const struct process_identity *process,
                const char *monitor, struct error *err)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", STATUS_MAJOR, STATUS_MINOR);
    const struct status status = {
        .version = version,
        .phase = phase,
        .uuid = dom->uuid,
        .name = dom->name,
        .id = (uint32_t) dom->id,
        .pid = (uint64_t) process->pid,
        .start_time = process->start_time,
        .boot_id = process->boot_id,
        .monitor = monitor,
        .state = (uint32_t) dom->state,
        .reason = (uint32_t) dom->reason,
        .job = dom->job.what,
        .autodestroy = dom->autodestroy != NULL,
        .extras = dom->record ? dom->record->extras : (struct extras) { 0 },
    };
    owned_memory char *path = place_status(registry_places(dom->registry), &dom->uuid);
    owned_buffer struct buffer text = { 0 };
    xml_write(&status_element, &status, XML_LIVE | XML_SECRETS, &text);
    add_live(dom, &text);
    dom->process = *process;
    return file_work_swap(path, text.data, text.length, 0600, err);
}

int status_remove(const struct domain *dom, struct error *err)
{
    owned_memory char *path = place_status(registry_places(dom->registry), &dom->uuid);
    return file_work_drop(path, err);
}

/* --- reading --- */

static unsigned major_of(const struct status *status)
{
    unsigned major, minor;
    return status->version && sscanf(status->version, "%u.%u", &major, &minor) == 2 ? major : 0;
}

static int read_live(struct status *status, const struct conf_defaults *defaults, struct error *err)
{
    owned_buffer struct buffer xml = { 0 };
    if (!status->live_xml)
        return fail(err, ERR_XML, "the definition that runs is missing");
    raw_format(status->live_xml, NULL, 0, &xml);
    status->live = domain_def_parse(buffer_text(&xml), xml.length, DOMAIN_DEF_LIVE, defaults, NULL, err);
    return status->live ? 0 : fail_in(err, "<domain>");
}

static int check(struct status *status, const struct conf_defaults *defaults, struct error *err)
{
    if (status->id == 0 || status->id > INT32_MAX || status->pid == 0 || status->pid > INT32_MAX ||
        strlen(status->boot_id) >= sizeof status->process.boot_id)
        return fail(err, ERR_XML, "the id, or what identifies the process, is out of range");
    status->process.pid = (pid_t) status->pid;
    status->process.start_time = status->start_time;
    strcpy(status->process.boot_id, status->boot_id);
    return read_live(status, defaults, err);
}

/* A newer file comes back unchecked: only its version counts. */
static struct status *status_read(const char *path, const struct conf_defaults *defaults, struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    owned_findings struct findings findings = { 0 };
    owned(arena) struct arena *arena = arena_new();
    if (file_read_regular(path, STATUS_BYTES_MAX, &text, err) < 0)
        return NULL;
    owned(status) struct status *status =
        xml_read(&status_element, buffer_text(&text), text.length, STATUS_BYTES_MAX, XML_LIVE, &policy, NULL,
                 arena, &findings, err);
    if (!status)
        return NULL;
    status->arena = take(arena);
    if (major_of(status) > STATUS_MAJOR)
        return take(status);
    if (findings.errors) {
        findings_fail(&findings, err);
        return NULL;
    }
    return check(status, defaults, err) < 0 ? NULL : take(status);
}

static void leave_alone(struct registry *registry, const struct uuid *uuid, const char *wanted_name, int id,
                        const char *reason)
{
    struct domain *dom = registry_find(registry, uuid);
    char text[UUID_TEXT_SIZE];
    uuid_format(uuid, text);
    const char *name =
        wanted_name && *wanted_name && !registry_find_name(registry, wanted_name) ? wanted_name : text;
    if (!dom)
        dom = registry_add_unmanaged(registry, uuid, name, id, reason);
    else
        domain_set_active(dom, registry_next_id(registry));
    dom->unmanaged = reason;
    domain_set_state(dom, DOMAIN_NOSTATE, 0);
    log_warning("domain '%s' is listed and left alone: %s", dom->name, reason);
}

static int follow(struct registry *registry, const struct uuid *uuid, struct status *status,
                  struct error *err)
{
    struct domain *dom = registry_find(registry, uuid);
    if (!uuid_equal(uuid, &status->uuid))
        return fail(err, ERR_XML, "the file's name is not the uuid inside it");
    if (registry_find_id(registry, (int) status->id))
        return fail(err, ERR_XML, "id %u belongs to another domain", status->id);
    if (!dom && registry_find_name(registry, status->live->name))
        return fail(err, ERR_XML, "the name '%s' belongs to another domain", status->live->name);
    if (!dom)
        dom = registry_add(registry, status->live);
    domain_set_active(dom, (int) status->id);
    domain_set_state(dom, (enum domain_state) status->state, (int) status->reason);
    domain_set_live(dom, status->live);
    dom->process = status->process;
    dom->record = status;
    return 0;
}

static int load_one(struct registry *registry, const char *path, const struct uuid *uuid,
                    const struct conf_defaults *defaults, struct error *err)
{
    owned(status) struct status *status = status_read(path, defaults, err);
    if (!status)
        return -1;
    if (major_of(status) > STATUS_MAJOR) {
        log_warning("%s is of version %s, and this domusd knows %d", path, status->version, STATUS_MAJOR);
        leave_alone(registry, uuid, status->name, (int) (status->id & INT32_MAX),
                    "it was started by a newer domusd");
        return 0;
    }
    if (follow(registry, uuid, status, err) < 0)
        return -1;
    take(status);
    return 0;
}

/* Monitors' sockets that no domain has, from starts that ended, with their daemon, before anything was
 * written down, or of guests that we do not know. */
static bool visit_monitors(const struct registry *registry, bool (*visit)(const char *path))
{
    owned_memory char *folder = memory_printf("%s/m", registry_places(registry)->run);
    error_scope(err);
    char **names;
    size_t count;
    bool found = false;
    if (folder_list(folder, &names, &count, &err) < 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        int id = place_monitor_id(names[i]);
        owned_memory char *path = memory_printf("%s/%s", folder, names[i]);
        if (id && !registry_find_id(registry, id))
            found |= visit(path);
    }
    folder_names_free(names, count);
    return found;
}

static bool is_alive(const char *path)
{
    error_scope(refused);
    owned_fd int fd = unix_connect(path, &refused);
    return fd >= 0 || refused.number == EAGAIN;
}

/* That of a guest whose record somebody removed is its only handle (src/qemu/foundling.h).  The simulator has
 * a second socket, beside it. */
static bool remove_monitor(const char *path)
{
    owned_memory char *control = memory_printf("%s.ctl", path);
    if (is_alive(path))
        return false;
    unlink(control);
    return unlink(path) == 0;
}

/* So that it is complained of once.  What can be read of it is for a person. */
static void put_away(const char *path)
{
    owned_memory char *away = memory_printf("%s" PUT_AWAY, path);
    if (rename(path, away) < 0)
        log_error("%s cannot be renamed: %s", path, strerror(errno));
    else
        log_warning("%s is put away as %s: no guest runs that could be its domain's", path, away);
}

/* Two guests must not run on one disk: if somebody is behind a monitor that is nobody's, it may be this one.
 */
static void doubt(struct registry *registry, const char *path, const struct uuid *uuid,
                  bool a_guest_is_unknown)
{
    if (a_guest_is_unknown)
        leave_alone(registry, uuid, NULL, -1,
                    "its status file is damaged, and a guest that may be its own runs; when that has ended, "
                    "restart domusd");
    else
        put_away(path);
}

int statuses_load(struct registry *registry, const struct conf_defaults *defaults, struct error *err)
{
    owned_memory char *folder = memory_printf("%s/status", registry_places(registry)->run);
    bool all_known = true;
    char **names;
    size_t count;
    VECTOR(struct uuid) damaged = { 0 };
    if (folder_list(folder, &names, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct uuid uuid;
        owned_memory char *path = memory_printf("%s/%s", folder, names[i]);
        error_scope(reason);
        if (place_is_unfinished(names[i])) {
            unlink(path);
        } else if (text_ends(names[i], PUT_AWAY)) {
            continue;
        } else if (!place_uuid_of_file(names[i], &uuid)) {
            log_warning("%s is no status file of ours; left alone", path);
        } else if (load_one(registry, path, &uuid, defaults, &reason) < 0) {
            log_error("%s: %s", path, error_text(&reason));
            vector_push(&damaged, uuid);
        } else if (registry_find(registry, &uuid)->unmanaged) {
            all_known = false;
        }
    }
    folder_names_free(names, count);
    bool a_guest_is_unknown = damaged.count && visit_monitors(registry, is_alive);
    for (size_t i = 0; i < damaged.count; i++) {
        owned_memory char *path = place_status(registry_places(registry), &damaged.items[i]);
        doubt(registry, path, &damaged.items[i], a_guest_is_unknown);
    }
    if (all_known && !a_guest_is_unknown)
        visit_monitors(registry, remove_monitor);
    vector_done(&damaged);
    return 0;
}

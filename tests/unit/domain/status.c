/* SPDX-License-Identifier: Apache-2.0 */
#include "make.h"

#include "domain/status.h"
#include "loop/stream.h"

static const struct conf_defaults defaults = { .arch = "x86_64" };
static const struct process_identity process = { .pid = 4711, .start_time = 99, .boot_id = "boot" };

struct saving { struct domain *dom; enum status_phase phase; };

static WAITS void save(void *arg)
{
    struct saving *s = arg;
    error_scope(err);
    cr_assert_eq(status_save(s->dom, s->phase, &process, "/run/m/3.sock", &err), 0, "%s", error_text(&err));
}

static void run(struct domain *dom, enum status_phase phase)
{
    struct saving saving = { dom, phase };
    loop_init();
    cr_assert_not_null(fiber_start(save, &saving));
    loop_run();
    loop_done();
}

/* The status file of a running domain "vm", and a registry that knows nothing of it. */
static struct registry *make_running(char root[64])
{
    owned(registry) struct registry *r = make_registry(root);
    struct domain *dom = make_domain(r, "vm", UUID_A);
    domain_set_active(dom, 3);
    domain_set_live(dom, dom->def);
    domain_set_state(dom, DOMAIN_PAUSED, PAUSED_USER);
    run(dom, STATUS_RUNNING);
    return registry_new(places_new(root));
}

static char *status_path(const char *root)
{
    return memory_printf("%s/run/status/" UUID_A ".xml", root);
}

static void edit(const char *root, const char *what, const char *with)
{
    owned_memory char *path = status_path(root);
    owned_buffer struct buffer text = { 0 }, changed = { 0 };
    error_scope(err);
    cr_assert_eq(file_read(path, 1 << 20, &text, &err), 0);
    const char *at = strstr(buffer_text(&text), what);
    cr_assert_not_null(at, "%s", buffer_text(&text));
    buffer_printf(&changed, "%.*s%s%s", (int) (at - text.data), text.data, with, at + strlen(what));
    cr_assert_eq(file_replace(path, changed.data, changed.length, 0600, &err), 0);
}

static void load(struct registry *r)
{
    error_scope(err);
    log_set_level(LOG_LEVEL_ERROR);
    cr_assert_eq(statuses_load(r, &defaults, &err), 0, "%s", error_text(&err));
}

Test(status, a_running_domain_is_found_again_with_all_that_was_written)
{
    char root[64];
    owned(registry) struct registry *r = make_running(root);
    load(r);
    struct domain *dom = registry_find_name(r, "vm");
    cr_assert_not_null(dom);
    cr_assert_not(dom->persistent);
    cr_assert_eq(dom->id, 3);
    cr_assert_eq(dom->state, DOMAIN_PAUSED);
    cr_assert_eq(dom->reason, PAUSED_USER);
    cr_assert_not_null(dom->live);
    cr_assert_eq(dom->record->phase, STATUS_RUNNING);
    cr_assert_str_eq(dom->record->monitor, "/run/m/3.sock");
    cr_assert_eq(dom->process.pid, 4711);
    cr_assert_eq(dom->process.start_time, 99);
    cr_assert_str_eq(dom->process.boot_id, "boot");
    cr_assert_eq(registry_next_id(r), 4);
    remove_root(root);
}

Test(status, what_a_later_minor_version_added_is_written_back)
{
    char root[64];
    owned(registry) struct registry *r = make_running(root);
    edit(root, "<state", "<later x='1'><y/></later><state");
    load(r);
    run(registry_find_name(r, "vm"), STATUS_RUNNING);
    owned_memory char *path = status_path(root);
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    cr_assert_eq(file_read(path, 1 << 20, &text, &err), 0);
    cr_assert_not_null(strstr(buffer_text(&text), "<later x='1'>"), "%s", buffer_text(&text));
    remove_root(root);
}

Test(status, a_newer_major_version_is_listed_and_not_touched)
{
    char root[64];
    owned(registry) struct registry *r = make_running(root);
    edit(root, "version='1.0'", "version='2.0'");
    edit(root, "<process pid='4711'", "<process who='4711'");
    load(r);
    struct domain *dom = registry_find_name(r, "vm");
    cr_assert_not_null(dom);
    cr_assert(dom->unmanaged && domain_is_active(dom) && !dom->record);
    owned_memory char *path = status_path(root);
    cr_assert_eq(access(path, F_OK), 0);
    remove_root(root);
}

Test(status, a_damaged_file_is_left_and_its_domain_listed_while_its_guest_may_run)
{
    char root[64];
    owned(registry) struct registry *r = make_running(root);
    owned_memory char *socket = memory_printf("%s/run/m/9.sock", root), *path = status_path(root);
    error_scope(err);
    owned_fd int guest = unix_listen(socket, 0600, 1, &err);
    cr_assert_geq(guest, 0, "%s", error_text(&err));
    edit(root, "<id>3</id>", "<id>0</id>");
    load(r);
    cr_assert_eq(registry_count(r), 1);
    const struct domain *dom = registry_find_name(r, UUID_A);
    cr_assert(dom && dom->unmanaged && domain_is_active(dom) && !dom->record);
    cr_assert_eq(access(path, F_OK), 0);
    cr_assert_eq(access(socket, F_OK), 0, "it may be that of the guest we could not read");
    remove_root(root);
}

Test(status, a_damaged_file_keeps_no_domain_when_nobody_is_behind_a_monitor)
{
    char root[64];
    owned(registry) struct registry *r = make_running(root);
    owned_memory char *socket = memory_printf("%s/run/m/9.sock", root), *path = status_path(root);
    error_scope(err);
    close(unix_listen(socket, 0600, 1, &err));
    cr_assert_eq(access(socket, F_OK), 0, "%s", error_text(&err));
    edit(root, "<id>3</id>", "<id>0</id>");
    load(r);
    cr_assert_eq(registry_count(r), 0);
    owned_memory char *away = memory_printf("%s.damaged", path);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(access(away, F_OK), 0, "it is put away");
    cr_assert_neq(access(socket, F_OK), 0, "it is swept");
    remove_root(root);
}

/* It is never synced, so a crash of the host may leave any part of it, or zeros in its place. */
Test(status, whatever_a_crash_of_the_host_left_of_a_file_hides_no_other_guest)
{
    char root[64];
    owned(registry) struct registry *whole UNUSED = make_running(root);
    owned_memory char *path = status_path(root),
                      *damaged = memory_printf("%s/run/status/" UUID_B ".xml", root);
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    cr_assert_eq(file_read(path, 1 << 20, &text, &err), 0);
    owned_memory char *zeros = memory_new(text.length);
    size_t end = text.length - strlen("</domus-status>\n");
    for (size_t i = 0; i < end; i += 13) {
        owned(registry) struct registry *r = registry_new(places_new(root));
        cr_assert_eq(file_replace(damaged, i % 2 ? zeros : text.data, i, 0600, &err), 0);
        load(r);
        cr_assert_eq(registry_count(r), 1, "%zu bytes", i);
        cr_assert(registry_find_name(r, "vm") && registry_find_name(r, "vm")->record);
        cr_assert_neq(access(damaged, F_OK), 0, "%zu bytes", i);
    }
    remove_root(root);
}

Test(status, sockets_that_belong_to_no_guest_are_swept_up)
{
    char root[64];
    owned(registry) struct registry *r = make_running(root);
    owned_memory char *stray = memory_printf("%s/run/m/9.sock", root),
                      *own = memory_printf("%s/run/m/3.sock", root);
    error_scope(err);
    cr_assert_eq(file_replace(stray, "", 0, 0600, &err), 0);
    cr_assert_eq(file_replace(own, "", 0, 0600, &err), 0);
    load(r);
    cr_assert_eq(access(stray, F_OK), -1);
    cr_assert_eq(access(own, F_OK), 0);
    remove_root(root);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "make.h"

#include <sys/stat.h>

#include "domain/definitions.h"
#include "domain/status.h"

static const struct conf_defaults defaults = { .arch = "x86_64" };

struct saving { struct registry *registry; struct domain_def *def; };

static WAITS void save(void *arg)
{
    struct saving *s = arg;
    error_scope(err);
    registry_set_journal(s->registry, journal_open(registry_places(s->registry), &err));
    cr_assert_eq(definition_save(s->registry, s->def, &err), 0, "%s", error_text(&err));
    cr_assert_eq(autostart_save(s->registry, &s->def->uuid, true, &err), 0, "%s", error_text(&err));
    loop_stop();
}

static void put(const struct registry *registry, const char *name, const char *text)
{
    error_scope(err);
    owned_memory char *path = memory_printf("%s/domains/%s", registry_places(registry)->lib, name);
    cr_assert_eq(file_replace(path, text, strlen(text), 0600, &err), 0);
}

Test(definitions, come_back_as_they_were_saved)
{
    char root[64];
    error_scope(err);
    size_t damaged;
    loop_init();
    owned(registry) struct registry *first = make_registry(root);
    owned(domain_def) struct domain_def *def = make_def("vm", UUID_A);
    struct saving saving = { first, def };
    cr_assert_not_null(fiber_start(save, &saving));
    loop_run();
    registry_free(take(first));
    loop_done();

    owned(registry) struct registry *second = registry_new(places_new(root));
    cr_assert_eq(definitions_load(second, &defaults, &damaged, &err), 0, "%s", error_text(&err));
    struct domain *dom = registry_find_name(second, "vm");
    cr_assert_not_null(dom);
    cr_assert(dom->persistent && dom->autostart && !domain_is_active(dom));
    owned_buffer struct buffer before = { 0 }, after = { 0 };
    domain_def_format(def, 0, NULL, &before);
    domain_def_format(dom->def, 0, NULL, &after);
    cr_assert_str_eq(buffer_text(&before), buffer_text(&after));
    remove_root(root);
}

Test(definitions, a_damaged_file_is_counted_and_left_and_the_rest_loads)
{
    char root[64];
    error_scope(err);
    size_t damaged;
    owned(registry) struct registry *r = make_registry(root);
    owned_buffer struct buffer good = { 0 }, left = { 0 };
    owned(domain_def) struct domain_def *def = make_def("good", UUID_A);
    domain_def_format(def, 0, NULL, &good);
    put(r, UUID_A ".xml", buffer_text(&good));
    put(r, UUID_B ".xml", "<domain type='qemu'>\n<name>broken");
    put(r, "33333333-3333-4333-8333-333333333333.xml", buffer_text(&good));     /* another's name */
    put(r, "notes.txt", "not ours");
    put(r, UUID_A ".xml.new", "half a f"); /* of a crash: the old one holds */

    log_set_level(LOG_LEVEL_ERROR);
    cr_assert_eq(definitions_load(r, &defaults, &damaged, &err), 0, "%s", error_text(&err));
    cr_assert_eq(damaged, 2);
    cr_assert_eq(registry_count(r), 1);
    owned_memory char *unfinished = memory_printf("%s/lib/domains/" UUID_A ".xml.new", root);
    cr_assert_eq(access(unfinished, F_OK), -1);
    owned_memory char *path = memory_printf("%s/lib/domains/" UUID_B ".xml", root);
    cr_assert_eq(file_read(path, 4096, &left, &err), 0);
    cr_assert_str_eq(buffer_text(&left), "<domain type='qemu'>\n<name>broken");
    remove_root(root);
}

Test(definitions, hundreds_are_read_side_by_side)
{
    enum { MANY = 400 };
    char root[64], name[16], uuid[40];
    error_scope(err);
    size_t damaged;
    owned(registry) struct registry *r = make_registry(root);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "vm%d", i);
        snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012d", i);
        owned(domain_def) struct domain_def *def = make_def(name, uuid);
        owned_buffer struct buffer xml = { 0 };
        domain_def_format(def, 0, NULL, &xml);
        owned_memory char *path = memory_printf("%s/lib/domains/%s.xml", root, uuid);
        FILE *file = fopen(path, "we");
        cr_assert(file && fputs(i % 100 ? buffer_text(&xml) : "<domain/>", file) >= 0 && fclose(file) == 0);
    }
    log_set_level(LOG_LEVEL_ERROR);
    cr_assert_eq(definitions_load(r, &defaults, &damaged, &err), 0, "%s", error_text(&err));
    cr_assert_eq(damaged, MANY / 100);
    cr_assert_eq(registry_count(r), MANY - MANY / 100);
    for (int i = 1; i < MANY; i++) {
        snprintf(name, sizeof name, "vm%d", i);
        const struct domain *dom = registry_find_name(r, name);
        cr_assert_eq(dom != NULL, i % 100 != 0, "%s", name);
        cr_assert(!dom || strcmp(dom->def->name, name) == 0);
    }
    remove_root(root);
}

Test(autostart, is_due_once_in_a_boot)
{
    char root[64];
    error_scope(err);
    bool due = false;
    owned(registry) struct registry *r = make_registry(root);
    cr_assert_eq(autostart_is_due(registry_places(r), &due, &err), 0);
    cr_assert(due);
    cr_assert_eq(autostart_is_due(registry_places(r), &due, &err), 0);
    cr_assert_not(due);
    remove_root(root);
}

static bool there(const struct registry *registry, const char *name)
{
    owned_memory char *path = memory_printf("%s/%s", registry_places(registry)->run, name);
    return access(path, F_OK) == 0;
}

Test(statuses, a_monitor_socket_without_a_record_is_swept_up)
{
    char root[64];
    error_scope(err);
    owned(registry) struct registry *r = make_registry(root);
    owned_memory char *stale = place_monitor(registry_places(r), 7);
    owned_memory char *notes = memory_printf("%s/m/notes", registry_places(r)->run);
    cr_assert_eq(file_replace(stale, "", 0, 0600, &err), 0, "%s", error_text(&err));
    cr_assert_eq(file_replace(notes, "", 0, 0600, &err), 0, "%s", error_text(&err));
    cr_assert_eq(statuses_load(r, &defaults, &err), 0, "%s", error_text(&err));
    cr_assert(!there(r, "m/7.sock") && there(r, "m/notes"));

    /* A record that nobody can read may be that of a guest, but nobody is behind this socket. */
    owned_memory char *record = memory_printf("%s/status/" UUID_A ".xml", registry_places(r)->run);
    cr_assert_eq(file_replace(record, "<broken", 7, 0600, &err), 0, "%s", error_text(&err));
    cr_assert_eq(file_replace(stale, "", 0, 0600, &err), 0, "%s", error_text(&err));
    log_set_level(LOG_LEVEL_ERROR);
    cr_assert_eq(statuses_load(r, &defaults, &err), 0, "%s", error_text(&err));
    cr_assert(!there(r, "m/7.sock"));
    remove_root(root);
}

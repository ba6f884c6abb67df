/* SPDX-License-Identifier: Apache-2.0 */
#include "make.h"

Test(registry, finds_a_domain_by_uuid_name_and_id)
{
    char root[64];
    owned(registry) struct registry *r = make_registry(root);
    struct domain *dom = make_domain(r, "vm", UUID_A);
    cr_assert_eq(registry_find(r, &dom->uuid), dom);
    cr_assert_eq(registry_find_name(r, "vm"), dom);
    cr_assert_null(registry_find_id(r, 1));
    domain_set_active(dom, registry_next_id(r));
    cr_assert_eq(registry_find_id(r, 1), dom);
    cr_assert_eq(dom->runtime.id, 1);
    domain_set_inactive(dom, SHUTOFF_DESTROYED);
    cr_assert_null(registry_find_id(r, 1));
    cr_assert_null(registry_find_id(r, -1));
    cr_assert_eq(dom->reason, SHUTOFF_DESTROYED);
    remove_root(root);
}

Test(registry, never_gives_an_id_out_twice)
{
    char root[64];
    owned(registry) struct registry *r = make_registry(root);
    struct domain *dom = make_domain(r, "vm", UUID_A);
    domain_set_active(dom, 41);         /* found running */
    domain_set_inactive(dom, SHUTOFF_DESTROYED);
    cr_assert_eq(registry_next_id(r), 42);
    cr_assert_eq(registry_next_id(r), 43);
    remove_root(root);
}

Test(registry, says_which_of_name_and_uuid_clashes)
{
    char root[64];
    error_scope(err);
    owned(registry) struct registry *r = make_registry(root);
    struct domain *dom = make_domain(r, "vm", UUID_A);
    struct uuid other;
    cr_assert(uuid_parse(UUID_B, &other));

    cr_assert_eq(registry_match(r, &dom->uuid, "vm", &err), dom);
    cr_assert_null(registry_match(r, &other, "new", &err));
    cr_assert_eq(err.code, ERR_NONE);

    cr_assert_null(registry_match(r, &other, "vm", &err));
    cr_assert_eq(err.code, ERR_OPERATION_FAILED);
    cr_assert_str_eq(error_text(&err), "domain 'vm' already exists with uuid " UUID_A);
    error_clear(&err);
    cr_assert_null(registry_match(r, &dom->uuid, "new", &err));
    cr_assert_eq(err.code, ERR_OPERATION_FAILED);
    cr_assert_str_eq(error_text(&err), "domain 'vm' is already defined with uuid " UUID_A);
    remove_root(root);
}

Test(registry, keeps_a_removed_domain_for_whoever_holds_it)
{
    char root[64];
    owned(registry) struct registry *r = make_registry(root);
    struct domain *dom = domain_ref(make_domain(r, "vm", UUID_A));
    registry_remove(dom);
    cr_assert(dom->removed);
    cr_assert_str_eq(dom->name, "vm");
    cr_assert_eq(registry_count(r), 0);
    registry_remove(dom);               /* twice is once */
    domain_unref(dom);
    remove_root(root);
}

Test(registry, holds_ten_thousand_domains)
{
    enum { MANY = 10000 };
    char root[64], name[16], uuid[40];
    size_t count;
    owned(registry) struct registry *r = make_registry(root);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "vm%d", i);
        snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012d", MANY - i);
        make_domain(r, name, uuid);
    }
    owned_memory struct domain **list = registry_list(r, &count);
    cr_assert_eq(count, MANY);
    for (size_t i = 1; i < count; i++)
        cr_assert_lt(memcmp(list[i - 1]->uuid.bytes, list[i]->uuid.bytes, 16), 0, "sorted by uuid");
    remove_root(root);
}

Test(registry, lists_what_is_left_in_order_of_uuid)
{
    char root[64], name[16], uuid[40];
    size_t count;
    owned(registry) struct registry *r = make_registry(root);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "vm%d", i);
        snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012d", i * 37 % 100);
        make_domain(r, name, uuid);
    }
    for (int i = 0; i < 100; i += 2) {
        snprintf(name, sizeof name, "vm%d", i);
        registry_remove(registry_find_name(r, name));
    }
    owned_memory struct domain **list = registry_list(r, &count);
    cr_assert_eq(count, 50);
    for (size_t i = 1; i < count; i++)
        cr_assert_lt(memcmp(list[i - 1]->uuid.bytes, list[i]->uuid.bytes, 16), 0);
    remove_root(root);
}

Test(domain, an_inactive_one_forgets_what_events_told)
{
    char root[64];
    owned(registry) struct registry *r = make_registry(root);
    struct domain *dom = make_domain(r, "vm", UUID_A);
    domain_set_active(dom, 1);
    domain_set_live(dom, dom->def);
    domain_set_pty(dom, "serial0", "/dev/pts/1");
    domain_set_pty(dom, "serial0", "/dev/pts/2");
    domain_set_pty(dom, "serial1", "/dev/pts/3");
    cr_assert_eq(dom->runtime.ptys_count, 2);
    cr_assert_str_eq(dom->runtime.ptys[0].path, "/dev/pts/2");
    cr_assert_eq(domain_current_def(dom), dom->live);
    domain_set_inactive(dom, SHUTOFF_SHUTDOWN);
    cr_assert_eq(dom->runtime.ptys_count, 0);
    cr_assert_null(dom->live);
    cr_assert_eq(domain_current_def(dom), dom->def);
    remove_root(root);
}

Test(places, no_name_reaches_a_path)
{
    struct uuid uuid;
    cr_assert(uuid_parse(UUID_A, &uuid));
    owned(places) struct places *p = places_new("/root");
    owned_memory char *log = place_log(p, "../a/b\n\"é", &uuid), *hidden = place_log(p, ".x.y", &uuid);
    cr_assert_str_eq(log, "/root/log/_._a_b____" "-" UUID_A ".log");
    cr_assert_str_eq(hidden, "/root/log/_x.y-" UUID_A ".log");
    owned_memory char *definition = place_definition(p, &uuid), *monitor = place_monitor(p, 7);
    cr_assert_str_eq(definition, "/root/lib/domains/" UUID_A ".xml");
    cr_assert_str_eq(monitor, "/root/run/m/7.sock");
}

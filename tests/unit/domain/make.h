/* SPDX-License-Identifier: Apache-2.0 */
/* Domains and roots for tests. */
#pragma once
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "base/memory.h"
#include "domain/registry.h"
#include "loop/loop.h"

/* A registry over a root of its own. */
static inline struct registry *make_registry(char root[64])
{
    error_scope(err);
    snprintf(root, 64, "/tmp/domain-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
    struct places *places = places_new(root);
    cr_assert_eq(places_make(places, &err), 0, "%s", error_text(&err));
    return registry_new(places);
}

static inline void remove_root(const char *root)
{
    owned_memory char *command = memory_printf("rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

static inline struct domain_def *make_def(const char *name, const char *uuid)
{
    error_scope(err);
    const struct conf_defaults defaults = { .arch = "x86_64", .emulator = "/bin/false" };
    owned_memory char *xml = memory_printf(
        "<domain type='qemu'><name>%s</name><uuid>%s</uuid><memory unit='MiB'>64</memory><vcpu>1</vcpu>"
        "<os><type arch='x86_64' machine='pc'>hvm</type></os></domain>", name, uuid);
    struct domain_def *def = domain_def_parse(xml, strlen(xml), 0, &defaults, NULL, &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    return def;
}

#define UUID_A "11111111-1111-4111-8111-111111111111"
#define UUID_B "22222222-2222-4222-8222-222222222222"

static inline struct domain *make_domain(struct registry *registry, const char *name, const char *uuid)
{
    owned(domain_def) struct domain_def *def = make_def(name, uuid);
    struct domain *dom = registry_add(registry, def);
    dom->persistent = true;
    return dom;
}

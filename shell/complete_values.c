/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/complete_values.h"

#include <string.h>

#include "base/text.h"
#include "shell/qom.h"
#include "shell/session.h"

enum { PATIENCE = 2000 }; /* milliseconds: a key was pressed, not a command given */

struct question {
    struct client *client;
    const char *const *words;
    size_t count;
    const char *begun;
    struct completions *out;
};

void completions_add(struct completions *out, const char *word, const char *begun)
{
    if (text_starts(word, begun))
        vector_push(&out->words, memory_copy_text(word));
}

static void add_domains(struct session *session, const struct question *q)
{
    enum { ALL = 3 };
    error_scope(ignored);
    remote_connect_list_all_domains_args args = { .need_results = 1, .flags = ALL };
    reply_scope(connect_list_all_domains, found);
    client_connect_list_all_domains(q->client, &args, &found, &ignored);
    for (u_int i = 0; i < found.domains.domains_len; i++)
        completions_add(q->out, found.domains.domains_val[i].name, q->begun);
}

static void add_devices(struct session *session, const struct question *q)
{
    error_scope(ignored);
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_devices, devices);
    if (q->count == 0 || !session_domain_named(session, q->words[0], &found, &ignored))
        return;
    domus_devices_args args = { .dom = found.dom };
    client_domus_devices(q->client, &args, &devices, &ignored);
    for (u_int i = 0; i < devices.devices.devices_len; i++)
        completions_add(q->out, devices.devices.devices_val[i].alias, q->begun);
}

/* The tree at `path` and below of the domain that was named. */
static int read_tree(struct session *session, const struct question *q, char *path,
                     domus_qom_tree_reply *ret_tree)
{
    error_scope(ignored);
    reply_scope(domain_lookup_by_name, found);
    if (!session_domain_named(session, q->words[0], &found, &ignored))
        return -1;
    domus_qom_tree_args args = { .dom = found.dom, .path = &path };
    return client_domus_qom_tree(q->client, &args, ret_tree, &ignored);
}

/* Where to look for what was begun: below the last slash, or, for a word without one, among the devices. */
static char *parent_of(const char *begun)
{
    const char *slash = strrchr(begun, '/');
    if (!slash)
        return memory_copy_text("/machine/peripheral");
    return slash == begun ? memory_copy_text("/") : memory_copy_bytes(begun, (size_t) (slash - begun));
}

static void add_objects(struct session *session, const struct question *q)
{
    owned_memory char *parent = parent_of(q->begun);
    size_t above = text_equal(parent, "/") ? 0 : strlen(parent);
    reply_scope(domus_qom_tree, tree);
    if (q->count == 0 || read_tree(session, q, parent, &tree) < 0)
        return;
    for (u_int i = 1; i < tree.objects.objects_len; i++) {
        const char *path = tree.objects.objects_val[i].path, *last = strrchr(path, '/');
        if (last == path + above)
            completions_add(q->out, strchr(q->begun, '/') ? path : last + 1, q->begun);
    }
}

static void add_properties(struct session *session, const struct question *q)
{
    owned_memory char *path = q->count > 1 ? qom_full_path(q->words[1]) : NULL;
    reply_scope(domus_qom_tree, tree);
    if (!path || read_tree(session, q, path, &tree) < 0 || tree.objects.objects_len == 0)
        return;
    const domus_qom_object *object = &tree.objects.objects_val[0];
    for (u_int i = 0; i < object->properties.properties_len; i++)
        completions_add(q->out, object->properties.properties_val[i].name, q->begun);
}

static const struct {
    enum parameter_kind kind;
    void (*add)(struct session *session, const struct question *q);
} kinds[] = {
    { PARAMETER_DOMAIN, add_domains },
    { PARAMETER_DEVICE, add_devices },
    { PARAMETER_OBJECT, add_objects },
    { PARAMETER_PROPERTY, add_properties },
};

void complete_value(struct session *session, enum parameter_kind kind, const char *const *words, size_t count,
                    const char *begun, struct completions *out)
{
    error_scope(ignored);
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (kinds[i].kind != kind)
            continue;
        const struct question q = { session_client(session, &ignored), words, count, begun, out };
        if (!q.client)
            return;
        client_set_deadline(q.client, PATIENCE);
        kinds[i].add(session, &q);
        client_set_deadline(q.client, 0);
    }
}

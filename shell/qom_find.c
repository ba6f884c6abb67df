/* SPDX-License-Identifier: Apache-2.0 */
/* qom-find: objects and properties that fit patterns, in one running domain or in all. */
#include <stdio.h>

#include "base/uuid.h"
#include "shell/arguments.h"
#include "shell/qom.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    { "domain", PARAMETER_DOMAIN, .position = true, .help = "only this domain; else all that run" },
    { "type", PARAMETER_TEXT, .value = "pattern", .help = "objects of this type" },
    { "path", PARAMETER_TEXT, .value = "pattern", .help = "objects with this path" },
    { "property", PARAMETER_TEXT, .value = "pattern", .help = "properties of this name" },
    { "value", PARAMETER_TEXT, .value = "pattern", .help = "properties with this value" },
    { "refresh", PARAMETER_FLAG, .help = "pull the trees again first" },
    JSON_PARAMETER,
    { 0 },
};

struct search {
    const struct arguments *arguments;
    bool many; /* more than one domain: each line names it */
    bool json;
    struct json_writer w;
    unsigned failed;
};

static void print_match(const struct search *s, const remote_nonnull_domain *dom, const domus_qom_match *m)
{
    if (s->many)
        printf("%s: ", dom->name);
    if (m->property)
        printf("%s %s: %s\n", m->path, *m->property, qom_shown(m->value));
    else
        printf("%s (%s)\n", m->path, m->type);
}

static void add_match(struct json_writer *w, const remote_nonnull_domain *dom, const domus_qom_match *m)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format((const struct uuid *) dom->uuid, uuid);
    json_open(w, '{');
    json_key(w, "domain"), json_string(w, dom->name);
    json_key(w, "uuid"), json_string(w, uuid);
    json_key(w, "path"), json_string(w, m->path);
    json_key(w, "type"), json_string(w, m->type);
    if (m->property) {
        json_key(w, "property"), json_string(w, *m->property);
        json_key(w, "property_type"), json_string(w, *m->property_type);
        qom_add_value(w, "value", m->value);
    }
    json_close(w, '}');
}

static int search_domain(struct search *s, struct client *client, const remote_nonnull_domain *dom,
                         struct error *err)
{
    char *patterns[] = {
        (char *) argument_text(s->arguments, "path"),
        (char *) argument_text(s->arguments, "type"),
        (char *) argument_text(s->arguments, "property"),
        (char *) argument_text(s->arguments, "value"),
    };
    domus_qom_find_args args = {
        .dom = *dom,
        .path = patterns[0] ? &patterns[0] : NULL,
        .type = patterns[1] ? &patterns[1] : NULL,
        .property = patterns[2] ? &patterns[2] : NULL,
        .value = patterns[3] ? &patterns[3] : NULL,
        .flags = argument_flag(s->arguments, "refresh") ? DOMUS_QOM_REFRESH : 0,
    };
    reply_scope(domus_qom_find, reply);
    if (client_domus_qom_find(client, &args, &reply, err) < 0)
        return -1;
    for (u_int i = 0; i < reply.matches.matches_len; i++)
        if (s->json)
            add_match(&s->w, dom, &reply.matches.matches_val[i]);
        else
            print_match(s, dom, &reply.matches.matches_val[i]);
    if (reply.total > reply.matches.matches_len)
        return fail(err, ERR_OPERATION_FAILED,
                    "domain '%s': these are the first %u of %llu; narrow the patterns", dom->name,
                    reply.matches.matches_len, (unsigned long long) reply.total);
    return 0;
}

/* A domain that cannot be searched does not keep the others from it; that it was not, is said. */
static int search_all(struct search *s, struct client *client, struct error *err)
{
    enum { ACTIVE = 1 };
    remote_connect_list_all_domains_args args = { .need_results = 1, .flags = ACTIVE };
    reply_scope(connect_list_all_domains, found);
    if (client_connect_list_all_domains(client, &args, &found, err) < 0)
        return -1;
    for (u_int i = 0; i < found.domains.domains_len; i++) {
        error_scope(one);
        if (search_domain(s, client, &found.domains.domains_val[i], &one) == 0)
            continue;
        s->failed++;
        fail(err, one.code, "%s", error_text(&one));
    }
    return s->failed ? fail_in(err, "%u of %u domains", s->failed, found.domains.domains_len) : 0;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    bool one = argument_text(arguments, "domain") != NULL;
    owned_buffer struct buffer out = { 0 };
    struct search s = { .arguments = arguments,
                        .many = !one,
                        .json = argument_flag(arguments, "json"),
                        .w = { .out = &out, .spaced = true } };
    reply_scope(domain_lookup_by_name, found);
    struct client *client =
        one ? session_domain(session, arguments, &found, err) : session_client(session, err);
    if (!client)
        return COMMAND_FAILED;
    json_open(&s.w, '[');
    int rc = one ? search_domain(&s, client, &found.dom, err) : search_all(&s, client, err);
    json_close(&s.w, ']');
    if (s.json)
        session_show_json(session, buffer_text(&out));
    return rc < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command qom_find_command = {
    .name = "qom-find",
    .group = "Emulator",
    .summary = "find objects and properties in the trees of running emulators",
    .about =
        "In a pattern, '*' is any text and '?' any one character.  With --property or --value properties are "
        "found, else objects.  A text value fits with or without its quotes.",
    .parameters = parameters,
    .run = run,
};

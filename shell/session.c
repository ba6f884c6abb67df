/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "base/uuid.h"
#include "shell/arguments.h"
#include "shell/listing.h"

void session_done(struct session *session)
{
    session_disconnect(session);
    free(session->where);
    *session = (struct session) { 0 };
}

struct client *session_client(struct session *session, struct error *err)
{
    if (session->client && !client_is_connected(session->client))
        session_disconnect(session);            /* the daemon was restarted since */
    if (session->client)
        return session->client;
    session->client = client_open(session->where, session->read_only ? CLIENT_READ_ONLY : 0, err);
    if (session->client)
        client_set_keepalive(session->client, session->ping_seconds * 1000, session->ping_count);
    return session->client;
}

void session_disconnect(struct session *session)
{
    client_free(session->client);
    session->client = NULL;
}

/* The two other ways to name a domain.  A failure means only that the word is something else. */
static bool find_by_id(struct client *client, const char *word, domain_lookup_by_name_reply *ret_found)
{
    uint64_t id;
    error_scope(ignored);
    if (!text_to_u64(word, INT32_MAX, &id))
        return false;
    remote_domain_lookup_by_id_args args = { .id = (int) id };
    reply_scope(domain_lookup_by_id, found);
    if (client_domain_lookup_by_id(client, &args, &found, &ignored) < 0)
        return false;
    ret_found->dom = found.dom;
    found = (domain_lookup_by_id_reply) { 0 };
    return true;
}

static bool find_by_uuid(struct client *client, const char *word, domain_lookup_by_name_reply *ret_found)
{
    struct uuid uuid;
    error_scope(ignored);
    if (strlen(word) != UUID_TEXT_SIZE - 1 || !uuid_parse(word, &uuid))
        return false;
    remote_domain_lookup_by_uuid_args args;
    memcpy(args.uuid, uuid.bytes, sizeof args.uuid);
    reply_scope(domain_lookup_by_uuid, found);
    if (client_domain_lookup_by_uuid(client, &args, &found, &ignored) < 0)
        return false;
    ret_found->dom = found.dom;
    found = (domain_lookup_by_uuid_reply) { 0 };
    return true;
}

struct client *session_domain_named(struct session *session, const char *word,
                                    domain_lookup_by_name_reply *ret_found, struct error *err)
{
    struct client *client = session_client(session, err);
    if (!client)
        return NULL;
    if (find_by_id(client, word, ret_found) || find_by_uuid(client, word, ret_found))
        return client;
    remote_domain_lookup_by_name_args args = { .name = (char *) word };
    if (client_domain_lookup_by_name(client, &args, ret_found, err) == 0)
        return client;
    fail_in(err, "failed to get domain '%s'", word);
    return NULL;
}

struct client *session_domain(struct session *session, const struct arguments *arguments,
                              domain_lookup_by_name_reply *ret_found, struct error *err)
{
    return session_domain_named(session, argument_text(arguments, "domain"), ret_found, err);
}

void session_confirm(const struct session *session, const char *format, ...)
{
    if (session->quiet)
        return;
    va_list ap;
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
}

void session_show(struct session *session, const struct arguments *arguments, const struct listing *listing,
                  int pairs)
{
    owned_buffer struct buffer out = { 0 };
    if (argument_flag(arguments, "json")) {
        listing_format_json(listing, &out);
        session->spoke_json = true;
    } else if (pairs) {
        listing_format_pairs(listing, (size_t) pairs, &out);
    } else {
        listing_format_columns(listing, session->quiet, &out);
    }
    fputs(buffer_text(&out), stdout);
}

void session_show_json(struct session *session, const char *json)
{
    session->spoke_json = true;
    puts(json);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - one run of the shell: its connection, and what it says.
 *
 * The connection is made by the first command that needs one, so `help` works without a daemon, and again by
 * the first one that finds it lost.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "rpc/client.h"

struct arguments;
struct listing;

struct session {
    char *where;                        /* socket's path or URI; NULL: $DOMUS_URI, else the system's daemon */
    bool read_only;
    unsigned ping_seconds, ping_count;  /* of a daemon that is silent while we wait for it; 0: never */
    bool quiet;                         /* only what was asked for: no headings, no confirmations */
    bool spoke_json;                    /* the running command printed JSON, so no blank line follows */
    bool leave;                         /* `quit` */
    struct client *client;              /* NULL until it is needed */
};

void session_done(struct session *session);

/* The connection, made if there is none; NULL with an error.  It is the session's. */
struct client *session_client(struct session *session, struct error *err);
void session_disconnect(struct session *session);

/* Finds the domain that the argument "domain" names, as virsh does: a number is an id first, 36 characters
 * are a uuid first, then it is a name.  The connection, or NULL with an error; release the reply with its
 * reply_scope(). */
struct client *session_domain(struct session *session, const struct arguments *arguments,
                              domain_lookup_by_name_reply *ret_found, struct error *err);

/* The same for a word. */
struct client *session_domain_named(struct session *session, const char *word,
                                    domain_lookup_by_name_reply *ret_found, struct error *err);

/* A confirmation: what --quiet leaves out. */
void session_confirm(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints the listing: as JSON if the command has the flag --json and got it, else as columns or as pairs
 * whose titles take at least `pairs` characters (0: columns). */
void session_show(struct session *session, const struct arguments *arguments, const struct listing *listing,
                  int pairs);
/* Prints a JSON document that is text already. */
void session_show_json(struct session *session, const char *json);

/* SPDX-License-Identifier: Apache-2.0 */
/* capabilities, hostname, uri: what the daemon says of its host in one text. */
#include <stdio.h>

#include "shell/command.h"
#include "shell/session.h"

static int run_capabilities(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    reply_scope(connect_get_capabilities, reply);
    if (!client || client_connect_get_capabilities(client, NULL, &reply, err) < 0)
        return COMMAND_FAILED;
    puts(reply.capabilities);
    return COMMAND_DONE;
}

static int run_hostname(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    reply_scope(connect_get_hostname, reply);
    if (!client || client_connect_get_hostname(client, NULL, &reply, err) < 0)
        return COMMAND_FAILED;
    puts(reply.hostname);
    return COMMAND_DONE;
}

static int run_uri(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    reply_scope(connect_get_uri, reply);
    if (!client || client_connect_get_uri(client, NULL, &reply, err) < 0)
        return COMMAND_FAILED;
    puts(reply.uri);
    return COMMAND_DONE;
}

const struct command capabilities_command = {
    .name = "capabilities",
    .group = "Host",
    .summary = "print what the host and its emulators can do, as XML",
    .run = run_capabilities,
};
const struct command hostname_command = {
    .name = "hostname", .group = "Host", .summary = "print the host's name", .run = run_hostname,
};
const struct command uri_command = {
    .name = "uri", .group = "Host", .summary = "print the connection's URI", .run = run_uri,
};

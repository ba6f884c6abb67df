/* SPDX-License-Identifier: Apache-2.0 */
/* version: of the shell, the daemon, the protocol and the emulator. */
#include "config.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter parameters[] = { JSON_PARAMETER, { 0 } };

static const struct column columns[] = {
    { .title = "Shell" },      { .title = "Daemon" },   { .title = "Speaks libvirt" },
    { .title = "Hypervisor" }, { .title = "Emulator" }, { .title = "Override emulator" },
};

static void add_version(struct listing *listing, const char *name, unsigned long long version)
{
    listing_printf(listing, "%s%llu.%llu.%llu", name, version / 1000000, version / 1000 % 1000,
                   version % 1000);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    enum { TITLE_WIDTH = 18 };
    struct client *client = session_client(session, err);
    error_scope(no_emulator);
    reply_scope(domus_version, daemon);
    reply_scope(connect_get_lib_version, protocol);
    reply_scope(connect_get_version, hypervisor);
    if (!client || client_domus_version(client, NULL, &daemon, err) < 0 ||
        client_connect_get_lib_version(client, NULL, &protocol, err) < 0)
        return COMMAND_FAILED;
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    listing_add(listing, "domsh " PACKAGE_VERSION);
    listing_printf(listing, "domusd %s", daemon.project_version);
    add_version(listing, "", protocol.lib_ver);
    if (client_connect_get_version(client, NULL, &hypervisor, &no_emulator) == 0)
        add_version(listing, "QEMU ", hypervisor.hv_ver);
    else
        listing_add(listing, NULL);
    listing_add(listing, daemon.emulator ? *daemon.emulator : NULL);
    listing_add(listing, daemon.override_emulator ? *daemon.override_emulator : NULL);
    session_show(session, arguments, listing, TITLE_WIDTH);
    return COMMAND_DONE;
}

const struct command version_command = {
    .name = "version",
    .group = "Host",
    .summary = "print the versions of shell, daemon and emulator",
    .parameters = parameters,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* ttyconsole, vncdisplay, domdisplay: where a running guest can be seen. */
#include <stdio.h>

#include "base/text.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/definition.h"
#include "shell/session.h"

enum { VNC_FIRST_PORT = 5900 };

static const struct parameter parameters[] = { DOMAIN_PARAMETER, { 0 } };

static struct domain_def *running_definition(struct session *session, const struct arguments *arguments,
                                             struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return NULL;
    if (found.dom.id != -1)
        return definition_fetch(client, &found.dom, false, err);
    fail(err, ERR_OPERATION_INVALID, "Domain is not running");
    return NULL;
}

static int run_tty(struct session *session, const struct arguments *arguments, struct error *err)
{
    owned(domain_def) struct domain_def *def = running_definition(session, arguments, err);
    if (!def)
        return COMMAND_FAILED;
    const struct chardev *console = def->consoles.count ? def->consoles.items[0] : NULL;
    const char *tty = console && console->tty ? console->tty : console ? console->path : NULL;
    if (!tty)
        return fail(err, ERR_OPERATION_INVALID, "the domain's console is no pty");
    puts(tty);
    return COMMAND_DONE;
}

static const struct graphics *find_vnc(const struct domain_def *def, struct error *err)
{
    for (size_t i = 0; i < def->graphics.count; i++) {
        const struct graphics *graphics = def->graphics.items[i];
        if (graphics->type == GRAPHICS_VNC && graphics->port.set && graphics->port.value >= VNC_FIRST_PORT)
            return graphics;
    }
    fail(err, ERR_OPERATION_INVALID, "Failed to get VNC port. Is this domain using VNC?");
    return NULL;
}

/* "" for an address that stands for the whole host, or for this one. */
static const char *listen_address(const struct graphics *graphics)
{
    const char *address = graphics->listen;
    if (!address && graphics->listens.count)
        address = graphics->listens.items[0]->address;
    return !address || text_equal(address, "0.0.0.0") ? "" : address;
}

static int run_vnc(struct session *session, const struct arguments *arguments, struct error *err)
{
    owned(domain_def) struct domain_def *def = running_definition(session, arguments, err);
    const struct graphics *vnc = def ? find_vnc(def, err) : NULL;
    if (!vnc)
        return COMMAND_FAILED;
    printf("%s:%lld\n", listen_address(vnc), (long long) vnc->port.value - VNC_FIRST_PORT);
    return COMMAND_DONE;
}

static int run_display(struct session *session, const struct arguments *arguments, struct error *err)
{
    owned(domain_def) struct domain_def *def = running_definition(session, arguments, err);
    const struct graphics *vnc = def ? find_vnc(def, err) : NULL;
    if (!vnc)
        return COMMAND_FAILED;
    const char *address = listen_address(vnc);
    printf("vnc://%s:%lld", *address && !text_equal(address, "127.0.0.1") ? address : "localhost",
           (long long) vnc->port.value - VNC_FIRST_PORT);
    return COMMAND_DONE;
}

const struct command ttyconsole_command = {
    .name = "ttyconsole", .group = "Devices", .summary = "print which pty a running guest's console is",
    .parameters = parameters, .run = run_tty,
};
const struct command vncdisplay_command = {
    .name = "vncdisplay", .group = "Devices", .summary = "print a running guest's VNC display",
    .parameters = parameters, .run = run_vnc,
};
const struct command domdisplay_command = {
    .name = "domdisplay", .group = "Devices", .summary = "print the address of a running guest's screen",
    .parameters = parameters, .run = run_display,
};

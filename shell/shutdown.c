/* SPDX-License-Identifier: Apache-2.0 */
/* shutdown, reboot: ask the guest; reset: does not ask. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "mode", PARAMETER_TEXT, .help = "how: acpi, agent, initctl, signal, paravirt; several with commas" },
    { 0 },
};

/* libvirt's bits, in their order. */
static const char *const modes[] = { "acpi", "agent", "initctl", "signal", "paravirt" };

static int parse_modes(const char *text, unsigned *ret_flags, struct error *err)
{
    unsigned flags = 0;
    while (text && *text) {
        size_t length = strcspn(text, ",");
        owned_memory char *word = memory_copy_bytes(text, length);
        size_t i = 0;
        while (i < ARRAY_COUNT(modes) && !text_equal(modes[i], word))
            i++;
        if (i == ARRAY_COUNT(modes)) {
            fail(err, ERR_INVALID_ARG, "unknown mode '%s'; there are acpi, agent, initctl, signal, paravirt",
                 word);
            return COMMAND_MISUSED;
        }
        flags |= 1u << i;
        text += length + (text[length] == ',');
    }
    *ret_flags = flags;
    return COMMAND_DONE;
}

static int run_shutdown(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    unsigned flags;
    int wrong = parse_modes(argument_text(arguments, "mode"), &flags, err);
    if (wrong)
        return wrong;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_shutdown_flags_args args = { .dom = found.dom, .flags = flags };
    if (client_domain_shutdown_flags(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to shutdown domain '%s'", name);
    session_confirm(session, "Domain '%s' is being shutdown\n", name);
    return COMMAND_DONE;
}

static int run_reboot(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    unsigned flags;
    int wrong = parse_modes(argument_text(arguments, "mode"), &flags, err);
    if (wrong)
        return wrong;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_reboot_args args = { .dom = found.dom, .flags = flags };
    if (client_domain_reboot(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to reboot domain '%s'", name);
    session_confirm(session, "Domain '%s' is being rebooted\n", name);
    return COMMAND_DONE;
}

static const struct parameter reset_parameters[] = { DOMAIN_PARAMETER, { 0 } };

static int run_reset(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_reset_args args = { .dom = found.dom };
    if (client_domain_reset(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to reset domain '%s'", name);
    session_confirm(session, "Domain '%s' was reset\n", name);
    return COMMAND_DONE;
}

const struct command shutdown_command = {
    .name = "shutdown", .group = "Life", .summary = "ask the guest to shut itself down",
    .about = "It may take its time, or not do it; destroy does not ask.",
    .parameters = parameters, .run = run_shutdown,
};
const struct command reboot_command = {
    .name = "reboot", .group = "Life", .summary = "ask the guest to start anew",
    .parameters = parameters, .run = run_reboot,
};
const struct command reset_command = {
    .name = "reset", .group = "Life", .summary = "start the guest anew at once, as its reset button would",
    .parameters = reset_parameters, .run = run_reset,
};

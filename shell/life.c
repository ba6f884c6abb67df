/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do one thing to one domain: each command is a row. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

/* A flag of the command, and its bit in the call. */
struct bit { const char *option; unsigned bit; };

typedef int call_fn(struct client *client, const remote_nonnull_domain *dom, unsigned flags,
                    struct error *err);

struct deed {
    const char *command;
    call_fn *call;
    const struct bit *bits;             /* ends with a row without an option; NULL: none */
    const char *verb, *done;            /* "Failed to VERB domain", "Domain 'x' DONE"; NULL: nothing */
};

static const struct deed *find_deed(const struct command *command);

/* libvirt's bits, in their order. */
static const char *const modes[] = { "acpi", "agent", "initctl", "signal", "paravirt" };

/* "acpi,agent", or NULL. */
static int parse_modes(const char *text, unsigned *flags, struct error *err)
{
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
        *flags |= 1u << i;
        text += length + (text[length] == ',');
    }
    return COMMAND_DONE;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const struct deed *deed = find_deed(arguments_command(arguments));
    unsigned flags = 0;
    int wrong = parse_modes(argument_text(arguments, "mode"), &flags, err);
    if (wrong)
        return wrong;
    for (const struct bit *bit = deed->bits; bit && bit->option; bit++)
        flags |= argument_flag(arguments, bit->option) ? bit->bit : 0;
    const char *name = argument_text(arguments, "domain");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if (deed->call(client, &found.dom, flags, err) < 0)
        return fail_in(err, "Failed to %s domain '%s'", deed->verb, name);
    if (deed->done)
        session_confirm(session, "Domain '%s' %s\n", name, deed->done);
    return COMMAND_DONE;
}

#define CALL(name) \
    static int call_##name(struct client *client, const remote_nonnull_domain *dom, unsigned flags, \
                           struct error *err) \
    { \
        remote_domain_##name##_args args = { .dom = *dom, .flags = flags }; \
        return client_domain_##name(client, &args, NULL, err); \
    }
/* The oldest ones have no flags. */
#define PLAIN_CALL(name) \
    static int call_##name(struct client *client, const remote_nonnull_domain *dom, unsigned flags, \
                           struct error *err) \
    { \
        remote_domain_##name##_args args = { .dom = *dom }; \
        return client_domain_##name(client, &args, NULL, err); \
    }
CALL(create_with_flags)
CALL(shutdown_flags)
CALL(reboot)
CALL(reset)
CALL(inject_nmi)
CALL(destroy_flags)
CALL(undefine_flags)
PLAIN_CALL(suspend)
PLAIN_CALL(resume)

static const struct parameter domain_only[] = { DOMAIN_PARAMETER, { 0 } };

static const struct parameter start_parameters[] = {
    DOMAIN_PARAMETER,
    { "paused", PARAMETER_FLAG, .help = "do not let the guest run yet" },
    { 0 },
};
static const struct bit start_bits[] = { { "paused", 0x1 }, { 0 } };
const struct command start_command = {
    .name = "start", .group = "Life", .summary = "run a defined domain",
    .parameters = start_parameters, .run = run,
};

static const struct parameter mode_parameters[] = {
    DOMAIN_PARAMETER,
    { "mode", PARAMETER_TEXT, .help = "how: acpi, agent, initctl, signal, paravirt; several with commas" },
    { 0 },
};
const struct command shutdown_command = {
    .name = "shutdown", .group = "Life", .summary = "ask the guest to shut itself down",
    .about = "It may take its time, or not do it; destroy does not ask.",
    .parameters = mode_parameters, .run = run,
};
const struct command reboot_command = {
    .name = "reboot", .group = "Life", .summary = "ask the guest to start anew",
    .parameters = mode_parameters, .run = run,
};
const struct command reset_command = {
    .name = "reset", .group = "Life", .summary = "start the guest anew at once, as its reset button would",
    .parameters = domain_only, .run = run,
};
const struct command suspend_command = {
    .name = "suspend", .group = "Life", .summary = "halt a domain's processors",
    .parameters = domain_only, .run = run,
};
const struct command resume_command = {
    .name = "resume", .group = "Life", .summary = "let a suspended domain go on",
    .parameters = domain_only, .run = run,
};
const struct command inject_nmi_command = {
    .name = "inject-nmi", .group = "Life", .summary = "interrupt a guest so that it must notice",
    .about = "A guest that hangs may be set up to dump its memory then.",
    .parameters = domain_only, .run = run,
};

static const struct parameter destroy_parameters[] = {
    DOMAIN_PARAMETER,
    { "graceful", PARAMETER_FLAG, .help = "fail rather than kill an emulator that does not end by itself" },
    { 0 },
};
static const struct bit destroy_bits[] = { { "graceful", 0x1 }, { 0 } };
const struct command destroy_command = {
    .name = "destroy", .group = "Life", .summary = "end a domain at once, as if its plug were pulled",
    .about = "The definition stays.  Without --graceful, an emulator that does not end when asked is killed.",
    .parameters = destroy_parameters, .run = run,
};

static const struct parameter undefine_parameters[] = {
    DOMAIN_PARAMETER,
    { "managed-save", PARAMETER_FLAG, .help = "remove the managed save image, too" },
    { "snapshots-metadata", PARAMETER_FLAG, .help = "remove what is known of snapshots, too" },
    { "nvram", PARAMETER_FLAG, .help = "remove the firmware's variables, too" },
    { "keep-nvram", PARAMETER_FLAG, .help = "keep the firmware's variables" },
    { 0 },
};
static const struct bit undefine_bits[] = {
    { "managed-save", 0x1 }, { "snapshots-metadata", 0x2 }, { "nvram", 0x4 }, { "keep-nvram", 0x8 }, { 0 },
};
const struct command undefine_command = {
    .name = "undefine", .group = "Definitions", .summary = "forget a domain's definition",
    .about = "A running domain goes on, and is gone when it ends.",
    .parameters = undefine_parameters, .run = run,
};

static const struct deed deeds[] = {
    { "start", call_create_with_flags, start_bits, "start", "started" },
    { "shutdown", call_shutdown_flags, NULL, "shutdown", "is being shutdown" },
    { "reboot", call_reboot, NULL, "reboot", "is being rebooted" },
    { "reset", call_reset, NULL, "reset", "was reset" },
    { "suspend", call_suspend, NULL, "suspend", "suspended" },
    { "resume", call_resume, NULL, "resume", "resumed" },
    { "inject-nmi", call_inject_nmi, NULL, "inject NMI into", NULL },
    { "destroy", call_destroy_flags, destroy_bits, "destroy", "destroyed" },
    { "undefine", call_undefine_flags, undefine_bits, "undefine", "has been undefined" },
};

static const struct deed *find_deed(const struct command *command)
{
    const struct deed *deed = deeds;
    while (!text_equal(deed->command, command->name))
        deed++;
    return deed;
}

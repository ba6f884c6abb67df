/* SPDX-License-Identifier: Apache-2.0 */
/* domcapabilities, cpu-models: what a kind of guest can have. */
#include <stdio.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    { "virttype", PARAMETER_TEXT, .position = true, .help = "qemu or kvm" },
    { "emulatorbin", PARAMETER_TEXT, .position = true, .help = "path of the emulator" },
    { "arch", PARAMETER_TEXT, .position = true, .help = "architecture" },
    { "machine", PARAMETER_TEXT, .position = true, .help = "machine type" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    char *emulator = (char *) argument_text(arguments, "emulatorbin"),
         *arch = (char *) argument_text(arguments, "arch");
    char *machine = (char *) argument_text(arguments, "machine"),
         *type = (char *) argument_text(arguments, "virttype");
    struct client *client = session_client(session, err);
    remote_connect_get_domain_capabilities_args args = {
        .emulatorbin = emulator ? &emulator : NULL,
        .arch = arch ? &arch : NULL,
        .machine = machine ? &machine : NULL,
        .virttype = type ? &type : NULL,
    };
    reply_scope(connect_get_domain_capabilities, reply);
    if (!client || client_connect_get_domain_capabilities(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    puts(reply.capabilities);
    return COMMAND_DONE;
}

static const struct parameter models_parameters[] = {
    { "arch", PARAMETER_TEXT, .position = true, .required = true, .help = "architecture" },
    { 0 },
};

static int run_models(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    remote_connect_get_cpu_model_names_args args = {
        .arch = (char *) argument_text(arguments, "arch"),
        .need_results = 1,
    };
    reply_scope(connect_get_cpu_model_names, reply);
    if (!client || client_connect_get_cpu_model_names(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    for (u_int i = 0; i < reply.models.models_len; i++)
        puts(reply.models.models_val[i]);
    return COMMAND_DONE;
}

const struct command domcapabilities_command = {
    .name = "domcapabilities", .group = "Host", .summary = "print what a kind of guest can have, as XML",
    .parameters = parameters, .run = run,
};
const struct command cpu_models_command = {
    .name = "cpu-models", .group = "Host", .summary = "list the emulator's processor models",
    .parameters = models_parameters, .run = run_models,
};

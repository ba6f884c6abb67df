/* SPDX-License-Identifier: Apache-2.0 */
/* define: makes a domain from XML, or replaces its definition; tells all that was found. */
#include <stdio.h>

#include "shell/command.h"
#include "shell/faults.h"
#include "shell/session.h"
#include "shell/xml_file.h"

static const struct parameter parameters[] = {
    XML_FILE_PARAMETER,
    { "validate", PARAMETER_FLAG, .help = "refuse what nobody knows instead of dropping it" },
    { 0 },
};

static void say_findings(const char *file, const domus_define_reply *reply)
{
    for (u_int i = 0; i < reply->findings.findings_len; i++) {
        const domus_finding *finding = &reply->findings.findings_val[i];
        fault_print(stderr, file, finding->severity == DOMUS_FINDING_ERROR, finding->line, finding->path,
                    finding->message);
    }
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *file = argument_text(arguments, "file");
    owned_buffer struct buffer xml = { 0 };
    struct client *client = session_client(session, err);
    if (!client || xml_file_read(file, &xml, err) < 0)
        return COMMAND_FAILED;
    domus_define_args args = {
        .xml = (char *) buffer_text(&xml),
        .flags = argument_flag(arguments, "validate") ? DOMUS_DEFINE_VALIDATE : 0,
    };
    reply_scope(domus_define, reply);
    if (client_domus_define(client, &args, &reply, err) < 0)
        return fail_in(err, "Failed to define domain from %s", file);
    say_findings(file, &reply);
    if (!reply.dom)
        return fail(err, ERR_XML, "Failed to define domain from %s: %s", file,
                    reply.message ? *reply.message : "the daemon does not say why");
    session_confirm(session, "Domain '%s' defined from %s\n", reply.dom->name, file);
    return COMMAND_DONE;
}

const struct command define_command = {
    .name = "define",
    .group = "Definitions",
    .summary = "define a domain from an XML file, without starting it",
    .about = "Every fault of the XML is told with its line, and what was dropped or ignored is warned of.",
    .parameters = parameters,
    .run = run,
};

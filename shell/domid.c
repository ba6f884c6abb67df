/* SPDX-License-Identifier: Apache-2.0 */
/* domid, domname, domuuid: one name of a domain for another. */
#include <stdio.h>

#include "base/uuid.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = { DOMAIN_PARAMETER, { 0 } };

static int run_id(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    if (!session_domain(session, arguments, &found, err))
        return COMMAND_FAILED;
    if (found.dom.id == -1)
        puts("-");
    else
        printf("%d\n", found.dom.id);
    return COMMAND_DONE;
}

static int run_name(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    if (!session_domain(session, arguments, &found, err))
        return COMMAND_FAILED;
    puts(found.dom.name);
    return COMMAND_DONE;
}

static int run_uuid(struct session *session, const struct arguments *arguments, struct error *err)
{
    char uuid[UUID_TEXT_SIZE];
    reply_scope(domain_lookup_by_name, found);
    if (!session_domain(session, arguments, &found, err))
        return COMMAND_FAILED;
    uuid_format((const struct uuid *) found.dom.uuid, uuid);
    puts(uuid);
    return COMMAND_DONE;
}

const struct command domid_command = {
    .name = "domid", .group = "Domains", .summary = "print a running domain's number",
    .parameters = parameters, .run = run_id,
};
const struct command domname_command = {
    .name = "domname", .group = "Domains", .summary = "print a domain's name",
    .parameters = parameters, .run = run_name,
};
const struct command domuuid_command = {
    .name = "domuuid", .group = "Domains", .summary = "print a domain's uuid",
    .parameters = parameters, .run = run_uuid,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* domjobinfo, domjobabort: what is being done to a domain. */
#include <stdio.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"
#include "shell/typed.h"

static const struct parameter parameters[] = { DOMAIN_PARAMETER, { 0 } };

static int run_info(struct session *session, const struct arguments *arguments, struct error *err)
{
    static const char *const types[] = { "None", "Bounded", "Unbounded", "Completed", "Failed", "Cancelled" };
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_get_job_stats_args args = { .dom = found.dom };
    reply_scope(domain_get_job_stats, job);
    if (client_domain_get_job_stats(client, &args, &job, err) < 0)
        return COMMAND_FAILED;
    printf("%-17s %-12s\n",
           "Job type:", job.type >= 0 && job.type < (int) ARRAY_COUNT(types) ? types[job.type] : "?");
    for (u_int i = 0; i < job.params.params_len; i++) {
        owned_buffer struct buffer value = { 0 };
        typed_format(&job.params.params_val[i], &value);
        printf("%s: %s\n", job.params.params_val[i].field, buffer_text(&value));
    }
    return COMMAND_DONE;
}

static int run_abort(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_abort_job_args args = { .dom = found.dom };
    return client_domain_abort_job(client, &args, NULL, err);
}

const struct command domjobinfo_command = {
    .name = "domjobinfo", .group = "Emulator", .summary = "print what is being done to a domain",
    .parameters = parameters, .run = run_info,
};
const struct command domjobabort_command = {
    .name = "domjobabort", .group = "Emulator", .summary = "break off what is being done to a domain",
    .parameters = parameters, .run = run_abort,
};

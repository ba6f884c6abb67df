/* SPDX-License-Identifier: Apache-2.0 */
/* edit: a definition, in the user's editor. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "shell/command.h"
#include "shell/faults.h"
#include "shell/session.h"
#include "shell/xml_file.h"

extern char **environ;

enum { XML_SECURE = 1, XML_INACTIVE = 2, TEMPLATE_SUFFIX = 4 };

static const struct parameter parameters[] = { DOMAIN_PARAMETER, { 0 } };

static const char *editor_name(void)
{
    static const char *const variables[] = { "VISUAL", "EDITOR" };
    for (size_t i = 0; i < ARRAY_COUNT(variables); i++) {
        const char *name = getenv(variables[i]);
        if (name && *name)
            return name;
    }
    return "vi";
}

/* The name is a program, not a line for a shell. */
static int run_editor(const char *path, struct error *err)
{
    char *argv[] = { (char *) editor_name(), (char *) path, NULL };
    pid_t pid;
    int status, number = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    if (number)
        return fail_errno(err, number, "cannot run the editor '%s'; set VISUAL or EDITOR to a program",
                          argv[0]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return fail_errno(err, errno, "cannot wait for the editor");
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return fail(err, ERR_OPERATION_FAILED, "the editor '%s' failed; nothing was changed", argv[0]);
    return 0;
}

static int define(struct client *client, const char *path, struct buffer *xml, struct error *err)
{
    domus_define_args args = { .xml = (char *) buffer_text(xml), .flags = DOMUS_DEFINE_VALIDATE };
    reply_scope(domus_define, reply);
    if (client_domus_define(client, &args, &reply, err) < 0)
        return -1;
    for (u_int i = 0; i < reply.findings.findings_len; i++) {
        const domus_finding *finding = &reply.findings.findings_val[i];
        fault_print(stderr, path, finding->severity == DOMUS_FINDING_ERROR, finding->line, finding->path,
                    finding->message);
    }
    return reply.dom ? 0 : fail(err, ERR_XML, "%s", reply.message ? *reply.message : "the daemon refused it");
}

/* True if the user wants to go on editing. */
static bool asks_again(void)
{
    char line[16] = "";
    fprintf(stderr, "Edit again? [y/n] ");
    return isatty(STDIN_FILENO) && fgets(line, sizeof line, stdin) && (*line == 'y' || *line == 'Y');
}

static int edit(struct client *client, const char *before, const char *path, struct error *err)
{
    owned_buffer struct buffer after = { 0 };
    for (;;) {
        error_clear(err);
        if (run_editor(path, err) < 0 || file_read(path, XML_FILE_MAX, &after, err) < 0)
            return -1;
        if (text_equal(before, buffer_text(&after)))
            return 1;
        if (define(client, path, &after, err) == 0)
            return 0;
        fprintf(stderr, "error: %s\n", error_text(err));
        if (!asks_again())
            return -1;
    }
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_get_xml_desc_args args = { .dom = found.dom, .flags = XML_SECURE | XML_INACTIVE };
    reply_scope(domain_get_xml_desc, before);
    if (client_domain_get_xml_desc(client, &args, &before, err) < 0)
        return COMMAND_FAILED;

    const char *folder = getenv("TMPDIR");
    owned_memory char *path = memory_printf("%s/domsh-XXXXXX.xml", folder && *folder ? folder : "/tmp");
    owned_fd int fd = mkostemps(path, TEMPLATE_SUFFIX, O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, errno, "cannot create %s", path);
    int result = file_swap(path, before.xml, strlen(before.xml), 0600, err);
    if (result == 0)
        result = edit(client, before.xml, path, err);
    unlink(path);
    if (result < 0)
        return COMMAND_FAILED;
    session_confirm(session, result ? "Domain '%s' XML configuration not changed.\n"
                                    : "Domain '%s' XML configuration edited.\n", found.dom.name);
    return COMMAND_DONE;
}

const struct command edit_command = {
    .name = "edit",
    .group = "Definitions",
    .summary = "edit a domain's definition",
    .about =
        "The editor is $VISUAL, else $EDITOR, else vi.  What nobody knows is refused rather than dropped.",
    .parameters = parameters,
    .run = run,
};

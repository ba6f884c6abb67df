/* SPDX-License-Identifier: Apache-2.0 */
/* console: our terminal becomes the guest's. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

enum { CONSOLE_FORCE = 1, CONSOLE_SAFE = 2 };
enum { ESCAPE = 0x1d };                 /* ^] */
enum { SLICE = 250 };                   /* milliseconds: how long a signal may go unnoticed */

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "devname", PARAMETER_TEXT, .position = true, .value = "alias",
      .help = "which device, such as serial0; the first that is a pty if not given" },
    { "force", PARAMETER_FLAG, .help = "take it from the client that has it open" },
    { "safe", PARAMETER_FLAG, .help = "only if nobody else can have it open, which is always so here" },
    { 0 },
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
    ended = 1;
}

static void print(void *arg, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, stdout);
    fflush(stdout);
}

/* 1, or 0 if the user wants to leave, or -1. */
static int pass_keys(struct client *client, struct error *err)
{
    char keys[1024];
    ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return 1;
    if (count <= 0)
        return 0;
    const char *escape = memchr(keys, ESCAPE, (size_t) count);
    size_t length = escape ? (size_t) (escape - keys) : (size_t) count;
    if (client_stream_send(client, keys, length, err) < 0)
        return -1;
    return !escape;
}

/* Until the user leaves (1), the guest goes (0), or the stream fails (-1). */
static int pass_bytes(struct client *client, struct error *err)
{
    int rc = client_stream_receive(client, 0, print, NULL, err);       /* what came with the reply */
    while (rc > 0 && !ended) {
        struct pollfd ready[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                                  { .fd = client_fd(client), .events = POLLIN } };
        if (poll(ready, 2, SLICE) < 0)
            continue;                           /* a signal */
        if (ready[1].revents && (rc = client_stream_receive(client, 0, print, NULL, err)) <= 0)
            break;
        if (ready[0].revents && (rc = pass_keys(client, err)) == 0)
            return 1;
    }
    return rc;
}

static int talk(struct client *client, struct error *err)
{
    static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT };
    struct sigaction action = { .sa_handler = on_signal }, before[ARRAY_COUNT(signals)];
    struct termios usual, raw;
    if (tcgetattr(STDIN_FILENO, &usual) < 0)
        return fail_errno(err, errno, "cannot ask the terminal for its mode");
    raw = usual;
    cfmakeraw(&raw);
    ended = 0;
    for (size_t i = 0; i < ARRAY_COUNT(signals); i++)
        sigaction(signals[i], &action, &before[i]);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    int rc = pass_bytes(client, err);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &usual);
    for (size_t i = 0; i < ARRAY_COUNT(signals); i++)
        sigaction(signals[i], &before[i], NULL);
    putchar('\n');
    return rc < 0 ? -1 : client_stream_finish(client, err);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    char *alias = (char *) argument_text(arguments, "devname");
    if (!isatty(STDIN_FILENO))
        return fail(err, ERR_OPERATION_INVALID, "console needs a terminal: standard input is none");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_open_console_args args = {
        .dom = found.dom,
        .dev_name = alias ? &alias : NULL,
        .flags = (argument_flag(arguments, "force") ? CONSOLE_FORCE : 0) |
                 (argument_flag(arguments, "safe") ? CONSOLE_SAFE : 0),
    };
    if (client_domain_open_console(client, &args, NULL, err) < 0)
        return COMMAND_FAILED;
    client_stream_begin(client, procedure_find(PROGRAM_REMOTE, 201));
    session_confirm(session, "Connected to domain '%s'\nEscape character is ^] (Ctrl + ])\n", found.dom.name);
    fflush(stdout);
    return talk(client, err) < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command console_command = {
    .name = "console",
    .group = "Devices",
    .summary = "make this terminal the guest's console",
    .about = "^] leaves it.  One client at a time has a console; it ends when the guest does.",
    .parameters = parameters,
    .run = run,
};

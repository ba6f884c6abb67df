/* SPDX-License-Identifier: Apache-2.0 */
/* domsh: a shell for domusd.  It runs the command given, or else prompts or reads standard input. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "config.h"
#include "shell/command.h"
#include "shell/complete.h"
#include "shell/prompt.h"
#include "shell/session.h"
#include "shell/words.h"

static const struct option options[] = {
    { "connect", required_argument, NULL, 'c' },
    { "readonly", no_argument, NULL, 'r' },
    { "quiet", no_argument, NULL, 'q' },
    { "keepalive-interval", required_argument, NULL, 'k' },
    { "keepalive-count", required_argument, NULL, 'K' },
    { "complete", required_argument, NULL, 'C' },
    { "version", no_argument, NULL, 'V' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

static void print_usage(FILE *out)
{
    fputs("usage: domsh [OPTION]... [COMMAND [ARGUMENT]...]\n\n"
          "  -c, --connect WHERE  a URI or a socket's path; else $DOMUS_URI, else /run/domus/domus-sock\n"
          "  -r, --readonly       only look\n"
          "  -q, --quiet          no headings and confirmations\n"
          "  -k, --keepalive-interval SECONDS\n"
          "                       ask a daemon that is silent while we wait for it whether it is there (5;\n"
          "                       0: wait for ever)\n"
          "  -K, --keepalive-count NUMBER\n"
          "                       how many such questions may stay unanswered (5)\n"
          "      --complete LINE  print the words that could end this line, for a shell's completion\n"
          "  -V, --version        print the version and exit\n"
          "  -h, --help           print this help and exit\n\n"
          "`domsh help` lists the commands.  Exit status: 0 done, 1 failed, 2 misused.\n", out);
}

static void print_completions(struct session *session, const char *line)
{
    struct completions found = { 0 };
    complete(session, line, &found);
    for (size_t i = 0; i < found.words.count; i++)
        puts(found.words.items[i]);
    completions_done(&found);
}

enum { PING_SECONDS = 5, PING_COUNT = 5, PING_MOST = 3600 };

static bool parse_number(char letter, const char *text, unsigned *ret_number)
{
    uint64_t number;
    if (!text_to_u64(text, PING_MOST, &number)) {
        fprintf(stderr, "error: -%c wants a number from 0 to %d\n", letter, PING_MOST);
        return false;
    }
    *ret_number = (unsigned) number;
    return true;
}

/* -1: go on; else the exit code. */
static int parse_options(int argc, char **argv, struct session *session)
{
    int letter;
    while ((letter = getopt_long(argc, argv, "+c:rqk:K:Vh", options, NULL)) != -1) {
        switch (letter) {
        case 'c': session->where = memory_copy_text(optarg); break;
        case 'r': session->read_only = true; break;
        case 'q': session->quiet = true; break;
        case 'k':
            if (!parse_number('k', optarg, &session->ping_seconds))
                return EXIT_MISUSED;
            break;
        case 'K':
            if (!parse_number('K', optarg, &session->ping_count))
                return EXIT_MISUSED;
            break;
        case 'C': print_completions(session, optarg); return EXIT_OK;
        case 'V': puts("domsh " PACKAGE_VERSION); return EXIT_OK;
        case 'h': print_usage(stdout); return EXIT_OK;
        default: print_usage(stderr); return EXIT_MISUSED;
        }
    }
    return -1;
}

/* One argument with blanks or semicolons is a line, as if it were typed: domsh 'start one; domid one'. */
static bool is_line(int count, const char *word)
{
    return count == 1 && strpbrk(word, " \t\n;");
}

/* What was said and did not arrive is a failure, as everywhere in a pipeline. */
static int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "error: the output cannot be written: %s\n", errno ? strerror(errno) : "it broke off");
    return code == EXIT_OK ? EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
    struct session session = { .ping_seconds = PING_SECONDS, .ping_count = PING_COUNT };
    files_fill_standard();
    int code = parse_options(argc, argv, &session);
    if (code < 0 && optind == argc)
        code = isatty(STDIN_FILENO) ? prompt_run(&session) : prompt_run_input(&session, stdin);
    else if (code < 0 && is_line(argc - optind, argv[optind]))
        code = prompt_run_line(&session, argv[optind]);
    else if (code < 0)
        code = command_run(&session, argv + optind, (size_t) (argc - optind));
    session_done(&session);
    return finish_output(code);
}

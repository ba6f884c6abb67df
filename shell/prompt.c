/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/prompt.h"

#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "shell/command.h"
#include "shell/complete.h"
#include "shell/session.h"
#include "shell/words.h"

enum { HISTORY_LINES = 1000 };

int prompt_run_line(struct session *session, const char *line)
{
    int code = EXIT_OK;
    while (code == EXIT_OK && !session->leave) {
        size_t count;
        error_scope(err);
        char **words = words_next(&line, &count, &err);
        if (!words && err.code == ERR_NONE)
            break;
        if (words) {
            code = command_run(session, words, count);
        } else {
            fprintf(stderr, "error: %s\n", error_text(&err));
            code = EXIT_MISUSED;
        }
        words_free(words);
    }
    return code;
}

int prompt_run_input(struct session *session, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    int code = EXIT_OK;
    while (!session->leave && getline(&line, &size, in) >= 0)
        code = prompt_run_line(session, line);
    free(line);
    return code;
}

static char *prompt_text(EditLine *editor)
{
    static char text[2][12] = { "domsh # ", "domsh > " };
    struct session *session = NULL;
    el_get(editor, EL_CLIENTDATA, &session);
    return text[session && session->read_only];
}

/* Prints the choices below the line; the line is drawn again after them. */
static void show_choices(const struct completions *found)
{
    putchar('\n');
    for (size_t i = 0; i < found->words.count; i++)
        printf("%s%s", found->words.items[i], (i + 1) % 6 && i + 1 < found->words.count ? "  " : "\n");
    fflush(stdout);
}

static size_t word_length(const char *line)
{
    const char *p = line + strlen(line);
    while (p > line && !strchr(" \t;", p[-1]))
        p--;
    return strlen(p);
}

static unsigned char on_tab(EditLine *editor, int key)
{
    struct session *session = NULL;
    el_get(editor, EL_CLIENTDATA, &session);
    const LineInfo *info = el_line(editor);
    owned_memory char *line = memory_copy_bytes(info->buffer, (size_t) (info->cursor - info->buffer));
    struct completions found = { 0 };
    complete(session, line, &found);
    unsigned char result = CC_ERROR;
    size_t begun = word_length(line), common = completions_common(&found);
    if (found.words.count && (common > begun || found.words.count == 1)) {
        owned_memory char *rest =
            memory_printf("%.*s%s", (int) (common - begun), found.words.items[0] + begun,
                          found.words.count == 1 ? " " : "");
        result = el_insertstr(editor, rest) == 0 ? CC_REFRESH : CC_ERROR;
    } else if (found.words.count) {
        show_choices(&found);
        result = CC_REDISPLAY;
    }
    completions_done(&found);
    return result;
}

/* NULL if there is no place for it. */
static char *history_path(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    error_scope(ignored);
    owned_memory char *folder = state && *state ? memory_copy_text(state)
                              : home && *home ? memory_printf("%s/.local/state", home) : NULL;
    if (!folder || folder_make(folder, 0700, &ignored) < 0)
        return NULL;
    return memory_printf("%s/domsh_history", folder);
}

/* While a line is edited ^C is a key like others, so no signal has to meet us waiting for the next one. */
static bool given_up;

static unsigned char on_give_up(EditLine *editor, int key)
{
    puts("^C");
    given_up = true;
    return CC_NEWLINE;
}

static EditLine *editor_new(struct session *session, History *past)
{
    EditLine *editor = el_init("domsh", stdin, stdout, stderr);
    if (!editor)
        return NULL;
    el_set(editor, EL_CLIENTDATA, session);
    el_set(editor, EL_PROMPT, prompt_text);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 1);
    el_set(editor, EL_HIST, history, past);
    el_set(editor, EL_ADDFN, "complete", "completes the word", on_tab);
    el_set(editor, EL_BIND, "^I", "complete", NULL);
    el_set(editor, EL_ADDFN, "give-up", "gives the line up", on_give_up);
    el_set(editor, EL_BIND, "^C", "give-up", NULL);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(editor, NULL);
    return editor;
}

/* Before the prompt is seen: a ^D typed then would be lost. */
static void take_terminal(EditLine *editor)
{
    struct termios mode;
    el_set(editor, EL_PREP_TERM, 1);
    if (tcgetattr(STDIN_FILENO, &mode) == 0) {
        mode.c_cc[VINTR] = _POSIX_VDISABLE;
        tcsetattr(STDIN_FILENO, TCSANOW, &mode);
    }
}

/* NULL at the end of input; "" for a line that the user gave up, or a signal of another origin ended. */
static const char *read_line(EditLine *editor)
{
    int length;
    given_up = false;
    take_terminal(editor);
    errno = 0;
    const char *line = el_gets(editor, &length);
    if (given_up || (length < 0 && errno == EINTR))
        return "";
    return length > 0 ? line : NULL;
}

/* Prompts until the end of input.  ^C ends a command that runs, and us with it, but nothing between commands.
 * The history is kept at each line, as a terminal may go at any time. */
static int read_commands(struct session *session, EditLine *editor, History *past, const char *history_file)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    HistEvent event;
    const char *line;
    int code = EXIT_OK;
    sigaction(SIGINT, &ignore, &before);
    while (!session->leave && (line = read_line(editor))) {
        if (!line[strspn(line, " \t\n")])
            continue;
        history(past, &event, H_ENTER, line);
        if (history_file)
            history(past, &event, H_SAVE, history_file);
        sigaction(SIGINT, &before, NULL);
        code = prompt_run_line(session, line);
        sigaction(SIGINT, &ignore, NULL);
    }
    if (!session->leave)
        putchar('\n');
    return code;
}

int prompt_run(struct session *session)
{
    HistEvent event;
    History *past = history_init();
    EditLine *editor = past ? editor_new(session, past) : NULL;
    int code;
    if (editor) {
        owned_memory char *path = history_path();
        history(past, &event, H_SETSIZE, HISTORY_LINES);
        history(past, &event, H_SETUNIQUE, 1);
        if (path)
            history(past, &event, H_LOAD, path);
        session_confirm(session, "`help` lists the commands, `quit` leaves.\n\n");
        code = read_commands(session, editor, past, path);
        el_end(editor);
    } else {
        code = prompt_run_input(session, stdin);        /* no such terminal */
    }
    if (past)
        history_end(past);
    return code;
}

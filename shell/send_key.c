/* SPDX-License-Identifier: Apache-2.0 */
/* send-key: keys pressed together on a guest's keyboard. */
#include <linux/input-event-codes.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

enum { KEYS = 16 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "codeset", PARAMETER_TEXT, .help = "whose numbers they are: linux (the default), xt, xt_kbd, qnum" },
    { "holdtime", PARAMETER_NUMBER, .value = "milliseconds", .help = "how long they are held" },
    { "keycode", PARAMETER_REST, .required = true, .help = "numbers, or Linux's names such as KEY_ENTER" },
    { 0 },
};

/* VIR_KEYCODE_SET_* */
static const struct { const char *name; unsigned number; } sets[] = {
    { "linux", 0 }, { "xt", 1 }, { "xt_kbd", 6 }, { "qnum", 9 },
};

#define NAMES(_) \
    _(ESC) _(1) _(2) _(3) _(4) _(5) _(6) _(7) _(8) _(9) _(0) _(MINUS) _(EQUAL) _(BACKSPACE) _(TAB) _(Q) _(W) \
    _(E) _(R) _(T) _(Y) _(U) _(I) _(O) _(P) _(LEFTBRACE) _(RIGHTBRACE) _(ENTER) _(LEFTCTRL) _(A) _(S) _(D) \
    _(F) _(G) _(H) _(J) _(K) _(L) _(SEMICOLON) _(APOSTROPHE) _(GRAVE) _(LEFTSHIFT) _(BACKSLASH) _(Z) _(X) \
    _(C) _(V) _(B) _(N) _(M) _(COMMA) _(DOT) _(SLASH) _(RIGHTSHIFT) _(KPASTERISK) _(LEFTALT) _(SPACE) \
    _(CAPSLOCK) _(F1) _(F2) _(F3) _(F4) _(F5) _(F6) _(F7) _(F8) _(F9) _(F10) _(NUMLOCK) _(SCROLLLOCK) _(KP7) \
    _(KP8) _(KP9) _(KPMINUS) _(KP4) _(KP5) _(KP6) _(KPPLUS) _(KP1) _(KP2) _(KP3) _(KP0) _(KPDOT) _(102ND) \
    _(F11) _(F12) _(KPENTER) _(RIGHTCTRL) _(KPSLASH) _(SYSRQ) _(RIGHTALT) _(HOME) _(UP) _(PAGEUP) _(LEFT) \
    _(RIGHT) _(END) _(DOWN) _(PAGEDOWN) _(INSERT) _(DELETE) _(MUTE) _(VOLUMEDOWN) _(VOLUMEUP) _(POWER) \
    _(PAUSE) _(LEFTMETA) _(RIGHTMETA) _(COMPOSE) _(SLEEP) _(WAKEUP)

#define NAME(name) { "KEY_" #name, KEY_##name },
static const struct { const char *name; unsigned code; } names[] = { NAMES(NAME) };

static int find_set(const char *word, unsigned *ret_set, struct error *err)
{
    *ret_set = 0;
    for (size_t i = 0; word && i < ARRAY_COUNT(sets); i++)
        if (text_equal(sets[i].name, word)) {
            *ret_set = sets[i].number;
            return COMMAND_DONE;
        }
    if (!word)
        return COMMAND_DONE;
    fail(err, ERR_INVALID_ARG, "unknown codeset: '%s'; there are linux, xt, xt_kbd, qnum", word);
    return COMMAND_MISUSED;
}

/* Names are Linux's, so they mean nothing in another set. */
static int find_key(const char *word, unsigned set, unsigned *ret_code, struct error *err)
{
    uint64_t number;
    if (text_to_u64(word, UINT16_MAX, &number)) {
        *ret_code = (unsigned) number;
        return COMMAND_DONE;
    }
    for (size_t i = 0; set == 0 && i < ARRAY_COUNT(names); i++)
        if (text_equal(names[i].name, word)) {
            *ret_code = names[i].code;
            return COMMAND_DONE;
        }
    fail(err, ERR_INVALID_ARG, "invalid keycode: '%s'", word);
    return COMMAND_MISUSED;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    u_int codes[KEYS], count = 0;
    unsigned set;
    owned_memory char *all = argument_joined(arguments, "keycode");
    int wrong = find_set(argument_text(arguments, "codeset"), &set, err);
    char *rest = all;
    for (char *word; !wrong && (word = strsep(&rest, " ")); count++) {
        if (count == KEYS)
            return fail(err, ERR_INVALID_ARG, "too many keycodes: at most %d can be pressed together", KEYS);
        wrong = find_key(word, set, &codes[count], err);
    }
    if (wrong)
        return wrong;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_send_key_args args = {
        .dom = found.dom, .codeset = set, .keycodes = { count, codes },
        .holdtime = (u_int) argument_number(arguments, "holdtime", 0),
    };
    return client_domain_send_key(client, &args, NULL, err);
}

const struct command send_key_command = {
    .name = "send-key",
    .group = "Devices",
    .summary = "press keys on a guest's keyboard",
    .about = "All are pressed together: KEY_LEFTCTRL KEY_LEFTALT KEY_DELETE.",
    .parameters = parameters,
    .run = run,
};

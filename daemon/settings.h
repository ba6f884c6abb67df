/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - what domusd.conf may say.
 *
 * One table (SETTINGS) makes the struct, the parser, `domusd --help-config` and domusd.conf.5.  A line is
 * `key = value` or a `#` comment; the value may stand in double quotes.  An unknown key, a key given twice
 * and a value out of range are errors with file and line.  An empty text means "not set".
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

#include "base/enums.h"
#include "base/error.h"
#include "base/own.h"

#define DISK_SYNTAXES(_) _(DISK_SYNTAX_BLOCKDEV, "blockdev") _(DISK_SYNTAX_DRIVE, "drive")
DECLARE_ENUM(disk_syntax, DISK_SYNTAX_NONE, DISK_SYNTAXES);
#define LOG_LEVELS(_) \
    _(LOG_WORD_ERROR, "error") _(LOG_WORD_WARNING, "warning") _(LOG_WORD_INFO, "info") \
    _(LOG_WORD_DEBUG, "debug")
DECLARE_ENUM(log_word, LOG_WORD_NONE, LOG_LEVELS);

enum setting_reload { AT_START, ON_HUP };

/* TEXT(key, default, form, reload, sentence)
 * NUMBER(key, default, min, max, unit, reload, sentence)
 * FLAG(key, default, reload, sentence)
 * CHOICE(key, default, enum, reload, sentence) */
#define SETTINGS(TEXT, NUMBER, FLAG, CHOICE) \
    TEXT(emulator, "auto", "auto, sim or a path", ON_HUP, \
         "The program that runs guests whose XML names none: auto is qemu-system-x86_64 on PATH, sim the " \
         "simulated VMM.") \
    TEXT(override_emulator, "", "sim or a path", ON_HUP, \
         "For tests: runs every guest with this program, whatever its XML says.") \
    TEXT(sim_options, "", "key=value pairs with commas between them", ON_HUP, \
         "For tests: passed to the simulated VMM as its -sim option.") \
    TEXT(record_folder, "", "a path", ON_HUP, \
         "For reports and tests: what is said over each guest's QMP monitor goes to NAME-UUID.qmp there, " \
         "without secrets and at most 16 MiB; simvmm(1) plays it back.") \
    TEXT(caps_of, "", "a path", ON_HUP, \
         "If the emulator is a wrapper script: the binary behind it, by which remembered capabilities are " \
         "recognised.") \
    TEXT(emulator_user, "", "a user name", ON_HUP, "The user that emulators run as; ours if not set.") \
    TEXT(emulator_group, "", "a group name", ON_HUP, "The group that emulators run as; ours if not set.") \
    CHOICE(disk_syntax, "blockdev", disk_syntax, ON_HUP, \
           "How disks are put on the command line: as -blockdev, or as classic -drive.") \
    NUMBER(start_timeout, 30, 1, 3600, "seconds", ON_HUP, "How long an emulator may take to come up.") \
    FLAG(read_ahead, "no", ON_HUP, \
         "Lets emulators that start from now on read commands while they run others, and asks for an " \
         "object tree in four commands, not in one: if a processor idles it takes two thirds of the time.") \
    TEXT(log_file, "", "a path", ON_HUP, "Where the log goes; standard error if not set.") \
    CHOICE(log_level, "info", log_word, ON_HUP, "What is logged: this and what is worse.") \
    FLAG(libvirt_sockets, "no", AT_START, \
         "Also listens where libvirt's clients look: /run/libvirt/libvirt-sock and virtqemud-sock.") \
    TEXT(socket_group, "domus", "a group name", AT_START, \
         "Without --root: whose members may use the read-write socket, if the group exists.") \
    NUMBER(max_clients, 5000, 1, 5000, "clients", AT_START, "How many clients may be connected at once.") \
    NUMBER(max_client_calls, 64, 1, 64, "calls", AT_START, "How many calls of one client run at once.") \
    NUMBER(keepalive_interval, 5, 0, 3600, "seconds", AT_START, \
           "How long a client that takes part in keepalive may be silent before it is asked; 0 never asks.") \
    NUMBER(keepalive_count, 5, 1, 100, "questions", AT_START, \
           "How many unanswered questions it takes until a silent client is cut off.")

#define SETTING_TEXT_(key, ...) char *key;
#define SETTING_NUMBER_(key, ...) unsigned key;
#define SETTING_FLAG_(key, ...) bool key;
#define SETTING_CHOICE_(key, ...) int key;
struct settings {
    SETTINGS(SETTING_TEXT_, SETTING_NUMBER_, SETTING_FLAG_, SETTING_CHOICE_)
};

struct settings *settings_new(void);                    /* the defaults */
void settings_free(struct settings *settings);
DEFINE_OWNED(settings)

/* Reads a file into settings that hold the defaults.  A missing file is no error unless `required`. */
int settings_read(struct settings *settings, const char *path, bool required, struct error *err);
/* `name` stands for the file in messages. */
int settings_parse(struct settings *settings, const char *name, const char *text, struct error *err);
/* Takes over from `fresh` what may change while we run; logs what cannot. */
void settings_reload(struct settings *settings, struct settings *fresh);
void settings_set_text(char **slot, const char *value);

void settings_print(FILE *out);                         /* a sample domusd.conf: every key with its default */
void settings_print_manual(FILE *out);                  /* the same as the list of domusd.conf(5), in roff */

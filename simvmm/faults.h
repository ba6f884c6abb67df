/* SPDX-License-Identifier: Apache-2.0 */
/* faults.h - what simvmm does wrong, because it was asked to.
 *
 * A fault is a row {action, target, nth use, argument}: on the nth use of the target (a command, an event,
 * "greeting", "*" for any command, "events" for any event) the action happens instead of, or before, the
 * right thing. Of several for the same use the last one holds. None is on unless it was asked for, by -sim,
 * a script, or at run time.
 */
#pragma once
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/own.h"

enum fault_action {
    FAULT_NONE,
    FAULT_DELAY,                        /* number: milliseconds */
    FAULT_HANG,                         /* and nothing more is said to this client */
    FAULT_DROP,
    FAULT_ERROR,                        /* text: what the error says */
    FAULT_GARBAGE,                      /* text instead of the line */
    FAULT_TRUNCATE,                     /* number: bytes that are sent; 0: half of them */
    FAULT_GARBLE,                       /* number: how many bytes are wrong; 0: one */
    FAULT_DUPLICATE,                    /* number: how often it is sent; 0: twice */
    FAULT_CLOSE,                        /* in the middle of the line */
    FAULT_CRASH,                        /* number: by which signal; 0: KILL */
    FAULT_EXIT,                         /* number: the status; text: said on standard error */
    FAULT_SAY,                       /* text: said there, and then the right thing */
    FAULT_FLOOD,                        /* number: of events that come before it */
    FAULT_ACTIONS
};

/* `text`: what stands behind a number, or all of the argument if that is none; NULL. */
struct fault { enum fault_action action; unsigned long number; const char *text; };

struct faults;

enum { FAULTS_MAX = 1000 };

struct faults *faults_new(void);
void faults_free(struct faults *f);
DEFINE_OWNED(faults)
/* "ACTION" = "TARGET[:NTH[:ARGUMENT]]"; nth 0 or none: every time. */
int faults_add(struct faults *f, const char *action, const char *text, struct error *err);
/* The same as one text, "ACTION=TARGET...". */
int faults_add_text(struct faults *f, const char *text, struct error *err);
/* Counts a use of the target, and says what is to go wrong. */
struct fault faults_next(struct faults *f, const char *target);
void faults_set_slow(struct faults *f, unsigned long ms);       /* every command takes that long */
/* One line each: "NUMBER ACTION=TARGET:NTH:ARGUMENT (USES uses)". */
void faults_list(const struct faults *f, struct buffer *out);
int faults_clear(struct faults *f, unsigned long number, struct error *err);    /* 0: all of them */
bool faults_is_action(const char *word);
void faults_add_words(struct buffer *out); /* the actions, for messages: "delay, hang, ..." */

/* SPDX-License-Identifier: Apache-2.0 */
/* faults.h - what simvmm does wrong, because it was asked to.
 *
 * A fault is a row {action, target, nth use, argument}: on the nth use of the target (a command, an event,
 * "greeting", or "*" for any command) the action happens instead of, or before, the right thing. None is
 * on unless -sim says so.
 */
#pragma once
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/own.h"

enum fault_action {
    FAULT_NONE,
    FAULT_DELAY,
    FAULT_HANG,
    FAULT_ERROR,
    FAULT_GARBAGE,
    FAULT_CLOSE,
    FAULT_CRASH,
    FAULT_DROP
};

struct fault { enum fault_action action; unsigned long number; const char *text; };

struct faults;

struct faults *faults_new(void);
void faults_free(struct faults *f);
DEFINE_OWNED(faults)
/* "ACTION" = "TARGET[:NTH[:ARGUMENT]]"; nth 0 or none: every time. */
int faults_add(struct faults *f, const char *action, const char *text, struct error *err);
/* Counts a use of the target, and says what is to go wrong. */
struct fault faults_next(struct faults *f, const char *target);
void faults_set_slow(struct faults *f, unsigned long ms);       /* every command takes that long */
bool faults_is_action(const char *word);
void faults_add_words(struct buffer *out); /* the actions, for messages: "delay, hang, ..." */

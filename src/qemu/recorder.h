/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h - what a monitor says and hears, written to a file, for reports and for simvmm to play back.
 *
 * A line for each message, {"at":MS,"to":COMMAND} or {"at":MS,"from":GREETING, REPLY or EVENT}; simvmm(1) has
 * the format.  Secrets become "(secret)".  At RECORDER_MAX bytes it ends, with a line that says so.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/own.h"

enum { RECORDER_MAX = 16 * 1024 * 1024 };

struct recorder;

/* A new file, readable by us alone; one of that name is replaced, unless `append`. */
struct recorder *recorder_new(const char *path, const char *domain, bool append, struct error *err);
void recorder_free(struct recorder *r);
DEFINE_OWNED(recorder)
void recorder_sent(struct recorder *r, const char *text, size_t length);       /* one command */
void recorder_heard(struct recorder *r, const char *bytes, size_t length);     /* as they come */

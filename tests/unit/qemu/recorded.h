/* SPDX-License-Identifier: Apache-2.0 */
/* recorded.h - libvirt's own test cases, which lie outside of this repository ($DOMUS_SHARED). */
#pragma once
#include "base/buffer.h"
#include "qemu/argv.h"

/* The path of corpus/upstream/public/NAME; the caller frees it. */
char *recorded_path(const char *name);
/* The words of a recorded command line: quotes, and a backslash at the end of each line. */
void recorded_split(const char *text, struct argv *argv);

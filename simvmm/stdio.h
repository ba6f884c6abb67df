/* SPDX-License-Identifier: Apache-2.0 */
/* stdio.h - standard input and output as one socket, whatever they are.
 *
 * A file or /dev/null cannot be waited for, and what is not a socket would have to be made non-blocking for
 * everyone who shares it. So two threads copy between them and a socket pair.
 */
#pragma once
#include "base/error.h"

/* Our end, once in a program. */
int stdio_open(struct error *err);
/* After our end was closed: waits until all that was written there stands in standard output. */
void stdio_finish(void);

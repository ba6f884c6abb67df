/* SPDX-License-Identifier: Apache-2.0 */
/* deliver.h - how a line leaves: as it is, or as a fault will have it. */
#pragma once
#include <stdbool.h>

#include "simvmm/faults.h"

struct vm;
struct chardev;

/* `line` ends in CR LF. False: nothing more is to be said to this client. What FAULT_DELAY and FAULT_ERROR
 * mean is the caller's business. */
bool deliver(struct vm *vm, struct chardev *chardev, const struct buffer *line, const struct fault *fault);
/* Whether the command itself is not to run. */
bool deliver_skips(const struct fault *fault);

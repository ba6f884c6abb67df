/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/agent.h"

#include <stdlib.h>

#include "base/memory.h"

struct agent { struct vm *vm; struct chardev *chardev; };

struct agent *agent_new(struct vm *vm, struct chardev *chardev)
{
    struct agent *a = NEW(struct agent);
    *a = (struct agent) { vm, chardev };
    return a;
}

void agent_free(struct agent *a)
{
    free(a);
}

void agent_input(struct agent *a, const char *bytes, size_t length)
{
    (void) a, (void) bytes, (void) length;
}

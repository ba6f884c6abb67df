/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/policy.h"

#include <stddef.h>

#include "base/text.h"

static const struct { const char *name, *words[8]; } events[POLICY_EVENTS] = {
    [POLICY_REBOOT] = { "reboot", { "reset", "shutdown" } },
    [POLICY_SHUTDOWN] = { "shutdown", { "poweroff", "pause" } },
    [POLICY_PANIC] = { "panic", { "shutdown", "pause", "exit-failure", "none" } },
    [POLICY_WATCHDOG] = { "watchdog",
                          { "reset", "shutdown", "poweroff", "pause", "debug", "none", "inject-nmi" } },
};

const struct policy policy_default = { { "reset", "poweroff", "shutdown", "reset" } };

const char *policy_event_name(enum policy_event event)
{
    return events[event].name;
}

int policy_set(struct policy *p, enum policy_event event, const char *word, struct error *err)
{
    for (const char *const *w = events[event].words; *w; w++)
        if (text_equal(*w, word)) {
            p->word[event] = *w;
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "Parameter '%s' does not accept value '%s'", events[event].name, word);
}

bool policy_is(const struct policy *p, enum policy_event event, const char *word)
{
    return text_equal(p->word[event], word);
}

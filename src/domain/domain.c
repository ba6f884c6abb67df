/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/domain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "domain/mailbox.h"
#include "domain/status.h"

struct domain *domain_ref(struct domain *dom)
{
    dom->references++;
    return dom;
}

static void drop_runtime(struct domain *dom)
{
    struct domain_runtime *runtime = &dom->runtime;
    for (size_t i = 0; i < runtime->ptys_count; i++) {
        free((char *) runtime->ptys[i].alias);
        free((char *) runtime->ptys[i].path);
    }
    free((struct runtime_path *) runtime->ptys);
    memset(runtime, 0, sizeof *runtime);
}

void domain_set_pty(struct domain *dom, const char *alias, const char *path)
{
    struct domain_runtime *runtime = &dom->runtime;
    struct runtime_path *ptys = (struct runtime_path *) runtime->ptys;
    for (size_t i = 0; i < runtime->ptys_count; i++) {
        if (text_equal(ptys[i].alias, alias)) {
            free((char *) ptys[i].path);
            ptys[i].path = memory_copy_text(path);
            return;
        }
    }
    ptys = memory_resize(ptys, (runtime->ptys_count + 1) * sizeof *ptys);
    ptys[runtime->ptys_count++] = (struct runtime_path) { memory_copy_text(alias), memory_copy_text(path) };
    runtime->ptys = ptys;
}

void domain_unref(struct domain *dom)
{
    if (!dom || --dom->references > 0)
        return;
    assert(dom->removed && !dom->job.what && dom->waiters.count == 0 && !dom->vmm);
    mailbox_empty(dom);
    domain_def_unref(dom->def);
    domain_def_unref(dom->live);
    drop_runtime(dom);
    status_free(dom->record);
    free(dom->name);
    free(dom);
}

int domain_check_active(const struct domain *dom, struct error *err)
{
    if (!domain_is_active(dom))
        return fail(err, ERR_OPERATION_INVALID, "domain is not running");
    return 0;
}

struct domain_def *domain_current_def(const struct domain *dom)
{
    return dom->live ? dom->live : dom->def;
}

static void replace(struct domain_def **slot, struct domain_def *def)
{
    struct domain_def *old = *slot;
    *slot = def ? domain_def_ref(def) : NULL;
    domain_def_unref(old);
}

void domain_set_def(struct domain *dom, struct domain_def *def)
{
    replace(&dom->def, def);
}

void domain_set_live(struct domain *dom, struct domain_def *live)
{
    replace(&dom->live, live);
}

void domain_set_state(struct domain *dom, enum domain_state state, int reason)
{
    dom->state = state;
    dom->reason = reason;
}

void domain_set_inactive(struct domain *dom, int shutoff_reason)
{
    assert(!dom->vmm);
    mailbox_empty(dom);
    domain_set_live(dom, NULL);
    drop_runtime(dom);
    memset(&dom->process, 0, sizeof dom->process);
    status_free(take(dom->record));
    dom->autodestroy = NULL;
    dom->unmanaged = NULL;
    domain_set_active(dom, -1);
    domain_set_state(dom, DOMAIN_SHUTOFF, shutoff_reason);
}

int domain_fail_unmanaged(const struct domain *dom, struct error *err)
{
    return fail(err, ERR_OPERATION_INVALID, "domain '%s' is left alone: %s", dom->name, dom->unmanaged);
}

char *domain_label(const struct domain *dom)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format(&dom->uuid, uuid);
    return memory_printf("domain '%s' %s", dom->name, uuid);
}

const char *domain_state_word(enum domain_state state)
{
    static const char *const words[] = { "no state",    "running",  "idle",    "paused",
                                         "in shutdown", "shut off", "crashed", "pmsuspended" };
    return (size_t) state < ARRAY_COUNT(words) ? words[state] : "unknown";
}

/* SPDX-License-Identifier: Apache-2.0 */
/* query-stats: there is no KVM, so no statistics; what may be asked is checked as QEMU does. */
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/value.h"

static bool is_one_of(const char *word, const char *const words[])
{
    while (*words && !text_equal(*words, word))
        words++;
    return *words != NULL;
}

static const char *const *providers(const struct vm *vm)
{
    static const char *const old[] = { "kvm", NULL }, *const modern[] = { "kvm", "cryptodev", NULL };
    return vm_is(vm, 11) ? modern : old;
}

static int stats(struct call *call, struct error *err)
{
    static const char *const old[] = { "vm", "vcpu", NULL }, *const modern[] = { "vm", "vcpu", "cryptodev",
                                                                                 NULL };
    const char *target = json_get_text(call->arguments, "target");
    const struct json *asked = json_get(call->arguments, "providers");
    if (!target)
        return fail(err, ERR_INVALID_ARG, "Parameter 'target' is missing");
    if (!is_one_of(target, vm_is(call->vm, 11) ? modern : old))
        return fail(err, ERR_INVALID_ARG, "Parameter 'target' does not accept value '%s'", target);
    if (json_get(call->arguments, "vcpus") && !text_equal(target, "vcpu"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'vcpus' is unexpected");
    for (size_t i = 0; asked && i < asked->length; i++) {
        const char *name = json_get_text(asked->items[i], "provider");
        if (!is_one_of(name, providers(call->vm)))
            return fail(err, ERR_INVALID_ARG, "Parameter 'provider' does not accept value '%s'",
                        name ? name : "");
    }
    buffer_add_text(&call->out, "[]");
    return 0;
}

/* Only the cryptodev has any. */
static int schemas(struct call *call, struct error *err)
{
    const char *provider = json_get_text(call->arguments, "provider");
    if (provider && !is_one_of(provider, providers(call->vm)))
        return fail(err, ERR_INVALID_ARG, "Parameter 'provider' does not accept value '%s'", provider);
    buffer_add_text(&call->out,
                    text_equal(provider, "kvm") ? "[]" : data_reply(call->vm->data, "query-stats-schemas"));
    return 0;
}

static const struct argument stats_args[] = {
    { "target", ARG_TEXT, false },
    { "providers", ARG_ARRAY, true },
    { "vcpus", ARG_OBJECT, true },
    { NULL, 0, false },
};
static const struct argument schema_args[] = { { "provider", ARG_TEXT, true }, { NULL, 0, false } };

const struct command stats_commands[] = {
    { "query-stats", ALWAYS, stats, stats_args },
    { "query-stats-schemas", ALWAYS, schemas, schema_args },
    { NULL, ALWAYS, NULL, NULL },
};

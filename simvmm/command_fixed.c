/* SPDX-License-Identifier: Apache-2.0 */
/* Queries whose answer, or refusal, is the same on every machine that has none of the hardware in question;
 * and those about processor models and about what there is to ask. */
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/cpu_model.h"
#include "simvmm/schema.h"
#include "simvmm/value.h"

static int fixed(struct call *call, struct error *err)
{
    owned_memory char *refusal = memory_printf("refused:%s", call->command->name);
    const char *text = data_reply(call->vm->data, call->command->name);
    if (text) {
        buffer_add_text(&call->out, text);
        return 0;
    }
    text = data_reply(call->vm->data, refusal);
    const struct json *said = text ? json_parse(text, strlen(text), call->arena, err) : NULL;
    if (!said)
        return fail(err, ERR_NO_SUPPORT, "%s of QEMU %s was not harvested", call->command->name,
                    call->vm->version);
    call->error_class = json_get_text(said, "class");
    return fail(err, ERR_OPERATION_INVALID, "%s", json_get_text(said, "desc"));
}

static int schema(struct call *call, struct error *err)
{
    const struct json *all = schema_make(call->vm, call->arena, err);
    if (!all)
        return -1;
    call_return(call, all);
    return 0;
}

static int model_expansion(struct call *call, struct error *err)
{
    const char *type = json_get_text(call->arguments, "type");
    const struct json *model = json_get(call->arguments, "model");
    if (!text_equal(type, "static") && !text_equal(type, "full"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type);
    const struct json *expanded =
        cpu_model_expand(call->vm, model, text_equal(type, "static"), call->arena, err);
    if (!expanded)
        return -1;
    struct json *reply = value_object(call->arena);
    value_set(call->arena, reply, "model", expanded);
    call_return(call, reply);
    return 0;
}

static const struct argument expansion_args[] = { { "type", ARG_TEXT, false },
                                                  { "model", ARG_OBJECT, false },
                                                  { NULL, 0, false } };

#define FIXED(name, when)                                                                                    \
    {                                                                                                        \
        name, when, fixed, NULL                                                                              \
    }

const struct command fixed_commands[] = {
    { "query-qmp-schema", ALWAYS, schema, NULL },
    { "query-cpu-model-expansion", ALWAYS, model_expansion, expansion_args },
    FIXED("query-chardev-backends", ALWAYS),
    FIXED("query-colo-status", ALWAYS),
    FIXED("query-cryptodev", ONLY_MODERN),
    FIXED("query-dump-guest-memory-capability", ALWAYS),
    FIXED("query-firmware-log", ONLY_MODERN),
    FIXED("query-gic-capabilities", ONLY_MODERN),
    FIXED("query-hv-balloon-status-report", ONLY_MODERN),
    FIXED("query-pr-managers", ALWAYS),
    FIXED("query-replay", ALWAYS),
    FIXED("query-s390x-cpu-polarization", ONLY_MODERN),
    FIXED("query-sev", ALWAYS),
    FIXED("query-sev-capabilities", ALWAYS),
    FIXED("query-sev-launch-measure", ALWAYS),
    FIXED("query-sgx", ALWAYS),
    FIXED("query-sgx-capabilities", ALWAYS),
    FIXED("query-spice", ALWAYS),
    FIXED("query-tpm", ALWAYS),
    FIXED("query-tpm-models", ALWAYS),
    FIXED("query-tpm-types", ALWAYS),
    FIXED("query-vcpu-dirty-limit", ALWAYS),
    FIXED("query-vm-generation-id", ALWAYS),
    FIXED("query-xen-replication-status", ALWAYS),
    FIXED("xen-event-list", ONLY_MODERN),
    FIXED("x-query-numa", ALWAYS),
    FIXED("x-query-opcount", ONLY_OLD),
    FIXED("x-query-profile", ONLY_OLD),
    FIXED("x-query-rdma", ONLY_OLD),
    { NULL, ALWAYS, NULL, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/transaction.h"

#include "base/text.h"

struct done {
    void (*commit)(void *data), (*undo)(void *data);
    void *data;
};
struct transaction {
    VECTOR(struct done) done;
};

void transaction_add(struct call *call, void (*commit)(void *data), void (*undo)(void *data), void *data)
{
    if (call->transaction)
        vector_push(&call->transaction->done, ((struct done) { commit, undo, data }));
    else if (commit)
        commit(data);
}

static bool is_action(const char *type)
{
    static const char *const types[] = {
        "blockdev-snapshot",
        "blockdev-snapshot-sync",
        "blockdev-snapshot-internal-sync",
        "blockdev-backup",
        "drive-backup",
        "block-dirty-bitmap-add",
        "block-dirty-bitmap-remove",
        "block-dirty-bitmap-clear",
        "block-dirty-bitmap-enable",
        "block-dirty-bitmap-disable",
        "block-dirty-bitmap-merge",
    };
    for (size_t i = 0; i < ARRAY_COUNT(types); i++)
        if (text_equal(types[i], type))
            return true;
    return false;
}

static int check_action(const struct json *action, size_t i, struct error *err)
{
    const char *type = json_get_text(action, "type");
    if (!type)
        return fail(err, ERR_INVALID_ARG, "Parameter 'actions[%zu].type' is missing", i);
    if (!is_action(type) && !text_equal(type, "abort"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type);
    if (!json_get(action, "data"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'actions[%zu].data' is missing", i);
    return 0;
}

static int run_action(struct call *call, const struct json *action, size_t number, struct transaction *t,
                      struct error *err)
{
    const char *type = json_get_text(action, "type");
    struct call one = *call;
    one.arguments = json_get(action, "data");
    one.transaction = t;
    one.prefix = arena_printf(call->arena, "actions[%zu].data.", number);
    one.out = (struct buffer) { NULL, 0, 0 };
    if (text_equal(type, "abort"))
        return fail(err, ERR_INVALID_ARG, "Transaction aborted using Abort action");
    int result = command_run(command_find(call->vm, type), &one, err);
    call->error_class = one.error_class;
    buffer_done(&one.out);
    return result;
}

static void undo_all(struct transaction *t)
{
    while (t->done.count) {
        struct done *last = &t->done.items[--t->done.count];
        if (last->undo)
            last->undo(last->data);
    }
}

static int transaction(struct call *call, struct error *err)
{
    const struct json *actions = json_get(call->arguments, "actions");
    struct transaction t = { { NULL, 0, 0 } };
    int result = 0;
    for (size_t i = 0; i < actions->length; i++)
        if (check_action(actions->items[i], i, err) < 0)
            return -1;
    for (size_t i = 0; result == 0 && i < actions->length; i++)
        result = run_action(call, actions->items[i], i, &t, err);
    if (result < 0)
        undo_all(&t);
    for (size_t i = 0; i < t.done.count; i++)
        if (t.done.items[i].commit)
            t.done.items[i].commit(t.done.items[i].data);
    vector_done(&t.done);
    return result;
}

static const struct argument arguments[] = {
    { "actions", ARG_ARRAY, false },
    { "properties", ARG_OBJECT, true },
    { NULL, 0, false },
};

const struct command transaction_commands[] = {
    { "transaction", ALWAYS, transaction, arguments },
    { NULL, ALWAYS, NULL, NULL },
};

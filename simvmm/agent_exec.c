/* SPDX-License-Identifier: Apache-2.0 */
/* The guest's programs: a few that everyone has, and those that a script names. None is really run. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/value.h"

enum { RUNS_MAX = 64, FIRST_PID = 1000 };

struct run { int64_t pid; int status; bool captured; char *out; size_t length; };
struct agent_runs { VECTOR(struct run) runs; int64_t next; };

struct agent_runs *agent_runs_new(void)
{
    struct agent_runs *r = NEW(struct agent_runs);
    r->next = FIRST_PID;
    return r;
}

void agent_runs_free(struct agent_runs *r)
{
    for (size_t i = 0; i < r->runs.count; i++)
        free(r->runs.items[i].out);
    vector_done(&r->runs);
    free(r);
}

/* ---- programs ---- */

static void say_arguments(const struct json *arguments, const char *input, size_t length, struct buffer *out)
{
    (void) input, (void) length;
    for (size_t i = 0; arguments && i < arguments->length; i++)
        buffer_printf(out, "%s%s", i ? " " : "", json_text(arguments->items[i]));
    buffer_add_char(out, '\n');
}

static void say_input(const struct json *arguments, const char *input, size_t length, struct buffer *out)
{
    (void) arguments;
    buffer_add(out, input, length);
}

static void say_system(const struct json *arguments, const char *input, size_t length, struct buffer *out)
{
    (void) arguments, (void) input, (void) length;
    buffer_add_text(out, "Linux\n");
}

static const struct {
    const char *name;
    int status;
    void (*say)(const struct json *arguments, const char *input, size_t length, struct buffer *out);
} common[] = {
    { "true", 0, NULL },      { "false", 1, NULL },       { "echo", 0, say_arguments },
    { "cat", 0, say_input },  { "uname", 0, say_system }, { "sync", 0, NULL },
};

int agent_system_add_program(struct agent_system *s, const char *path, int status, const char *output,
                             struct error *err)
{
    if (s->programs.count == AGENT_PROGRAMS_MAX)
        return fail(err, ERR_INVALID_ARG, "the guest has %d programs already", AGENT_PROGRAMS_MAX);
    vector_push(&s->programs, ((struct agent_program) { memory_copy_text(path),
                                                        memory_copy_text(output ? output : ""), status }));
    return 0;
}

/* Its status, or -1 if there is no such program. */
static int run_program(const struct call *call, const char *path, const char *input, size_t length,
                       struct buffer *out)
{
    const struct agent_system *s = call->vm->agent_system;
    for (size_t i = s->programs.count; i-- > 0;)
        if (text_equal(s->programs.items[i].path, path)) {
            buffer_add_text(out, s->programs.items[i].output);
            return s->programs.items[i].status;
        }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (name != path && !text_starts(path, "/bin/") && !text_starts(path, "/usr/bin/"))
        return -1;
    for (size_t i = 0; i < ARRAY_COUNT(common); i++)
        if (text_equal(common[i].name, name)) {
            if (common[i].say)
                common[i].say(json_get(call->arguments, "arg"), input, length, out);
            return common[i].status;
        }
    return -1;
}

/* ---- commands ---- */

/* true, or a word since 8.1. */
static int captures(const struct json *given, bool *ret, struct error *err)
{
    static const char *const words[] = { "none", "stdout", "stderr", "separated", "merged" };
    const char *word = json_text(given);
    *ret = false;
    if (!given || json_to_bool(given, ret))
        return 0;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (text_equal(words[i], word)) {
            *ret = i == 1 || i > 2;
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "Parameter 'capture-output' does not accept value '%s'",
                word ? word : "");
}

static void note(struct agent_runs *r, const struct run *run)
{
    if (r->runs.count == RUNS_MAX) {    /* of what nobody asks for, the oldest is forgotten */
        free(r->runs.items[0].out);
        vector_remove(&r->runs, 0);
    }
    vector_push(&r->runs, *run);
}

int agent_exec(struct call *call, struct error *err)
{
    struct agent_runs *r = call->vm->agent_system->runs;
    const char *path = json_get_text(call->arguments, "path"), *input = "";
    const char *encoded = json_get_text(call->arguments, "input-data");
    size_t length = 0;
    struct run run = { .pid = r->next };
    if (captures(json_get(call->arguments, "capture-output"), &run.captured, err) < 0
        || (encoded && agent_decode(call->arena, encoded, &input, &length, err) < 0))
        return -1;
    owned_buffer struct buffer out = { 0 };
    run.status = run_program(call, path, input, length, &out);
    if (run.status < 0)
        return fail(err, ERR_INVALID_ARG,
                    "Failed to execute child process \xe2\x80\x9c%s\xe2\x80\x9d (No such file or directory)",
                    path);
    run.length = out.length;
    run.out = buffer_take(&out);
    note(r, &run);
    r->next++;
    struct json *v = value_object(call->arena);
    value_set_number(call->arena, v, "pid", run.pid);
    call_return(call, v);
    return 0;
}

static void describe(struct call *call, const struct run *run)
{
    struct json *v = value_object(call->arena);
    value_set_bool(call->arena, v, "exited", true);
    value_set_number(call->arena, v, "exitcode", run->status);
    if (run->captured && run->length) {
        agent_set_encoded(call->arena, v, "out-data", run->out, run->length);
        value_set_bool(call->arena, v, "out-truncated", false);
    }
    call_return(call, v);
}

int agent_exec_status(struct call *call, struct error *err)
{
    struct agent_runs *r = call->vm->agent_system->runs;
    int64_t pid = 0;
    json_to_i64(json_get(call->arguments, "pid"), &pid);
    for (size_t i = 0; i < r->runs.count; i++)
        if (r->runs.items[i].pid == pid) {
            describe(call, &r->runs.items[i]);
            free(r->runs.items[i].out);
            vector_remove(&r->runs, i);
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "PID ld does not exist");         /* so says qemu-ga */
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about the VM as a whole, its processors, back ends and screen. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/uuid.h"
#include "simvmm/chardev.h"
#include "simvmm/command.h"
#include "simvmm/keyval.h"
#include "simvmm/processor.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

/* A reply that is the same in every VM of the version, as it was harvested. */
static int harvested(struct call *call, const char *name, struct error *err)
{
    const char *text = data_reply(call->vm->data, name);
    if (!text)
        return fail(err, ERR_NO_SUPPORT, "%s of QEMU %s was not harvested", name, call->vm->version);
    buffer_add_text(&call->out, text);
    return 0;
}

#define HARVESTED(function, name) \
    static int function(struct call *call, struct error *err) { return harvested(call, name, err); }
HARVESTED(version, "query-version")
HARVESTED(target, "query-target")
HARVESTED(cpu_definitions, "query-cpu-definitions")

static int option_lists(struct call *call, struct error *err)
{
    const char *option = json_get_text(call->arguments, "option");
    const char *text = data_reply(call->vm->data, "query-command-line-options");
    if (!option)
        return harvested(call, "query-command-line-options", err);
    const struct json *all = json_parse(text, strlen(text), call->arena, err);
    struct json *list = value_array(call->arena);
    for (size_t i = 0; all && i < all->length; i++)
        if (text_equal(json_get_text(all->items[i], "option"), option))
            value_push(call->arena, list, all->items[i]);
    if (!list->length)
        return fail(err, ERR_INVALID_ARG, "invalid option name: %s", option);
    call_return(call, list);
    return 0;
}

static int name(struct call *call, struct error *err)
{
    (void) err;
    struct json *v = value_object(call->arena);
    value_set_text(call->arena, v, "name", call->vm->name);
    call_return(call, v);
    return 0;
}

static int uuid(struct call *call, struct error *err)
{
    (void) err;
    struct json *v = value_object(call->arena);
    value_set_text(call->arena, v, "UUID",
                   call->vm->uuid ? call->vm->uuid : "00000000-0000-0000-0000-000000000000");
    call_return(call, v);
    return 0;
}

static int kvm(struct call *call, struct error *err)
{
    (void) err;
    struct json *v = value_object(call->arena);
    value_set_bool(call->arena, v, "enabled", text_equal(call->vm->accel, "kvm"));
    value_set_bool(call->arena, v, "present", true);
    call_return(call, v);
    return 0;
}

static int accelerators(struct call *call, struct error *err)
{
    static const char *const present[] = { "kvm", "mshv", "qtest", "tcg" };
    (void) err;
    struct json *v = value_object(call->arena), *list = value_array(call->arena);
    for (size_t i = 0; i < ARRAY_COUNT(present); i++)
        value_push(call->arena, list, value_text(call->arena, present[i]));
    value_set_text(call->arena, v, "enabled", call->vm->accel);
    value_set(call->arena, v, "present", list);
    call_return(call, v);
    return 0;
}

/* ---- processors ---- */

static const struct json *place_value(const struct call *call, unsigned index)
{
    struct processor_place p = processor_place(call->vm, index);
    struct json *v = value_object(call->arena);
    value_set_number(call->arena, v, "core-id", p.core);
    value_set_number(call->arena, v, "thread-id", p.thread);
    if (call->vm->modules > 1)
        value_set_number(call->arena, v, "module-id", p.module);
    if (call->vm->dies > 1)
        value_set_number(call->arena, v, "die-id", p.die);
    value_set_number(call->arena, v, "socket-id", p.socket);
    return v;
}

static const struct json *path_value(const struct call *call, const struct qom_node *node)
{
    owned_buffer struct buffer path = { 0 };
    qom_path(node, &path);
    return value_text(call->arena, buffer_text(&path));
}

static int cpus_fast(struct call *call, struct error *err)
{
    (void) err;
    struct json *list = value_array(call->arena);
    struct qom_node *node;
    for (unsigned i = 0; (node = processor_node(call->vm, i)) != NULL; i++) {
        struct json *v = value_object(call->arena);
        value_set_number(call->arena, v, "thread-id", getpid());       /* our only thread */
        if (vm_is(call->vm, 11))
            value_set_text(call->arena, v, "qom-type", node->type);
        value_set(call->arena, v, "props", place_value(call, i));
        value_set(call->arena, v, "qom-path", path_value(call, node));
        value_set_number(call->arena, v, "cpu-index", i);
        value_set_text(call->arena, v, "target", "x86_64");
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

static int hotpluggable_cpus(struct call *call, struct error *err)
{
    if (text_equal(call->vm->machine, "none"))
        return fail(err, ERR_NO_SUPPORT, "The feature 'query-hotpluggable-cpus' is not enabled");
    struct json *list = value_array(call->arena);
    struct qom_node *first = processor_node(call->vm, 0);
    for (unsigned i = call->vm->cpus_max; i-- > 0;) {
        struct json *v = value_object(call->arena);
        struct qom_node *node = i < call->vm->cpus ? processor_node(call->vm, i) : NULL;
        value_set(call->arena, v, "props", place_value(call, i));
        value_set_number(call->arena, v, "vcpus-count", 1);
        if (node)
            value_set(call->arena, v, "qom-path", path_value(call, node));
        value_set_text(call->arena, v, "type", first->type);
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

static int iothreads(struct call *call, struct error *err)
{
    (void) err;
    struct json *list = value_array(call->arena);
    for (size_t i = 0; i < call->vm->iothreads.count; i++) {
        struct json *v = value_object(call->arena);
        bool modern = vm_is(call->vm, 11);
        value_set_text(call->arena, v, "id", call->vm->iothreads.items[i]);
        value_set_number(call->arena, v, "thread-id", getpid());
        value_set_number(call->arena, v, "poll-max-ns", 32768);
        value_set_number(call->arena, v, "poll-grow", modern ? 2 : 0);
        value_set_number(call->arena, v, "poll-shrink", modern ? 2 : 0);
        if (modern)
            value_set_number(call->arena, v, "poll-weight", 3);
        value_set_number(call->arena, v, "aio-max-batch", 0);
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

/* ---- back ends ---- */

/* In the order of their objects. */
static int chardevs(struct call *call, struct error *err)
{
    (void) err;
    bool ambiguous;
    const struct qom_node *objects = qom_resolve(call->vm->tree, "/chardevs", &ambiguous);
    struct json *list = value_array(call->arena);
    for (size_t i = 0; objects && i < objects->properties.count; i++) {
        const struct chardev *c = chardev_find(call->vm, objects->properties.items[i].name);
        if (!c)
            continue;
        owned_buffer struct buffer text = { 0 };
        chardev_describe(c, &text);
        struct json *v = value_object(call->arena);
        value_set_bool(call->arena, v, "frontend-open", chardev_is_used(c));
        value_set_text(call->arena, v, "filename", buffer_text(&text));
        value_set_text(call->arena, v, "label", chardev_id(c));
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

static int balloon(struct call *call, struct error *err)
{
    if (!call->vm->balloon_device) {
        call->error_class = "DeviceNotActive";
        return fail(err, ERR_OPERATION_INVALID, "No balloon device has been activated");
    }
    struct json *v = value_object(call->arena);
    value_set_number(call->arena, v, "actual", (long long) call->vm->balloon);
    call_return(call, v);
    return 0;
}

static int current_machine(struct call *call, struct error *err)
{
    return harvested(call, "pc:query-current-machine", err);
}

static int memory_summary(struct call *call, struct error *err)
{
    (void) err;
    struct json *v = value_object(call->arena);
    value_set_number(call->arena, v, "base-memory", (long long) call->vm->memory);
    value_set_number(call->arena, v, "plugged-memory", 0);
    call_return(call, v);
    return 0;
}

static int nothing(struct call *call, struct error *err)
{
    (void) err;
    buffer_add_text(&call->out, "[]");
    return 0;
}

/* ---- the human monitor ---- */

static void info_status(struct vm *vm, struct buffer *out)
{
    buffer_printf(out, "VM status: %s", vm->state == RUN_RUNNING ? "running" : "paused");
    if (vm->state != RUN_RUNNING && vm->state != RUN_PAUSED)
        buffer_printf(out, " (%s)", run_state_word(vm->state));
    buffer_add_text(out, "\r\n");
}

static void info_version(struct vm *vm, struct buffer *out)
{
    error_scope(err);
    owned(arena) struct arena *a = arena_new();
    const char *text = data_reply(vm->data, "query-version");
    const struct json *v = json_parse(text, strlen(text), a, &err), *q = json_get(v, "qemu");
    int64_t major = 0, minor = 0, micro = 0;
    json_to_i64(json_get(q, "major"), &major);
    json_to_i64(json_get(q, "minor"), &minor);
    json_to_i64(json_get(q, "micro"), &micro);
    buffer_printf(out, "%lld.%lld.%lld%s\r\n", (long long) major, (long long) minor, (long long) micro,
                  json_get_text(v, "package"));
}

static void info_name(struct vm *vm, struct buffer *out)
{
    if (vm->name)
        buffer_printf(out, "%s\r\n", vm->name);
}

static void info_uuid(struct vm *vm, struct buffer *out)
{
    buffer_printf(out, "%s\r\n", vm->uuid ? vm->uuid : "00000000-0000-0000-0000-000000000000");
}

static void info_kvm(struct vm *vm, struct buffer *out)
{
    buffer_printf(out, "kvm support: %s\r\n", text_equal(vm->accel, "kvm") ? "enabled" : "disabled");
}

static void info_balloon(struct vm *vm, struct buffer *out)
{
    if (vm->balloon_device)
        buffer_printf(out, "balloon: actual=%llu\r\n", (unsigned long long) vm->balloon >> 20);
    else
        buffer_add_text(out, "Error: No balloon device has been activated\r\n");
}

static int compare_nodes(const void *left, const void *right)
{
    return strcmp((*(struct qom_node *const *) left)->name, (*(struct qom_node *const *) right)->name);
}

static void list_nodes(const struct qom_node *node, int indent, struct buffer *out)
{
    VECTOR(struct qom_node *) children = { 0 };
    buffer_printf(out, "%*s/%s (%s)\r\n", indent, "", node->parent ? node->name : "", qom_type_text(node));
    for (size_t i = 0; i < node->properties.count; i++)
        if (node->properties.items[i].kind == QOM_CHILD && node->properties.items[i].node)
            vector_push(&children, node->properties.items[i].node);
    if (children.count)
        qsort(children.items, children.count, sizeof *children.items, compare_nodes);
    for (size_t i = 0; i < children.count; i++)
        list_nodes(children.items[i], indent + 2, out);
    vector_done(&children);
}

/* "info qom-tree [PATH]", from the machine down if there is no path. */
static bool info_qom_tree(struct vm *vm, const char *line, struct buffer *out)
{
    static const char command[] = "info qom-tree";
    if (!text_starts(line, command) || (line[strlen(command)] && line[strlen(command)] != ' '))
        return false;
    const char *path = line + strlen(command);
    path += strspn(path, " ");
    size_t length = strcspn(path, " ");
    bool ambiguous;
    if (path[length + strspn(path + length, " ")]) {
        buffer_add_text(out, "qom-tree: extraneous characters at the end of line\r\n"
                             "Try \"help info qom-tree\" for more information\r\n");
        return true;
    }
    owned_memory char *word = length ? memory_copy_bytes(path, length) : memory_copy_text("/machine");
    const struct qom_node *node = qom_resolve(vm->tree, word, &ambiguous);
    if (node)
        list_nodes(node, 0, out);
    else
        buffer_printf(out, "Path '%s' could not be resolved.\r\n", word);
    return true;
}

static const struct {
    const char *line;
    void (*run)(struct vm *vm, struct buffer *out);
} human_commands[] = {
    { "info status", info_status }, { "info version", info_version }, { "info name", info_name },
    { "info uuid", info_uuid },     { "info kvm", info_kvm },         { "info balloon", info_balloon },
};

static int human(struct call *call, struct error *err)
{
    (void) err;
    const char *line = json_get_text(call->arguments, "command-line");
    owned_buffer struct buffer text = { 0 };
    size_t i = 0;
    while (i < ARRAY_COUNT(human_commands) && !text_equal(human_commands[i].line, line))
        i++;
    if (i < ARRAY_COUNT(human_commands))
        human_commands[i].run(call->vm, &text);
    else if (!line[strspn(line, " ")] || info_qom_tree(call->vm, line, &text))
        ;
    else if (text_starts(line, "info "))
        buffer_printf(&text, "unknown command: '%s'\r\n", line);
    else
        buffer_printf(&text, "unknown command: '%.*s'\r\n", (int) strcspn(line, " "), line);
    call_return(call, value_text(call->arena, buffer_text(&text)));
    return 0;
}

static const struct argument human_args[] = {
    { "command-line", ARG_TEXT, false }, { "cpu-index", ARG_NUMBER, true }, { NULL, 0, false },
};

const struct command query_commands[] = {
    { "query-version", ALWAYS, version, NULL },
    { "query-target", ALWAYS, target, NULL },
    { "query-name", ALWAYS, name, NULL },
    { "query-uuid", ALWAYS, uuid, NULL },
    { "query-kvm", ALWAYS, kvm, NULL },
    { "query-accelerators", ONLY_MODERN, accelerators, NULL },
    { "query-cpu-definitions", ALWAYS, cpu_definitions, NULL },
    { "query-command-line-options", ALWAYS, option_lists,
      (const struct argument[]) { { "option", ARG_TEXT, true }, { NULL, 0, false } } },
    { "query-cpus-fast", ALWAYS, cpus_fast, NULL },
    { "query-hotpluggable-cpus", ALWAYS, hotpluggable_cpus, NULL },
    { "query-iothreads", ALWAYS, iothreads, NULL },
    { "query-chardev", ALWAYS, chardevs, NULL },
    { "query-balloon", ALWAYS, balloon, NULL },
    { "query-current-machine", ALWAYS, current_machine, NULL },
    { "query-memory-size-summary", ALWAYS, memory_summary, NULL },
    { "query-jobs", ALWAYS, nothing, NULL },
    { "query-block-jobs", ALWAYS, nothing, NULL },
    { "query-memory-devices", ALWAYS, nothing, NULL },
    { "human-monitor-command", ALWAYS, human, human_args },
    { NULL, ALWAYS, NULL, NULL },
};

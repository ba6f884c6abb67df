/* SPDX-License-Identifier: Apache-2.0 */
/* qom: the running emulator's object tree, an object of it, or one property. */
#include "shell/qom.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/objects.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "path", PARAMETER_OBJECT, .position = true, .help = "an object: its path, or the id of a device" },
    { "property", PARAMETER_PROPERTY, .position = true, .help = "one property, read from the emulator now" },
    { "stats", PARAMETER_FLAG, .help = "print what the last pull of the tree took" },
    { "refresh", PARAMETER_FLAG, .help = "pull the tree again first" },
    JSON_PARAMETER,
    { 0 },
};

char *qom_full_path(const char *word)
{
    return word && *word != '/' ? memory_printf("/machine/peripheral/%s", word) : memory_copy_text(word);
}

void qom_add_text(struct json_writer *w, const char *key, char *const *text)
{
    if (text)
        json_key(w, key), json_string(w, *text);
}

void qom_add_value(struct json_writer *w, const char *key, char *const *value)
{
    if (value)
        json_key(w, key), json_raw(w, *value);
}

static void show_json(struct session *session, const domus_qom_tree_reply *tree)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '[');
    for (u_int i = 0; i < tree->objects.objects_len; i++)
        objects_write(&w, &tree->objects.objects_val[i]);
    json_close(&w, ']');
    session_show_json(session, buffer_text(&out));
}

/* How many objects above it are printed, too; the last step of the path is then its name. */
static unsigned depth_below(const char *path, const char *root)
{
    unsigned depth = 0;
    for (const char *p = path + (text_equal(root, "/") ? 0 : strlen(root)); *p; p++)
        depth += *p == '/' && p[1];
    return depth;
}

static void show_tree(const domus_qom_tree_reply *tree)
{
    for (u_int i = 0; i < tree->objects.objects_len; i++) {
        const domus_qom_object *object = &tree->objects.objects_val[i];
        unsigned depth = depth_below(object->path, tree->objects.objects_val[0].path);
        const char *name = depth ? strrchr(object->path, '/') + 1 : object->path;
        printf("%*s%s (%s)\n", (int) depth * 2, "", name, object->type);
    }
}

static void show_object(const domus_qom_tree_reply *tree)
{
    const domus_qom_object *object = &tree->objects.objects_val[0];
    printf("%s (%s)\n", object->path, object->type);
    for (u_int i = 0; i < object->properties.properties_len; i++) {
        const domus_qom_property *property = &object->properties.properties_val[i];
        printf("  %s: %s (%s)\n", property->name, property->value ? *property->value : "?", property->type);
    }
    for (u_int i = 1; i < tree->objects.objects_len; i++) {
        const domus_qom_object *child = &tree->objects.objects_val[i];
        if (depth_below(child->path, object->path) == 1)
            printf("  %s/ (%s)\n", strrchr(child->path, '/') + 1, child->type);
    }
}

static int run_tree(struct session *session, const struct arguments *arguments, struct client *client,
                    const remote_nonnull_domain *dom, struct error *err)
{
    owned_memory char *path = qom_full_path(argument_text(arguments, "path"));
    domus_qom_tree_args args = {
        .dom = *dom,
        .path = path ? &path : NULL,
        .flags = argument_flag(arguments, "refresh") ? DOMUS_QOM_REFRESH : 0,
    };
    reply_scope(domus_qom_tree, tree);
    if (client_domus_qom_tree(client, &args, &tree, err) < 0)
        return COMMAND_FAILED;
    if (argument_flag(arguments, "json"))
        show_json(session, &tree);
    else if (path && tree.objects.objects_len)
        show_object(&tree);
    else
        show_tree(&tree);
    return COMMAND_DONE;
}

static int run_property(const struct arguments *arguments, struct client *client,
                        const remote_nonnull_domain *dom, struct error *err)
{
    owned_memory char *path = qom_full_path(argument_text(arguments, "path"));
    domus_qom_get_args args = { .dom = *dom,
                                .path = path,
                                .property = (char *) argument_text(arguments, "property") };
    reply_scope(domus_qom_get, reply);
    if (client_domus_qom_get(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    puts(reply.value);
    return COMMAND_DONE;
}

/* One "name: value" a line, or an array with one object. */
static int run_stats(struct session *session, bool json, struct client *client,
                     const remote_nonnull_domain *dom, struct error *err)
{
    domus_qom_stats_args args = { .dom = *dom };
    reply_scope(domus_qom_stats, stats);
    if (client_domus_qom_stats(client, &args, &stats, err) < 0)
        return COMMAND_FAILED;
    const struct { const char *name; unsigned long long value; } numbers[] = {
        { "objects", stats.objects }, { "properties", stats.properties }, { "calls", stats.calls },
        { "round_trips", stats.round_trips }, { "request_bytes", stats.request_bytes },
        { "reply_bytes", stats.reply_bytes },
    };
    const char *quote = json ? "\"" : "", *end = json ? ", " : "\n";
    session->spoke_json = json;
    printf("%s", json ? "[{" : "");
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        printf("%s%s%s: %llu%s", quote, numbers[i].name, quote, numbers[i].value, end);
    printf("%smilliseconds%s: %.3f%s", quote, quote, stats.milliseconds, end);
    printf("%splan%s: %s%s%s%s", quote, quote, quote, stats.plan, quote, end);
    printf("%smethod%s: %s%s%s%s", quote, quote, quote, stats.method, quote, json ? "}]\n" : "\n");
    return COMMAND_DONE;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    bool stats = argument_flag(arguments, "stats");
    if (stats && argument_text(arguments, "path")) {
        fail(err, ERR_INVALID_ARG, "--stats is about the whole tree; it takes no path");
        return COMMAND_MISUSED;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if (stats)
        return run_stats(session, argument_flag(arguments, "json"), client, &found.dom, err);
    if (argument_text(arguments, "property"))
        return run_property(arguments, client, &found.dom, err);
    return run_tree(session, arguments, client, &found.dom, err);
}

const struct command qom_command = {
    .name = "qom",
    .group = "Emulator",
    .summary = "print a running emulator's object tree, an object or a property",
    .about = "Without a path: all objects and their types.  A value of '?' cannot be read, or is a secret.  "
             "A third word find, get, set, watch, diff or export is the command qom-find and so on.",
    .parameters = parameters,
    .run = run,
    .has_verbs = true,
};

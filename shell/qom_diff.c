/* SPDX-License-Identifier: Apache-2.0 */
/* qom-diff, qom-export: an object tree compared with another one, and kept in a file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/objects_match.h"
#include "shell/qom.h"
#include "shell/session.h"

/* --- what is compared --- */

/* Which of a domain's trees "one@start" means. */
static const struct moment {
    const char *suffix;
    unsigned flag;
} moments[] = {
    { "@start", DOMUS_QOM_START },
    { "@previous", DOMUS_QOM_PREVIOUS },
    { "", DOMUS_QOM_REFRESH },
};

static int load_domain(struct session *session, const char *word, struct objects *objects, struct error *err)
{
    const struct moment *moment = moments;
    while (!text_ends(word, moment->suffix))
        moment++;
    owned_memory char *name = memory_copy_bytes(word, strlen(word) - strlen(moment->suffix));
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_qom_tree, tree);
    struct client *client = session_domain_named(session, name, &found, err);
    domus_qom_tree_args args = { .dom = found.dom, .flags = moment->flag };
    if (!client || client_domus_qom_tree(client, &args, &tree, err) < 0)
        return -1;
    return objects_add_reply(objects, &tree, err);
}

static int load_file(const char *path, struct objects *objects, struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    if (file_read(text_equal(path, "-") ? "/dev/stdin" : path, EXPORT_BYTES_MAX, &text, err) < 0)
        return -1;
    return objects_add_export(objects, buffer_text(&text), text.length, err);
}

/* No domain's name has a slash. */
static bool is_file(const char *word)
{
    return strchr(word, '/') || text_equal(word, "-") ||
           (text_ends(word, ".jsonl") && access(word, F_OK) == 0);
}

/* NULL with an error. */
static struct objects *load(struct session *session, const char *word, struct error *err)
{
    owned(objects) struct objects *objects = objects_new(word);
    int rc = is_file(word) ? load_file(word, objects, err) : load_domain(session, word, objects, err);
    return rc < 0 ? NULL : take(objects);
}

/* --- what is shown --- */

static const char signs[] = { '-', '+', '-', '+', '~' };
static const char *const kinds[] = { "object removed", "object added", "property removed", "property added",
                                     "property changed" };

static const char *value_of(const struct object_property *p)
{
    return p->value ? p->value : "?";
}

static void print_change(const struct change *change, const struct object *object)
{
    printf("%c %s", signs[change->kind], object->path);
    if (change->kind <= OBJECT_ADDED && change->below)
        printf(" (%s) and %u below it\n", object->type, change->below);
    else if (change->kind <= OBJECT_ADDED)
        printf(" (%s)\n", object->type);
    else if (change->kind == PROPERTY_CHANGED)
        printf(" %s: %s -> %s\n", change->new->name, value_of(change->old), value_of(change->new));
    else
        printf(" %s: %s\n", (change->new ? change->new : change->old)->name,
               value_of(change->new ? change->new : change->old));
}

static void add_value(struct json_writer *w, const char *key, const struct object_property *p)
{
    if (p && p->value)
        json_key(w, key), json_raw(w, p->value);
}

static void add_change(struct json_writer *w, const struct change *change, const struct object *object)
{
    json_open(w, '{');
    json_key(w, "change"), json_string(w, kinds[change->kind]);
    json_key(w, "path"), json_string(w, object->path);
    json_key(w, "type"), json_string(w, object->type);
    if (change->kind <= OBJECT_ADDED) {
        json_key(w, "below"), json_u64(w, change->below);
    } else {
        json_key(w, "property"), json_string(w, (change->new ? change->new : change->old)->name);
        add_value(w, "old", change->old);
        add_value(w, "new", change->new);
    }
    json_close(w, '}');
}

static void show(struct session *session, bool json, const struct changes *changes, const struct objects *a,
                 const struct objects *b)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    if (!json && changes->list.count)
        session_confirm(session, "--- %s\n+++ %s\n", a->label, b->label);
    json_open(&w, '[');
    for (size_t i = 0; i < changes->list.count; i++) {
        const struct change *change = &changes->list.items[i];
        bool old = change->kind == OBJECT_REMOVED || change->kind == PROPERTY_REMOVED;
        const struct object *object = &(old ? a : b)->list.items[change->object];
        if (json)
            add_change(&w, change, object);
        else
            print_change(change, object);
    }
    json_close(&w, ']');
    if (json)
        session_show_json(session, buffer_text(&out));
    session->spoke_json = true; /* like diff: nothing is said of trees that are the same */
}

static const struct parameter diff_parameters[] = {
    { "domain", PARAMETER_DOMAIN, .position = true, .required = true, .value = "from",
      .help = "DOMAIN, DOMAIN@start, DOMAIN@previous or a file that qom-export wrote" },
    { "with", PARAMETER_TEXT, .position = true, .value = "to",
      .help = "the same; if it is left out, the domain's last start is compared with the domain now" },
    { "all", PARAMETER_FLAG, .help = "compare what changes by itself as well, such as clocks" },
    JSON_PARAMETER,
    { 0 },
};

static int run_diff(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *from = argument_text(arguments, "domain"), *to = argument_text(arguments, "with");
    if (!to && is_file(from)) {
        fail(err, ERR_INVALID_ARG, "qom-diff: what shall '%s' be compared with?", from);
        return COMMAND_MISUSED;
    }
    owned_memory char *start = to ? memory_copy_text(from) : memory_printf("%s@start", from);
    owned(objects) struct objects *a = load(session, start, err);
    owned(objects) struct objects *b = a ? load(session, to ? to : from, err) : NULL;
    if (!b)
        return COMMAND_FAILED;
    struct changes changes;
    objects_compare(a, b, argument_flag(arguments, "all"), &changes);
    show(session, argument_flag(arguments, "json"), &changes, a, b);
    int result = changes.list.count ? COMMAND_DIFFERS : COMMAND_DONE;
    changes_done(&changes);
    return result;
}

const struct command qom_diff_command = {
    .name = "qom-diff",
    .group = "Emulator",
    .summary = "compare the tree of a running emulator with its last start, with another one, or with a file",
    .about =
        "DOMAIN is its tree now, DOMAIN@start as its last start left it, DOMAIN@previous as the one before; "
        "a word with a slash, or that ends in .jsonl, is a file.  Numbered objects such as device[7] are "
        "matched by what they are.  The tree of a start is the first that was read of that run.  "
        "Exit status: 0 no difference, 1 differences, 2 trouble.",
    .parameters = diff_parameters,
    .run = run_diff,
    .compares = true,
};

/* --- export --- */

static const struct parameter export_parameters[] = {
    DOMAIN_PARAMETER,
    { "file", PARAMETER_TEXT, .help = "write there; else it is printed" },
    { "start", PARAMETER_FLAG, .help = "the tree as the last start left it" },
    { "previous", PARAMETER_FLAG, .help = "the tree as the start before the last left it" },
    { "refresh", PARAMETER_FLAG, .help = "pull the tree again first" },
    { 0 },
};

static int run_export(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_qom_tree, tree);
    struct client *client = session_domain(session, arguments, &found, err);
    domus_qom_tree_args args = {
        .dom = found.dom,
        .flags = (argument_flag(arguments, "start") ? DOMUS_QOM_START : 0) |
                 (argument_flag(arguments, "previous") ? DOMUS_QOM_PREVIOUS : 0) |
                 (argument_flag(arguments, "refresh") ? DOMUS_QOM_REFRESH : 0),
    };
    if (!client || client_domus_qom_tree(client, &args, &tree, err) < 0)
        return COMMAND_FAILED;
    owned_buffer struct buffer out = { 0 };
    const char *file = argument_text(arguments, "file");
    objects_export(&tree, &found.dom, &out);
    session->spoke_json = true;
    if (!file)
        fwrite(out.data, 1, out.length, stdout);
    else if (file_replace(file, out.data, out.length, 0600, err) < 0)
        return COMMAND_FAILED;
    else
        session_confirm(session, "%u objects of domain '%s' written to %s\n\n", tree.objects.objects_len,
                        found.dom.name, file);
    return COMMAND_DONE;
}

const struct command qom_export_command = {
    .name = "qom-export",
    .group = "Emulator",
    .summary = "write the tree of a running emulator as lines of JSON, without secrets",
    .about =
        "The first line says what the tree is of, each other is an object.  qom-diff compares such files.",
    .parameters = export_parameters,
    .run = run_export,
};

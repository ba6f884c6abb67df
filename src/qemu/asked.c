/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/asked.h"

#include <string.h>

#include "base/text.h"
#include "qemu/caps.h"
#include "qemu/launch.h"
#include "qemu/steps.h"
#include "qemu/vmm.h"

/* The options that are looked at, and what a first word without a key is called. */
static const struct known_option {
    const char *option, *first, *id;
} known_options[] = {
    { "-device", "driver", "id" },  { "-object", "qom-type", "id" }, { "-blockdev", "driver", "node-name" },
    { "-netdev", "type", "id" },    { "-chardev", "backend", "id" }, { "-audiodev", "driver", "id" },
    { "-fsdev", "fsdriver", "id" }, { "-tpmdev", "type", "id" },     { "-machine", "type", "id" },
    { "-drive", "file", "id" },     { "-cpu", "model", "id" },       { "-smp", "cpus", "id" },
};

static struct json *new_json(struct arena *arena, enum json_type type)
{
    struct json *v = ARENA_NEW(arena, struct json);
    v->type = type;
    return v;
}

static struct json *new_string(struct arena *arena, const char *text, size_t length)
{
    struct json *v = new_json(arena, JSON_STRING);
    v->text = arena_copy_bytes(arena, text, length);
    v->length = length;
    return v;
}

/* Up to the next comma; a doubled one is one of the text.  Moves *text past it. */
static char *next_part(struct arena *arena, const char **text)
{
    owned_buffer struct buffer part = { 0 };
    const char *c = *text;
    for (; *c && (*c != ',' || c[1] == ','); c++) {
        buffer_add_char(&part, *c);
        c += *c == ',';
    }
    *text = *c ? c + 1 : c;
    return arena_copy(arena, buffer_text(&part));
}

const struct json *asked_parse(struct arena *arena, const char *text, const char *first)
{
    error_scope(err);
    if (*text == '{') {
        const struct json *parsed = json_parse(text, strlen(text), arena, &err);
        return parsed && parsed->type == JSON_OBJECT ? parsed : NULL;
    }
    VECTOR(struct json_member) members = { 0 };
    for (bool begun = false; *text; begun = true) {
        const char *part = next_part(arena, &text), *equals = strchr(part, '=');
        const char *key = equals ? arena_copy_bytes(arena, part, (size_t) (equals - part)) : first;
        const char *value = equals ? equals + 1 : part;
        if (!equals && begun) { /* an old spelling of on and off: x, +x, -x */
            key = part + (*part == '+' || *part == '-');
            value = *part == '-' ? "off" : "on";
        }
        struct json_member member = { key, new_string(arena, value, strlen(value)) };
        vector_push(&members, member);
    }
    struct json *object = new_json(arena, JSON_OBJECT);
    struct json_member *copy = arena_alloc(arena, (members.count + 1) * sizeof *copy);
    if (members.count)
        memcpy(copy, members.items, members.count * sizeof *copy);
    object->members = copy;
    object->length = members.count;
    vector_done(&members);
    return object;
}

static void add_option(struct asked *asked, const char *word, const char *value)
{
    for (size_t i = 0; i < ARRAY_COUNT(known_options); i++) {
        const struct known_option *known = &known_options[i];
        const struct json *values =
            text_equal(known->option, word) ? asked_parse(asked->arena, value, known->first) : NULL;
        if (!values)
            continue;
        struct asked_option option = { .option = known->option,
                                       .kind_key = known->first,
                                       .kind = json_get_text(values, known->first),
                                       .id = json_get_text(values, known->id),
                                       .values = values };
        vector_push(&asked->options, option);
    }
}

struct asked *asked_new(const struct domain_def *def, const struct caps *caps, struct error *err)
{
    const struct caps spelt = steps_caps(caps);
    struct command_line what = launch_command_line(def, &spelt);
    owned_argv struct argv argv = { 0 };
    what.classic_drives = false;
    if (command_line_build(&what, &argv, err) < 0)
        return NULL;
    struct asked *asked = NEW(struct asked);
    asked->arena = arena_new();
    asked->caps = caps_ref((struct caps *) caps);
    for (size_t i = 0; i + 1 < argv.count; i++)
        if (argv.words[i][0] == '-')
            add_option(asked, argv.words[i], argv.words[i + 1]);
    return asked;
}

void asked_free(struct asked *asked)
{
    if (!asked)
        return;
    vector_done(&asked->options);
    caps_free(asked->caps);
    arena_free(asked->arena);
    free(asked);
}

/* A guest that was found again may not have learnt them yet.  Without a job it may be gone after the wait, so
 * nothing of it is used then. */
static WAITS struct caps *caps_of(const struct vmm *vmm, struct error *err)
{
    if (vmm->caps)
        return caps_ref(vmm->caps);
    owned_memory char *emulator = memory_copy_text(vmm->def->emulator);
    return caps_get(emulator, err);
}

WAITS struct asked *domain_asked(struct domain *dom, bool refresh, const struct qom_store **ret_store,
                                 struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    int id = dom->id;
    owned(caps) struct caps *caps = vmm ? caps_of(vmm, err) : NULL;
    const struct qom_store *store = caps ? domain_qom_tree(dom, refresh, err) : NULL;
    if (!store)
        return NULL;
    if (dom->id != id || dom->vmm != vmm) {
        fail(err, ERR_OPERATION_INVALID, "domain '%s' ended meanwhile", dom->name);
        return NULL;
    }
    *ret_store = store;
    return asked_new(vmm->def, caps, err);
}

const struct asked_option *asked_find(const struct asked *asked, const char *option, const char *id)
{
    const struct asked_option *found = NULL;
    for (size_t i = 0; i < asked->options.count; i++)
        if (text_equal(asked->options.items[i].option, option) && id &&
            text_equal(asked->options.items[i].id, id))
            found = &asked->options.items[i];
    return found;
}

uint32_t asked_object(const struct qom_store *store, const struct asked_option *option)
{
    static const struct {
        const char *option, *folder;
    } folders[] = {
        { "-device", "/machine/peripheral" },
        { "-object", "/objects" },
    };
    bool ambiguous;
    if (text_equal(option->option, "-machine"))
        return qom_store_find(store, "/machine", &ambiguous);
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        uint32_t folder = text_equal(option->option, folders[i].option)
                              ? qom_store_find(store, folders[i].folder, &ambiguous)
                              : QOM_NONE;
        if (folder != QOM_NONE && option->id)
            return qom_store_child(store, folder, option->id);
    }
    return QOM_NONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* qom-get, qom-set: one property of a running emulator. */
#include <stdio.h>

#include "base/text.h"
#include "shell/arguments.h"
#include "shell/qom.h"
#include "shell/session.h"

static const struct parameter get_parameters[] = {
    DOMAIN_PARAMETER, OBJECT_PARAMETER, PROPERTY_PARAMETER, JSON_PARAMETER, { 0 },
};

static const struct parameter set_parameters[] = {
    DOMAIN_PARAMETER,
    OBJECT_PARAMETER,
    PROPERTY_PARAMETER,
    { "value", PARAMETER_TEXT, .position = true, .required = true,
      .help = "on, 7, a word: as the property's type wants it" },
    { "force", PARAMETER_FLAG, .help = "set it although it may harm the guest" },
    { "literal", PARAMETER_FLAG, .help = "the value is JSON, to be sent as it is" },
    JSON_PARAMETER,
    { 0 },
};

static void begin(struct json_writer *w, const char *path, const char *property)
{
    json_open(w, '[');
    json_open(w, '{');
    json_key(w, "path"), json_string(w, path);
    json_key(w, "property"), json_string(w, property);
}

static void finish(struct session *session, struct json_writer *w)
{
    json_close(w, '}');
    json_close(w, ']');
    session_show_json(session, buffer_text(w->out));
}

static int run_get(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_qom_get, reply);
    struct client *client = session_domain(session, arguments, &found, err);
    owned_memory char *path = qom_full_path(argument_text(arguments, "path"));
    char *property = (char *) argument_text(arguments, "property");
    domus_qom_get_args args = { .dom = found.dom, .path = path, .property = property };
    if (!client || client_domus_qom_get(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    if (!argument_flag(arguments, "json")) {
        puts(reply.value);
        return COMMAND_DONE;
    }
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    begin(&w, path, property);
    qom_add_value(&w, "value", &reply.value);
    finish(session, &w);
    return COMMAND_DONE;
}

const struct command qom_get_command = {
    .name = "qom-get",
    .group = "Emulator",
    .summary = "print one property of a running emulator, as it is now",
    .parameters = get_parameters,
    .run = run_get,
};

static void show_change(const char *path, const char *property, const domus_qom_set_reply *reply)
{
    printf("%s %s (%s): %s -> %s\n", path, property, reply->type, qom_shown(reply->before),
           qom_shown(reply->after));
    if (!reply->after)
        printf("the emulator took %s; the value cannot be read back\n", reply->sent);
    else if (!text_equal(*reply->after, reply->sent))
        printf("the emulator took %s, and shows something else\n", reply->sent);
    else
        puts("the emulator took it");
}

static int run_set(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_qom_set, reply);
    struct client *client = session_domain(session, arguments, &found, err);
    owned_memory char *path = qom_full_path(argument_text(arguments, "path"));
    char *property = (char *) argument_text(arguments, "property");
    domus_qom_set_args args = {
        .dom = found.dom,
        .path = path,
        .property = property,
        .value = (char *) argument_text(arguments, "value"),
        .flags = (argument_flag(arguments, "force") ? DOMUS_QOM_SET_FORCE : 0) |
                 (argument_flag(arguments, "literal") ? 0 : DOMUS_QOM_SET_WORD),
    };
    if (!client || client_domus_qom_set(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    if (!argument_flag(arguments, "json")) {
        show_change(path, property, &reply);
        return COMMAND_DONE;
    }
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    begin(&w, path, property);
    json_key(&w, "type"), json_string(&w, reply.type);
    qom_add_value(&w, "sent", &reply.sent);
    qom_add_value(&w, "before", reply.before);
    qom_add_value(&w, "after", reply.after);
    finish(session, &w);
    return COMMAND_DONE;
}

const struct command qom_set_command = {
    .name = "qom-set",
    .group = "Emulator",
    .summary = "set one property of a running emulator, past its definition",
    .about =
        "It is refused with a reason unless forced, for what it changes is neither in the domain's XML nor "
        "there after the next start.  Printed are the value before and after, and whether it was taken.",
    .parameters = set_parameters,
    .run = run_set,
};

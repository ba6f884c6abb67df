/* SPDX-License-Identifier: Apache-2.0 */
/* device: a running domain's devices, or one of them with what was asked for it and what is in effect. */
#include <stdio.h>

#include "base/text.h"
#include "shell/arguments.h"
#include "shell/listing.h"
#include "shell/qom.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "alias", PARAMETER_DEVICE, .position = true, .help = "only this device, with its settings" },
    { "refresh", PARAMETER_FLAG, .help = "pull the tree again first" },
    JSON_PARAMETER,
    { 0 },
};

static const char *or_dash(char *const *text)
{
    return text ? *text : "-";
}

static void show_list(struct session *session, const struct arguments *arguments,
                      const domus_devices_reply *reply)
{
    static const struct column columns[] = {
        { .title = "Alias" },   { .title = "Kind" },    { .title = "Type" },
        { .title = "Address" }, { .title = "Backend" },
    };
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    for (u_int i = 0; i < reply->devices.devices_len; i++) {
        const domus_device *device = &reply->devices.devices_val[i];
        listing_add(listing, device->alias);
        listing_add(listing, device->kind);
        listing_add(listing, or_dash(device->type));
        listing_add(listing, or_dash(device->address));
        listing_add(listing, or_dash(device->backend));
    }
    session_show(session, arguments, listing, 0);
}

static void print_pair(const char *title, char *const *text)
{
    if (text)
        printf("%-15s %s\n", title, *text);
}

static const char *remark(const domus_setting *setting)
{
    return setting->agreement == DOMUS_SETTING_DIFFERS ? "differs" : "";
}

static void show_device(struct session *session, const struct arguments *arguments,
                        const domus_device *device)
{
    static const struct column columns[] = {
        { .title = "Setting" },
        { .title = "Asked" },
        { .title = "In effect" },
        { .title = "" },
    };
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    print_pair("Alias:", &device->alias);
    print_pair("Device:", &device->description);
    print_pair("Type:", device->type);
    print_pair("QOM path:", device->path);
    print_pair("Address:", device->address);
    print_pair("Back end:", device->backend);
    putchar('\n');
    for (u_int i = 0; i < device->settings.settings_len; i++) {
        const domus_setting *setting = &device->settings.settings_val[i];
        listing_add(listing, setting->name);
        listing_add(listing, or_dash(setting->asked));
        listing_add(listing, or_dash(setting->effective));
        listing_add(listing, remark(setting));
    }
    session_show(session, arguments, listing, 0);
}

static void add_setting(struct json_writer *w, const domus_setting *setting)
{
    static const char *const words[] = { [DOMUS_SETTING_AGREES] = "agrees",
                                         [DOMUS_SETTING_DIFFERS] = "differs",
                                         [DOMUS_SETTING_UNCOMPARED] = "uncompared" };
    json_open(w, '{');
    json_key(w, "name"), json_string(w, setting->name);
    qom_add_value(w, "asked", setting->asked);
    qom_add_value(w, "effective", setting->effective);
    if (setting->agreement >= 0 && (size_t) setting->agreement < ARRAY_COUNT(words))
        json_key(w, "agreement"), json_string(w, words[setting->agreement]);
    json_close(w, '}');
}

static void show_json(struct session *session, const domus_devices_reply *reply, bool settings)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '[');
    for (u_int i = 0; i < reply->devices.devices_len; i++) {
        const domus_device *device = &reply->devices.devices_val[i];
        json_open(&w, '{');
        json_key(&w, "alias"), json_string(&w, device->alias);
        json_key(&w, "kind"), json_string(&w, device->kind);
        json_key(&w, "description"), json_string(&w, device->description);
        qom_add_text(&w, "path", device->path);
        qom_add_text(&w, "type", device->type);
        qom_add_text(&w, "address", device->address);
        qom_add_text(&w, "backend", device->backend);
        if (settings) {
            json_key(&w, "settings"), json_open(&w, '[');
            for (u_int s = 0; s < device->settings.settings_len; s++)
                add_setting(&w, &device->settings.settings_val[s]);
            json_close(&w, ']');
        }
        json_close(&w, '}');
    }
    json_close(&w, ']');
    session_show_json(session, buffer_text(&out));
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_devices, reply);
    struct client *client = session_domain(session, arguments, &found, err);
    char *alias = (char *) argument_text(arguments, "alias");
    domus_devices_args args = { .dom = found.dom,
                                .alias = alias ? &alias : NULL,
                                .flags = argument_flag(arguments, "refresh") ? DOMUS_QOM_REFRESH : 0 };
    if (!client || client_domus_devices(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    if (argument_flag(arguments, "json"))
        show_json(session, &reply, alias != NULL);
    else if (alias && reply.devices.devices_len)
        show_device(session, arguments, &reply.devices.devices_val[0]);
    else
        show_list(session, arguments, &reply);
    return COMMAND_DONE;
}

const struct command device_command = {
    .name = "device",
    .group = "Emulator",
    .summary = "list a running domain's devices, or show what one was asked to be and is",
    .about =
        "With an alias: where the device is in the tree and on its bus, its back end, and each setting as it "
        "was asked for beside the one in effect.",
    .parameters = parameters,
    .run = run,
};

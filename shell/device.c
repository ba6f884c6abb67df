/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/device.h"

int device_flags(const struct arguments *arguments, const remote_nonnull_domain *dom, unsigned *ret_flags,
                 struct error *err)
{
    int wrong = affect_flags(arguments, ret_flags, err);
    if (!wrong && argument_flag(arguments, "persistent"))
        *ret_flags |= AFFECT_CONFIG | (dom->id != -1 ? AFFECT_LIVE : 0);
    return wrong;
}

int device_apply(struct client *client, enum device_change change, const remote_nonnull_domain *dom,
                 const char *xml, unsigned flags, struct error *err)
{
    remote_domain_attach_device_flags_args attach = { .dom = *dom, .xml = (char *) xml, .flags = flags };
    remote_domain_detach_device_flags_args detach = { .dom = *dom, .xml = (char *) xml, .flags = flags };
    remote_domain_update_device_flags_args update = { .dom = *dom, .xml = (char *) xml, .flags = flags };
    switch (change) {
    case DEVICE_ATTACH: return client_domain_attach_device_flags(client, &attach, NULL, err);
    case DEVICE_DETACH: return client_domain_detach_device_flags(client, &detach, NULL, err);
    case DEVICE_UPDATE: return client_domain_update_device_flags(client, &update, NULL, err);
    }
    return -1;
}

void device_add_escaped(struct buffer *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': buffer_add_text(out, "&amp;"); break;
        case '<': buffer_add_text(out, "&lt;"); break;
        case '\'': buffer_add_text(out, "&apos;"); break;
        default: buffer_add_char(out, *text);
        }
}

void device_add_attribute(struct buffer *out, const char *name, const char *value)
{
    if (!value)
        return;
    buffer_printf(out, " %s='", name);
    device_add_escaped(out, value);
    buffer_add_char(out, '\'');
}

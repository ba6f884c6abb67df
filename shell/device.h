/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - devices that come, go and change: what the commands for them share. */
#pragma once
#include "rpc/client.h"
#include "shell/affect.h"

enum device_change { DEVICE_ATTACH, DEVICE_DETACH, DEVICE_UPDATE };

#define DEVICE_PARAMETERS \
    AFFECT_PARAMETERS, \
    { "persistent", PARAMETER_FLAG, .help = "the next start, and the running guest if there is one" }, \
    { "print-xml", PARAMETER_FLAG, .help = "print the XML instead of doing anything" }

/* The flags that DEVICE_PARAMETERS say.  COMMAND_DONE, or COMMAND_MISUSED with an error. */
int device_flags(const struct arguments *arguments, const remote_nonnull_domain *dom, unsigned *ret_flags,
                 struct error *err);
int device_apply(struct client *client, enum device_change change, const remote_nonnull_domain *dom,
                 const char *xml, unsigned flags, struct error *err);
void device_add_escaped(struct buffer *out, const char *text);
/* " name='value'", escaped; nothing for NULL. */
void device_add_attribute(struct buffer *out, const char *name, const char *value);

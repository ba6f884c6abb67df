/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/definition.h"

#include <string.h>

enum { XML_INACTIVE = 2 };

struct domain_def *definition_fetch(struct client *client, const remote_nonnull_domain *dom, bool inactive,
                                    struct error *err)
{
    static const struct conf_defaults defaults = { .arch = "x86_64" };
    remote_domain_get_xml_desc_args args = { .dom = *dom, .flags = inactive ? XML_INACTIVE : 0 };
    reply_scope(domain_get_xml_desc, reply);
    if (client_domain_get_xml_desc(client, &args, &reply, err) < 0)
        return NULL;
    struct domain_def *def =
        domain_def_parse(reply.xml, strlen(reply.xml), inactive ? 0 : DOMAIN_DEF_LIVE, &defaults, NULL, err);
    if (!def)
        fail_in(err, "the XML of domain '%s' cannot be read", dom->name);
    return def;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions as text: a domain's XML, parts of it, and the command line that would come of one. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "conf/metadata.h"
#include "daemon/affect.h"
#include "daemon/daemon.h"
#include "daemon/request.h"
#include "qemu/operations.h"

/* VIR_DOMAIN_XML_*.  UPDATE_CPU and MIGRATABLE ask for less or more of what only a migration needs. */
enum { XML_DESC_SECURE = 1, XML_DESC_INACTIVE = 2, XML_DESC_UPDATE_CPU = 4, XML_DESC_MIGRATABLE = 8 };
enum { XML_DESC_KNOWN = XML_DESC_SECURE | XML_DESC_INACTIVE | XML_DESC_UPDATE_CPU | XML_DESC_MIGRATABLE };
enum { METADATA_DESCRIPTION, METADATA_TITLE, METADATA_ELEMENT };

int on_domain_get_xml_desc(struct request *request, const remote_domain_get_xml_desc_args *args,
                           remote_domain_get_xml_desc_ret *ret, struct error *err)
{
    const struct domain *dom = request->dom;
    if (check_flags(args->flags, XML_DESC_KNOWN, err) < 0 || check_definition(dom, err) < 0)
        return -1;
    owned_buffer struct buffer xml = { 0 };
    bool live = dom->live && !(args->flags & XML_DESC_INACTIVE);
    const struct domain_def *def = dom->live && (live || !dom->persistent) ? dom->live : dom->def;
    unsigned flags = (live ? DOMAIN_DEF_LIVE : 0) |
                     (args->flags & (XML_DESC_SECURE | XML_DESC_MIGRATABLE) ? DOMAIN_DEF_SECRETS : 0);
    domain_def_format(def, flags, &dom->runtime, &xml);
    ret->xml = buffer_take(&xml);
    return 0;
}

int on_connect_domain_xml_to_native(struct request *request,
                                    const remote_connect_domain_xml_to_native_args *args,
                                    remote_connect_domain_xml_to_native_ret *ret, struct error *err)
{
    owned_findings struct findings findings = { 0 };
    owned_buffer struct buffer line = { 0 };
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    if (!text_equal(args->nativeFormat, "qemu-argv"))
        return fail(err, ERR_INVALID_ARG, "unsupported config type %s; there is qemu-argv",
                    args->nativeFormat);
    owned(domain_def) struct domain_def *def =
        emulators_read_definition(&request->daemon->emulators, args->domainXml, 0, &findings, err);
    if (!def || native_command_line(def, &line, err) < 0)
        return -1;
    ret->nativeConfig = buffer_take(&line);
    return 0;
}

int on_domain_get_metadata(struct request *request, const remote_domain_get_metadata_args *args,
                           remote_domain_get_metadata_ret *ret, struct error *err)
{
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0)
        return -1;
    const struct domain_def *def = affect_definition(request->dom, args->flags, err);
    if (!def)
        return -1;

    owned_buffer struct buffer text = { 0 };
    const struct raw *element;
    switch (args->type) {
    case METADATA_DESCRIPTION:
        ret->metadata = memory_copy_text(def->description);
        break;
    case METADATA_TITLE:
        ret->metadata = memory_copy_text(def->title);
        break;
    case METADATA_ELEMENT:
        if (!args->uri || !*args->uri)
            return fail(err, ERR_INVALID_ARG,
                        "metadata elements are found by the URI of their namespace; none was given");
        if ((element = metadata_find(def, *args->uri))) {
            metadata_format(element, *args->uri, &text);
            ret->metadata = buffer_take(&text);
        }
        break;
    default:
        return fail(err, ERR_INVALID_ARG, "unknown metadata type %d", args->type);
    }
    return ret->metadata ? 0 : fail(err, ERR_NO_METADATA, "Requested metadata element is not present");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/edit.h"

#include "daemon/daemon.h"
#include "domain/definitions.h"
#include "qemu/live.h"

void edit_format(const struct domain *dom, const struct domain_def *def, bool live, struct buffer *out)
{
    domain_def_format(def, DOMAIN_DEF_SECRETS | (live ? DOMAIN_DEF_LIVE : 0), live ? &dom->runtime : NULL,
                      out);
}

/* Through its text, so that a change obeys exactly the rules that a definition does. */
int edit_config(struct request *request, const struct domain_def *changed, struct error *err)
{
    struct domain *dom = request->dom;
    owned_findings struct findings findings = { 0 };
    owned_buffer struct buffer xml = { 0 };
    edit_format(dom, changed, false, &xml);
    owned(domain_def) struct domain_def *def =
        emulators_read_definition(&request->daemon->emulators, xml.data, 0, &findings, err);
    if (!def || definition_save(registry_places(dom->registry), def, err) < 0)
        return -1;
    domain_set_def(dom, def);
    return 0;
}

int edit_live(struct request *request, struct domain_def *changed, struct error *err)
{
    return domain_replace_live(request->dom, changed, err);
}

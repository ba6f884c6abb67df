/* SPDX-License-Identifier: Apache-2.0 */
/* Finding domains: by name, uuid and id, and in lists with filters. */
#include "daemon/domain_list.h"

#include <string.h>

#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/request.h"

enum { LIST_MAX = 16384 };              /* what the wire can carry */

/* VIR_CONNECT_LIST_DOMAINS_*.  Bits of one group are alternatives; groups are conditions that must all
 * hold. */
static const unsigned groups[] = { LIST_ACTIVE | LIST_INACTIVE,
                                   LIST_PERSISTENT | LIST_TRANSIENT,
                                   LIST_RUNNING | LIST_PAUSED | LIST_SHUTOFF | LIST_OTHER,
                                   LIST_MANAGED_SAVE | LIST_NO_MANAGED_SAVE,
                                   LIST_AUTOSTART | LIST_NO_AUTOSTART,
                                   LIST_SNAPSHOT | LIST_NO_SNAPSHOT,
                                   LIST_CHECKPOINT | LIST_NO_CHECKPOINT };

/* The bit that describes the domain in each group.  Saved images, snapshots and checkpoints do not exist here
 * yet. */
static unsigned describe(const struct domain *dom)
{
    unsigned bits = LIST_NO_MANAGED_SAVE | LIST_NO_SNAPSHOT | LIST_NO_CHECKPOINT;
    bits |= domain_is_active(dom) ? LIST_ACTIVE : LIST_INACTIVE;
    bits |= dom->persistent ? LIST_PERSISTENT : LIST_TRANSIENT;
    bits |= dom->autostart ? LIST_AUTOSTART : LIST_NO_AUTOSTART;
    switch (dom->state) {
    case DOMAIN_RUNNING: return bits | LIST_RUNNING;
    case DOMAIN_PAUSED: return bits | LIST_PAUSED;
    case DOMAIN_SHUTOFF: return bits | LIST_SHUTOFF;
    default: return bits | LIST_OTHER;
    }
}

bool domain_list_matches(const struct domain *dom, unsigned flags)
{
    unsigned bits = describe(dom);
    if (!domain_is_visible(dom))
        return false;
    for (size_t i = 0; i < ARRAY_COUNT(groups); i++) {
        if (flags & groups[i] && !(flags & groups[i] & bits))
            return false;
    }
    return true;
}

struct domain **domain_list(const struct registry *registry, unsigned flags, size_t *ret_count)
{
    size_t count, kept = 0;
    struct domain **list = registry_list(registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (domain_list_matches(list[i], flags))
            list[kept++] = list[i];
    }
    *ret_count = kept;
    return list;
}

int domain_list_check_count(size_t count, struct error *err)
{
    if (count > LIST_MAX)
        return fail(err, ERR_RPC, "%zu domains match, and a reply holds %d; ask with narrower filters", count,
                    LIST_MAX);
    return 0;
}

int on_connect_list_all_domains(struct request *request, const remote_connect_list_all_domains_args *args,
                                remote_connect_list_all_domains_ret *ret, struct error *err)
{
    size_t count;
    if (check_flags(args->flags, LIST_KNOWN, err) < 0)
        return -1;
    owned_memory struct domain **list = domain_list(request->daemon->registry, args->flags, &count);
    ret->ret = (unsigned) count;
    if (!args->need_results)
        return 0;
    if (domain_list_check_count(count, err) < 0)
        return -1;
    ret->domains.domains_val = memory_new((count + 1) * sizeof *ret->domains.domains_val);
    ret->domains.domains_len = (unsigned) count;
    for (size_t i = 0; i < count; i++)
        reply_domain(&ret->domains.domains_val[i], list[i]);
    return 0;
}

/* Three pairs of calls from before LIST_ALL_DOMAINS. */
static int count(const struct request *request, unsigned flags)
{
    size_t number;
    owned_memory struct domain **list UNUSED = domain_list(request->daemon->registry, flags, &number);
    return (int) number;
}

int on_connect_num_of_domains(struct request *request, const nothing *args,
                              remote_connect_num_of_domains_ret *ret, struct error *err)
{
    ret->num = count(request, LIST_ACTIVE);
    return 0;
}

int on_connect_num_of_defined_domains(struct request *request, const nothing *args,
                                      remote_connect_num_of_defined_domains_ret *ret, struct error *err)
{
    ret->num = count(request, LIST_INACTIVE);
    return 0;
}

static size_t at_most(size_t number, int max)
{
    size_t bound = max < 0 ? 0 : max > LIST_MAX ? LIST_MAX : (size_t) max;
    return number < bound ? number : bound;
}

int on_connect_list_domains(struct request *request, const remote_connect_list_domains_args *args,
                            remote_connect_list_domains_ret *ret, struct error *err)
{
    size_t number;
    owned_memory struct domain **list = domain_list(request->daemon->registry, LIST_ACTIVE, &number);
    number = at_most(number, args->maxids);
    ret->ids.ids_val = memory_new((number + 1) * sizeof *ret->ids.ids_val);
    ret->ids.ids_len = (unsigned) number;
    for (size_t i = 0; i < number; i++)
        ret->ids.ids_val[i] = list[i]->id;
    return 0;
}

int on_connect_list_defined_domains(struct request *request,
                                    const remote_connect_list_defined_domains_args *args,
                                    remote_connect_list_defined_domains_ret *ret, struct error *err)
{
    size_t number;
    owned_memory struct domain **list = domain_list(request->daemon->registry, LIST_INACTIVE, &number);
    number = at_most(number, args->maxnames);
    ret->names.names_val = memory_new((number + 1) * sizeof *ret->names.names_val);
    ret->names.names_len = (unsigned) number;
    for (size_t i = 0; i < number; i++)
        ret->names.names_val[i] = memory_copy_text(list[i]->name);
    return 0;
}

int on_domain_lookup_by_id(struct request *request, const remote_domain_lookup_by_id_args *args,
                           remote_domain_lookup_by_id_ret *ret, struct error *err)
{
    reply_domain(&ret->dom, request->dom);
    return 0;
}

int on_domain_lookup_by_name(struct request *request, const remote_domain_lookup_by_name_args *args,
                             remote_domain_lookup_by_name_ret *ret, struct error *err)
{
    reply_domain(&ret->dom, request->dom);
    return 0;
}

int on_domain_lookup_by_uuid(struct request *request, const remote_domain_lookup_by_uuid_args *args,
                             remote_domain_lookup_by_uuid_ret *ret, struct error *err)
{
    reply_domain(&ret->dom, request->dom);
    return 0;
}

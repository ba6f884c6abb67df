/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about one domain that its record answers: none of these talks to the guest's VMM. */
#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/request.h"
#include "daemon/usage.h"

int on_domain_get_state(struct request *request, const remote_domain_get_state_args *args,
                        remote_domain_get_state_ret *ret, struct error *err)
{
    ret->state = (int) request->dom->state;
    ret->reason = request->dom->reason;
    return check_flags(args->flags, 0, err);
}

static uint64_t memory_now(const struct domain *dom)
{
    const struct domain_def *def = domain_current_def(dom);
    return domain_is_active(dom) && dom->runtime.balloon_kib ? dom->runtime.balloon_kib
                                                             : def->current_memory.kib;
}

int on_domain_get_info(struct request *request, const remote_domain_get_info_args *args,
                       remote_domain_get_info_ret *ret, struct error *err)
{
    const struct domain *dom = request->dom;
    if (check_definition(dom, err) < 0)
        return -1;
    const struct domain_def *def = domain_current_def(dom);
    ret->state = (unsigned char) dom->state;
    ret->maxMem = def->memory.kib;
    ret->memory = memory_now(dom);
    ret->nrVirtCpu = (unsigned short) def->vcpus;
    ret->cpuTime = usage_cpu_ns(dom);
    return 0;
}

int on_domain_get_max_memory(struct request *request, const remote_domain_get_max_memory_args *args,
                             remote_domain_get_max_memory_ret *ret, struct error *err)
{
    if (check_definition(request->dom, err) < 0)
        return -1;
    ret->memory = domain_current_def(request->dom)->memory.kib;
    return 0;
}

int on_domain_get_max_vcpus(struct request *request, const remote_domain_get_max_vcpus_args *args,
                            remote_domain_get_max_vcpus_ret *ret, struct error *err)
{
    if (domain_check_active(request->dom, err) < 0 || check_definition(request->dom, err) < 0)
        return -1;
    ret->num = (int) domain_current_def(request->dom)->max_vcpus;
    return 0;
}

int on_domain_get_os_type(struct request *request, const remote_domain_get_os_type_args *args,
                          remote_domain_get_os_type_ret *ret, struct error *err)
{
    if (check_definition(request->dom, err) < 0)
        return -1;
    const char *type = enum_word(&os_type_names, (int) domain_current_def(request->dom)->os.type);
    ret->type = memory_copy_text(type ? type : "hvm");
    return 0;
}

int on_domain_is_active(struct request *request, const remote_domain_is_active_args *args,
                        remote_domain_is_active_ret *ret, struct error *err)
{
    ret->active = domain_is_active(request->dom);
    return 0;
}

int on_domain_is_persistent(struct request *request, const remote_domain_is_persistent_args *args,
                            remote_domain_is_persistent_ret *ret, struct error *err)
{
    ret->persistent = request->dom->persistent;
    return 0;
}

/* Whether the running definition was changed by hot-plug; nothing here does that yet. */
int on_domain_is_updated(struct request *request, const remote_domain_is_updated_args *args,
                         remote_domain_is_updated_ret *ret, struct error *err)
{
    ret->updated = 0;
    return 0;
}

int on_domain_get_autostart(struct request *request, const remote_domain_get_autostart_args *args,
                            remote_domain_get_autostart_ret *ret, struct error *err)
{
    ret->autostart = request->dom->autostart;
    return 0;
}

/* There are no saved images and no snapshots: nothing here makes them yet. */
int on_domain_has_managed_save_image(struct request *request,
                                     const remote_domain_has_managed_save_image_args *args,
                                     remote_domain_has_managed_save_image_ret *ret, struct error *err)
{
    ret->result = 0;
    return check_flags(args->flags, 0, err);
}

int on_domain_snapshot_num(struct request *request, const remote_domain_snapshot_num_args *args,
                           remote_domain_snapshot_num_ret *ret, struct error *err)
{
    ret->num = 0;
    return 0;
}

int on_domain_has_current_snapshot(struct request *request,
                                   const remote_domain_has_current_snapshot_args *args,
                                   remote_domain_has_current_snapshot_ret *ret, struct error *err)
{
    ret->result = 0;
    return check_flags(args->flags, 0, err);
}

/* Leases are those of networks that the daemon serves, and it serves none. */
int on_domain_interface_addresses(struct request *request, const remote_domain_interface_addresses_args *args,
                                  remote_domain_interface_addresses_ret *ret, struct error *err)
{
    enum { SOURCE_LEASE, SOURCE_AGENT };
    if (check_flags(args->flags, 0, err) < 0 || domain_check_active(request->dom, err) < 0)
        return -1;
    if (args->source == SOURCE_LEASE)
        return 0;
    return args->source == SOURCE_AGENT
               ? fail(err, ERR_AGENT, "QEMU guest agent is not connected")
               : fail(err, ERR_UNSUPPORTED, "addresses are not looked for in the host's tables (source %u)",
                      args->source);
}

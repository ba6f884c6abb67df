/* SPDX-License-Identifier: Apache-2.0 */
/* The host: its processors and memory at this moment, and the processor models that guests can have. */
#include "base/memory.h"
#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/host_usage.h"
#include "daemon/request.h"
#include "qemu/caps.h"

enum { CELLS_MAX = 1024, MODELS_MAX = 8192 };

int on_node_get_free_memory(struct request *request, const nothing *args,
                            remote_node_get_free_memory_ret *ret, struct error *err)
{
    struct host_memory memory;
    if (!host_memory_read(-1, &memory))
        return fail(err, ERR_INTERNAL, "the kernel does not tell how much memory is free");
    ret->freeMem = memory.free * 1024;
    return 0;
}

int on_node_get_cells_free_memory(struct request *request, const remote_node_get_cells_free_memory_args *args,
                                  remote_node_get_cells_free_memory_ret *ret, struct error *err)
{
    struct host_nodes nodes;
    struct host_memory memory;
    host_nodes_read(&nodes);
    int last = nodes.items.items[nodes.items.count - 1];
    vector_done(&nodes.items);
    if (args->startCell < 0 || args->startCell > last)
        return fail(err, ERR_INTERNAL, "start cell %d out of range (0-%d)", args->startCell, last);
    int count = last - args->startCell + 1;
    count = count < args->maxcells ? count : args->maxcells;
    count = count < CELLS_MAX ? count : CELLS_MAX;
    ret->cells.cells_val = memory_new((size_t) (count > 0 ? count : 1) * sizeof *ret->cells.cells_val);
    for (int i = 0; i < count; i++)
        ret->cells.cells_val[i] = host_memory_read(args->startCell + i, &memory) ? memory.free * 1024 : 0;
    ret->cells.cells_len = count > 0 ? (unsigned) count : 0;
    return 0;
}

int on_node_get_cpu_map(struct request *request, const remote_node_get_cpu_map_args *args,
                        remote_node_get_cpu_map_ret *ret, struct error *err)
{
    struct host_cpu_map map;
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    host_cpu_map_read(&map);
    ret->online = map.online_cpus;
    ret->ret = (int) map.cpus;
    if (args->need_map) {
        ret->cpumap.cpumap_len = (map.cpus + 7) / 8;
        ret->cpumap.cpumap_val = memory_new(ret->cpumap.cpumap_len);
        memcpy(ret->cpumap.cpumap_val, map.online, ret->cpumap.cpumap_len);
    }
    return 0;
}

/* Both kinds of statistics are pairs of a name and a number, which clients ask for twice: first how many
 * there are. */
struct figure { const char *name; uint64_t value; };

static bool is_first_round(int wanted, size_t count, int *ret_count)
{
    *ret_count = wanted ? 0 : (int) count;
    return !wanted;
}

static int check_count(int wanted, size_t count, struct error *err)
{
    if (wanted != (int) count)
        return fail(err, ERR_INVALID_ARG, "%d statistics are asked for, and there are %zu", wanted, count);
    return 0;
}

#define FILL(list, member, figures) do { \
        (list).member##_len = ARRAY_COUNT(figures); \
        (list).member##_val = memory_new(sizeof *(list).member##_val * ARRAY_COUNT(figures)); \
        for (size_t i_ = 0; i_ < ARRAY_COUNT(figures); i_++) { \
            (list).member##_val[i_].field = memory_copy_text((figures)[i_].name); \
            (list).member##_val[i_].value = (figures)[i_].value; \
        } \
    } while (0)

int on_node_get_cpu_stats(struct request *request, const remote_node_get_cpu_stats_args *args,
                          remote_node_get_cpu_stats_ret *ret, struct error *err)
{
    struct host_cpu_time time;
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    if (args->cpuNum < -1 || !host_cpu_time_read(args->cpuNum, &time))
        return fail(err, ERR_INVALID_ARG, "there is no processor %d", args->cpuNum);
    const struct figure figures[] = { { "kernel", time.system }, { "user", time.user }, { "idle", time.idle },
                                      { "iowait", time.iowait }, { "intr", time.interrupts } };
    if (is_first_round(args->nparams, ARRAY_COUNT(figures), &ret->nparams))
        return 0;
    if (check_count(args->nparams, ARRAY_COUNT(figures), err) < 0)
        return -1;
    FILL(ret->params, params, figures);
    return 0;
}

int on_node_get_memory_stats(struct request *request, const remote_node_get_memory_stats_args *args,
                             remote_node_get_memory_stats_ret *ret, struct error *err)
{
    struct host_memory memory;
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    if (!host_memory_read(args->cellNum, &memory))
        return fail(err, ERR_INVALID_ARG, "there is no NUMA node %d", args->cellNum);
    const struct figure all[] = { { "total", memory.total },
                                  { "free", memory.free },
                                  { "buffers", memory.buffers },
                                  { "cached", memory.cached } };
    const struct figure of_node[] = { all[0], all[1] };
    bool whole = args->cellNum < 0;
    size_t count = whole ? ARRAY_COUNT(all) : ARRAY_COUNT(of_node);
    if (is_first_round(args->nparams, count, &ret->nparams))
        return 0;
    if (check_count(args->nparams, count, err) < 0)
        return -1;
    if (whole)
        FILL(ret->params, params, all);
    else
        FILL(ret->params, params, of_node);
    return 0;
}

int on_connect_get_cpu_model_names(struct request *request,
                                   const remote_connect_get_cpu_model_names_args *args,
                                   remote_connect_get_cpu_model_names_ret *ret, struct error *err)
{
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    owned(caps) struct caps *caps = emulators_caps(&request->daemon->emulators, err);
    if (!caps)
        return -1;
    if (!text_equal(args->arch, caps->arch))
        return fail(err, ERR_INVALID_ARG,
                    "the processors of architecture '%s' are not known, only those of '%s'", args->arch,
                    caps->arch);
    size_t count = caps->cpus_count < MODELS_MAX ? caps->cpus_count : MODELS_MAX;
    ret->ret = (int) count;
    if (!args->need_results)
        return 0;
    ret->models.models_val = memory_new((count + 1) * sizeof *ret->models.models_val);
    ret->models.models_len = (unsigned) count;
    for (size_t i = 0; i < count; i++)
        ret->models.models_val[i] = memory_copy_text(caps->cpus[i].name);
    return 0;
}

/* The firmware's tables: what the host's maker wrote into it is not read here. */
int on_connect_get_sysinfo(struct request *request, const remote_connect_get_sysinfo_args *args,
                           remote_connect_get_sysinfo_ret *ret, struct error *err)
{
    return fail(err, ERR_CONFIG_UNSUPPORTED, "Host SMBIOS information is not available");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "qemu/props.h"
#include "qemu/vmm.h"

enum question { ASK_BALLOON, ASK_MEMORY, ASK_CPUS, ASK_BLOCKS, ASK_IMAGES, QUESTIONS };

static const char *const commands[QUESTIONS] = {
    "query-balloon", "qom-get", "query-cpus-fast", "query-blockstats", "query-block",
};

struct figures {
    unsigned asked;                     /* bits 1 << question */
    struct monitor_call calls[QUESTIONS];
};

static const char *balloon_alias(const struct vmm *vmm)
{
    const struct memballoon *balloon = vmm->def->memballoon;
    return balloon && balloon->model != MEMBALLOON_NONE ? balloon->alias : NULL;
}

static void ask(struct figures *figures, struct vmm *vmm, enum question question)
{
    owned_props struct props arguments = { 0 };
    const char *text = NULL;
    if (question == ASK_MEMORY) {
        props_open(&arguments);
        props_printf(&arguments, "path", "/machine/peripheral/%s", balloon_alias(vmm));
        props_text(&arguments, "property", "guest-stats");
        text = props_end(&arguments);
    }
    figures->asked |= 1u << question;
    monitor_call_start(vmm->monitor, &figures->calls[question], commands[question], text);
}

struct figures *figures_ask(const struct domain *dom, unsigned about, struct error *err)
{
    struct vmm *vmm = vmm_get((struct domain *) dom, err);
    if (!vmm)
        return NULL;
    struct figures *figures = NEW(struct figures);
    for (enum question q = 0; q < QUESTIONS; q++) {
        bool needs_balloon = q == ASK_BALLOON || q == ASK_MEMORY;
        if (about >> q & 1 && !(needs_balloon && !balloon_alias(vmm)))
            ask(figures, vmm, q);
    }
    return figures;
}

int figures_wait(struct figures *figures, struct error *err)
{
    return figures_wait_until(figures, 0, err);
}

int figures_wait_until(struct figures *figures, uint64_t deadline, struct error *err)
{
    for (enum question q = 0; q < QUESTIONS; q++) {
        if (!(figures->asked >> q & 1) || monitor_call_wait_until(&figures->calls[q], deadline, err) == 0)
            continue;
        if (figures->calls[q].reply.refusal == MONITOR_NOT_REFUSED)
            return -1;
        error_clear(err);
    }
    return 0;
}

void figures_free(struct figures *figures)
{
    if (!figures)
        return;
    for (enum question q = 0; q < QUESTIONS; q++)
        if (figures->asked >> q & 1)
            monitor_call_done(&figures->calls[q]);
    free(figures);
}

static const struct json *answer(const struct figures *figures, enum question question)
{
    return figures->asked >> question & 1 ? figures->calls[question].reply.value : NULL;
}

static uint64_t number(const struct json *object, const char *key)
{
    uint64_t value = 0;
    json_to_u64(json_get(object, key), &value);
    return value;
}

bool figures_balloon(const struct figures *figures, uint64_t *ret_kib)
{
    uint64_t bytes;
    if (!json_to_u64(json_get(answer(figures, ASK_BALLOON), "actual"), &bytes))
        return false;
    *ret_kib = bytes / 1024;
    return true;
}

/* What the guest never told is all ones, or -1 in an older QEMU's spelling. */
static bool is_known(const struct json *value, uint64_t *ret_value)
{
    return json_to_u64(value, ret_value) && *ret_value != UINT64_MAX;
}

bool figures_guest_memory(const struct figures *figures, struct guest_memory *ret_memory)
{
    static const struct { const char *key; unsigned unit;
    } rows[GUEST_FIGURES] = {
        [GUEST_SWAP_IN] = { "stat-swap-in", 1024 },
        [GUEST_SWAP_OUT] = { "stat-swap-out", 1024 },
        [GUEST_MAJOR_FAULT] = { "stat-major-faults", 1 },
        [GUEST_MINOR_FAULT] = { "stat-minor-faults", 1 },
        [GUEST_FREE] = { "stat-free-memory", 1024 },
        [GUEST_TOTAL] = { "stat-total-memory", 1024 },
        [GUEST_AVAILABLE] = { "stat-available-memory", 1024 },
        [GUEST_LAST_UPDATE] = { NULL, 1 },
        [GUEST_DISK_CACHES] = { "stat-disk-caches", 1024 },
        [GUEST_HUGE_ALLOCATED] = { "stat-htlb-pgalloc", 1 },
        [GUEST_HUGE_FAILED] = { "stat-htlb-pgfail", 1 },
    };
    const struct json *told = answer(figures, ASK_MEMORY), *stats = json_get(told, "stats");
    struct guest_memory memory = { 0 };
    uint64_t value;
    if (!told)
        return false;
    for (unsigned i = 0; i < GUEST_FIGURES; i++) {
        if (is_known(rows[i].key ? json_get(stats, rows[i].key) : json_get(told, "last-update"), &value)) {
            memory.known |= 1u << i;
            memory.values[i] = value / rows[i].unit;
        }
    }
    *ret_memory = memory;
    return true;
}

size_t figures_threads(const struct figures *figures)
{
    const struct json *cpus = answer(figures, ASK_CPUS);
    return cpus && cpus->type == JSON_ARRAY ? cpus->length : 0;
}

int figures_thread(const struct figures *figures, unsigned vcpu)
{
    const struct json *cpus = answer(figures, ASK_CPUS), *cpu;
    for (size_t i = 0; (cpu = json_at(cpus, i)); i++)
        if (json_get(cpu, "cpu-index") && number(cpu, "cpu-index") == vcpu &&
            number(cpu, "thread-id") <= INT32_MAX)
            return (int) number(cpu, "thread-id");
    return 0;
}

/* A disk is named by its device's path in the tree, which may go on below it; classic drives by their own
 * name. */
static bool is_of(const struct json *entry, const char *alias)
{
    static const char folder[] = "/machine/peripheral/";
    const char *path = json_get_text(entry, "qdev"), *drive = json_get_text(entry, "device");
    if (drive && text_starts(drive, "drive-") && text_equal(drive + strlen("drive-"), alias))
        return true;
    if (path && text_starts(path, folder))
        path += strlen(folder);
    size_t length = strlen(alias);
    return path && strncmp(path, alias, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static const struct json *entry_of(const struct json *list, const char *alias)
{
    const struct json *entry;
    for (size_t i = 0; alias && (entry = json_at(list, i)); i++)
        if (is_of(entry, alias))
            return entry;
    return NULL;
}

bool figures_block(const struct figures *figures, const char *alias, struct block_figures *ret_block)
{
    const struct json *entry = entry_of(answer(figures, ASK_BLOCKS), alias),
                      *stats = json_get(entry, "stats");
    if (!stats)
        return false;
    const struct json *below = json_get(json_get(entry, "parent"), "stats");
    *ret_block = (struct block_figures) {
        .reads = number(stats, "rd_operations"), .read_bytes = number(stats, "rd_bytes"),
        .read_ns = number(stats, "rd_total_time_ns"), .writes = number(stats, "wr_operations"),
        .write_bytes = number(stats, "wr_bytes"), .write_ns = number(stats, "wr_total_time_ns"),
        .flushes = number(stats, "flush_operations"), .flush_ns = number(stats, "flush_total_time_ns"),
        .highest_offset = number(below ? below : stats, "wr_highest_offset"),
    };
    return true;
}

bool figures_image(const struct figures *figures, const char *alias, struct image_figures *ret_image)
{
    const struct json *entry = entry_of(answer(figures, ASK_IMAGES), alias);
    const struct json *image = json_get(json_get(entry, "inserted"), "image");
    const char *status = json_get_text(entry, "io-status");
    if (!image)
        return false;
    *ret_image = (struct image_figures) {
        .capacity = number(image, "virtual-size"), .allocation = number(image, "actual-size"),
        .failed = text_equal(status, "failed"), .no_space = text_equal(status, "nospace"),
    };
    return true;
}

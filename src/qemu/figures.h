/* SPDX-License-Identifier: Apache-2.0 */
/* figures.h - what the VMM of a running guest counts: balloon, processors, disks.
 *
 * Questions take no job.  They are asked and answered in two steps, so that many guests, or one about many
 * things, cost one wait.  What a VMM refuses to tell (it has no balloon, say) is simply not there afterwards.
 *
 *     owned(figures) struct figures *figures = figures_ask(dom, FIGURES_CPUS | FIGURES_BLOCKS, err);
 *     if (!figures || figures_wait(figures, err) < 0)
 *         return -1;
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/own.h"
#include "loop/fiber.h"

struct domain;

enum figures_about {
    FIGURES_BALLOON = 1,                /* how much memory the guest has */
    FIGURES_MEMORY = 2,                 /* what the guest itself says of its memory */
    FIGURES_CPUS = 4,
    FIGURES_BLOCKS = 8,                 /* what went through each disk */
    FIGURES_IMAGES = 16,                /* what is behind each disk, and errors */
};

struct figures;

/* Fails unless the guest runs and its monitor answers. */
struct figures *figures_ask(const struct domain *dom, unsigned about, struct error *err);
WAITS int figures_wait(struct figures *figures, struct error *err);
WAITS int figures_wait_until(struct figures *figures, uint64_t deadline, struct error *err);
void figures_free(struct figures *figures);             /* waiting for the answers or not */
DEFINE_OWNED(figures)

bool figures_balloon(const struct figures *figures, uint64_t *ret_kib);

/* Amounts in KiB, faults as numbers; `known` has bit 1 << i for each that the guest told. */
enum guest_memory_figure {
    GUEST_SWAP_IN,
    GUEST_SWAP_OUT,
    GUEST_MAJOR_FAULT,
    GUEST_MINOR_FAULT,
    GUEST_FREE,
    GUEST_TOTAL,
    GUEST_AVAILABLE,
    GUEST_LAST_UPDATE,
    GUEST_DISK_CACHES,
    GUEST_HUGE_ALLOCATED,
    GUEST_HUGE_FAILED,
    GUEST_FIGURES
};
struct guest_memory { unsigned known; uint64_t values[GUEST_FIGURES]; };
bool figures_guest_memory(const struct figures *figures, struct guest_memory *ret_memory);

/* The host's thread that runs this vcpu; 0 if there is none. */
int figures_thread(const struct figures *figures, unsigned vcpu);
size_t figures_threads(const struct figures *figures);  /* vcpus that are there */

/* Operations, bytes, nanoseconds. */
struct block_figures {
    uint64_t reads, read_bytes, read_ns, writes, write_bytes, write_ns, flushes, flush_ns;
    uint64_t highest_offset;            /* bytes of a device that were ever written */
};
bool figures_block(const struct figures *figures, const char *alias, struct block_figures *ret_block);

struct image_figures { uint64_t capacity, allocation; bool failed, no_space; };
bool figures_image(const struct figures *figures, const char *alias, struct image_figures *ret_image);

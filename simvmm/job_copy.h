/* SPDX-License-Identifier: Apache-2.0 */
/* job_copy.h - the jobs that copy between nodes: backup, mirror, commit, stream. */
#pragma once
#include "simvmm/bitmap.h"
#include "simvmm/job.h"

enum copy_sync { SYNC_TOP, SYNC_FULL, SYNC_NONE, SYNC_INCREMENTAL, SYNC_BITMAP };

struct copy {
    struct block_node *source, *target;
    struct block_node *base;     /* the chain ends above it; NULL: it does not end */
    struct block_node *top;      /* commit, stream: what the copied part begins with */
    struct block_node *replaced; /* mirror: what the target takes the place of */
    enum copy_sync sync;
    enum job_policy on_source, on_target;
    struct bitmap *bitmap; /* backup: what is to be copied; the job's own */
    const char *clears;    /* the source's bitmap that success clears; NULL */
    char *backing_name;    /* what is written into the overlay's header; NULL: the base's name */
    uint32_t granularity;
    bool base_was_read_only, mask_protocol, adopt_backing;
    bool all;    /* mirror: the target is not known to be empty */
    uint64_t at; /* how far it is */
};

extern const struct job_kind job_backup, job_mirror, job_commit, job_commit_active, job_stream;

/* Takes the copy; the job's nodes are those that are named there. */
struct job *copy_new(struct vm *vm, const struct job_kind *kind, const struct job_options *options,
                     struct copy *copy, struct error *err);

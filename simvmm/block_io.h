/* SPDX-License-Identifier: Apache-2.0 */
/* block_io.h - the contents of nodes, through their formats and backing chains. */
#pragma once
#include "simvmm/block.h"
#include "simvmm/qcow2.h"

/* What is at `offset` in the chain from `b` down to `base`, which does not count (NULL: all of it), and
 * for how many bytes alike. EXTENT_ABSENT: nothing of the chain has it. */
int block_extent(struct block_node *b, const struct block_node *base, uint64_t offset, uint64_t most,
                 enum extent *ret_kind, uint64_t *ret_length, struct error *err);
/* Behind the end there are zeroes. */
int block_read(struct block_node *b, uint64_t offset, void *bytes, uint64_t length, struct error *err);
int block_write(struct block_node *b, uint64_t offset, const void *bytes, uint64_t length, struct error *err);
int block_zero(struct block_node *b, uint64_t offset, uint64_t length, struct error *err);
int block_truncate(struct block_node *b, uint64_t size, struct error *err);
/* Copies what `from` has in the range; zeroes are made cheaply. On failure *ret_writing says which side it
 * was. */
int block_copy(struct block_node *from, struct block_node *to, uint64_t offset, uint64_t length,
               bool *ret_writing, struct error *err);
/* A new file of the format (raw, qcow2) with nothing in it (block_make.c). */
int block_make_file(const char *file, const char *format, const struct qcow2_plan *plan, struct error *err);

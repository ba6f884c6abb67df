/* SPDX-License-Identifier: Apache-2.0 */
/* nbd.h - a server for network block devices, whose clients read and write our nodes.
 *
 * The protocol's fixed newstyle with structured replies and base:allocation, as its description
 * (doc/proto.md) says. Whatever a client can size is bounded: options, requests, output that it does not
 * take, and how many clients there are.
 */
#pragma once
#include "simvmm/vm.h"

struct export
{
    char *id, *name, *description;
    struct block_node *node;
    bool writable;
};

struct nbd;

/* Takes the listening socket; `path` is removed at the end (NULL: none). */
struct nbd *nbd_new(struct vm *vm, int listening, const char *path, unsigned clients_max);
void nbd_free(struct nbd *n); /* clients are cut off */
/* Whether a client has it open; cuts them off. */
unsigned nbd_clients(const struct nbd *n, const struct export *e);
void nbd_cut_off(struct nbd *n, const struct export *e);

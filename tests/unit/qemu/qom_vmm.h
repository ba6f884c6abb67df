/* SPDX-License-Identifier: Apache-2.0 */
/* qom_vmm.h - for tests: the VMM's end of a monitor socket, on the same loop, with a tree behind it. */
#pragma once
#include "qemu/monitor.h"
#include "qom_peer.h"

struct vmm_peer {
    struct peer_tree *tree;
    struct stream *stream;
    struct json_parser *parser;
    bool broken_names;                  /* answers bulk commands with one item too few */
    bool mute;                          /* reads, and says nothing */
    bool no_listing;                    /* its human monitor has no "info qom-tree" */
    unsigned calls, bulk_calls, list_calls, get_calls, waiting, waiting_most;
    size_t largest_request, reply_bytes;
    struct buffer paths;                /* of the last bulk command, one a line */
    void (*before)(struct vmm_peer *peer, const char *command);         /* a command is answered; or NULL */
    struct buffer held;                 /* answers are kept until hold() says so, if `hold` */
    bool hold;
    struct monitor *monitor;            /* our client of it */
};

void vmm_peer_open(struct vmm_peer *peer, struct peer_tree *tree);      /* makes the pair and the monitor */
void vmm_peer_close(struct vmm_peer *peer);
void vmm_peer_release(struct vmm_peer *peer);           /* what was held is sent, and no more is held */

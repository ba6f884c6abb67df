/* SPDX-License-Identifier: Apache-2.0 */
/* rfb.h - one VNC client: RFB 3.3, 3.7 and 3.8, with no authentication or VNC's, and raw pictures.
 *
 * It sees the screen, and what it types goes to the guest. A message is at most RFB_MESSAGE_MAX bytes; a
 * client that does not read gets no more pictures until it does.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct vm;
struct rfb;

enum { RFB_MESSAGE_MAX = 1 << 20 };

struct rfb_handler {
    void (*ready)(void *arg, struct rfb *rfb, bool shared);     /* the handshake is over */
    void (*closed)(void *arg, struct rfb *rfb);                 /* frees it, usually */
    /* The eight bytes that a password is; false: none fits. */
    bool (*password)(void *arg, uint8_t ret_key[8]);
};

/* Takes fd. */
struct rfb *rfb_new(struct vm *vm, int fd, bool authenticate, const struct rfb_handler *handler, void *arg);
void rfb_free(struct rfb *r);
void rfb_refresh(struct rfb *r);        /* the screen may look different */

/* SPDX-License-Identifier: Apache-2.0 */
/* vnc.h - the screen's VNC server: its socket, its password, who looks at it. VNC_CONNECTED,
 * VNC_INITIALIZED and VNC_DISCONNECTED tell of them. */
#pragma once
#include "loop/stream.h"
#include "simvmm/vm.h"

enum { VNC_VIEWERS_MAX = 64, VNC_PASSWORD_MAX = 8 };

struct viewer;

struct vnc {
    struct vm *vm;
    struct listener *listener;          /* NULL: -vnc none */
    const char *id, *path, *host;       /* path: of a UNIX socket */
    unsigned port;
    bool password;                      /* one is needed */
    bool password_set;
    char password_text[VNC_PASSWORD_MAX];
    uint64_t expires;                   /* seconds since 1970; UINT64_MAX: never */
    VECTOR(struct viewer *) viewers;
};

int vnc_listen(struct vm *vm, const struct json *given, struct error *err);
/* Moves it to another address; what display-update does. */
int vnc_move(struct vm *vm, const char *host, const char *port, struct error *err);
bool vnc_wants_password(const struct vm *vm);
void vnc_set_password(struct vm *vm, const char *text);
/* "now", "never", "+SECONDS" or seconds since 1970; -1 with QEMU's error. */
int vnc_expire_password(struct vm *vm, const char *time, struct error *err);
/* Another client, on a connection that was made elsewhere; takes fd. */
void vnc_adopt(struct vm *vm, int fd, bool without_password);
void vnc_refresh(struct vm *vm);        /* the screen looks different */
void vnc_close(struct vm *vm);
const struct json *vnc_describe(const struct vm *vm, struct arena *a);         /* as query-vnc */
const struct json *vnc_describe_servers(const struct vm *vm, struct arena *a); /* as query-vnc-servers */

/* For vnc.c. */
void vnc_accepted(void *vm, int fd);

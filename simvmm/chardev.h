/* SPDX-License-Identifier: Apache-2.0 */
/* chardev.h - character devices: what -chardev makes, and who talks through it.
 *
 * Sockets really listen (or are the descriptor that was passed), ptys are real ones, files are opened. One
 * client at a time: while it is there, others wait in the backlog. What nobody reads is thrown away.
 */
#pragma once
#include "simvmm/vm.h"

struct chardev;
struct monitor;

/* Who talks through it, if it is no monitor. */
struct chardev_front {
    void (*input)(void *arg, const char *bytes, size_t length);
    void (*opened)(void *arg);          /* a peer is there */
};

/* `given`: id, backend (or the first word), and the backend's options. */
struct chardev *chardev_create(struct vm *vm, const struct json *given, struct error *err);
/* Another back end under the same id and for the same front; the old one stays if that fails. */
int chardev_change(struct chardev *c, const struct json *given, struct error *err);
void chardev_remove(struct chardev *c);                 /* out of the VM and of its tree, and free */
void chardev_free(struct chardev *c);
struct chardev *chardev_find(const struct vm *vm, const char *id);
const char *chardev_id(const struct chardev *c);
void chardev_start(struct chardev *c);                  /* the loop runs: begin to accept and to read */
void chardev_set_monitor(struct chardev *c, struct monitor *monitor);
/* `front` NULL: nobody. */
void chardev_set_front(struct chardev *c, const struct chardev_front *front, void *arg);
void chardev_set_used(struct chardev *c, bool used);    /* a device took it */
bool chardev_is_used(const struct chardev *c);

void chardev_write(struct chardev *c, const void *bytes, size_t length);
/* What nobody reads is not echoed. */
void chardev_echo(struct chardev *c, const void *bytes, size_t length);
void chardev_pause(struct chardev *c, bool paused);
void chardev_hang_up(struct chardev *c);                /* sends what is queued, then closes the client */
int chardev_take_fd(struct chardev *c);                 /* the oldest that its client passed, or -1 */
const char *chardev_pty(const struct chardev *c);       /* NULL if it is none */
/* As query-chardev says it: "unix:/path,server=on", "pty:/dev/pts/3", "disconnected:unix:..." */
void chardev_describe(const struct chardev *c, struct buffer *out);
bool chardev_is_busy(const struct chardev *c);          /* a device or monitor has it */
bool chardev_is_ring(const struct chardev *c);
/* The oldest bytes, which are then forgotten. */
size_t chardev_ring_read(struct chardev *c, size_t most, struct buffer *out);
bool chardev_is_open(const struct chardev *c);

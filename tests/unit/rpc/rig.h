/* SPDX-License-Identifier: Apache-2.0 */
/* rig.h - a server with a few simple procedures, and clients that speak raw bytes to it, all on one loop. */
#pragma once
#include <criterion/criterion.h>

#include "base/buffer.h"
#include "loop/loop.h"
#include "rpc/frame.h"
#include "rpc/server.h"

struct rig {
    struct server *server;
    char folder[40];
    char *path;
    /* What the procedures do: DOMAIN_CREATE waits until it is released, GET_CAPABILITIES answers so many
     * bytes, LOOKUP_BY_NAME fails with `failure` if that is set, CREATE_WITH_FLAGS counts the descriptors it
     * was given, keeps their sizes' sum, and sends `reply_fds` back, SUSPEND sends an event to all. */
    bool released;
    size_t capabilities, fds, fds_sizes, reply_fds;
    enum error_code failure;
    int (*open_console)(struct call *call, struct error *err);          /* DOMAIN_OPEN_CONSOLE */
    unsigned running, running_peak, calls;
    unsigned opened, gone;
};

extern struct rig rig;

void rig_open(const struct server_limits *limits);
void rig_close(void);                   /* checks that nothing is left */
int rig_connect(void);
void rig_run(unsigned ms);              /* the loop, for so long */
/* Runs the loop until *what is `value`, or five seconds have passed. */
void rig_until(const unsigned *what, unsigned value);

void rig_send(int fd, const void *bytes, size_t length);
void rig_send_hex(int fd, const char *hex);
/* A call of the remote program, serial 5, without or with arguments (hex). */
void rig_call(int fd, int procedure, const char *hex);
/* Reads exactly this, running the loop meanwhile. */
void rig_expect_hex(int fd, const char *hex);
/* The next whole frame, header included; length 0 if the connection was closed, or nothing came. */
struct buffer rig_frame(int fd);
/* Nothing comes for a while, and the connection stays. */
void rig_expect_silence(int fd);
void rig_expect_closed(int fd);
/* The next frame is an error with this number and text. */
void rig_expect_error(int fd, int number, const char *text);

void hex_decode(const char *hex, struct buffer *out);
char *hex_encode(const void *bytes, size_t length);

#define SERIAL_5 "00000005"

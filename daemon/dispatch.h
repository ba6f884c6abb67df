/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.h - the way of every call: find the subject, check the right, begin the job, run, log. */
#pragma once
#include "rpc/server.h"

/* The daemon's side of the server; its argument is the struct daemon. */
extern const struct server_handler dispatch_handler;

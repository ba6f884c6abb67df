/* SPDX-License-Identifier: Apache-2.0 */
/* domain_console.h - the consoles that clients have open. */
#pragma once

struct daemon;

/* Tells their clients that the daemon stops: some do not look at the connection while they have a stream. */
void domain_consoles_end(struct daemon *daemon);

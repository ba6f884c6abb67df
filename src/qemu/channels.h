/* SPDX-License-Identifier: Apache-2.0 */
/* channels.h - the sockets of channels whose owner left their place to us.
 *
 * They listen before the emulator runs and are inherited by it, as the monitor's is: a client may connect as
 * soon as the start succeeded, and an emulator that runs as somebody else needs no right to our folders.
 */
#pragma once
#include "domain/domain.h"
#include "loop/process.h"

struct channels {
    struct process_fd *fds;
    size_t count;
};

/* Gives each that was numbered (line_number_channels()) its path, which clients look up in the live XML. */
void channels_place(const struct domain *dom, struct domain_def *live);
/* Listens on all of them. */
int channels_open(const struct domain_def *live, struct channels *channels, struct error *err);
void channels_add(struct channels *channels, int fd, int as);
/* Closes ours. */
void channels_close(struct channels *channels);
/* The files of a guest that is gone. */
void channels_remove(const struct domain *dom, const struct domain_def *live);

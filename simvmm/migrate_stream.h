/* SPDX-License-Identifier: Apache-2.0 */
/* migrate_stream.h - what is on a migration's wire: QEMU's header, then records of our own.
 *
 *     "QEVM" 00000003                     as QEMU's, so tools know such a file for what it is
 *     07 LENGTH MACHINE                   as QEMU's configuration section
 *     04 00000000 06 "simvmm" 00000000 00000001
 *                                         a section that a real QEMU has not, and says so
 *     KIND LENGTH BYTES ...               our records; numbers are big-endian
 *
 * Kinds: C the machine as JSON (memory, devices), D memory (bytes that say nothing), P the guest goes on at
 * the destination (post-copy), R a broken post-copy is taken up again, E the state as JSON; after it nothing
 * comes. On a socket the destination answers E with one byte.
 */
#pragma once
#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

enum { MIGRATE_RECORD_MAX = 1 << 20, MIGRATE_MACHINE_MAX = 255 };

void migrate_stream_add_header(struct buffer *out, const char *machine);
void migrate_stream_add_record(struct buffer *out, char kind, const void *bytes, size_t length);
void migrate_stream_add_filler(struct buffer *out, size_t length); /* D; at most MIGRATE_RECORD_MAX */

/* All return the number of bytes taken, 0 if there are not enough yet, -1 if that is no such stream. */
struct migrate_record {
    char kind;
    const char *bytes;
    size_t length;
};
long migrate_stream_read_header(const char *bytes, size_t length, char ret_machine[MIGRATE_MACHINE_MAX + 1],
                                struct error *err);
long migrate_stream_read_record(const char *bytes, size_t length, struct migrate_record *ret_record,
                                struct error *err);

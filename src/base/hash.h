/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - FNV-1a of 64 bits: quick, the same everywhere and for ever, no match for an attacker. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define HASH_BEGIN 0xcbf29ce484222325u

/* Goes on from an earlier result, or from HASH_BEGIN. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h - QEMU's names of keys, the numbers that a PC's keyboard gives them, and what they write. */
#pragma once
#include <stdint.h>

struct key {
    const char *name;
    uint8_t number;                     /* 0: not among the first ones */
    char plain, shifted;                /* NUL: it writes nothing */
};

const struct key *key_by_name(const char *name);        /* NULL */
const struct key *key_by_number(uint64_t number);       /* NULL */

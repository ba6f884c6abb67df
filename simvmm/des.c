/* SPDX-License-Identifier: Apache-2.0 */
/* As FIPS 46-3 has it: bits are numbered from 1 at the left, and the tables are the standard's. */
#include "simvmm/des.h"

enum { ROUNDS = 16 };

/* clang-format off */
static const uint8_t initial[64] = {
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64,
    56, 48, 40, 32, 24, 16, 8, 57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53,
    45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
};
static const uint8_t final[64] = {
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37,
    5, 45, 13, 53, 21, 61, 29, 36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2,
    42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25,
};
static const uint8_t expansion[48] = {
    32, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 12, 13, 14, 15, 16, 17, 16, 17, 18,
    19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1,
};
static const uint8_t permutation[32] = {
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13,
    30, 6, 22, 11, 4, 25,
};
static const uint8_t choice_1[56] = {
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60,
    52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29,
    21, 13, 5, 28, 20, 12, 4,
};
static const uint8_t choice_2[48] = {
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52,
    31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
};
static const uint8_t shifts[ROUNDS] = {
    1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1,
};
/* Four rows of sixteen, each a hexadecimal digit. */
static const char boxes[8][65] = {
    "e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d",
    "f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9",
    "a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c",
    "7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e",
    "2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453",
    "c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d",
    "4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c",
    "d2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b",
};
/* clang-format on */

static uint64_t permute(uint64_t bits, unsigned width, const uint8_t *table, unsigned count)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < count; i++)
        out = out << 1 | (bits >> (width - table[i]) & 1);
    return out;
}

static uint64_t read_block(const uint8_t bytes[8])
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | bytes[i];
    return bits;
}

static uint32_t substitute(uint64_t bits)
{
    uint32_t out = 0;
    for (int box = 0; box < 8; box++) {
        unsigned six = bits >> (42 - 6 * box) & 63;
        char digit = boxes[box][(six >> 5 << 1 | (six & 1)) * 16 + (six >> 1 & 15)];
        out = out << 4 | (uint32_t) (digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return out;
}

static uint32_t turn(uint32_t half, unsigned by)
{
    return (half << by | half >> (28 - by)) & 0xfffffff;
}

void des_encrypt(const uint8_t key[8], const uint8_t block[8], uint8_t ret[8])
{
    uint64_t chosen = permute(read_block(key), 64, choice_1, 56);
    uint64_t bits = permute(read_block(block), 64, initial, 64);
    uint32_t c = (uint32_t) (chosen >> 28), d = (uint32_t) (chosen & 0xfffffff);
    uint32_t left = (uint32_t) (bits >> 32), right = (uint32_t) bits;
    for (int round = 0; round < ROUNDS; round++) {
        c = turn(c, shifts[round]);
        d = turn(d, shifts[round]);
        uint64_t sub_key = permute((uint64_t) c << 28 | d, 56, choice_2, 48);
        uint32_t mixed = substitute(permute(right, 32, expansion, 48) ^ sub_key);
        uint32_t next = left ^ (uint32_t) permute(mixed, 32, permutation, 32);
        left = right;
        right = next;
    }
    bits = permute((uint64_t) right << 32 | left, 64, final, 64);
    for (int i = 0; i < 8; i++)
        ret[i] = (uint8_t) (bits >> (56 - 8 * i));
}

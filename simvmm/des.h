/* SPDX-License-Identifier: Apache-2.0 */
/* des.h - DES, because a VNC password is checked by it and by nothing else. It keeps no secret today. */
#pragma once
#include <stdint.h>

/* Encrypts one block of eight bytes. */
void des_encrypt(const uint8_t key[8], const uint8_t block[8], uint8_t ret[8]);

/* SPDX-License-Identifier: Apache-2.0 */
/* font.h - letters of five dots by seven, for the guest's screen. */
#pragma once
#include <stdint.h>

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7 };

/* One row of a letter, the leftmost dot in bit 4; what is not ASCII is a filled box. */
uint8_t font_row(char letter, unsigned row);

/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - what the guest's screen shows: 80 by 25 letters, white on black, and the dots that they make.
 *
 * Until the machine ran it is QEMU's own notice of 640 by 480 dots, then a text mode's 720 by 400. It is
 * drawn row by row, so no picture is kept.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCREEN_COLUMNS = 80, SCREEN_LINES = 25, SCREEN_WIDTH_MAX = 720 };

struct screen;

struct screen *screen_new(void);
void screen_free(struct screen *s);

/* The machine runs: from now on it is the guest's. */
void screen_begin(struct screen *s);
void screen_clear(struct screen *s);
/* As a simple terminal: new line, return, backspace, tab; escape sequences are skipped. */
void screen_write(struct screen *s, const char *bytes, size_t length);

unsigned screen_width(const struct screen *s);
unsigned screen_height(const struct screen *s);
unsigned screen_version(const struct screen *s);        /* another one whenever it looks different */
/* 0xRRGGBB of each dot of a row. */
void screen_row(const struct screen *s, unsigned y, uint32_t *ret_dots);

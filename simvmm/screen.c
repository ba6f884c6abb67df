/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "simvmm/font.h"

enum { BLACK = 0x000000, WHITE = 0xaaaaaa, TAB = 8 };

static const char notice[] = "Guest has not initialized the display (yet).";

struct screen {
    char cells[SCREEN_LINES][SCREEN_COLUMNS];
    unsigned column, line, version;
    bool begun, escaping, in_sequence;
};

struct screen *screen_new(void)
{
    struct screen *s = NEW(struct screen);
    screen_clear(s);
    return s;
}

void screen_free(struct screen *s)
{
    free(s);
}

void screen_begin(struct screen *s)
{
    s->version += !s->begun;
    s->begun = true;
}

void screen_clear(struct screen *s)
{
    memset(s->cells, ' ', sizeof s->cells);
    s->column = s->line = 0;
    s->version++;
}

/* ---- letters ---- */

static void next_line(struct screen *s)
{
    if (++s->line < SCREEN_LINES)
        return;
    s->line--;
    memmove(s->cells[0], s->cells[1], sizeof s->cells - sizeof s->cells[0]);
    memset(s->cells[s->line], ' ', SCREEN_COLUMNS);
}

static void put(struct screen *s, char c)
{
    if (s->column == SCREEN_COLUMNS) {
        s->column = 0;
        next_line(s);
    }
    s->cells[s->line][s->column++] = c;
}

static void control(struct screen *s, char c)
{
    if (c == '\n')
        next_line(s), s->column = 0;    /* as behind a terminal's line discipline */
    else if (c == '\r')
        s->column = 0;
    else if (c == '\b' && s->column)
        s->column--;
    else if (c == '\t')
        s->column = s->column + TAB - s->column % TAB < SCREEN_COLUMNS ? s->column + TAB - s->column % TAB
                                                                        : SCREEN_COLUMNS - 1;
    else if (c == '\033')
        s->escaping = true;
}

/* "\e[...m" and "\eX"; true while it goes on. */
static bool is_escaped(struct screen *s, char c)
{
    if (!s->escaping)
        return false;
    if (!s->in_sequence)
        s->escaping = s->in_sequence = c == '[';
    else if (c >= '@' && c <= '~')
        s->escaping = s->in_sequence = false;
    return true;
}

void screen_write(struct screen *s, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (is_escaped(s, bytes[i]))
            continue;
        if ((unsigned char) bytes[i] < ' ' || bytes[i] == '\x7f')
            control(s, bytes[i]);
        else
            put(s, bytes[i]);
    }
    s->version++;
}

/* ---- dots ---- */

unsigned screen_width(const struct screen *s)
{
    return s->begun ? 720 : 640;
}

unsigned screen_height(const struct screen *s)
{
    return s->begun ? 400 : 480;
}

unsigned screen_version(const struct screen *s)
{
    return s->version;
}

/* Of letters in a row of cells of that width and 16 dots' height; each dot of a letter is two high. */
static void draw(const char *letters, size_t count, unsigned cell, unsigned y, uint32_t *dots)
{
    if (y < 1 || y > 2 * FONT_HEIGHT)
        return;
    for (size_t i = 0; i < count; i++) {
        uint8_t row = font_row(letters[i], (y - 1) / 2);
        for (unsigned x = 0; x < FONT_WIDTH; x++)
            if (row >> (FONT_WIDTH - 1 - x) & 1)
                dots[i * cell + 2 + x] = WHITE;
    }
}

void screen_row(const struct screen *s, unsigned y, uint32_t *ret_dots)
{
    enum { NOTICE_X = 144, NOTICE_Y = 224, CELL_HEIGHT = 16 };
    for (unsigned x = 0; x < screen_width(s); x++)
        ret_dots[x] = BLACK;
    if (s->begun && y / CELL_HEIGHT < SCREEN_LINES)
        draw(s->cells[y / CELL_HEIGHT], SCREEN_COLUMNS, 9, y % CELL_HEIGHT, ret_dots);
    else if (!s->begun && y >= NOTICE_Y && y < NOTICE_Y + CELL_HEIGHT)
        draw(notice, sizeof notice - 1, 8, y - NOTICE_Y, ret_dots + NOTICE_X);
}

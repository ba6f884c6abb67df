/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/screen.h"

#include <criterion/criterion.h>
#include <string.h>

#include "simvmm/des.h"
#include "simvmm/font.h"
#include "simvmm/picture.h"

/* How many dots of a row of cells are lit. */
static unsigned dots(const struct screen *s, unsigned line)
{
    static uint32_t row[SCREEN_WIDTH_MAX];
    unsigned count = 0;
    for (unsigned y = line * 16; y < line * 16 + 16; y++) {
        screen_row(s, y, row);
        for (unsigned x = 0; x < screen_width(s); x++)
            count += row[x] != 0;
    }
    return count;
}

static struct screen *begun(const char *text)
{
    struct screen *s = screen_new();
    screen_begin(s);
    screen_write(s, text, strlen(text));
    return s;
}

Test(screen, before_the_machine_runs_it_says_so)
{
    struct screen *s = screen_new();
    static uint32_t row[SCREEN_WIDTH_MAX];
    unsigned lit = 0;
    cr_assert_eq(screen_width(s), 640);
    cr_assert_eq(screen_height(s), 480);
    for (unsigned y = 224; y < 240; y++) {
        screen_row(s, y, row);
        for (unsigned x = 144; x < 496; x++)
            lit += row[x] != 0;
    }
    cr_assert(lit > 100);
    screen_begin(s);
    cr_assert_eq(screen_width(s), 720);
    cr_assert_eq(dots(s, 14), 0);
    screen_free(s);
}

Test(screen, letters_stand_where_a_terminal_puts_them)
{
    struct screen *s = begun("|\r\n\n\033[1;32m||\033[0m");
    unsigned one = dots(s, 0);
    cr_assert_eq(one, 14, "a bar is a column of seven dots, two high");
    cr_assert_eq(dots(s, 1), 0);
    cr_assert_eq(dots(s, 2), 2 * one);
    screen_free(s);
}

Test(screen, a_full_one_scrolls)
{
    struct screen *s = begun("|");
    for (int i = 0; i < SCREEN_LINES; i++)
        screen_write(s, "\n", 1);
    cr_assert_eq(dots(s, 0), 0);
    screen_write(s, "||", 2);
    cr_assert_eq(dots(s, SCREEN_LINES - 1), 28);
    screen_free(s);
}

Test(screen, a_long_line_goes_on_below)
{
    struct screen *s = begun("");
    for (int i = 0; i < SCREEN_COLUMNS + 1; i++)
        screen_write(s, "|", 1);
    cr_assert_eq(dots(s, 0), 14 * SCREEN_COLUMNS);
    cr_assert_eq(dots(s, 1), 14);
    screen_free(s);
}

Test(screen, every_letter_looks_different)
{
    for (char a = ' '; a <= '~'; a++)
        for (char b = (char) (a + 1); b <= '~'; b++) {
            unsigned same = 0;
            for (unsigned row = 0; row < FONT_HEIGHT; row++)
                same += font_row(a, row) == font_row(b, row);
            cr_assert(same < FONT_HEIGHT, "'%c' looks like '%c'", a, b);
        }
}

Test(screen, a_ppm_has_three_bytes_a_dot)
{
    struct screen *s = begun("x");
    owned_buffer struct buffer out = { 0 };
    picture_ppm(s, &out);
    cr_assert_eq(memcmp(out.data, "P6\n720 400\n255\n", 15), 0);
    cr_assert_eq(out.length, 15 + 720 * 400 * 3);
    screen_free(s);
}

Test(screen, a_png_begins_and_ends_as_one)
{
    struct screen *s = begun("x");
    owned_buffer struct buffer out = { 0 };
    picture_png(s, &out);
    static const char start[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\xd0\0\0\x01\x90\x08\x02\0\0\0";
    cr_assert_eq(memcmp(out.data, start, sizeof start - 1), 0);
    cr_assert_eq(memcmp(out.data + out.length - 12, "\0\0\0\0IEND\xae\x42\x60\x82", 12), 0);
    screen_free(s);
}

Test(des, it_is_the_standards)
{
    static const uint8_t key[8] = { 0x13, 0x34, 0x57, 0x79, 0x9b, 0xbc, 0xdf, 0xf1 };
    static const uint8_t block[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
    static const uint8_t wanted[8] = { 0x85, 0xe8, 0x13, 0x54, 0x0f, 0x0a, 0xb4, 0x05 };
    uint8_t got[8];
    des_encrypt(key, block, got);
    cr_assert_arr_eq(got, wanted, 8);
}

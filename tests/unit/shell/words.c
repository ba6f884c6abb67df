/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/words.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/own.h"

/* The commands of a line, words in brackets, commands parted by '/'; "!" for an error. */
static char *cut(const char *line)
{
    struct buffer out = { 0 };
    for (;;) {
        error_scope(err);
        size_t count;
        char **words = words_next(&line, &count, &err);
        if (err.code != ERR_NONE)
            buffer_add_text(&out, "!");
        if (!words)
            return buffer_take(&out);
        if (out.length)
            buffer_add_char(&out, '/');
        for (size_t i = 0; i < count; i++)
            buffer_printf(&out, "[%s]", words[i]);
        cr_assert_null(words[count]);
        words_free(words);
    }
}

Test(words, lines_are_cut_as_a_shell_would)
{
    static const struct { const char *line, *expected; } cases[] = {
        { "", "" },
        { "  start   one\n", "[start][one]" },
        { "start one; domid one", "[start][one]/[domid][one]" },
        { ";; start;;\n;", "[start]" },
        { "a 'b c' \"d \\\" e\" f\\ g", "[a][b c][d \" e][f g]" },
        { "a '' b", "[a][][b]" },
        { "a'b'c", "[abc]" },
        { "start one # two\nlist", "[start][one]/[list]" },
        { "# only a remark", "" },
        { "a#b", "[a#b]" },
        { "start 'one", "!" },
        { "cmd '{\"execute\":\"stop\"}'", "[cmd][{\"execute\":\"stop\"}]" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        owned_memory char *got = cut(cases[i].line);
        cr_assert_str_eq(got, cases[i].expected, "%s: %s", cases[i].line, got);
    }
}

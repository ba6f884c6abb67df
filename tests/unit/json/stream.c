/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "json/json.h"

struct seen {
    struct buffer text;                 /* every value, written compactly, one a line */
    size_t count, bytes;
    struct json_parser *free_me;        /* from the callback */
};

static void on_value(void *arg, struct arena *arena, const struct json *value, size_t bytes)
{
    struct seen *seen = arg;
    struct json_writer w = { .out = &seen->text };
    json_value(&w, value);
    buffer_add_char(&seen->text, '\n');
    seen->count++;
    seen->bytes += bytes;
    arena_free(arena);
    json_parser_free(seen->free_me);
}

static int feed(struct json_parser *p, const char *text)
{
    error_scope(err);
    return json_parser_feed(p, text, strlen(text), &err);
}

static const char stream[] =
    "{\"return\":{}}{\"a\":\"\\ud83d\\ude00\\\\\"}\r\n[1,-2.5e-3,[]]\"s\" 12 true null\n[{}] ";
static const char expected[] =
    "{\"return\":{}}\n{\"a\":\"\xF0\x9F\x98\x80\\\\\"}\n[1,-2.5e-3,[]]\n\"s\"\n12\ntrue\nnull\n[{}]\n";

Test(json_stream, gives_the_same_values_however_the_bytes_are_split)
{
    size_t length = sizeof stream - 1;
    for (size_t first = 0; first <= length; first++)
        for (size_t second = first; second <= length; second++) {
            error_scope(err);
            struct seen seen = { 0 };
            owned(json_parser) struct json_parser *p = json_parser_new(1000, 5, on_value, &seen);
            cr_assert_eq(json_parser_feed(p, stream, first, &err), 0, "%s", error_text(&err));
            cr_assert_eq(json_parser_feed(p, stream + first, second - first, &err), 0);
            cr_assert_eq(json_parser_feed(p, stream + second, length - second, &err), 0);
            cr_assert_str_eq(buffer_text(&seen.text), expected);
            cr_assert(json_parser_is_idle(p));
            cr_assert_eq(seen.bytes, length - 1);       /* all but the blank at the end */
            buffer_done(&seen.text);
        }
}

Test(json_stream, gives_the_same_values_byte_by_byte)
{
    struct seen seen = { 0 };
    owned(json_parser) struct json_parser *p = json_parser_new(1000, 5, on_value, &seen);
    for (const char *c = stream; *c; c++)
        cr_assert_eq(feed(p, (char[]) { *c, 0 }), 0);
    cr_assert_str_eq(buffer_text(&seen.text), expected);
    buffer_done(&seen.text);
}

Test(json_stream, a_value_comes_with_its_last_byte)
{
    struct seen seen = { 0 };
    owned(json_parser) struct json_parser *p = json_parser_new(1000, 5, on_value, &seen);
    cr_assert(json_parser_is_idle(p));
    feed(p, "{\"a\":[1]");
    cr_assert_eq(seen.count, 0);
    cr_assert_not(json_parser_is_idle(p));
    feed(p, "}");
    cr_assert_eq(seen.count, 1);
    feed(p, "tru"), feed(p, "e");
    cr_assert_eq(seen.count, 2);
    feed(p, "\n12");
    cr_assert_eq(seen.count, 2, "a digit might follow");
    feed(p, "\n");
    cr_assert_eq(seen.count, 3);
    buffer_done(&seen.text);
}

Test(json_stream, words_and_numbers_need_a_gap)
{
    static const char *const texts[] = { "truefalse", "01 ", "nullx", "1 2 3.4.5 ", "true1" };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        struct seen seen = { 0 };
        owned(json_parser) struct json_parser *p = json_parser_new(1000, 5, on_value, &seen);
        cr_assert_eq(feed(p, texts[i]), -1, "%s", texts[i]);
        buffer_done(&seen.text);
    }
}

Test(json_stream, the_bound_is_on_each_value_and_not_on_the_stream)
{
    struct seen seen = { 0 };
    owned(json_parser) struct json_parser *p = json_parser_new(10, 5, on_value, &seen);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(feed(p, "[1234567]\r\n             \"34567890\""), 0);
    cr_assert_eq(seen.count, 200);
    cr_assert_eq(feed(p, "\"1234567"), 0);
    error_scope(err);
    cr_assert_eq(json_parser_feed(p, "890\"", 4, &err), -1);
    cr_assert_not_null(strstr(error_text(&err), "larger than 10 bytes"), "%s", error_text(&err));
    buffer_done(&seen.text);
}

Test(json_stream, depth_is_bounded)
{
    struct seen seen = { 0 };
    owned(json_parser) struct json_parser *p = json_parser_new(1000, 3, on_value, &seen);
    cr_assert_eq(feed(p, "[[[]]] [{\"a\":{}}]"), 0);
    cr_assert_eq(feed(p, "[[[["), -1);
    buffer_done(&seen.text);
}

Test(json_stream, a_damaged_stream_stays_dead)
{
    struct seen seen = { 0 };
    owned(json_parser) struct json_parser *p = json_parser_new(1000, 3, on_value, &seen);
    cr_assert_eq(feed(p, "{} }"), -1);
    cr_assert_eq(seen.count, 1, "what came before the damage counts");
    cr_assert_eq(feed(p, "{}"), -1);
    cr_assert_eq(seen.count, 1);
    buffer_done(&seen.text);
}

Test(json_stream, the_parser_may_be_freed_by_what_it_called)
{
    struct seen seen = { 0 };
    seen.free_me = json_parser_new(1000, 3, on_value, &seen);
    cr_assert_eq(feed(seen.free_me, "[1] [2] }garbage"), 0);
    cr_assert_str_eq(buffer_text(&seen.text), "[1]\n");
    buffer_done(&seen.text);
}

Test(json_stream, a_half_read_value_is_released)
{
    owned(json_parser) struct json_parser *p = json_parser_new(1000, 9, on_value, NULL);
    cr_assert_eq(feed(p, "{\"a\":[{\"b\":\"half"), 0);
    cr_assert_not(json_parser_is_idle(p));
}

static void measure(void *arg, struct arena *arena, const struct json *value, size_t bytes)
{
    *(double *) arg = (double) arena_size(arena) / (double) bytes;
    arena_free(arena);
}

Test(json_stream, a_value_takes_at_most_16_times_its_bytes)
{
    static const char *const items[] = { "10,", "1,", "[1],", "\"a\",", "[],", "{\"\":1},", "{\"\":[]}," };
    for (size_t i = 0; i < ARRAY_COUNT(items); i++) {
        double ratio = 0;
        owned(json_parser) struct json_parser *p = json_parser_new(1 << 20, 9, measure, &ratio);
        owned_buffer struct buffer text = { 0 };
        buffer_add_char(&text, '[');
        while (text.length < 100000)
            buffer_add_text(&text, items[i]);
        buffer_add_text(&text, "0]");
        cr_assert_eq(feed(p, text.data), 0);
        cr_assert(ratio > 1 && ratio <= 16, "%s: %.1f", items[i], ratio);
    }
}

/* A slow sender pays for each byte only once. */
Test(json_stream, a_long_string_byte_by_byte_is_not_read_again_and_again)
{
    struct seen seen = { 0 };
    enum { SIZE = 1000 * 1000 };
    owned_memory char *text = memory_new(SIZE + 1);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = "ab\\\\c\\\"d\\n"[i % 10];         /* a b \ \ c \ " d \ n */
    owned(json_parser) struct json_parser *p = json_parser_new(2 * SIZE, 3, on_value, &seen);
    cr_assert_eq(feed(p, "[\""), 0);
    clock_t begin = clock();
    error_scope(err);
    for (size_t i = 0; i < SIZE; i++)
        cr_assert_eq(json_parser_feed(p, text + i, 1, &err), 0, "%s", error_text(&err));
    cr_assert_lt(clock() - begin, 5 * CLOCKS_PER_SEC);
    cr_assert_eq(feed(p, "\"]{}"), 0);
    cr_assert_eq(seen.count, 2);
    buffer_done(&seen.text);
}

Test(json_stream, strings_cut_anywhere_come_out_whole)
{
    static const char text[] =
        "{\"a\\\"b\\\\\":[\"\",\"\\\\\",\"x\\\\\\\"y\",12,-1.5e3,true,\"\\u00e9\"]}[\"q\"]";
    owned_buffer struct buffer whole = { 0 };
    for (size_t step = sizeof text; step > 0; step--) {
        struct seen seen = { 0 };
        error_scope(err);
        owned(json_parser) struct json_parser *p = json_parser_new(1000, 3, on_value, &seen);
        for (size_t at = 0; at < sizeof text - 1; at += step) {
            size_t length = sizeof text - 1 - at < step ? sizeof text - 1 - at : step;
            cr_assert_eq(json_parser_feed(p, text + at, length, &err), 0, "%s", error_text(&err));
        }
        cr_assert_eq(seen.count, 2);
        if (step == sizeof text)
            buffer_add_text(&whole, buffer_text(&seen.text));
        cr_assert_str_eq(buffer_text(&seen.text), whole.data);
        buffer_done(&seen.text);
    }
}

Test(json_stream, a_number_without_end_is_refused)
{
    struct seen seen = { 0 };
    owned(json_parser) struct json_parser *p = json_parser_new(1000 * 1000, 3, on_value, &seen);
    cr_assert_eq(feed(p, "[1"), 0);
    int fed = 0;
    while (feed(p, "1") == 0)
        cr_assert_lt(++fed, 5000);
    cr_assert_gt(fed, 1000);
    buffer_done(&seen.text);
}

Test(json_stream, a_string_in_pieces_meets_the_bound_of_a_value)
{
    struct seen seen = { 0 };
    owned(json_parser) struct json_parser *p = json_parser_new(1000, 3, on_value, &seen);
    cr_assert_eq(feed(p, "[\""), 0);
    int fed = 0;
    while (feed(p, "12345678") == 0)
        cr_assert_lt(++fed, 1000);
    cr_assert_eq(fed, (1000 - 2) / 8);
    buffer_done(&seen.text);
}

/* --- hearing ---------------------------------------------------------------------------------------- */

struct heard {
    struct seen seen;                   /* first: it is the parser's argument */
    struct buffer text;
    struct json_writer writer;
    size_t choices;
};

static void hear(void *arg, enum json_event event, const char *text, size_t length)
{
    struct heard *heard = arg;
    json_heard(&heard->writer, event, text, length);
}

static struct heard heard;
static const struct json_listener ear = { hear, &heard };

static const struct json_listener *choose(void *arg, const char *name)
{
    cr_assert_eq(arg, &heard);
    heard.choices++;
    return strcmp(name, "return") == 0 ? &ear : NULL;
}

static struct json_parser *hearing_parser(void)
{
    heard = (struct heard) { .writer.out = &heard.text };
    struct json_parser *p = json_parser_new(1000, 5, on_value, &heard);
    json_parser_listen(p, choose);
    return p;
}

static void heard_done(void)
{
    buffer_done(&heard.text);
    buffer_done(&heard.seen.text);
}

Test(json_stream, a_member_is_heard_instead_of_built_however_the_bytes_are_split)
{
    static const char text[] =
        "{\"id\":{\"return\":1},"
        "\"return\":[{\"a\":[null,true,-1.5e3,\"\\u00e9\\n\"],\"\\\"\":{}},false],\"z\":[]}"
        "{\"return\":7}{\"event\":\"X\"}";
    for (size_t first = 0; first < sizeof text; first++) {
        error_scope(err);
        owned(json_parser) struct json_parser *p = hearing_parser();
        cr_assert_eq(json_parser_feed(p, text, first, &err), 0, "%s", error_text(&err));
        cr_assert_eq(json_parser_feed(p, text + first, sizeof text - 1 - first, &err), 0);
        cr_assert_str_eq(heard.text.data,
                         "[{\"a\":[null,true,-1.5e3,\"\xC3\xA9\\n\"],\"\\\"\":{}},false],7");
        cr_assert_str_eq(heard.seen.text.data, "{\"id\":{\"return\":1},\"return\":null,\"z\":[]}\n"
                                               "{\"return\":null}\n{\"event\":\"X\"}\n");
        cr_assert_eq(heard.choices, 5, "only outermost members can be heard");
        heard_done();
    }
}

Test(json_stream, what_is_heard_obeys_the_same_limits)
{
    static const char *const bad[] = { "{\"return\":[[[[[1]]]]]}", "{\"return\":\"\xFF\"}",
                                       "{\"return\":{\"\\u0000\":1}}", "{\"return\":[1}" };
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        owned(json_parser) struct json_parser *p = hearing_parser();
        cr_assert_eq(feed(p, bad[i]), -1, "%s", bad[i]);
        heard_done();
    }
    owned(json_parser) struct json_parser *p = hearing_parser();
    owned_memory char *long_text = memory_printf("{\"return\":\"%01001d\"}", 0);
    cr_assert_eq(feed(p, long_text), -1);
    heard_done();
}

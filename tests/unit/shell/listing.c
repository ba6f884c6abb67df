/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/listing.h"

#include <criterion/criterion.h>

#include "base/error.h"
#include "shell/pretty.h"

static const struct column columns[] = {
    { .title = "Id", .number = true }, { .title = "Name" }, { .title = "OS Type" }, { .key = "uuid" },
};

static struct listing *two_rows(void)
{
    static const char *const cells[] = { "1", "one", "hvm", "u1", "-", "a longer \"name\"", NULL, "u2" };
    struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < ARRAY_COUNT(cells); i++)
        listing_add(listing, cells[i]);
    return listing;
}

Test(listing, columns_are_as_wide_as_their_widest_cell)
{
    owned(listing) struct listing *listing = two_rows();
    owned_buffer struct buffer out = { 0 };
    listing_format_columns(listing, false, &out);
    cr_assert_str_eq(buffer_text(&out), " Id   Name              OS Type\n"
                                        "---------------------------------\n"
                                        " 1    one               hvm\n"
                                        " -    a longer \"name\"   -\n", "\n%s", buffer_text(&out));
}

Test(listing, bare_columns_have_no_heading)
{
    owned(listing) struct listing *listing = two_rows();
    owned_buffer struct buffer out = { 0 };
    listing_format_columns(listing, true, &out);
    cr_assert_str_eq(buffer_text(&out), " 1   one               hvm\n -   a longer \"name\"   -\n", "\n%s",
                     buffer_text(&out));
}

Test(listing, pairs_leave_out_what_is_absent)
{
    owned(listing) struct listing *listing = two_rows();
    owned_buffer struct buffer out = { 0 };
    listing_format_pairs(listing, 9, &out);
    cr_assert_str_eq(buffer_text(&out),
                     "Id:       1\nName:     one\nOS Type:  hvm\n"
                     "Id:       -\nName:     a longer \"name\"\n",
                     "\n%s", buffer_text(&out));
}

Test(listing, json_has_keys_in_snake_case_and_numbers_as_numbers)
{
    owned(listing) struct listing *listing = two_rows();
    owned_buffer struct buffer out = { 0 };
    listing_format_json(listing, &out);
    cr_assert_str_eq(
        buffer_text(&out),
        "[{\"id\": 1, \"name\": \"one\", \"os_type\": \"hvm\", \"uuid\": \"u1\"}, "
        "{\"id\": null, \"name\": \"a longer \\\"name\\\"\", \"os_type\": null, \"uuid\": \"u2\"}]\n",
        "\n%s", buffer_text(&out));
}

Test(pretty, json_is_spread_over_lines)
{
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    cr_assert_eq(pretty_json("{\"a\":[1,{\"b\":null}],\"c\":{}}", &out, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(buffer_text(&out),
                     "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {\n  }\n}",
                     "\n%s", buffer_text(&out));
    out.length = 0;
    cr_assert_eq(pretty_json("{", &out, &err), -1);
}

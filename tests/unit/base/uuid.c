/* SPDX-License-Identifier: Apache-2.0 */
#include "base/uuid.h"

#include <criterion/criterion.h>

Test(uuid, reads_both_spellings_and_writes_one)
{
    struct uuid a, b;
    char text[UUID_TEXT_SIZE];
    cr_assert(uuid_parse("6f0a1c3e-0b5d-4c8e-9f3a-1b2c3d4e5f60", &a));
    cr_assert(uuid_parse("6F0A1C3E0B5D4C8E9F3A1B2C3D4E5F60", &b));
    cr_assert(uuid_equal(&a, &b));
    uuid_format(&b, text);
    cr_assert_str_eq(text, "6f0a1c3e-0b5d-4c8e-9f3a-1b2c3d4e5f60");
}

Test(uuid, refuses_what_is_short_long_or_no_digit)
{
    struct uuid u;
    cr_assert_not(uuid_parse("6f0a1c3e-0b5d-4c8e-9f3a-1b2c3d4e5f6", &u));
    cr_assert_not(uuid_parse("6f0a1c3e-0b5d-4c8e-9f3a-1b2c3d4e5f600", &u));
    cr_assert_not(uuid_parse("6f0a1c3e-0b5d-4c8e-9f3a-1b2c3d4e5f6g", &u));
    cr_assert_not(uuid_parse("", &u));
}

Test(uuid, random_ones_differ_and_carry_the_version)
{
    struct uuid a = uuid_random(), b = uuid_random();
    cr_assert_not(uuid_equal(&a, &b));
    cr_assert_eq(a.bytes[6] >> 4, 4);
    cr_assert_not(uuid_is_zero(&a));
}

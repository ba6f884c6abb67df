/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "simvmm/value.h"

static void prints(const char *const *keys, const char *wanted)
{
    owned(arena) struct arena *a = arena_new();
    owned_buffer struct buffer got = { 0 };
    struct json *object = value_object(a);
    for (; *keys; keys++)
        value_set_number(a, object, *keys, 0);
    value_print(&got, object);
    cr_assert_str_eq(buffer_text(&got), wanted);
}

/* Orders seen on the wire of QEMU 11.1.3 and 7.2.22; of two in one bucket ("minor", "micro") the later
 * comes first. */
Test(value, members_come_in_the_order_of_qemus_hash)
{
    prints((const char *const[]) { "id", "return", NULL }, "{\"return\": 0, \"id\": 0}");
    prints((const char *const[]) { "error", "id", NULL }, "{\"id\": 0, \"error\": 0}");
    prints((const char *const[]) { "data", "event", "timestamp", NULL },
           "{\"timestamp\": 0, \"event\": 0, \"data\": 0}");
    prints((const char *const[]) { "type", "value", "name", NULL },
           "{\"name\": 0, \"value\": 0, \"type\": 0}");
    prints((const char *const[]) { "major", "minor", "micro", NULL },
           "{\"micro\": 0, \"minor\": 0, \"major\": 0}");
    prints((const char *const[]) { "running", "singlestep", "status", NULL },
           "{\"status\": 0, \"singlestep\": 0, \"running\": 0}");
}

Test(value, an_absent_text_leaves_no_member)
{
    owned(arena) struct arena *a = arena_new();
    owned_buffer struct buffer got = { 0 };
    struct json *object = value_object(a);
    value_set_text(a, object, "name", NULL);
    value_print(&got, object);
    cr_assert_str_eq(buffer_text(&got), "{}");
}

Test(value, many_members_and_items_keep_their_values)
{
    owned(arena) struct arena *a = arena_new();
    struct json *object = value_object(a), *array = value_array(a);
    for (int i = 0; i < 100; i++) {
        value_set_number(a, object, arena_printf(a, "key%d", i), i);
        value_push(a, array, value_number(a, i));
    }
    for (int i = 0; i < 100; i++) {
        int64_t number;
        cr_assert(json_to_i64(json_get(object, arena_printf(a, "key%d", i)), &number) && number == i);
        cr_assert(json_to_i64(json_at(array, (size_t) i), &number) && number == i);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the host and processes use, and how it is told. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "daemon/host_usage.h"
#include "daemon/params.h"
#include "daemon/usage.h"
#include "domain/domain.h"
#include "qemu/power.h"

Test(usage, a_list_of_processors_becomes_bits)
{
    static const struct { const char *list; unsigned count; unsigned char map[2]; } rows[] = {
        { "0-3,8", 16, { 0x0f, 0x01 } }, { "0-3,8", 8, { 0x0f, 0 } }, { "", 16, { 0, 0 } },
        { "1,3-3,15\n", 16, { 0x0a, 0x80 } }, { "0-99", 10, { 0xff, 0x03 } }, { "x", 16, { 0, 0 } },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        unsigned char map[2] = { 0 };
        cpu_map_parse(rows[i].list, rows[i].count, map);
        cr_assert_eq(memcmp(map, rows[i].map, sizeof map), 0, "'%s': %02x %02x", rows[i].list, map[0],
                     map[1]);
    }
}

Test(usage, bits_become_a_list_of_processors)
{
    static const struct { unsigned char map[2]; const char *list; } rows[] = {
        { { 0x0f, 0x01 }, "0-3,8" }, { { 0, 0 }, "" }, { { 0x80, 0x01 }, "7-8" }, { { 0xff, 0xff }, "0-11" },
        { { 0x55, 0 }, "0,2,4,6" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        owned_buffer struct buffer out = { 0 };
        cpu_map_format(rows[i].map, 12, &out);
        cr_assert_str_eq(buffer_text(&out), rows[i].list);
    }
}

Test(usage, this_host_has_processors_memory_and_a_node)
{
    struct host_cpu_map map;
    struct host_memory memory;
    struct host_cpu_time time;
    struct host_nodes nodes;
    host_cpu_map_read(&map);
    host_nodes_read(&nodes);
    cr_assert_gt(map.online_cpus, 0);
    cr_assert_geq(map.cpus, map.online_cpus);
    cr_assert(host_memory_read(-1, &memory));
    cr_assert_gt(memory.total, memory.free);
    cr_assert(host_memory_read(nodes.items.items[0], &memory));
    cr_assert_not(host_memory_read(4711, &memory));
    cr_assert(host_cpu_time_read(-1, &time));
    cr_assert_gt(time.user + time.system + time.idle, 0);
    cr_assert_not(host_cpu_time_read(4711, &time));
    vector_done(&nodes.items);
}

Test(usage, a_number_that_was_given_to_another_process_is_not_believed)
{
    struct usage usage;
    struct domain dom = { .id = 1, .process = { .pid = getpid(), .start_time = 1 } };
    cr_assert_not(usage_of(&dom, &usage));
    cr_assert_eq(usage_cpu_ns(&dom), 0);
    dom.process.pid = 0;
    cr_assert_not(usage_of(&dom, &usage));
}

Test(usage, parameters_keep_their_types_and_come_in_two_rounds)
{
    struct params params = { 0 };
    remote_typed_param *items;
    int total = 0;
    params_add_u64(&params, 1ull << 40, "block.%d.rd", 3);
    params_add_text(&params, NULL, "name");
    params_add_i64(&params, -1, "x");
    cr_assert_eq(params_give_at_most(&params, 0, &items, &total), 0);
    cr_assert_eq(total, 3);

    params_add_u64(&params, 1ull << 40, "block.%d.rd", 3);
    params_add_text(&params, "v", "name");
    params_add_i64(&params, -1, "x");
    total = 0;
    cr_assert_eq(params_give_at_most(&params, 2, &items, &total), 2);
    cr_assert_eq(total, 0);
    cr_assert_str_eq(items[0].field, "block.3.rd");
    cr_assert_eq(items[0].value.type, PARAM_ULLONG);
    cr_assert_eq(items[0].value.remote_typed_param_value_u.ul, 1ull << 40);
    cr_assert_eq(items[1].value.type, PARAM_STRING);
    struct params again = { { items, 2, 2 } };
    params_done(&again);
}

Test(usage, keys_have_the_numbers_that_qemu_knows)
{
    cr_assert_eq(key_from_linux(29), 29);       /* left ctrl */
    cr_assert_eq(key_from_linux(111), 0xd3);    /* delete */
    cr_assert_eq(key_from_linux(116), 0xde);    /* power */
    cr_assert_eq(key_from_linux(84), 0);
    cr_assert_eq(key_from_linux(60000), 0);
}

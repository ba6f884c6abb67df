/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/iotune.h"

#include "conf/rows.h"

static bool is_set(const struct io_limit *limit)
{
    return limit->rate || limit->burst;
}

static void check_limits(const struct io_limit *all, const struct io_limit *reads,
                         const struct io_limit *writes, struct xml_context *x)
{
    if (is_set(all) && (is_set(reads) || is_set(writes)))
        xml_refuse(x, &all->rate, ERR_XML, NULL,
                   "a total limit and limits for reads or writes exclude each other");
    const struct io_limit *limits[] = { all, reads, writes };
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++)
        if (limits[i]->burst_seconds && !limits[i]->burst)
            xml_refuse(x, &limits[i]->burst_seconds, ERR_CONFIG_UNSUPPORTED, "the _max limit beside it",
                       "a length means nothing without a limit");
}

static void iotune_check(void *self, struct xml_context *x)
{
    const struct iotune *tune = self;
    check_limits(&tune->bytes, &tune->read_bytes, &tune->write_bytes, x);
    check_limits(&tune->requests, &tune->read_requests, &tune->write_requests, x);
}

#define SELF struct iotune
#define LIMIT(name, member, what) \
    LEAF(name "_sec", member.rate, u64, what " a second"), \
    LEAF(name "_sec_max", member.burst, u64, what " a second, for a while"), \
    LEAF(name "_sec_max_length", member.burst_seconds, u64, "seconds that the while lasts")
const struct element iotune_element = ELEMENT_CHECKED(
    "iotune", "How fast the guest may use it.", iotune_check,
    LIMIT("total_bytes", bytes, "bytes"),
    LIMIT("read_bytes", read_bytes, "bytes read"),
    LIMIT("write_bytes", write_bytes, "bytes written"),
    LIMIT("total_iops", requests, "requests"),
    LIMIT("read_iops", read_requests, "reads"),
    LIMIT("write_iops", write_requests, "writes"),
    LEAF("size_iops_sec", request_size, u64, "bytes that count as one request"),
    LEAF("group_name", group, string, "disks of one group share the limits"));

/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/params.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { PARAM_NAME_SIZE = 80 };          /* VIR_TYPED_PARAM_FIELD_LENGTH; the names are ours, and shorter */

/* The wire's union, by the member's short name. */
#define VALUE(kind, member, value_) { .type = kind, .remote_typed_param_value_u = { .member = value_ } }

/* Most names have nothing to fill in, and a list of statistics has thousands of them. */
__attribute__((format(printf, 1, 0)))
static char *name_of(const char *format, va_list ap)
{
    char name[PARAM_NAME_SIZE];
    if (!strchr(format, '%'))
        return memory_copy_text(format);
    int length = vsnprintf(name, sizeof name, format, ap);
    assert(length > 0 && length < PARAM_NAME_SIZE);
    return memory_copy_bytes(name, (size_t) length);
}

__attribute__((format(printf, 3, 0)))
static void add(struct params *params, remote_typed_param_value value, const char *format, va_list ap)
{
    const remote_typed_param param = { .field = name_of(format, ap), .value = value };
    vector_push(&params->items, param);
}

#define ADDER(suffix, type, kind, member, expression) \
    void params_add_##suffix(struct params *params, type value, const char *name, ...) \
    { \
        const remote_typed_param_value on_wire = VALUE(kind, member, expression); \
        va_list ap; \
        va_start(ap, name); \
        add(params, on_wire, name, ap); \
        va_end(ap); \
    }
ADDER(int, int, PARAM_INT, i, value)
ADDER(u32, unsigned, PARAM_UINT, ui, value)
ADDER(i64, int64_t, PARAM_LLONG, l, value)
ADDER(u64, uint64_t, PARAM_ULLONG, ul, value)
ADDER(text, const char *, PARAM_STRING, s, memory_copy_text(value ? value : ""))

unsigned params_give(struct params *params, remote_typed_param **ret_items)
{
    unsigned count = (unsigned) params->items.count;
    *ret_items = params->items.items;
    *params = (struct params) { 0 };
    return count;
}

static void param_done(remote_typed_param *param)
{
    free(param->field);
    if (param->value.type == PARAM_STRING)
        free(param->value.remote_typed_param_value_u.s);
}

void params_done(struct params *params)
{
    for (size_t i = 0; i < params->items.count; i++)
        param_done(&params->items.items[i]);
    vector_done(&params->items);
}

unsigned params_give_at_most(struct params *params, int wanted, remote_typed_param **ret_items,
                             int *ret_total)
{
    if (wanted <= 0) {
        *ret_total = (int) params->items.count;
        params_done(params);
        return 0;
    }
    while (params->items.count > (size_t) wanted)
        param_done(&params->items.items[--params->items.count]);
    return params_give(params, ret_items);
}

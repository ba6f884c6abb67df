/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/knobs.h"

#include "base/text.h"
#include "conf/memory.h"
#include "xml/value.h"

#define UNLIMITED UINT64_C(9007199254740991)    /* VIR_DOMAIN_MEMORY_PARAM_UNLIMITED, in KiB */

static void read_knob(const struct knob *knob, const void *member, struct params *out)
{
    const uint64_t kib = knob->kind == KNOB_LIMIT ? ((const struct memory_amount *) member)->kib : 0;
    switch (knob->kind) {
    case KNOB_U64: params_add_u64(out, *(const uint64_t *) member, "%s", knob->name); break;
    case KNOB_TEXT: params_add_text(out, *(const char *const *) member, "%s", knob->name); break;
    case KNOB_OPT_U32: params_add_u32(out, ((const struct opt_u32 *) member)->value, "%s", knob->name); break;
    case KNOB_OPT_U64: params_add_u64(out, ((const struct opt_u64 *) member)->value, "%s", knob->name); break;
    case KNOB_OPT_I64: params_add_i64(out, ((const struct opt_i64 *) member)->value, "%s", knob->name); break;
    case KNOB_LIMIT: params_add_u64(out, kib ? kib : UNLIMITED, "%s", knob->name); break;
    }
}

void knobs_read(const struct knob *knobs, size_t count, const void *self, struct params *out)
{
    static const union {
        uint64_t number;
        const char *text;
        struct opt_u64 u64;
        struct opt_i64 i64;
        struct memory_amount amount;
    } nothing;
    for (size_t i = 0; i < count; i++)
        read_knob(&knobs[i], self ? (const char *) self + knobs[i].offset : (const void *) &nothing, out);
}

/* --- setting --- */

static enum param_type type_of(enum knob_kind kind)
{
    static const enum param_type types[] = {
        [KNOB_U64] = PARAM_ULLONG, [KNOB_TEXT] = PARAM_STRING, [KNOB_OPT_U32] = PARAM_UINT,
        [KNOB_OPT_U64] = PARAM_ULLONG, [KNOB_OPT_I64] = PARAM_LLONG, [KNOB_LIMIT] = PARAM_ULLONG,
    };
    return types[kind];
}

static void write_knob(const struct knob *knob, void *member, struct arena *arena,
                       const remote_typed_param_value *value)
{
    uint64_t number = value->type == PARAM_ULLONG ? value->remote_typed_param_value_u.ul : 0;
    switch (knob->kind) {
    case KNOB_U64:
        *(uint64_t *) member = number;
        break;
    case KNOB_TEXT:
        *(const char **) member = *value->remote_typed_param_value_u.s
                                      ? arena_copy(arena, value->remote_typed_param_value_u.s) : NULL;
        break;
    case KNOB_OPT_U32:
        *(struct opt_u32 *) member = (struct opt_u32) { value->remote_typed_param_value_u.ui != 0,
                                                        value->remote_typed_param_value_u.ui };
        break;
    case KNOB_OPT_U64:
        *(struct opt_u64 *) member = (struct opt_u64) { true, number };
        break;
    case KNOB_OPT_I64:
        *(struct opt_i64 *) member = (struct opt_i64) { true, value->remote_typed_param_value_u.l };
        break;
    case KNOB_LIMIT:
        *(struct memory_amount *) member =
            number && number < UNLIMITED ? (struct memory_amount) { .kib = number, .unit = "KiB" }
                                         : (struct memory_amount) { 0 };
        break;
    }
}

static const struct knob *find(const struct knob *knobs, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (text_equal(knobs[i].name, name))
            return &knobs[i];
    return NULL;
}

int knobs_write(const struct knob *knobs, size_t count, void *self, struct arena *arena,
                const remote_typed_param *params, size_t params_count, struct error *err)
{
    for (size_t i = 0; i < params_count; i++) {
        const struct knob *knob = find(knobs, count, params[i].field);
        if (!knob)
            return fail(err, ERR_INVALID_ARG, "parameter '%s' not supported", params[i].field);
        if ((int) type_of(knob->kind) != params[i].value.type)
            return fail(err, ERR_INVALID_ARG, "parameter '%s' has type %d, and %d is expected", knob->name,
                        params[i].value.type, (int) type_of(knob->kind));
        write_knob(knob, (char *) self + knob->offset, arena, &params[i].value);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/typed.h"

enum { TYPED_INT = 1, TYPED_UINT, TYPED_LLONG, TYPED_ULLONG, TYPED_DOUBLE, TYPED_BOOLEAN, TYPED_STRING };

void typed_format(const remote_typed_param *param, struct buffer *out)
{
    const remote_typed_param_value *v = &param->value;
    switch (v->type) {
    case TYPED_INT: buffer_printf(out, "%d", v->remote_typed_param_value_u.i); break;
    case TYPED_UINT: buffer_printf(out, "%u", v->remote_typed_param_value_u.ui); break;
    case TYPED_LLONG: buffer_printf(out, "%lld", (long long) v->remote_typed_param_value_u.l); break;
    case TYPED_ULLONG:
        buffer_printf(out, "%llu", (unsigned long long) v->remote_typed_param_value_u.ul);
        break;
    case TYPED_DOUBLE: buffer_printf(out, "%f", v->remote_typed_param_value_u.d); break;
    case TYPED_BOOLEAN: buffer_add_text(out, v->remote_typed_param_value_u.b ? "yes" : "no"); break;
    case TYPED_STRING: buffer_add_text(out, v->remote_typed_param_value_u.s); break;
    }
}

bool typed_is_number(const remote_typed_param *param)
{
    return param->value.type != TYPED_STRING && param->value.type != TYPED_BOOLEAN;
}

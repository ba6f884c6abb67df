/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/panic.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(panic_model, PANIC_MODELS);

static void panic_check(void *self, struct xml_context *x)
{
    struct panic *panic = self;
    if (panic->model == PANIC_DEFAULT)
        panic->model = PANIC_MODEL_ABSENT;
    if (panic->model == PANIC_HYPERV && panic->address)
        xml_refuse(x, panic->address, ERR_XML, NULL, "a panic device of model 'hyperv' has no address");
}

#define SELF struct panic
ALIAS_PART;

const struct element panic_element = ELEMENT_CHECKED(
    "panic", "How a guest says that it crashed.", panic_check,
    ATTR("model", model, panic_model, "model of the device"), INLINE(alias), CHILD(address, address_element));

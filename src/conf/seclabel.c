/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/seclabel.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(seclabel_type, SECLABEL_TYPES);

static void seclabel_check(void *self, struct xml_context *x)
{
    struct seclabel *label = self;
    if (label->type == SECLABEL_NONE && !label->model)
        label->model = "none";
    if (!label->relabel && label->model && label->type != SECLABEL_NONE)
        label->relabel = label->type == SECLABEL_DYNAMIC ? YES : NO;
    if (label->type == SECLABEL_STATIC && !label->label)
        xml_refuse(x, label, ERR_XML, "a <label>", "a static seclabel needs a label");
    if (label->type == SECLABEL_STATIC && !label->model)
        xml_refuse(x, label, ERR_XML, "model='selinux', say", "a static seclabel needs a model");
}

/* The labels of a dynamic one are only known while it runs. */
#define SELF struct seclabel
const struct element seclabel_element = ELEMENT_CHECKED(
    "seclabel", "How a mandatory access control system sees the guest.", seclabel_check,
    ATTR("type", type, seclabel_type, "who chooses the label", DEFAULT("dynamic")),
    ATTR("model", model, string, "the system"),
    ATTR("relabel", relabel, yes_no, "are its files labelled?"),
    LEAF("label", label, string, "label of the guest", IF(type, SECLABEL_STATIC)),
    LEAF("label", label, string, "label of the guest", LIVE_ONLY, IF(type, SECLABEL_DYNAMIC)),
    LEAF("imagelabel", imagelabel, string, "label of its files", LIVE_ONLY),
    LEAF("baselabel", baselabel, string, "what a dynamic label begins with", IF(type, SECLABEL_DYNAMIC)));

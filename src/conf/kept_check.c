/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "conf/domain_check.h"
#include "conf/domain_def.h"
#include "conf/kept.h"
#include "conf/machine.h"
#include "xml/element.h"

/* Features that only other processors have. */
static void check_foreign_features(const struct domain_def *def, struct xml_context *x)
{
    static const char *const foreign[] = {
        "hpt", "htm", "nested-hv", "ccf-assist", "cfpc", "sbbc", "ibs", "ras", "aia",
    };
    for (size_t i = 0; machine_is_x86(def) && i < ARRAY_COUNT(foreign); i++) {
        owned_memory char *path = memory_printf("features/%s", foreign[i]);
        if (kept_next(&def->features.extras, path, NULL))
            xml_refuse(x, &def->features, ERR_CONFIG_UNSUPPORTED, NULL,
                       "the feature '%s' is not for architecture '%s'", foreign[i], def->os.arch);
    }
}

void check_kept(const struct domain_def *def, struct xml_context *x)
{
    check_foreign_features(def, x);
    if (machine_is_x86(def) && def->features.has_gic)
        xml_refuse(x, &def->features.has_gic, ERR_CONFIG_UNSUPPORTED, NULL,
                   "the feature 'gic' is not for architecture '%s'", def->os.arch);
}

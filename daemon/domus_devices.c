/* SPDX-License-Identifier: Apache-2.0 */
/* Our own program: what a definition asked for, beside what is in effect. */
#include "base/memory.h"
#include "daemon/request.h"
#include "qemu/cpu_report.h"
#include "qemu/device_report.h"
#include "qemu/drift.h"

static void reply_settings(const struct device_item *item, domus_device *ret)
{
    ret->settings.settings_val = memory_new((item->settings.count + 1) * sizeof *ret->settings.settings_val);
    for (size_t i = 0; i < item->settings.count; i++) {
        static const int agreements[] = { [AGREES] = DOMUS_SETTING_AGREES,
                                          [DIFFERS] = DOMUS_SETTING_DIFFERS,
                                          [UNCOMPARED] = DOMUS_SETTING_UNCOMPARED };
        const struct device_setting *setting = &item->settings.items[i];
        ret->settings.settings_val[ret->settings.settings_len++] = (domus_setting) {
            .name = memory_copy_text(setting->name),
            .asked = remote_string_new(setting->asked),
            .effective = remote_string_new(setting->effective),
            .agreement = agreements[setting->agreement],
        };
    }
}

int on_domus_devices(struct request *request, const domus_devices_args *args, domus_devices_ret *ret,
                     struct error *err)
{
    if (check_flags(args->flags, DOMUS_QOM_REFRESH, err) < 0 || domain_check_active(request->dom, err) < 0)
        return -1;
    owned(device_report) struct device_report *report =
        domain_devices(request->dom, args->alias ? *args->alias : NULL, args->flags & DOMUS_QOM_REFRESH, err);
    if (!report)
        return -1;
    ret->devices.devices_val = memory_new((report->items.count + 1) * sizeof *ret->devices.devices_val);
    for (size_t i = 0; i < report->items.count; i++) {
        const struct device_item *item = &report->items.items[i];
        domus_device *to = &ret->devices.devices_val[ret->devices.devices_len++];
        *to = (domus_device) {
            .alias = memory_copy_text(item->alias),
            .kind = memory_copy_text(item->kind),
            .description = memory_copy_text(item->description),
            .path = remote_string_new(item->path),
            .type = remote_string_new(item->type),
            .address = remote_string_new(item->address),
            .backend = remote_string_new(item->backend),
        };
        reply_settings(item, to);
    }
    return 0;
}

int on_domus_cpu(struct request *request, const domus_cpu_args *args, domus_cpu_ret *ret, struct error *err)
{
    static const int states[] = { [CPU_FEATURE_ENABLED] = DOMUS_FEATURE_ENABLED,
                                  [CPU_FEATURE_DISABLED] = DOMUS_FEATURE_DISABLED,
                                  [CPU_FEATURE_UNAVAILABLE] = DOMUS_FEATURE_UNAVAILABLE };
    static const int wishes[] = { [CPU_NOT_ASKED] = DOMUS_FEATURE_NOT_ASKED,
                                  [CPU_ASKED_ON] = DOMUS_FEATURE_ASKED_ON,
                                  [CPU_ASKED_OFF] = DOMUS_FEATURE_ASKED_OFF };
    if (domain_check_active(request->dom, err) < 0)
        return -1;
    owned(cpu_report) struct cpu_report *report = domain_cpu(request->dom, err);
    if (!report)
        return -1;
    ret->model = memory_copy_text(report->model);
    ret->type = memory_copy_text(report->type);
    ret->features.features_val =
        memory_new((report->features.count + 1) * sizeof *ret->features.features_val);
    for (size_t i = 0; i < report->features.count; i++) {
        const struct cpu_flag *feature = &report->features.items[i];
        ret->features.features_val[ret->features.features_len++] = (domus_cpu_feature) {
            .name = memory_copy_text(feature->name),
            .asked = wishes[feature->asked],
            .state = states[feature->state],
        };
    }
    return 0;
}

int on_domus_drift(struct request *request, const domus_drift_args *args, domus_drift_ret *ret,
                   struct error *err)
{
    if (domain_check_active(request->dom, err) < 0)
        return -1;
    owned(drift) struct drift *drift = domain_drift(request->dom, err);
    if (!drift)
        return -1;
    ret->drifts.drifts_val = memory_new((drift->items.count + 1) * sizeof *ret->drifts.drifts_val);
    for (size_t i = 0; i < drift->items.count; i++) {
        const struct drift_item *item = &drift->items.items[i];
        ret->drifts.drifts_val[ret->drifts.drifts_len++] = (domus_drift) {
            .kind = memory_copy_text(drift_word(item->kind)),
            .subject = memory_copy_text(item->subject),
            .alias = remote_string_new(item->alias),
            .path = remote_string_new(item->path),
            .type = remote_string_new(item->type),
            .property = remote_string_new(item->property),
            .asked = remote_string_new(item->asked),
            .effective = remote_string_new(item->effective),
        };
    }
    ret->compared = drift->compared;
    ret->more = drift->more;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/power.h"

#include "base/own.h"
#include "qemu/props.h"
#include "qemu/vmm.h"

static WAITS int tell(struct domain *dom, const char *command, const char *arguments, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    return vmm ? monitor_call(vmm->monitor, command, arguments, NULL, err) : -1;
}

static WAITS int press_power(struct domain *dom, bool reboot, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return -1;
    vmm->reboot_asked = reboot;         /* before the guest can answer */
    return tell(dom, "system_powerdown", NULL, err);
}

int domain_shutdown(struct domain *dom, struct error *err)
{
    return press_power(dom, false, err);
}

int domain_reboot(struct domain *dom, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return -1;
    enum lifecycle_action action = vmm->def->on_reboot;
    return press_power(dom, action != ACTION_DESTROY && action != ACTION_PRESERVE, err);
}

int domain_reset(struct domain *dom, struct error *err)
{
    return tell(dom, "system_reset", NULL, err);
}

int domain_wakeup(struct domain *dom, struct error *err)
{
    if (domain_check_active(dom, err) < 0)
        return -1;
    if (dom->state != DOMAIN_PMSUSPENDED)
        return fail(err, ERR_OPERATION_INVALID, "domain '%s' is %s, and cannot be woken up", dom->name,
                    domain_state_word(dom->state));
    return tell(dom, "system_wakeup", NULL, err);
}

int domain_inject_nmi(struct domain *dom, struct error *err)
{
    return tell(dom, "inject-nmi", NULL, err);
}

/* --- keys --- */

/* QEMU counts as the first PC keyboards did, and so does Linux, up to 88 but for a few gaps. */
unsigned key_from_linux(unsigned code)
{
    static const unsigned char numbers[] = {
        [96] = 0x9c,  [97] = 0x9d,  [98] = 0xb5,  [99] = 0x54,  [100] = 0xb8, [102] = 0xc7, [103] = 0xc8,
        [104] = 0xc9, [105] = 0xcb, [106] = 0xcd, [107] = 0xcf, [108] = 0xd0, [109] = 0xd1, [110] = 0xd2,
        [111] = 0xd3, [113] = 0xa0, [114] = 0xae, [115] = 0xb0, [116] = 0xde, [119] = 0xc6, [125] = 0xdb,
        [126] = 0xdc, [127] = 0xdd, [142] = 0xdf, [143] = 0xe3,
    };
    if (code <= 88 && code != 84 && code != 85)
        return code;
    return code < ARRAY_COUNT(numbers) ? numbers[code] : 0;
}

int domain_send_keys(struct domain *dom, const unsigned *keys, size_t count, unsigned milliseconds,
                     struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    json_open(&w, '{');
    json_key(&w, "keys"), json_open(&w, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&w, '{');
        json_key(&w, "type"), json_string(&w, "number");
        json_key(&w, "data"), json_u64(&w, keys[i]);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    if (milliseconds)
        json_key(&w, "hold-time"), json_u64(&w, milliseconds);
    json_close(&w, '}');
    return tell(dom, "send-key", buffer_text(&text), err);
}

/* --- memory --- */

static int find_balloon(const struct vmm *vmm, const char **ret_alias, struct error *err)
{
    const struct memballoon *balloon = vmm->def->memballoon;
    if (!balloon || balloon->model == MEMBALLOON_NONE)
        return fail(err, ERR_OPERATION_INVALID,
                    "Unable to change memory of active domain without the balloon device");
    *ret_alias = balloon->alias;
    return 0;
}

int domain_set_balloon(struct domain *dom, uint64_t kib, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    const char *alias = NULL;
    if (!vmm || find_balloon(vmm, &alias, err) < 0)
        return -1;
    owned_props struct props size;
    props_open(&size);
    props_u64(&size, "value", kib * 1024);
    return tell(dom, "balloon", props_end(&size), err);
}

int domain_set_memory_period(struct domain *dom, unsigned seconds, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    const char *alias = NULL;
    if (!vmm || find_balloon(vmm, &alias, err) < 0)
        return -1;
    owned_props struct props period;
    props_open(&period);
    props_printf(&period, "path", "/machine/peripheral/%s", alias);
    props_text(&period, "property", "guest-stats-polling-interval");
    props_u64(&period, "value", seconds);
    return tell(dom, "qom-set", props_end(&period), err);
}

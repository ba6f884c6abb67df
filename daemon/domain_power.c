/* SPDX-License-Identifier: Apache-2.0 */
/* The buttons and the keyboard of a running machine. */
#include "qemu/power.h"

#include "daemon/request.h"

/* VIR_DOMAIN_SHUTDOWN_*, and the same bits for a reboot: how the guest is to be asked. */
enum { ASK_BUTTON = 1, ASK_AGENT = 2 };

/* There is no agent to talk to yet, so the button it is, unless the agent alone will do. */
static int check_way(const struct domain *dom, unsigned flags, struct error *err)
{
    if (check_flags(flags, ASK_BUTTON | ASK_AGENT, err) < 0 || domain_check_active(dom, err) < 0)
        return -1;
    return flags == ASK_AGENT ? fail(err, ERR_AGENT, "QEMU guest agent is not connected") : 0;
}

int on_domain_shutdown(struct request *request, const remote_domain_shutdown_args *args, nothing *ret,
                       struct error *err)
{
    return domain_shutdown(request->dom, err);
}

int on_domain_shutdown_flags(struct request *request, const remote_domain_shutdown_flags_args *args,
                             nothing *ret, struct error *err)
{
    return check_way(request->dom, args->flags, err) < 0 ? -1 : domain_shutdown(request->dom, err);
}

int on_domain_reboot(struct request *request, const remote_domain_reboot_args *args, nothing *ret,
                     struct error *err)
{
    return check_way(request->dom, args->flags, err) < 0 ? -1 : domain_reboot(request->dom, err);
}

int on_domain_reset(struct request *request, const remote_domain_reset_args *args, nothing *ret,
                    struct error *err)
{
    return check_flags(args->flags, 0, err) < 0 ? -1 : domain_reset(request->dom, err);
}

int on_domain_inject_nmi(struct request *request, const remote_domain_inject_nmi_args *args, nothing *ret,
                         struct error *err)
{
    return check_flags(args->flags, 0, err) < 0 ? -1 : domain_inject_nmi(request->dom, err);
}

int on_domain_pm_wakeup(struct request *request, const remote_domain_pm_wakeup_args *args, nothing *ret,
                        struct error *err)
{
    return check_flags(args->flags, 0, err) < 0 ? -1 : domain_wakeup(request->dom, err);
}

/* VIR_KEYCODE_SET_*: Linux's, and the three that are QEMU's own numbers. */
static int translate(unsigned set, unsigned code, unsigned *ret_key, struct error *err)
{
    enum { SET_LINUX = 0, SET_XT = 1, SET_XT_KEYBOARD = 6, SET_QEMU = 9 };
    if (set != SET_LINUX && set != SET_XT && set != SET_XT_KEYBOARD && set != SET_QEMU)
        return fail(err, ERR_UNSUPPORTED, "keys of set %u are not translated; linux, xt, xt_kbd and qnum are",
                    set);
    unsigned key = set == SET_LINUX ? key_from_linux(code) : code;
    if (key == 0 || key > 0xff)
        return fail(err, ERR_INVALID_ARG, "there is no key with number %u", code);
    *ret_key = key;
    return 0;
}

int on_domain_send_key(struct request *request, const remote_domain_send_key_args *args, nothing *ret,
                       struct error *err)
{
    unsigned keys[KEYS_MAX], count = args->keycodes.keycodes_len;
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    if (count == 0 || count > KEYS_MAX)
        return fail(err, ERR_INVALID_ARG, "from 1 to %d keys can be sent together", KEYS_MAX);
    for (unsigned i = 0; i < count; i++)
        if (translate(args->codeset, args->keycodes.keycodes_val[i], &keys[i], err) < 0)
            return -1;
    return domain_send_keys(request->dom, keys, count, args->holdtime, err);
}

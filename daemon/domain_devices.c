/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are attached, changed and detached: in the stored definition, in the running machine, or in
 * both. */
#include "base/memory.h"
#include "base/text.h"
#include "conf/device.h"
#include "daemon/affect.h"
#include "daemon/edit.h"
#include "qemu/hotplug.h"

enum { DEVICE_FORCE = 4 };              /* VIR_DOMAIN_DEVICE_MODIFY_*, beside the bits of affect.h */

/* --- attach
 * -------------------------------------------------------------------------------------------------------- */

/* What nobody would plug in must not be written down as if it were there. */
static int check_pluggable(const char *xml, struct error *err)
{
    owned_memory char *name = device_element_of(xml);
    if (name && !hotplug_takes(device_list_of(xml)))
        return fail(err, ERR_UNSUPPORTED, "a device of kind '%s' cannot be plugged into a running domain",
                    name);
    return 0;                           /* what is no element is told as such */
}

/* Both are checked before anything is done; the running machine goes first, since it may refuse. */
static WAITS int attach(struct request *request, const char *xml, unsigned flags, struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    owned(domain_def) struct domain_def *config = NULL;
    owned(domain_def) struct domain_def *live = NULL;
    if (affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    if (affected & AFFECT_LIVE && check_pluggable(xml, err) < 0)
        return -1;
    if (affected & AFFECT_CONFIG && !(config = edit_check(request, dom->def, EDIT_CONFIG, xml, err)))
        return -1;
    if (affected & AFFECT_LIVE && !(live = edit_check(request, dom->live, EDIT_LIVE, xml, err)))
        return -1;
    if (live && domain_plug(dom, live, err) < 0)
        return -1;
    return config ? edit_keep(request, config, err) : 0;
}

int on_domain_attach_device(struct request *request, const remote_domain_attach_device_args *args,
                            nothing *ret, struct error *err)
{
    return attach(request, args->xml, AFFECT_LIVE, err);
}

int on_domain_attach_device_flags(struct request *request, const remote_domain_attach_device_flags_args *args,
                                  nothing *ret, struct error *err)
{
    return check_flags(args->flags, AFFECT_BOTH, err) < 0 ? -1 : attach(request, args->xml, args->flags, err);
}

/* --- detach
 * -------------------------------------------------------------------------------------------------------- */

/* What is sought: by its XML, or else by alias. */
struct sought { const char *xml, *alias; };

static int find(const struct domain_def *def, const struct sought *sought, struct device_place *ret_place,
                struct error *err)
{
    return sought->xml ? device_find(def, sought->xml, ret_place, err)
                       : device_find_alias(def, sought->alias, ret_place, err);
}

static WAITS struct domain_def *without(struct request *request, const struct sought *sought,
                                        struct error *err)
{
    struct device_place place;
    owned(domain_def) struct domain_def *copy = domain_def_copy(request->dom->def);
    if (find(copy, sought, &place, err) < 0)
        return NULL;
    device_remove(copy, place);
    return edit_check(request, copy, EDIT_CONFIG, NULL, err);
}

static int find_alias(const struct domain_def *def, const struct sought *sought, char **ret_alias,
                      struct error *err)
{
    struct device_place place;
    if (find(def, sought, &place, err) < 0)
        return -1;
    owned_memory char *description = device_describe(def, place);
    const char *alias = device_alias_at(def, place);
    if (!alias || !hotplug_takes(place.list))
        return fail(err, ERR_UNSUPPORTED, "%s cannot be detached from a running domain", description);
    *ret_alias = memory_copy_text(alias);
    return 0;
}

static WAITS int detach(struct request *request, const struct sought *sought, unsigned flags,
                        struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    owned(domain_def) struct domain_def *config = NULL;
    owned_memory char *alias = NULL;
    if (affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    if (affected & AFFECT_CONFIG && !(config = without(request, sought, err)))
        return -1;
    if (affected & AFFECT_LIVE &&
        (find_alias(dom->live, sought, &alias, err) < 0 || domain_unplug(dom, alias, err) < 0))
        return -1;
    return config ? edit_keep(request, config, err) : 0;
}

int on_domain_detach_device(struct request *request, const remote_domain_detach_device_args *args,
                            nothing *ret, struct error *err)
{
    const struct sought sought = { .xml = args->xml };
    return detach(request, &sought, AFFECT_LIVE, err);
}

int on_domain_detach_device_flags(struct request *request, const remote_domain_detach_device_flags_args *args,
                                  nothing *ret, struct error *err)
{
    const struct sought sought = { .xml = args->xml };
    return check_flags(args->flags, AFFECT_BOTH, err) < 0 ? -1 : detach(request, &sought, args->flags, err);
}

/* It returns at once in libvirt, and tells the end by an event; here it waits a little, and the event comes
 * as well. */
int on_domain_detach_device_alias(struct request *request, const remote_domain_detach_device_alias_args *args,
                                  nothing *ret, struct error *err)
{
    const struct sought sought = { .alias = args->alias };
    return check_flags(args->flags, AFFECT_BOTH, err) < 0 ? -1 : detach(request, &sought, args->flags, err);
}

/* --- update
 * -------------------------------------------------------------------------------------------------------- */

/* The device takes the place of the one that it names. */
static WAITS struct domain_def *with_changed(struct request *request, const struct domain_def *def,
                                             enum edit_which which, const char *xml,
                                             struct device_place *ret_place, struct error *err)
{
    struct device_place place;
    owned(domain_def) struct domain_def *copy = domain_def_copy(def);
    if (device_find(copy, xml, &place, err) < 0)
        return NULL;
    if (place.list != DEVICES_DISK && place.list != DEVICES_INTERFACE && place.list != DEVICES_GRAPHICS) {
        owned_memory char *description = device_describe(copy, place);
        fail(err, ERR_UNSUPPORTED, "%s cannot be updated", description);
        return NULL;
    }
    device_remove(copy, place);
    owned(domain_def) struct domain_def *changed = edit_check(request, copy, which, xml, err);
    if (!changed)
        return NULL;
    device_move_last_to(changed, place);
    *ret_place = place;
    return take(changed);
}

/* A running machine lets its media and links be changed. */
static WAITS int update_live(struct domain *dom, struct domain_def *wanted, struct device_place place,
                             unsigned flags, struct error *err)
{
    owned_memory char *description = device_describe(wanted, place);
    owned_memory char *alias = memory_copy_text(device_alias_at(wanted, place));
    if (place.list == DEVICES_DISK) {
        const struct disk *disk = device_at(wanted, place);
        if (disk->device == DISK_CDROM || disk->device == DISK_FLOPPY)
            return domain_change_medium(dom, wanted, alias, flags & DEVICE_FORCE, err);
    }
    if (place.list == DEVICES_INTERFACE)
        return domain_set_link(dom, wanted, alias, err);
    return fail(err, ERR_UNSUPPORTED, "%s cannot be changed while its domain runs", description);
}

static WAITS int update(struct request *request, const char *xml, unsigned flags, struct error *err)
{
    struct domain *dom = request->dom;
    struct device_place place = { DEVICES_LISTS, 0 };
    unsigned affected = 0;
    owned(domain_def) struct domain_def *config = NULL;
    owned(domain_def) struct domain_def *live = NULL;
    if (affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    if (affected & AFFECT_CONFIG &&
        !(config = with_changed(request, dom->def, EDIT_CONFIG, xml, &place, err)))
        return -1;
    if (affected & AFFECT_LIVE && !(live = with_changed(request, dom->live, EDIT_LIVE, xml, &place, err)))
        return -1;
    if (live && update_live(dom, live, place, flags, err) < 0)
        return -1;
    return config ? edit_keep(request, config, err) : 0;
}

int on_domain_update_device_flags(struct request *request, const remote_domain_update_device_flags_args *args,
                                  nothing *ret, struct error *err)
{
    return check_flags(args->flags, AFFECT_BOTH | DEVICE_FORCE, err) < 0
               ? -1 : update(request, args->xml, args->flags, err);
}

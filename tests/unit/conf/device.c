/* SPDX-License-Identifier: Apache-2.0 */
/* One device by itself: put into a definition, found in it, taken out. */
#include "conf/device.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "define.h"

#define DISK(target) "<disk type='file'><source file='/x'/><target dev='" target "' bus='virtio'/></disk>"
#define CARD(mac, slot) \
    "<interface type='user'><mac address='52:54:00:00:00:" mac "'/>" \
    "<address type='pci' domain='0' bus='0' slot='" slot "' function='0'/></interface>"

static struct domain_def *with(const struct domain_def *def, const char *device, struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    owned_buffer struct buffer more = { 0 };
    domain_def_format(def, DOMAIN_DEF_SECRETS, NULL, &text);
    return device_insert(text.data, device, &more, err) < 0 ? NULL : define_text(more.data, 0, NULL, err);
}

static struct device_place find(const struct domain_def *def, const char *device)
{
    struct device_place place = { DEVICES_LISTS, 0 };
    error_scope(err);
    cr_assert_eq(device_find(def, device, &place, &err), 0, "%s: %s", device, error_text(&err));
    return place;
}

static void miss(const struct domain_def *def, const char *device, enum error_code code)
{
    struct device_place place;
    error_scope(err);
    cr_assert_eq(device_find(def, device, &place, &err), -1, "%s was found", device);
    cr_assert_eq(err.code, code, "%s: %s", device, error_text(&err));
}

Test(device, one_that_is_added_gets_an_address_and_its_controller)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = define("pc", "", DISK("vda"));
    owned(domain_def) struct domain_def *more = with(
        def,
        "<?xml version='1.0'?>\n<!-- mine -->\n"
             "<disk type='file'><source file='/y'/><target dev='sda'/></disk>\n",
        &err);
    cr_assert_not_null(more, "%s", error_text(&err));
    cr_assert_eq(more->disks.count, 2);
    cr_assert_str_eq(more->disks.items[1]->target, "sda");
    cr_assert_eq(more->disks.items[1]->address->type, ADDRESS_DRIVE);
    cr_assert_gt(more->controllers.count, def->controllers.count);
}

Test(device, only_one_element_is_one)
{
    static const char *const others[] = { "",
                                          "x",
                                          "<disk",
                                          "<disk/><disk/>",
                                          "<disk/></devices><devices>",
                                          "<disk/>x",
                                          "<!DOCTYPE x><disk/>",
                                          "<!-- only this -->" };
    owned(domain_def) struct domain_def *def = define("pc", "", DISK("vda"));
    owned_buffer struct buffer text = { 0 };
    domain_def_format(def, 0, NULL, &text);
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        owned_buffer struct buffer out = { 0 };
        error_scope(err);
        cr_assert_eq(device_insert(text.data, others[i], &out, &err), -1, "%s was taken", others[i]);
        cr_assert_eq(out.length, 0);
    }
}

Test(device, a_second_one_of_the_same_target_is_refused)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = define("pc", "", DISK("vda"));
    cr_assert_null(with(def, DISK("vda"), &err));
    cr_assert(strstr(error_text(&err), "vda") != NULL, "%s", error_text(&err));
}

Test(device, disks_are_found_by_target)
{
    owned(domain_def) struct domain_def *def = define("pc", "", DISK("vda") DISK("vdb"));
    cr_assert_eq(find(def, "<disk><target dev='vdb'/></disk>").index, 1);
    cr_assert_eq(find(def, DISK("vda")).list, DEVICES_DISK);
    miss(def, DISK("vdc"), ERR_DEVICE_MISSING);
}

Test(device, interfaces_are_found_by_mac_and_address)
{
    owned(domain_def) struct domain_def *def =
        define("pc", "", CARD("01", "4") CARD("02", "5") CARD("02", "6"));
    cr_assert_eq(find(def, "<interface type='user'><mac address='52:54:00:00:00:01'/></interface>").index, 0);
    cr_assert_eq(find(def, CARD("02", "6")).index, 2);
    miss(def, "<interface type='user'><mac address='52:54:00:00:00:02'/></interface>", ERR_OPERATION_FAILED);
    miss(def, CARD("01", "5"), ERR_DEVICE_MISSING);
}

Test(device, others_are_found_by_what_they_say_or_by_alias)
{
    owned(domain_def) struct domain_def *stored = define("pc", "", "<input type='tablet' bus='usb'/>");
    owned(domain_def) struct domain_def *def = domain_def_copy_live(stored);
    struct device_place place = find(def, "<input type='tablet' bus='usb'/>");
    cr_assert_eq(place.list, DEVICES_INPUT);
    const char *alias = device_alias_at(def, place);
    struct device_place again;
    error_scope(err);
    cr_assert_eq(device_find_alias(def, alias, &again, &err), 0);
    cr_assert_eq(again.index, place.index);
    cr_assert_eq(device_find_alias(def, "input99", &again, &err), -1);
    cr_assert_eq(err.code, ERR_DEVICE_MISSING);
    miss(def, "<input type='keyboard' bus='usb'/>", ERR_DEVICE_MISSING);
    miss(def, "<unheard-of/>", ERR_UNSUPPORTED);
}

Test(device, one_that_goes_leaves_the_others_in_order)
{
    owned(domain_def) struct domain_def *def = define("pc", "", DISK("vda") DISK("vdb") DISK("vdc"));
    owned(domain_def) struct domain_def *copy = domain_def_copy(def);
    device_remove(copy, (struct device_place) { DEVICES_DISK, 1 });
    cr_assert_eq(copy->disks.count, 2);
    cr_assert_str_eq(copy->disks.items[1]->target, "vdc");
    device_move_last_to(copy, (struct device_place) { DEVICES_DISK, 0 });
    cr_assert_str_eq(copy->disks.items[0]->target, "vdc");
    cr_assert_str_eq(copy->disks.items[1]->target, "vda");
    cr_assert_eq(def->disks.count, 3);
}

Test(device, an_alias_is_not_given_twice)
{
    owned(domain_def) struct domain_def *stored = define("pc", "", CARD("01", "4") CARD("02", "5"));
    owned(domain_def) struct domain_def *live = domain_def_copy_live(stored);
    cr_assert_str_eq(live->interfaces.items[1]->alias, "net1");
    device_remove(live, (struct device_place) { DEVICES_INTERFACE, 0 });
    owned_buffer struct buffer text = { 0 };
    owned_buffer struct buffer more = { 0 };
    error_scope(err);
    domain_def_format(live, DOMAIN_DEF_LIVE, NULL, &text);
    cr_assert_eq(device_insert(text.data, CARD("03", "6"), &more, &err), 0);
    owned(domain_def) struct domain_def *read = define_text(more.data, DOMAIN_DEF_LIVE, NULL, &err);
    cr_assert_not_null(read, "%s", error_text(&err));
    owned(domain_def) struct domain_def *again = domain_def_copy_live(read);
    cr_assert_str_eq(again->interfaces.items[0]->alias, "net1");
    cr_assert_str_neq(again->interfaces.items[1]->alias, "net1");
}

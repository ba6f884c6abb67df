/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/disk.h"

#include <criterion/criterion.h>
#include <string.h>

#include "define.h"

/* The cache mode of a disk whose <driver> has these attributes. */
static void expect_cache(const char *driver, enum disk_cache cache, enum disk_cache effective)
{
    owned_buffer struct buffer disk = { 0 };
    buffer_printf(&disk, "<disk><driver %s/><source file='/d'/><target dev='vda'/><shareable/></disk>",
                  driver);
    owned(domain_def) struct domain_def *def = define("pc", "", disk.data);
    cr_assert_eq(def->disks.items[0]->cache, cache, "%s", driver);
    cr_assert_eq(disk_effective_cache(def->disks.items[0]), effective, "%s", driver);
}

Test(disk, default_is_read_as_no_mode_and_off_as_none)
{
    expect_cache("cache='default'", DISK_CACHE_DEFAULT, DISK_CACHE_NONE);
    expect_cache("cache='off'", DISK_CACHE_NONE, DISK_CACHE_NONE);
}

Test(disk, a_writable_shareable_disk_without_a_mode_is_not_host_cached)
{
    expect_cache("name='qemu'", DISK_CACHE_DEFAULT, DISK_CACHE_NONE);
    expect_cache("cache='writeback'", DISK_CACHE_WRITEBACK, DISK_CACHE_WRITEBACK);
    expect_cache("cache='unsafe'", DISK_CACHE_UNSAFE, DISK_CACHE_UNSAFE);
}

Test(disk, a_read_only_shareable_disk_keeps_the_default_mode)
{
    owned(domain_def) struct domain_def *def =
        define("pc", "", "<disk><driver type='qcow2'/><source file='/d'/><target dev='vda'/><readonly/>"
                         "<shareable/></disk>");
    cr_assert_eq(disk_effective_cache(def->disks.items[0]), DISK_CACHE_DEFAULT);
}

Test(disk, name_type_and_cache_are_independent)
{
    static const char *const drivers[] = {
        "", "<driver name='qemu'/>", "<driver type='qcow2'/>", "<driver cache='none'/>",
        "<driver name='qemu' cache='none'/>", "<driver type='qcow2' cache='none'/>",
        "<driver name='qemu' type='raw'/>",
    };
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        owned_buffer struct buffer disk = { 0 };
        buffer_printf(&disk, "<disk>%s<target dev='hda'/></disk>", drivers[i]);
        owned(domain_def) struct domain_def *def = define("pc", "", disk.data);
        const struct disk *got = def->disks.items[0];
        cr_assert_str_eq(got->driver, "qemu");
        cr_assert_eq(got->format, strstr(drivers[i], "qcow2") ? DISK_QCOW2 : DISK_RAW);
        cr_assert_eq(got->cache, strstr(drivers[i], "cache") ? DISK_CACHE_NONE : DISK_CACHE_DEFAULT);
    }
}

/* Every io with every mode: io='native' is refused where the host caches. */
Test(disk, native_io_needs_a_mode_without_the_host_cache)
{
    static const struct { const char *cache; bool native; } modes[] = {
        { "", false }, { "cache='default'", false }, { "cache='none'", true },
        { "cache='writethrough'", false }, { "cache='writeback'", false }, { "cache='directsync'", true },
        { "cache='unsafe'", false },
    };
    static const char *const ios[] = { "native", "threads", "io_uring" };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (size_t k = 0; k < 3; k++) {
            owned_buffer struct buffer disk = { 0 };
            buffer_printf(&disk, "<disk><driver %s io='%s'/><source file='/d'/><target dev='vda'/></disk>",
                          modes[i].cache, ios[k]);
            if (k == 0 && !modes[i].native)
                refuse("pc", "", disk.data, ERR_CONFIG_UNSUPPORTED, "io='native' needs");
            else
                domain_def_unref(define("pc", "", disk.data));
        }
}

Test(disk, target_names_count_like_letters_do)
{
    static const struct { const char *name; uint32_t index; } good[] = {
        { "vda", 0 }, { "hdd", 3 }, { "sdz", 25 }, { "sdaa", 26 }, { "xvdab", 27 }, { "vdzz", 701 },
        { "sda1", 0 },
    };
    static const char *const bad[] = { "", "vd", "vdA", "cow", "vda b", "vda1b", "vdzzzzzzzzzz", "sd-a" };
    uint32_t index;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert(disk_target_index(good[i].name, &index), "%s", good[i].name);
        cr_assert_eq(index, good[i].index, "%s", good[i].name);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not(disk_target_index(bad[i], &index), "%s", bad[i]);
}

static const struct drive_address *place_of(const struct domain_def *def, size_t index)
{
    cr_assert_eq(def->disks.items[index]->address->type, ADDRESS_DRIVE);
    return &def->disks.items[index]->address->drive;
}

Test(disk, drives_are_placed_by_their_names)
{
    owned(domain_def) struct domain_def *def = define("pc", "",
        "<disk><target dev='hdd'/></disk><disk><target dev='sdh'/></disk><disk><target dev='sdp'/></disk>"
        "<disk><target dev='sdi' bus='sata'/></disk>");
    cr_assert_eq(place_of(def, 0)->bus, 1);
    cr_assert_eq(place_of(def, 0)->unit, 1);
    cr_assert_eq(place_of(def, 1)->unit, 8);            /* 7 is the scsi controller */
    cr_assert_eq(place_of(def, 2)->controller, 1);
    cr_assert_eq(place_of(def, 3)->controller, 1);
    cr_assert_eq(place_of(def, 3)->unit, 2);
}

Test(disk, an_empty_path_is_an_empty_drive)
{
    owned(domain_def) struct domain_def *def =
        define("pc", "", "<disk device='cdrom'><source file=''/><target dev='hdc'/></disk>");
    cr_assert_null(disk_path(def->disks.items[0]));
    cr_assert(def->disks.items[0]->readonly);
}

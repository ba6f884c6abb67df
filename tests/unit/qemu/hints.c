/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/hints.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/memory.h"

static const char xml[] =
    "<domain type='qemu'><name>one</name><memory>1024</memory><os><type arch='x86_64' machine='pc'>"
    "hvm</type></os>"
    "<devices>"
    "<disk type='file' device='disk'><source file='/a' index='2'/><target dev='vda' bus='virtio'/></disk>"
    "<disk type='file' device='disk'><source file='/b c' index='1'/><target dev='vdb' bus='virtio'/></disk>"
    "</devices></domain>";

static char *hinted(const char *said)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = domain_def_parse(xml, strlen(xml), 0, NULL, NULL, &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    def->disks.items[0]->source_index = (struct opt_u32) { .set = true, .value = 2 };
    def->disks.items[1]->source_index = (struct opt_u32) { .set = true, .value = 1 };
    fail(&err, ERR_VMM, "%s", said);
    hints_add(def, &err);
    cr_assert_eq(err.code, ERR_VMM);
    return memory_copy_text(error_text(&err) + strlen(said));
}

static void expect(const char *said, const char *hint)
{
    owned_memory char *got = hinted(said);
    cr_assert(*hint ? strstr(got, hint) == got : !*got, "%s: %s", said, got);
}

Test(hints, a_path_is_known_as_a_disk)
{
    expect("Could not open '/b c': No such file or directory",
           "; that is disk 'vdb': its <source> does not exist");
    expect("Could not open '/a': Is a directory", "; that is disk 'vda'");
    expect("Could not open '/a': filesystem does not support O_DIRECT",
           "; that is disk 'vda': its file system has");
}

Test(hints, a_node_is_known_as_a_disk)
{
    expect("-blockdev {\"driver\":\"qcow2\",\"node-name\":\"libvirt-1-format\"}: "
           "Image is not in qcow2 format",
           "; that is disk 'vdb': its <driver> says type='qcow2'");
}

Test(hints, what_no_disk_is_to_blame_for_blames_none)
{
    expect("Could not open '/dev/nowhere': No such file or directory", "");
    expect("cannot set up guest memory 'pc.ram': Cannot allocate memory", "; the host has not");
    expect("terminated by signal 11", "");
}

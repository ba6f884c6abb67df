# SPDX-License-Identifier: Apache-2.0
"""Devices that are attached, changed and detached, by stock clients."""
import contextlib
import glob
import os
import socket
import struct

import libvirt

from harness import DOMSH, Failed, contains, main, same, test, until

MAC = "52:54:00:11:22:33"
RNG = "<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>"


def refusal(function, *arguments):
    """(code, message) that the call fails with."""
    try:
        function(*arguments)
    except libvirt.libvirtError as error:
        return error.get_error_code(), error.get_error_message()
    raise Failed("the call succeeded")


def targets(d, *options):
    return [line.split()[0] for line in d.virsh("domblklist", "one",
                                                *options).splitlines()[2:] if line.strip()]


def lacks(text, part):
    if part in text:
        raise Failed(f"unexpected {part!r} in:\n{text}")


@test()
def disks_come_and_go_in_a_stored_definition(d):
    d.define("one", d.disk_xml(d.disk("a.img")))
    before = d.virsh("dumpxml", "one")
    d.virsh("attach-disk", "one", d.disk("b.img"), "vdb", "--config")
    d.virsh("attach-device", "one", d.file("c.xml", d.disk_xml(d.disk("c.img"), "sda", "sata")), "--config")
    same(targets(d), ["vda", "vdb", "sda"])
    contains(d.virsh("dumpxml", "one"), "<controller type='sata' index='0'>", "<address type='drive'")
    contains(d.virsh("attach-disk", "one", d.disk("e.img"), "vdb", "--config", fails=True), "vdb")
    same(targets(d), ["vda", "vdb", "sda"])
    d.virsh("detach-device", "one", f"{d.root}/c.xml", "--config")
    d.virsh("detach-disk", "one", "vdb", "--config")
    contains(d.virsh("detach-disk", "one", "vdb", "--config", fails=True), "vdb")
    same(targets(d), ["vda"])
    same([line for line in before.splitlines() if "sata" not in line][:20],
         [line for line in d.virsh("dumpxml", "one").splitlines() if "sata" not in line][:20])
    d.stop()
    d.start()
    same(targets(d), ["vda"])


@test()
def interfaces_and_inputs_come_and_go_in_a_stored_definition(d):
    d.define("one")
    d.virsh("attach-interface", "one", "user", "x", "--mac", MAC, "--model", "virtio", "--config", fails=True)
    d.virsh("attach-device", "one", d.file("n.xml",
                                           f"<interface type='user'><mac address='{MAC}'/></interface>"),
            "--config")
    d.virsh("attach-device", "one", d.file("i.xml", "<input type='tablet' bus='usb'/>"), "--config")
    contains(d.virsh("domiflist", "one"), MAC)
    contains(d.virsh("dumpxml", "one"), "<input type='tablet' bus='usb'>")
    d.virsh("domif-setlink", "one", MAC, "down", "--config")
    contains(d.virsh("dumpxml", "one"), "<link state='down'/>")
    contains(d.virsh("domif-getlink", "one", MAC, "--config"), "down")
    for number, kind in enumerate((RNG, "<sound model='ich6'/>",
                                   "<watchdog model='i6300esb' action='reset'/>",
                                   "<channel type='unix'><target type='virtio' name='org.a'/></channel>")):
        name = kind.split()[0]
        d.virsh("attach-device", "one", d.file(f"k{number}.xml", kind), "--config")
        contains(d.virsh("dumpxml", "one"), name)
        d.virsh("detach-device", "one", f"{d.root}/k{number}.xml", "--config")
        lacks(d.virsh("dumpxml", "one"), name)
    d.virsh("detach-interface", "one", "user", "--mac", MAC, "--config")
    d.virsh("detach-device", "one", f"{d.root}/i.xml", "--config")
    lacks(d.virsh("domiflist", "one"), MAC)
    lacks(d.virsh("dumpxml", "one"), "tablet")
    contains(d.virsh("detach-device", "one", f"{d.root}/i.xml", "--config", fails=True), "no such input")
    contains(d.virsh("detach-device", "one", f"{d.root}/n.xml", "--config", fails=True), MAC)


@test()
def media_change_in_a_stored_definition_and_the_drive_keeps_its_place(d):
    d.define("one", "<disk type='file' device='cdrom'><target dev='hda' bus='ide'/></disk>" +
             d.disk_xml(d.disk("a.img")))
    d.virsh("change-media", "one", "hda", d.disk("cd.iso"), "--insert", "--config")
    contains(d.virsh("domblklist", "one"), "cd.iso")
    same(targets(d), ["hda", "vda"])
    d.virsh("change-media", "one", "hda", d.disk("other.iso"), "--update", "--config")
    contains(d.virsh("domblklist", "one"), "other.iso")
    d.virsh("change-media", "one", "hda", "--eject", "--config")
    same(targets(d), ["hda", "vda"])
    lacks(d.virsh("domblklist", "one"), "iso")


@test()
def what_is_no_device_changes_nothing(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one", d.disk_xml(d.disk("a.img"))))
    before = dom.XMLDesc(0)
    for xml in ("", "disk", "<disk", "<disk/><disk/>", "<disk type='file'><target dev='vdb'/>",
                "<disk/></devices><devices><disk/>", "<nonsense/>",
                    "<disk type='odd'><target dev='vdb'/></disk>"):
        refusal(dom.detachDeviceFlags, xml, libvirt.VIR_DOMAIN_AFFECT_CONFIG)
        refusal(dom.updateDeviceFlags, xml, libvirt.VIR_DOMAIN_AFFECT_CONFIG)
        if xml != "<nonsense/>":        # dropped, with a warning, as in any definition
            refusal(dom.attachDeviceFlags, xml, libvirt.VIR_DOMAIN_AFFECT_CONFIG)
        same(dom.XMLDesc(0), before, xml)
    same(refusal(dom.attachDevice, "<input type='tablet' bus='usb'/>")[0], libvirt.VIR_ERR_OPERATION_INVALID)
    same(refusal(dom.detachDeviceAlias, "ua-none", libvirt.VIR_DOMAIN_AFFECT_CONFIG)[0],
         libvirt.VIR_ERR_DEVICE_MISSING)


@test(emulator=("sim", "qemu"), limit=90)
def devices_come_and_go_while_their_domain_runs(d):
    d.define("one", d.disk_xml(d.disk("a.img")) + "<controller type='scsi' index='0' model='virtio-scsi'/>",
             extra="<features><acpi/></features>")
    d.virsh("start", "one")
    d.virsh("attach-disk", "one", d.disk("b.img"), "vdb", "--live")
    d.virsh("attach-disk", "one", d.disk("s.img"), "sda", "--targetbus", "scsi", "--live", "--config")
    d.virsh("attach-disk", "one", d.disk("u.img"), "sdb", "--targetbus", "usb")
    d.virsh("attach-device", "one", d.file("n.xml", f"<interface type='user'><mac address='{MAC}'/>"
                                                    "<model type='virtio'/></interface>"))
    d.virsh("attach-device", "one", d.file("i.xml", "<input type='tablet' bus='usb'/>"))
    same(targets(d), ["vda", "vdb", "sda", "sdb"])
    same(targets(d, "--inactive"), ["vda", "sda"])
    contains(d.virsh("qemu-monitor-command", "one", '{"execute":"query-block"}'), "b.img", "s.img", "u.img")
    contains(d.virsh("dumpxml", "one"), "<alias name='virtio-disk1'/>", "<alias name='net0'/>", MAC)
    contains(d.virsh("domblkstat", "one", "sda"), "sda rd_req ")

    for kind in ("<sound model='ich6'/>", "<video/>",
                 "<memballoon model='virtio'/>", "<audio id='2' type='none'/>"):
        contains(d.virsh("attach-device", "one", d.file("k.xml", kind), fails=True), "cannot be plugged")

    d.virsh("attach-device", "one", d.file("r.xml", RNG))
    contains(d.virsh("dumpxml", "one"), "<alias name='rng0'/>")
    d.virsh("detach-device", "one", f"{d.root}/i.xml")
    d.virsh("detach-disk", "one", "sdb")
    d.virsh("detach-disk", "one", "sda", "--live", "--config")
    same(targets(d), ["vda", "vdb"])
    same(targets(d, "--inactive"), ["vda"])
    text = d.virsh("qemu-monitor-command", "one", '{"execute":"query-block"}')
    lacks(text, "s.img")
    lacks(text, "u.img")
    lacks(d.virsh("qemu-monitor-command", "one", '{"execute":"query-named-block-nodes"}'), "u.img")
    d.virsh("attach-disk", "one", f"{d.root}/u.img", "sdb", "--targetbus", "usb")
    d.virsh("detach-device-alias", "one", "usb-disk1")
    same(targets(d), ["vda", "vdb"])

    if d.emulator == "sim":             # its guest lets go, and its tree comes in one call
        contains(d.domsh("qom", "one", "/machine/peripheral"), "virtio-disk1", "net0")
        d.virsh("detach-disk", "one", "vdb")
        until(lambda: "virtio-disk1" not in d.domsh("qom", "one", "/machine/peripheral"),
              "the tree is read anew")
        d.virsh("attach-disk", "one", f"{d.root}/b.img", "vdb")
    else:                               # there is no guest to let go of it
        contains(d.virsh("detach-disk", "one", "vdb", fails=True), "timed out")
    contains(d.virsh("attach-disk", "one", f"{d.root}/none.img", "sdc", "--targetbus", "scsi", fails=True),
             "none.img")
    contains(d.virsh("attach-disk", "one", d.disk("h.img"), "hdb", "--targetbus", "ide", fails=True),
             "hotplugged")
    same(targets(d), ["vda", "vdb"])

    d.stop()
    d.start()
    same(targets(d), ["vda", "vdb"])
    contains(d.virsh("dumpxml", "one"), MAC)
    d.virsh("attach-disk", "one", f"{d.root}/s.img", "sda", "--targetbus", "scsi")
    d.virsh("detach-disk", "one", "sda")
    d.virsh("destroy", "one")
    same(targets(d), ["vda"])


def qcow2(d, name, below=None, form="raw"):
    """An empty qcow2 image of 1 MiB, one cluster of header and tables, with an image below."""
    header = bytearray(4 << 16)
    header[:32] = struct.pack(">4sIQIIQ", b"QFI\xfb", 3, 4096 if below else 0, len(below or ""), 16, 1 << 20)
    header[32:72] = struct.pack(">IIQQIIQ", 0, 1, 3 << 16, 1 << 16, 1, 0, 0)
    header[96:104] = struct.pack(">II", 4, 104)
    header[104:112] = struct.pack(">II", 0xe2792aca, len(form))
    header[112:112 + len(form)] = form.encode()
    header[4096:4096 + len(below or "")] = (below or "").encode()
    header[1 << 16:(1 << 16) + 8] = struct.pack(">Q", 2 << 16)
    header[2 << 16:(2 << 16) + 8] = struct.pack(">HHHH", 1, 1, 1, 1)
    path = f"{d.root}/{name}"
    with open(path, "wb") as image:
        image.write(header)
    return path


@test(emulator=("sim", "qemu"))
def images_below_a_disks_own_are_named_to_the_emulator(d):
    base = d.disk("base.img")
    qcow2(d, "middle", base)
    top = qcow2(d, "top", "middle", "qcow2")
    second = qcow2(d, "second", base)
    d.define("one", d.disk_xml(top).replace("raw", "qcow2"))
    d.virsh("start", "one")
    live = d.virsh("dumpxml", "one")
    contains(live, "<backingStore type='file' index='2'>", f"<source file='{d.root}/middle'/>",
             "<backingStore type='file' index='3'>", f"<source file='{base}'/>", "<backingStore/>")
    lacks(d.virsh("dumpxml", "one", "--inactive"), "backingStore")
    d.virsh("attach-disk", "one", second, "sda", "--targetbus", "usb", "--subdriver", "qcow2", "--live")
    contains(d.virsh("dumpxml", "one"), "<backingStore type='file' index='5'>")
    nodes = ("qemu-monitor-command", "one", '{"execute":"query-named-block-nodes"}')
    contains(d.virsh(*nodes), "libvirt-3-storage", "libvirt-5-storage")
    d.virsh("detach-disk", "one", "sda", "--live")
    lacks(d.virsh(*nodes), "libvirt-5-storage")
    d.stop()
    d.start()
    same(d.virsh("dumpxml", "one"), live)
    d.virsh("destroy", "one")
    qcow2(d, "middle", f"{d.root}/gone")
    contains(d.virsh("start", "one", fails=True), f"disk 'vda': the image '{d.root}/gone', which is below")


@test(emulator=("sim", "qemu"))
def memory_is_shared_and_addresses_are_translated(d):
    name = os.path.basename(d.root)
    d.define("one", f"<shmem name='{name}'><model type='ivshmem-plain'/><size unit='M'>1</size></shmem>"
             "<iommu model='intel'><driver intremap='on' caching_mode='on'/></iommu>", machine="q35",
             extra="<features><acpi/><ioapic driver='qemu'/></features>")
    try:
        d.virsh("start", "one")
        contains(d.virsh("dumpxml", "one"), "<alias name='shmem0'/>", "<alias name='iommu0'/>")
        if d.emulator != "sim":         # whose guests have no memory
            same(os.path.getsize(f"/dev/shm/{name}"), 1 << 20)
        contains(d.virsh("qemu-monitor-command", "one", '{"execute":"qom-list","arguments":{"path":"/machine/peripheral"}}'),
                 '"shmem0"', '"iommu0"')
        d.virsh("destroy", "one")
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"/dev/shm/{name}")


@test(emulator="qemu")
def a_screen_is_pictured(d):
    d.define("one", "<video><model type='vga'/></video><graphics type='vnc'/>")
    contains(d.virsh("screenshot", "one", f"{d.root}/none.ppm", fails=True), "not running")
    d.virsh("start", "one")
    d.virsh("screenshot", "one", f"{d.root}/one.ppm")
    with open(f"{d.root}/one.ppm", "rb") as picture:
        kind, width, height = picture.read(64).split()[:3]
    same((kind, int(width) >= 640, int(height) >= 400), (b"P6", True, True))
    contains(d.virsh("screenshot", "one", f"{d.root}/two.ppm", "--screen", "1", fails=True), "1 screens")


@test(emulator="qemu")
def a_guests_memory_is_dumped(d):
    d.define("one", memory=32)
    target = f"{d.root}/one.core"
    contains(d.virsh("dump", "one", target, "--memory-only", fails=True), "not running")
    d.virsh("start", "one")
    contains(d.virsh("dump", "one", target, fails=True), "this function is not supported", "--memory-only")
    same(os.path.exists(target), False)
    d.virsh("dump", "one", target, "--memory-only")
    with open(target, "rb") as core:
        same(core.read(4), b"\x7fELF")
    same(os.stat(target).st_size > 32 << 20, True)
    same(os.stat(target).st_mode & 0o777, 0o600)
    same(d.virsh("domstate", "one").strip(), "running")
    d.virsh("dump", "one", target, "--memory-only", "--format", "kdump-zlib", "--live")
    with open(target, "rb") as core:
        same(core.read(12), b"makedumpfile")
    d.virsh("suspend", "one")
    d.virsh("dump", "one", target, "--memory-only")
    same(d.virsh("domstate", "one").strip(), "paused")
    d.virsh("dump", "one", target, "--memory-only", "--crash")
    same(d.virsh("domstate", "one").strip(), "shut off")


@test(emulator="qemu")
def media_and_links_change_while_their_domain_runs(d):
    d.define("one", "<disk type='file' device='cdrom'><target dev='hda' bus='ide'/></disk>"
             f"<interface type='user'><mac address='{MAC}'/><model type='virtio'/></interface>")
    d.virsh("start", "one", "--paused")         # or the firmware moves the tray as well
    block = ("qemu-monitor-command", "one", '{"execute":"query-block"}')
    d.virsh("change-media", "one", "hda", d.disk("cd.iso"), "--insert", "--live")
    contains(d.virsh(*block), "cd.iso")
    contains(d.virsh("domblklist", "one"), "cd.iso")
    d.virsh("change-media", "one", "hda", d.disk("other.iso"), "--update", "--live", "--config")
    contains(d.virsh(*block), "other.iso")
    contains(d.virsh("domblklist", "one", "--inactive"), "other.iso")
    d.virsh("change-media", "one", "hda", "--eject")
    lacks(d.virsh(*block), "iso")
    lacks(d.virsh("domblklist", "one"), "iso")
    contains(d.virsh("domblklist", "one", "--inactive"), "other.iso")
    d.virsh("domif-setlink", "one", MAC, "down")
    contains(d.virsh("domif-getlink", "one", MAC), "down")
    d.virsh("domif-setlink", "one", MAC, "up")
    contains(d.virsh("domif-getlink", "one", MAC), "up")
    card = f"<interface type='user'><mac address='{MAC}'/><model type='e1000'/></interface>"
    contains(d.virsh("update-device", "one", d.file("card.xml", card), "--live", fails=True), "only its link")
    drive = d.disk_xml(d.disk("x.iso"), "hda", "ide").replace("device='disk'", "device='cdrom'")
    drive = drive.replace("</disk>", "<serial>other</serial></disk>")
    contains(d.virsh("update-device", "one", d.file("drive.xml", drive), "--live", fails=True),
             "only its medium")


@test(emulator=("sim", "qemu"))
def what_went_while_no_daemon_ran_is_found_to_be_gone(d):
    d.define("one", d.disk_xml(d.disk("a.img")) + d.disk_xml(d.disk("u.img"), "sda", "usb") +
             "<input type='tablet' bus='usb'/>")
    d.virsh("start", "one")
    d.kill()
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.connect(glob.glob(f"{d.root}/run/m/*.sock")[0])
        with monitor.makefile("rw") as lines:
            for command in ('{"execute":"qmp_capabilities"}',
                            '{"execute":"device_del","arguments":{"id":"usb-disk0"}}'):
                lines.write(command + "\n")
                lines.flush()
            while "DEVICE_DELETED" not in lines.readline():
                pass
    d.start()
    until(lambda: targets(d) == ["vda"], "the disk is missed")
    same(targets(d, "--inactive"), ["vda", "sda"])
    contains(d.virsh("dumpxml", "one"), "<input type='tablet' bus='usb'>")


@test(emulator="qemu")
def a_disk_grows_while_its_domain_runs(d):
    path = f"{d.root}/b.qcow2"
    d.run(["qemu-img", "create", "-q", "-f", "qcow2", path, "1M"])
    d.define("one", d.disk_xml(d.disk("a.img", "1M")) + d.disk_xml(path, "vdb", kind="qcow2"))
    contains(d.virsh("blockresize", "one", "vda", "2M", fails=True), "domain is not running")
    d.virsh("start", "one")
    d.virsh("blockresize", "one", "vda", "3M")
    d.virsh("blockresize", "one", path, "4194305b")
    contains(d.virsh("domblkinfo", "one", "vda"), "Capacity:       3145728")
    contains(d.virsh("domblkinfo", "one", "vdb"), "Capacity:       4194816")
    contains(d.virsh("blockresize", "one", "vdc", "2M", fails=True), "vdc")


@test(emulator=("sim", "qemu"))
def what_may_be_missing_at_a_start_is_left_out_of_it(d):
    def disks(policy, disk_policy=None):
        there = d.disk_xml(d.disk("there.img"))
        gone = d.disk_xml(f"{d.root}/gone.img", "vdb")
        medium = (f"<disk type='file' device='cdrom'><source file='{d.root}/gone.iso' startupPolicy='{policy}'/>"
                  "<target dev='sda' bus='sata'/><readonly/></disk><controller type='sata'/>")
        return there + medium + (gone.replace("gone.img'", f"gone.img' startupPolicy='{disk_policy}'") if disk_policy else "")

    uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    targets = lambda *how: [line.split()[0] for line in d.virsh("domblklist", "one", *how).splitlines()[2:] if line]
    for policy in ("mandatory", "requisite"):
        d.define("one", disks(policy), uuid=uuid)
        contains(d.virsh("start", "one", fails=True), "gone.iso", "No such file")
    d.define("one", disks("optional", "mandatory"), uuid=uuid)
    contains(d.virsh("start", "one", fails=True), "gone.img", "No such file")
    d.define("one", disks("optional", "optional"), uuid=uuid)
    events = [d.spawn_connected(*words, "event", "--event", "disk-change", "--loop")
              for words in (["virsh", "-c", d.uri()], [DOMSH])]
    d.virsh("start", "one")
    same(targets(), ["vda", "sda"])
    same(sorted(targets("--inactive")), ["sda", "vda", "vdb"])
    contains(d.virsh("domblklist", "one"), " sda      -")
    wanted = [f"event 'disk-change' for domain 'one' disk virtio-disk1: {d.root}/gone.img -> <null>: dropped",
              f"event 'disk-change' for domain 'one' disk sata0-0-0: {d.root}/gone.iso -> <null>: changed"]
    for client in events:
        client.terminate()
        said = client.communicate(timeout=30)[0]
        d.children.remove(client)
        contains(said, *wanted)
    contains(d.log_text(), f"'{d.root}/gone.img' of disk 'vdb' is missing, and optional: this run has no such disk")
    d.virsh("destroy", "one")
    d.disk("gone.img")
    d.disk("gone.iso")
    d.virsh("start", "one")
    same(sorted(targets()), ["sda", "vda", "vdb"])


main()

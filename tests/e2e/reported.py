# SPDX-License-Identifier: Apache-2.0
"""Faults that people reported of managers like this one: each stays right here."""
import json
import os
import re
import subprocess
import threading
import time

from harness import DOMSH, Failed, Skip, contains, main, same, test, until


def disk(target, bus="virtio", source="", address="", more="", device="disk"):
    where = f"<source file='{source}'/>" if source else ""
    return (f"<disk type='file' device='{device}'><driver name='qemu' type='raw'/>{where}"
            f"<target dev='{target}' bus='{bus}'/>{address}{more}</disk>")


@test()
def a_boot_order_clashes_with_others_and_not_with_itself(d):
    path = d.disk("a.img")
    d.define("one", disk("vda", source=path, more="<boot order='1'/>"))
    again = d.file("again.xml", disk("vda", source=path, more="<boot order='1'/><serial>other</serial>"))
    d.virsh("update-device", "one", again, "--config")
    contains(d.virsh("dumpxml", "one"), "<serial>other</serial>")
    clash = d.file("clash.xml", disk("vdb", source=d.disk("b.img"), more="<boot order='1'/>"))
    contains(d.virsh("attach-device", "one", clash, "--config", fails=True), "boot order", "vda")


@test()
def slots_of_the_chipset_are_taken(d):
    taken = "<address type='pci' domain='0x0' bus='0x0' slot='0x1' function='0x1'/>"
    refused = d.file("taken.xml", d.xml("taken", disk("vda", source=d.disk("a.img"), address=taken)))
    contains(d.virsh("define", refused, fails=True), "0000:00:01.1")
    d.define("many", "<interface type='user'/>" * 24)
    xml = d.virsh("dumpxml", "many")
    slots = re.findall(r"<address type='pci' domain='(\w+)' bus='(\w+)' slot='(\w+)' function='(\w+)'", xml)
    same(len(slots), len(set(slots)), "distinct PCI addresses")
    d.virsh("start", "many")


@test()
def two_disks_at_one_drive_address_are_named(d):
    place = "<address type='drive' controller='0' bus='0' target='0' unit='3'/>"
    xml = d.xml("two", disk("sda", "sata", d.disk("a.img"), place) + disk("sdb", "sata", d.disk("b.img"), place))
    contains(d.virsh("define", d.file("two.xml", xml), fails=True), "sda", "sdb", "unit")
    same(d.virsh("list", "--all", "--name").strip(), "")


@test()
def a_name_of_240_bytes_starts(d):
    name = "x" * 240
    d.define(name, "<console type='pty'/>")
    d.virsh("start", name)
    contains(d.virsh("ttyconsole", name), "/dev/pts/")
    d.virsh("destroy", name)


@test(emulator="qemu")
def limits_of_an_empty_drive_wait_for_its_medium(d):
    limits = "<iotune><total_bytes_sec>1048576</total_bytes_sec></iotune>"
    d.define("one", disk("sda", "sata", more=limits + "<readonly/>", device="cdrom"), machine="q35")
    d.virsh("start", "one")
    d.virsh("change-media", "one", "sda", d.disk("cd.iso"), "--insert", "--live")
    drive = json.loads(d.virsh("qemu-monitor-command", "one", '{"execute":"query-block"}'))["return"][0]
    same(drive["inserted"]["bps"], 1048576, "limit of the medium")
    contains(d.virsh("dumpxml", "one"), "cd.iso", "<total_bytes_sec>1048576</total_bytes_sec>")


@test(config={"sim_options": "error=device_add"})
def a_disk_that_cannot_be_plugged_leaves_nothing(d):
    d.define("one")
    d.virsh("start", "one")
    before = d.virsh("dumpxml", "one")
    contains(d.virsh("attach-disk", "one", d.disk("b.img"), "vdb", "--live", fails=True), "device_add")
    same(d.virsh("dumpxml", "one"), before)
    nodes = json.loads(d.virsh("qemu-monitor-command", "one", '{"execute":"query-named-block-nodes"}'))["return"]
    same(nodes, [], "block nodes left behind")
    contains(d.virsh("attach-disk", "one", "/nonexistent/b.img", "vdb", "--live", fails=True), "/nonexistent/b.img")
    same(d.virsh("dumpxml", "one"), before)


@test()
def two_reboots_at_once_are_a_reboot(d):
    d.define("one")
    d.virsh("start", "one")
    number = d.virsh("domid", "one")
    d.virsh("reboot", "one", "--mode", "acpi")
    d.virsh("reboot", "one", "--mode", "acpi")
    time.sleep(1)
    same(d.virsh("domstate", "one").strip(), "running")
    same(d.virsh("domid", "one"), number)


@test()
def a_definition_without_a_uuid_meets_one_of_its_name(d):
    d.define("one", uuid="6a1c3e4f-0d1e-4c57-9b9d-0a3f2f1c9a11")
    again = d.virsh("define", d.file("again.xml", d.xml("one", memory=64)), fails=True)
    contains(again, "already exists", "6a1c3e4f-0d1e-4c57-9b9d-0a3f2f1c9a11")


@test()
def what_cannot_change_in_a_running_guest_is_refused_in_words(d):
    nic = "<interface type='user'><mac address='52:54:00:11:22:33'/><model type='{}'/>{}</interface>"
    d.define("one", nic.format("virtio", ""))
    d.virsh("start", "one")
    before = d.virsh("dumpxml", "one")
    for model, more in (("e1000", ""), ("virtio", "<mtu size='9000'/>")):
        changed = d.file("changed.xml", nic.format(model, more))
        contains(d.virsh("update-device", "one", changed, "--live", fails=True), "net0", "not supported")
    same(d.virsh("dumpxml", "one"), before)


@test()
def numbers_only_rise_and_are_not_used_again(d):
    d.define("one")
    seen = []
    for _ in range(5):
        d.virsh("start", "one")
        seen.append(int(d.virsh("domid", "one")))
        d.virsh("destroy", "one")
    same(seen, sorted(set(seen)))
    same(d.virsh("domid", "one").strip(), "-")


@test()
def a_screens_port_is_still_taken_after_a_restart(d):
    for name in ("one", "two"):
        d.define(name, "<graphics type='vnc' autoport='yes'/>")
    d.virsh("start", "one")
    d.stop()
    d.start()
    d.virsh("start", "two")
    ports = {d.virsh("vncdisplay", name).strip() for name in ("one", "two")}
    same(len(ports), 2, f"ports {ports}")


@test()
def xml_is_whole_while_a_disk_comes_and_goes(d):
    d.define("one", extra="<features><acpi/></features>")
    d.virsh("start", "one")
    path = d.disk("b.img")
    plug = d.connect().lookupByName("one")
    look = d.connect().lookupByName("one")
    xml = disk("vdb", source=path)
    done = threading.Event()

    def plugging():
        try:
            for _ in range(20):
                plug.attachDeviceFlags(xml, 1)
                plug.detachDeviceFlags(xml, 1)
        finally:
            done.set()
    thread = threading.Thread(target=plugging)
    thread.start()
    seen = set()
    while not done.is_set():
        text = look.XMLDesc()
        seen.add((text.count("<target dev='vdb'"), text.count(path), text.count("<address type='pci'")))
    thread.join()
    same({(targets, sources) for targets, sources, _ in seen} - {(0, 0), (1, 1)}, set(), "half a disk")
    same(len(seen), 2, f"with the disk and without it: {seen}")


@test()
def text_is_escaped_and_comes_back_as_it_was(d):
    title = "R&amp;D &lt;lab&gt; \"q\" 'a'"
    path = d.disk("a&b.img")
    d.define("one", disk("vda", source=path.replace("&", "&amp;")),
             extra=f"<title>{title}</title>")
    import xml.etree.ElementTree as tree
    root = tree.fromstring(d.virsh("dumpxml", "one"))
    same(root.findtext("title"), "R&D <lab> \"q\" 'a'")
    same(root.find("devices/disk/source").get("file"), path)


@test()
def a_guest_killed_from_outside_is_shut_off_within_a_second(d):
    d.define("one")
    d.virsh("start", "one")
    os.kill(d.guest("one"), 9)
    until(lambda: d.virsh("domstate", "one").strip() == "shut off", "shut off", 1)
    contains(d.virsh("destroy", "one", fails=True), "not running")


@test()
def paths_with_blanks_and_shell_words_are_single_arguments(d):
    folder = f"{d.root}/my vms/$(touch pwn)"
    os.makedirs(folder)
    path = f"{folder}/d 1.img"
    open(path, "w").close()
    d.define("one", disk("vda", source=path))
    d.virsh("start", "one")
    same([name for name in os.listdir(d.root) + os.listdir("/") if name == "pwn"], [])


@test(emulator=("sim", "qemu"))
def a_disk_without_a_format_is_raw_whatever_it_holds(d):
    path = f"{d.root}/trap.img"
    d.run(["qemu-img", "create", "-q", "-f", "qcow2", "-b", "/etc/passwd", "-F", "raw", "-u", path, "1M"])
    d.define("one", f"<disk type='file' device='disk'><source file='{path}'/><target dev='vda' bus='virtio'/></disk>")
    contains(d.virsh("dumpxml", "one"), "type='raw'")
    line = d.virsh("domxml-to-native", "qemu-argv", "--domain", "one")
    if "qcow2" in line:
        raise Failed(line)


@test()
def read_only_clients_name_no_files(d):
    trap = f"{d.root}/x"
    with open(trap, "w") as f:
        f.write(f"#!/bin/sh\ntouch {d.root}/ran\n")
    os.chmod(trap, 0o755)
    for words in (["save-image-define", trap, trap], ["managedsave-define", "one", trap],
                  ["domcapabilities", "--emulatorbin", trap], ["hypervisor-cpu-compare", trap]):
        d.virsh(*words, readonly=True, fails=True)
    same(os.path.exists(f"{d.root}/ran"), False)


@test()
def one_bad_guest_does_not_spoil_the_statistics_of_the_others(d):
    for i in range(10):
        d.define(f"g{i}", "<memballoon model='virtio'/>")
        d.virsh("start", f"g{i}")
    os.kill(d.guest("g3"), 19)
    text = d.virsh("domstats")
    same(text.count("state.state"), 10)
    os.kill(d.guest("g3"), 9)


@test()
def a_feature_of_another_architecture_is_refused_before_launch(d):
    xml = d.xml("arm", extra="<features><hyperv><relaxed state='on'/></hyperv></features>", machine="virt")
    d.virsh("define", d.file("arm.xml", xml.replace("x86_64", "aarch64")))
    contains(d.virsh("start", "arm", fails=True), "'arm'", "aarch64")


@test()
def a_conversion_that_is_not_built_says_so(d):
    contains(d.virsh("domxml-from-native", "qemu-argv", d.file("line", "qemu"), fails=True), "not supported")


@test()
def a_definition_outlives_its_emulator(d):
    import shutil
    from harness import SIMVMM
    path = f"{d.root}/emu"
    shutil.copy(SIMVMM, path)
    d.stop()
    d.emulator = "auto"
    d.start()
    d.define("one", emulator=path)
    d.stop()
    os.rename(path, f"{path}.away")
    d.start()
    contains(d.virsh("list", "--all"), "one")
    contains(d.virsh("start", "one", fails=True), path)
    os.rename(f"{path}.away", path)
    d.virsh("start", "one")


@test()
def a_folder_that_cannot_be_written_kills_no_guest(d):
    d.define("one")
    d.virsh("start", "one")
    pid = d.guest("one")
    d.kill()
    subprocess.run(["chattr", "+i", f"{d.root}/run/status", f"{d.root}/run/m"], check=True)
    try:
        d.start()
        same(d.virsh("domstate", "one").strip(), "running")
        same(d.guest("one"), pid)
    finally:
        subprocess.run(["chattr", "-i", f"{d.root}/run/status", f"{d.root}/run/m"], check=True)


@test()
def a_misspelt_attribute_is_named_with_its_line(d):
    xml = d.xml("one", disk("vda", source="/a") + "\n" + disk("vdb", source="/b").replace("type='raw'", "type='raw' cach='none'"))
    path = d.file("one.xml", xml)
    contains(d.virsh("define", "--validate", path, fails=True), "line 9", "disk[2]/driver/@cach")
    contains(d.run([DOMSH, "define", path]).err, f"{path}:9:", "@cach", "'cache'")
    same(d.virsh("list", "--all", "--name").strip(), "one")


@test()
def a_value_that_is_none_is_an_error_of_the_document(d):
    channel = "<channel type='unix'><source mode=''/><target type='virtio' name='org.example.a.0'/></channel>"
    said = d.virsh("define", d.file("one.xml", d.xml("one", channel)), fails=True)
    contains(said, "channel/source/@mode", "bind", "connect")
    for count in ("0", "-1", "1e3"):
        xml = d.xml("one").replace("<vcpu>1<", f"<vcpu>{count}<")
        said += d.virsh("define", d.file("one.xml", xml), fails=True)
        contains(said, "vcpu", count)
    if "internal error" in said:
        raise Failed(said)


@test()
def inputs_get_the_bus_that_their_kind_has(d):
    d.define("one", "<input type='tablet'/><input type='mouse'/><graphics type='vnc'/>")
    contains(d.virsh("dumpxml", "--inactive", "one"), "<input type='tablet' bus='usb'>", "<input type='mouse' bus='ps2'/>")


@test(emulator="qemu")
def a_file_system_without_direct_access_is_told_with_the_way_out(d):
    folder = f"{d.root}/ram"
    os.mkdir(folder)
    if subprocess.run(["mount", "-t", "ramfs", "none", folder], check=False).returncode:
        raise Skip("no ramfs can be mounted here")
    try:
        path = f"{folder}/a.img"
        with open(path, "w") as f:
            f.truncate(1 << 20)
        d.define("one", d.disk_xml(path, cache="none"))
        contains(d.virsh("start", "one", fails=True), "vda", path, "O_DIRECT", "writeback")
        d.virsh("undefine", "one")
        d.define("one", d.disk_xml(path, cache="writeback"))
        d.virsh("start", "one")
        d.virsh("destroy", "one")
    finally:
        subprocess.run(["umount", folder], check=True)


main()

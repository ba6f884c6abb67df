# SPDX-License-Identifier: Apache-2.0
"""What a guest is served with beside disks and networks: channels, entropy, sound, a watchdog, limits."""
import os
import re
import socket
import stat

from harness import contains, main, same, test

AGENT = "<channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>"
SERVED = AGENT + """
  <channel type='pty'><target type='virtio' name='b'/></channel>
  <console type='pty'><target type='virtio'/></console>
  <filesystem><source dir='/tmp'/><target dir='share'/></filesystem>
  <sound model='ich6'><codec type='micro'/></sound>
  <watchdog model='i6300esb'/>
  <rng model='virtio'><rate bytes='1234' period='2000'/><backend model='builtin'/></rng>
  <panic model='isa'/>
  <input type='tablet' bus='usb'/><input type='mouse' bus='usb'/><input type='mouse' bus='usb'/>"""


def channel_path(d, name):
    return re.search(r"<source mode='bind' path='([^']*)'/>", d.virsh("dumpxml", name))[1]


def check_channel(d):
    d.define("one", devices=AGENT)
    d.virsh("start", "one")
    path = channel_path(d, "one")
    same(stat.S_IMODE(os.stat(path).st_mode), 0o600)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
    d.virsh("destroy", "one")
    same(os.path.exists(path), False, "the socket's file stayed")
    same("path=" in d.virsh("dumpxml", "one"), False)


@test()
def a_channel_without_a_path_listens_while_its_guest_runs(d):
    check_channel(d)


@test(emulator="qemu")
def a_channel_of_a_real_guest_listens_too(d):
    check_channel(d)


@test()
def a_channel_of_a_guest_that_died_meanwhile_leaves_nothing(d):
    d.define("one", devices=AGENT)
    d.virsh("start", "one")
    path = channel_path(d, "one")
    d.kill()
    os.kill(d.guest("one"), 9)
    d.start()
    same(d.virsh("domstate", "one").strip(), "shut off")
    same(os.path.exists(path), False, "the socket's file stayed")


@test()
def a_guest_is_served_with_all_of_it(d):
    d.define("one", devices=SERVED)
    d.virsh("start", "one")
    live = d.virsh("dumpxml", "one")
    contains(live, "<alias name='channel1'/>", "<alias name='hub0'/>", "<alias name='rng0'/>")
    contains(re.search(r"<channel type='pty'>.*?</channel>", live, re.S)[0], "/dev/pts/")


@test(emulator="qemu")
def a_real_guest_is_served_with_all_of_it(d):
    d.define("one", devices=SERVED)
    d.virsh("start", "one")
    contains(d.virsh("dumpxml", "one"), "<alias name='channel1'/>", "<alias name='hub0'/>")


@test(emulator="qemu")
def limits_of_a_disk_hold_before_its_guest_runs(d):
    limit = "<iotune><total_bytes_sec>5000</total_bytes_sec></iotune></disk>"
    disks = [d.disk_xml(d.disk(target), target, bus) for target, bus in (("vda", "virtio"), ("sda", "sata"))]
    d.define("one", devices="".join(disk.replace("</disk>", limit) for disk in disks), machine="q35")
    d.virsh("start", "one")
    blocks = d.virsh("qemu-monitor-command", "one", '{"execute":"query-block"}')
    same(len(re.findall(r'"bps": ?5000\b', blocks)), 2)


@test()
def what_cannot_be_plugged_in_is_not_said_to_be(d):
    d.define("one")
    d.virsh("start", "one")
    for number, device in enumerate(("<vsock><cid address='7'/></vsock>", AGENT, "<audio id='2' type='none'/>",
                                     "<sound model='ac97'/>", "<panic model='isa'/>")):
        path = d.file(f"{number}.xml", device)
        contains(d.virsh("attach-device", "one", path, "--live", fails=True), "cannot be plugged into")
    same("<vsock" in d.virsh("dumpxml", "one"), False)


@test()
def what_needs_a_helper_that_is_not_started_is_refused_in_words(d):
    for name, device, words in (
            ("tpm", "<tpm><backend type='emulator'/></tpm>", "TPM emulator"),
            ("fs", "<filesystem><driver type='virtiofs'/><source dir='/tmp'/><target dir='a'/></filesystem>",
             "virtiofsd"),
            ("net", "<interface type='bridge'><source bridge='br0'/></interface>", "networks of the host"),
            ("spice", "<graphics type='spice'/>", "'spice'"),
            ("dump", "<watchdog model='ib700' action='dump'/>", "'dump'")):
        d.define(name, devices=device)
        contains(d.virsh("start", name, fails=True), words)


main()

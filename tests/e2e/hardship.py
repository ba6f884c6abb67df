# SPDX-License-Identifier: Apache-2.0
"""What once broke: calls that cross, emulators that misbehave, files that are not what they should be."""
import contextlib
import os
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree as ET

import libvirt

from harness import DOMSH, DOMUSD, SIMVMM, contains, main, same, test, until

UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def again_and_again(seconds, *actions):
    """Runs each action in a thread of its own, whatever libvirt says."""
    end = time.monotonic() + seconds

    def loop(action):
        while time.monotonic() < end:
            with contextlib.suppress(libvirt.libvirtError):
                action()

    threads = [threading.Thread(target=loop, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@test()
def a_definition_that_waited_for_a_rename_does_not_bring_the_old_name_back(d):
    first, second, third = d.connect(), d.connect(), d.connect()
    xml = d.xml("one", uuid=UUID)
    first.defineXML(xml)

    def rename():
        dom = first.lookupByUUIDString(UUID)
        dom.rename("two" if dom.name() == "one" else "one")

    def disagree():
        dom = third.lookupByUUIDString(UUID)
        inside = ET.fromstring(dom.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE)).findtext("name")
        after = third.lookupByUUIDString(UUID).name()
        return f"{after} says that it is {inside}" if inside != after == dom.name() else None

    def look():
        said = [disagree() for _ in range(5)]           # two renames may lie between the questions, but not each time
        if all(said):
            wrong.append(said[0])

    wrong = []
    again_and_again(1.5, rename, lambda: second.defineXML(xml), look)
    same(wrong[:1], [])


def wrapper(d, name, script):
    """An emulator that answers questions about itself as simvmm does, and is this script when it should run a guest."""
    path = d.file(name, f"""#!/bin/sh
case "$*" in *"-machine none"*) exec {SIMVMM} "$@";; esac
{script}
""")
    os.chmod(path, 0o755)
    return path


@test()
def a_wrapper_that_does_not_exec_leaves_no_guest_behind(d):
    emulator = wrapper(d, "wrapper", f'{SIMVMM} "$@"; exit 0')
    d.define("one", emulator=emulator)
    d.virsh("start", "one")
    same(len([line for line in d.guests().values() if "wrapper" not in line]), 1, "guests")
    d.virsh("destroy", "one")
    until(lambda: not d.guests(), f"the wrapped guest ends too: {d.guests()}")


@test()
def a_start_that_babbles_does_not_fill_the_disk(d):
    emulator = wrapper(d, "babbler", "head -c 20000000 /dev/zero >&2; exit 3")
    d.define("one", emulator=emulator)
    d.virsh("start", "one", fails=True)
    until(lambda: sum(os.path.getsize(f"{d.root}/log/{name}") for name in os.listdir(f"{d.root}/log")) < 5 << 20,
          "the log is cut")


STATUS = f"run/status/{UUID}.xml"


def two_guests(d):
    """`one`, of UUID, and `two` run, and their daemon was killed; `one`'s process."""
    d.define("one", uuid=UUID)
    d.define("two")
    for name in ("one", "two"):
        d.virsh("start", name)
    pid = d.guest("one")
    d.kill()
    return pid


@test()
def a_guest_whose_status_file_is_damaged_is_not_started_twice(d):
    pid = two_guests(d)
    text = open(f"{d.root}/{STATUS}").read()
    d.file(STATUS, text[:len(text) // 2])
    d.start()
    contains(d.virsh("domstate", "two"), "running")
    for command in ("start", "destroy", "undefine"):
        contains(d.virsh(command, "one", fails=True), "'one' is left alone: its status file is damaged" if command != "start"
                 else "already active")
    contains(d.connect().defineXML(d.xml("three")).name(), "three")
    same(os.path.exists(f"/proc/{pid}"), True, "the guest lives")
    d.stop()
    os.kill(pid, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{pid}"), "the guest has ended")
    d.start()
    d.virsh("start", "one")


@test()
def a_guest_whose_monitor_is_lost_still_runs(d):
    two_guests(d)
    for name in os.listdir(f"{d.root}/run/m"):
        os.unlink(f"{d.root}/run/m/{name}")
    d.start()
    until(lambda: "running" in d.virsh("domstate", "one"), "one is listed as running")
    d.virsh("destroy", "one")
    same(d.virsh("domstate", "one").strip(), "shut off")


@test(daemon=False)
def what_is_no_file_does_not_keep_the_daemon_from_starting(d):
    d.start()
    d.define("one", uuid=UUID)
    d.define("two", uuid=UUID.replace("6", "7"))
    d.stop()
    for path in (f"lib/domains/{UUID}.xml", STATUS):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{d.root}/{path}")
        os.mkfifo(f"{d.root}/{path}")
    d.start()
    same(d.virsh("list", "--all", "--name").split(), ["two"])
    contains(d.log_text(), f"{UUID}.xml is no file")


@test(daemon=False)
def a_file_in_place_of_a_folder_is_named(d):
    d.file("log", "")
    run = d.run([DOMUSD, "--root", d.root, "--emulator", "sim"], fails=True)
    contains(run.err, f"{d.root}/log is in the way")
    os.unlink(f"{d.root}/log")


def shared_disk(path, how):
    return (f"<disk type='file'><driver type='raw'/><source file='{path}'/><target dev='vda' bus='virtio'/>{how}</disk>")


@test()
def an_image_in_use_is_refused_by_name(d):
    path = d.disk("disk.img")
    for name, how in (("one", ""), ("two", ""), ("three", "<readonly/>"), ("idle", None)):
        d.define(name, "" if how is None else shared_disk(path, how))
    d.virsh("start", "one")
    d.virsh("start", "idle")
    for name in ("two", "three"):
        said = d.virsh("start", name, fails=True)
        contains(said, f"domain '{name}'", path, "disk 'vda' of domain 'one'", "<shareable/>")
    contains(d.virsh("attach-device", "idle", d.file("disk.xml", shared_disk(path, "")), fails=True), "of domain 'one'")
    d.virsh("destroy", "one")
    d.virsh("start", "two")


@test()
def an_image_that_all_share_or_only_read_is_not_refused(d):
    for how in ("<shareable/>", "<readonly/>"):
        path = d.disk(f"{how[1:4]}.img")
        for number in (1, 2):
            name = f"{how[1:4]}-{number}"
            d.define(name, shared_disk(path, how))
            d.virsh("start", name)


@test()
def a_socket_with_a_guest_behind_it_is_not_swept(d):
    two_guests(d)
    os.unlink(f"{d.root}/{STATUS}")
    os.unlink(f"{d.root}/lib/domains/{UUID}.xml")
    d.start()
    told = f"process {d.guest('one')} runs as domain '{UUID}', and no status file speaks of it"
    until(lambda: told in d.log_text(), told)       # the socket is there before all is loaded
    same(sorted(n for n in os.listdir(f"{d.root}/run/m") if n.endswith(".sock")), ["1.sock", "2.sock"])
    same(sorted(d.virsh("list", "--name").split()), [UUID, "two"])
    contains(d.virsh("destroy", UUID, fails=True), "its status file is gone")
    os.kill(d.guest("one"), signal.SIGKILL)
    d.stop()
    d.start()
    same(d.virsh("list", "--name").split(), ["two"])


@test()
def what_is_dropped_from_a_definition_is_in_the_log(d):
    d.define("one", "<disk type='file'><driver name='qemu' cach='none'/><source file='/x'/><target dev='vda'/></disk>")
    contains(d.log_text(), "warning", "domain 'one': line", "did you mean 'cache'?")


@test(daemon=False)
def domsh_gives_up_on_a_daemon_that_says_nothing(d):
    import socket
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{d.root}/silent")
        silent.listen(1)
        begun = time.monotonic()
        run = d.run([DOMSH, "-c", f"{d.root}/silent", "list"], fails=True)
        contains(run.err, f"{d.root}/silent", "did not answer")
        same(time.monotonic() - begun < 30, True, "within 30 s")


@test()
def a_guest_that_hangs_does_not_keep_back_the_figures_of_others(d):
    for name in ("one", "two"):
        d.define(name)
        d.virsh("start", name)
    os.kill(d.guest("one"), signal.SIGSTOP)
    begun = time.monotonic()
    stats = {dom.name(): figures for dom, figures in d.connect().getAllDomainStats()}
    same(time.monotonic() - begun < 15, True, "within 15 s")
    same(sorted(stats), ["one", "two"])
    same("balloon.current" in stats["two"], True)
    os.kill(d.guest("one"), signal.SIGCONT)


@test()
def output_that_does_not_arrive_is_a_failure(d):
    d.define("one")
    for where in (">/dev/full", ">&-"):
        run = d.run(["sh", "-c", f'"$0" list --all {where}', DOMSH], fails=True)
        contains(run.err, "the output cannot be written")
    d.run(["sh", "-c", '"$0" list --all | head -1', DOMSH])


@test(daemon=False)
def closed_standard_descriptors_are_not_given_to_sockets(d):
    d.process = subprocess.Popen(["sh", "-c", 'exec "$0" --root "$1" --emulator sim <&- >&- 2>&-', DOMUSD, d.root])
    until(d.is_ready, "domusd serves", 20)
    for number in range(3):
        same(os.readlink(f"/proc/{d.process.pid}/fd/{number}"), "/dev/null")
    d.define("one")
    d.virsh("start", "one")


@test()
def a_guest_of_the_largest_definition_is_found_again(d):
    connection = d.connect()
    dom = connection.defineXML(d.xml("one", uuid=UUID))
    room = (4 << 20) - len(dom.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE)) - len("  <description></description>\n")
    dom.setMetadata(libvirt.VIR_DOMAIN_METADATA_DESCRIPTION, "x" * room, None, None, libvirt.VIR_DOMAIN_AFFECT_CONFIG)
    dom.create()
    d.kill()
    d.start()
    same(d.virsh("domstate", "one", "--reason").strip(), "running (booted)")


@test()
def a_second_daemon_without_a_lock_tidies_nothing_up(d):
    os.unlink(f"{d.root}/run/domusd.lock")
    unfinished = d.file(f"lib/domains/{UUID}.xml.new", "")
    run = d.run([DOMUSD, "--root", d.root, "--emulator", "sim"], fails=True)
    contains(run.err, "another process listens")
    same(os.path.exists(unfinished), True)
    d.virsh("list")


main()

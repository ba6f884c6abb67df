# SPDX-License-Identifier: Apache-2.0
"""What a restart of domusd, clean or not, leaves of running guests: everything."""
import os
import re
import subprocess
import time

from harness import DOMUSD, Failed, contains, main, same, test, until


def states(d):
    return {name: (d.virsh("domid", name).strip(), d.virsh("domstate", name).strip())
            for name in d.virsh("list", "--all", "--name").split()}


def stats(d, name):
    return dict(line.split(": ") for line in d.domsh("-q", "qom", name, "--stats").splitlines())


@test(emulator=("sim", "qemu"))
def running_guests_are_found_again_after_a_clean_stop(d):
    for name in ("runs", "pauses", "rests"):
        d.define(name)
    d.virsh("start", "runs")
    d.virsh("start", "pauses", "--paused")
    before, guests = states(d), d.guests()
    d.stop()
    same(d.guests(), guests, "guests while no daemon runs")
    d.start()
    same(states(d), before)
    same(d.guests(), guests)
    d.virsh("resume", "pauses")
    same(d.virsh("domstate", "pauses").strip(), "running")
    contains(d.virsh("qemu-monitor-command", "runs", '{"execute":"query-status"}'), '"running"')


@test()
def running_guests_are_found_again_after_a_kill(d):
    d.define("one")
    d.virsh("start", "one")
    before, guests = states(d), d.guests()
    d.kill()
    same(d.guests(), guests, "guests while no daemon runs")
    d.start()
    same(states(d), before)
    contains(d.domsh("qom", "one"), "  machine (pc-i440fx")
    d.virsh("destroy", "one")
    same(d.guests(), {})


@test()
def definitions_edited_or_removed_by_hand_while_no_daemon_runs_are_taken_as_they_are(d):
    for end in (d.kill, d.stop):
        for name in ("edited", "removed", "kept"):
            d.define(name)
        path = {name: f"{d.root}/lib/domains/{d.virsh('domuuid', name).strip()}.xml" for name in ("edited", "removed", "kept")}
        end()
        text = open(path["edited"]).read()
        with open(path["edited"], "w") as f:
            f.write(text.replace("<name>edited</name>", "<name>edited</name><title>by hand</title>"))
        os.unlink(path["removed"])
        d.start()
        same(sorted(d.virsh("list", "--all", "--name").split()), ["edited", "kept"])
        contains(d.virsh("dumpxml", "edited"), "<title>by hand</title>")
        for name in ("edited", "kept"):
            d.virsh("undefine", name)


def journal_begins_with(d, kind):
    """Whether the first record is one that counts, of that kind."""
    with open(f"{d.root}/lib/journal", "rb") as f:
        generation, record = f.read(4096).split()[2], f.read(4096).split()[:4]
    return len(record) == 4 and (record[1], record[3]) == (kind, generation)


@test()
def what_a_crash_of_the_host_took_of_a_definition_is_put_back(d):
    d.define("one")
    uuid = d.virsh("domuuid", "one").strip()
    path, mark = f"{d.root}/lib/domains/{uuid}.xml", f"{d.root}/lib/autostart/{uuid}"

    def dies_before_its_files_are_synced():
        d.virsh("desc", "one", "--config", "acknowledged")
        d.virsh("autostart", "one")
        d.kill()
        both_are_there = journal_begins_with(d, b"domains")
        if not both_are_there:              # it began again just before, or between the two
            d.start()
        return both_are_there

    until(dies_before_its_files_are_synced, "the journal tells of the last changes")
    text = open(path).read()
    os.truncate(path, len(text) // 2)
    os.utime(path, (0, 0))                      # in the boot before
    os.unlink(mark)
    with open(f"{d.root}/lib/journal", "r+b") as f:
        f.write(b"\0")                          # of no boot that we know
    d.start()
    d.virsh("list")                             # is answered when the journal was read
    same(open(path).read(), text)
    contains(d.log_text(), f"{path} is put back as it was when the host went down")
    same(d.virsh("desc", "one").strip(), "acknowledged")
    contains(d.virsh("dominfo", "one"), "Autostart:      enable")


def lose_status(d, name):
    """domusd is killed, and somebody removes what it wrote down."""
    path = f"{d.root}/run/status/{d.virsh('domuuid', name).strip()}.xml"
    d.kill()
    os.unlink(path)


@test(emulator=("sim", "qemu"))
def a_guest_whose_status_file_was_removed_is_taken_over(d):
    d.define("one", d.disk_xml(d.disk("a.img")) + "<serial type='pty'/><graphics type='vnc' autoport='yes'/>")
    d.virsh("start", "one")
    before, guests, xml = states(d), d.guests(), d.virsh("dumpxml", "one")
    lose_status(d, "one")
    d.start()
    until(lambda: states(d) == before, f"{before}, and not {states(d)}", 10)
    same(d.guests(), guests)
    same(d.virsh("dumpxml", "one"), xml)
    d.kill()
    d.start()
    same(states(d), before, "after a restart with the status file that was written anew")
    d.virsh("suspend", "one")
    d.virsh("destroy", "one")
    same(d.guests(), {})


@test()
def a_guest_without_status_file_that_runs_something_else_is_listed_and_left_alone(d):
    d.define("one")
    d.virsh("start", "one")
    before = d.guests()
    d.define("one", memory=64, uuid=d.virsh("domuuid", "one").strip())
    lose_status(d, "one")
    d.start()
    contains(d.virsh("list", "--name"), "one")
    contains(d.virsh("suspend", "one", fails=True), "its status file is gone")
    contains(d.virsh("start", "one", fails=True), "already active")
    until(lambda: "another command line" in d.log_text(), "the log says why")
    same(d.guests(), before)
    os.kill(d.guest("one"), 9)
    d.stop()
    d.start()
    d.virsh("start", "one")


@test()
def ids_are_not_used_again(d):
    d.define("one")
    d.define("two")
    d.virsh("start", "one")
    d.virsh("start", "two")
    d.virsh("destroy", "one")
    d.stop()
    d.start()
    d.virsh("start", "one")
    same((d.virsh("domid", "two").strip(), d.virsh("domid", "one").strip()), ("2", "3"))


@test()
def a_guest_that_died_meanwhile_is_shut_off_as_crashed(d):
    d.define("one")
    d.virsh("start", "one")
    pid = d.guest("one")
    d.stop()
    os.kill(pid, 9)
    until(lambda: not d.guests(), "the guest is gone")
    d.start()
    same(d.virsh("domstate", "one", "--reason").strip(), "shut off (crashed)")
    d.virsh("start", "one")


@test()
def a_guest_that_dies_under_us_is_shut_off_as_crashed(d):
    d.define("one")
    d.virsh("start", "one")
    os.kill(d.guest("one"), 9)
    until(lambda: d.virsh("domstate", "one", "--reason").strip() == "shut off (crashed)", "shut off (crashed)")
    d.virsh("start", "one")


@test()
def definitions_and_autostart_survive(d):
    d.define("one")
    d.virsh("autostart", "one")
    before = d.virsh("dumpxml", "one")
    d.stop()
    d.start()
    same(d.virsh("dumpxml", "one"), before)
    contains(d.virsh("dominfo", "one"), "Autostart:      enable")


@test()
def a_second_daemon_on_the_same_root_is_refused(d):
    second = subprocess.run([DOMUSD, "--root", d.root], capture_output=True, text=True, timeout=60)
    same(second.returncode != 0, True)
    contains(second.stderr, str(d.process.pid))
    d.virsh("list")


@test()
def hangup_reads_the_configuration_again(d):
    d.configure({"log_level": "debug", "disk_syntax": "drive"})
    d.process.send_signal(1)
    until(lambda: "disk_syntax is now 'drive'" in d.log_text(), "the log tells of the change")
    d.define("one", d.disk_xml(d.disk("a.img"), cache="none"))
    contains(d.virsh("domxml-to-native", "qemu-argv", "--domain", "one"), "-drive", "cache=none")


@test(daemon=False)
def a_wrong_configuration_is_refused_with_its_line(d):
    d.configure({"log_level": "loud"})
    run = subprocess.run([DOMUSD, "--root", d.root], capture_output=True, text=True, timeout=60)
    same(run.returncode != 0, True)
    contains(run.stderr, "domusd.conf:1", "loud", "debug")


main()

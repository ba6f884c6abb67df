# SPDX-License-Identifier: Apache-2.0
"""The main path, by stock virsh, on the simulated VMM and on Debian's QEMU."""
import json
import re
import shlex

from harness import Failed, contains, main, same, test, until

BOTH = ("sim", "qemu")
UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def three_disks(d):
    return "".join(d.disk_xml(d.disk(f"{cache}.img"), target, cache=cache)
                   for cache, target in (("none", "vda"), ("writeback", "vdb"), ("writethrough", "vdc")))


def state(d, name, *options):
    return d.virsh("domstate", name, *options).strip()


@test(emulator=BOTH)
def a_domain_lives_from_define_to_undefine(d):
    same(d.define("one", uuid=UUID).split(" defined")[0], "Domain 'one'")
    contains(d.virsh("list", "--all"), "one", "shut off")
    contains(d.virsh("start", "one"), "Domain 'one' started")
    same(state(d, "one", "--reason"), "running (booted)")
    same(d.virsh("domid", "one").strip(), "1")
    same(d.virsh("domuuid", "one").strip(), UUID)
    same(d.virsh("domname", UUID).strip(), "one")
    d.virsh("suspend", "one")
    same(state(d, "one", "--reason"), "paused (user)")
    d.virsh("resume", "one")
    same(state(d, "one", "--reason"), "running (unpaused)")
    contains(d.virsh("destroy", "one"), "Domain 'one' destroyed")
    same(state(d, "one", "--reason"), "shut off (destroyed)")
    d.virsh("undefine", "one")
    same(d.virsh("list", "--all", "--name").strip(), "")


@test(emulator=BOTH)
def a_paused_start_runs_only_after_resume(d):
    d.define("one")
    d.virsh("start", "one", "--paused")
    contains(d.virsh("list"), "paused")
    same(json.loads(d.virsh("qemu-monitor-command", "one", '{"execute":"query-status"}'))["return"]["running"], False)
    d.virsh("resume", "one")
    same(json.loads(d.virsh("qemu-monitor-command", "one", '{"execute":"query-status"}'))["return"]["running"], True)


@test(emulator=BOTH)
def the_disks_cache_modes_reach_the_running_emulator(d):
    d.define("one", three_disks(d))
    d.virsh("start", "one")
    reply = json.loads(d.virsh("qemu-monitor-command", "one", '{"execute":"query-block"}'))
    flags = {}
    for block in reply["return"]:
        if "inserted" in block:
            name = re.search(r"/(\w+)\.img", json.dumps(block["inserted"])).group(1)
            cache = block["inserted"]["cache"]
            flags[name] = (cache["direct"], cache["no-flush"])
    same(flags, {"none": (True, False), "writeback": (False, False), "writethrough": (False, False)})
    for number, wanted in ((0, True), (1, True), (2, False)):
        got = d.virsh("qemu-monitor-command", "one", json.dumps(
            {"execute": "qom-get", "arguments": {"path": f"/machine/peripheral/virtio-disk{number}",
                                                 "property": "write-cache"}}))
        same(json.loads(got)["return"], "on" if wanted else "off", f"write-cache of disk {number}")


@test(emulator=BOTH)
def a_created_domain_is_gone_after_destroy(d):
    d.virsh("create", d.file("one.xml", d.xml("one")))
    contains(d.virsh("dominfo", "one"), "Persistent:     no", "State:          running")
    d.virsh("destroy", "one")
    contains(d.virsh("dominfo", "one", fails=True), "failed to get domain 'one'")


@test()
def information_commands_answer_as_virsh_users_expect(d):
    d.define("one", memory=64)
    info = d.virsh("dominfo", "one")
    contains(info, "Id:             -", "OS Type:        hvm", "State:          shut off", "CPU(s):         1",
             "Max memory:     65536 KiB", "Persistent:     yes", "Autostart:      disable")
    d.virsh("start", "one")
    contains(d.virsh("dominfo", "one"), "Id:             1", "Used memory:    65536 KiB")
    contains(d.virsh("capabilities"), "<os_type>hvm</os_type>", "<arch name='x86_64'>", "<domain type='qemu'")
    contains(d.virsh("nodeinfo"), "CPU(s):", "Memory size:")
    contains(d.virsh("version"), "Using API: QEMU", "Running hypervisor: QEMU")
    contains(d.virsh("uri"), "qemu+unix:///system")
    same(bool(d.virsh("hostname").strip()), True)


@test()
def list_filters_as_it_is_told(d):
    for name in ("running", "paused", "off"):
        d.define(name)
    d.virsh("start", "running")
    d.virsh("start", "paused", "--paused")
    d.virsh("create", d.file("transient.xml", d.xml("transient")))
    d.virsh("autostart", "off")
    for options, wanted in ((["--name"], "paused running transient"), (["--name", "--inactive"], "off"),
                            (["--name", "--all"], "off paused running transient"),
                            (["--name", "--state-paused"], "paused"), (["--name", "--transient"], "transient"),
                            (["--name", "--all", "--persistent"], "off paused running"),
                            (["--name", "--all", "--autostart"], "off")):
        same(" ".join(sorted(d.virsh("list", *options).split())), wanted, " ".join(options))


@test()
def dumpxml_shows_the_running_and_the_next_definition(d):
    d.define("one", three_disks(d), uuid=UUID)
    off = d.virsh("dumpxml", "one")
    contains(off, f"<uuid>{UUID}</uuid>", "cache='none'", "cache='writeback'", "cache='writethrough'",
             "<memory unit='KiB'>32768</memory>")
    if " id='" in off.split("\n")[0]:
        raise Failed("a stopped domain has an id")
    d.virsh("start", "one")
    contains(d.virsh("dumpxml", "one"), "<domain type='qemu' id='1'", "<alias name='virtio-disk0'/>")
    same(d.virsh("dumpxml", "one", "--inactive"), off)
    d.virsh("destroy", "one")
    d.virsh("define", d.file("again.xml", off))
    same(d.virsh("dumpxml", "one"), off, "the definition after it was defined from its own dump")


@test()
def domxml_to_native_prints_what_start_runs(d):
    d.define("one", three_disks(d))
    printed = shlex.split(d.virsh("domxml-to-native", "qemu-argv", "--domain", "one"))
    d.virsh("start", "one")
    with open(f"/proc/{d.guest('one')}/cmdline") as f:
        running = f.read().split("\0")[:-1]
    # The domain's number is only known when it starts.
    mask = lambda words: [re.sub(r"run/m/\d+\.sock", "run/m/N.sock", w) for w in words]
    printed_options, running_options = mask(printed)[1:], mask(running)[1:]
    if "-sim" in running_options and "-sim" not in printed_options:
        at = running_options.index("-sim")
        del running_options[at:at + 2]
    same(printed_options, running_options)


@test()
def the_monitor_answers_in_both_languages(d):
    d.define("one")
    d.virsh("start", "one")
    contains(d.virsh("qemu-monitor-command", "one", "--pretty", '{"execute":"query-version"}'), '"major": ')
    contains(d.virsh("qemu-monitor-command", "one", '{"execute":"no-such"}'), "CommandNotFound")
    contains(d.virsh("qemu-monitor-command", "--hmp", "one", "info status"), "VM status: running")


@test()
def events_arrive_in_order(d):
    d.define("one")
    watcher = d.spawn_connected("stdbuf", "-oL", "virsh", "-c", d.uri(), "event", "--event", "lifecycle", "--loop",
                                "--timeout", "20")
    for command in ("start", "suspend", "resume", "destroy", "undefine"):
        d.virsh(command, "one")
    out = watcher.communicate(timeout=60)[0]
    d.children.remove(watcher)
    got = re.findall(r"for domain '?one'?: (.*)", out)
    same(got, ["Resumed Unpaused", "Started Booted", "Suspended Paused", "Resumed Unpaused",
               "Shutdown Finished after host request", "Stopped Destroyed", "Undefined Removed"], "events")


@test()
def mistakes_are_answered_as_libvirt_answers_them(d):
    d.define("one", uuid=UUID)
    d.virsh("start", "one")
    contains(d.virsh("resume", "one", fails=True), "error: ")
    contains(d.virsh("start", "one", fails=True), "Domain is already active")
    d.virsh("destroy", "one")
    contains(d.virsh("destroy", "one", fails=True), "domain is not running")
    contains(d.virsh("domstate", "nobody", fails=True), "failed to get domain 'nobody'")
    clash = d.file("clash.xml", d.xml("two", uuid=UUID))
    contains(d.virsh("define", clash, fails=True), "is already defined with uuid")
    clash = d.file("clash.xml", d.xml("one"))
    contains(d.virsh("define", clash, fails=True), "already exists with uuid")
    contains(d.virsh("define", d.file("bad.xml", "<domain"), fails=True), "error: ")
    contains(d.virsh("define", d.file("bad.xml", d.xml("x", d.disk_xml("/x", cache="sometimes"))), fails=True),
             "sometimes", "writethrough")
    contains(d.virsh("save", "one", "/tmp/never", fails=True), "error: ")


main()

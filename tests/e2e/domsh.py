# SPDX-License-Identifier: Apache-2.0
"""domsh: prints what virsh prints, offers what virsh has not, and misuse is told apart from failure."""
import json
import os
import re
import signal
import subprocess
import time

from harness import DOMSH, Failed, contains, main, same, test, until


def stats(d, name):
    return dict(line.split(": ") for line in d.domsh("-q", "qom", name, "--stats").splitlines())


@test()
def domsh_prints_what_virsh_prints(d):
    for name in ("running", "paused", "off"):
        d.define(name)
    d.virsh("start", "running")
    d.virsh("start", "paused", "--paused")
    for words in ("list", "list --all", "list --all --title", "list --all --name", "list --all --uuid", "list --inactive",
                  "list --state-paused", "domstate running --reason", "domstate off", "domid running", "domid off",
                  "domname 1", "domuuid running", "dumpxml running", "dumpxml running --inactive", "dumpxml off",
                  "capabilities", "hostname", "nodeinfo", "domxml-to-native qemu-argv --domain off",
                  "qemu-monitor-command running --hmp info status"):
        same(d.domsh(*words.split()), d.virsh(*words.split()), words)
    mask = lambda text: re.sub(r"CPU time: .*", "", text)
    for name in ("running", "off"):
        same(mask(d.domsh("dominfo", name)), mask(d.virsh("dominfo", name)), f"dominfo {name}")
    command = '{"execute":"query-status"}'
    same(d.domsh("qemu-monitor-command", "running", "--pretty", command).split('"id"')[0],
         d.virsh("qemu-monitor-command", "running", "--pretty", command).split('"id"')[0])


@test()
def information_is_laid_out_as_virsh_lays_it_out(d):
    devices = (d.disk_xml(d.disk("a.img")) + "<disk type='file' device='cdrom'><target dev='hdc' bus='ide'/><readonly/></disk>"
               "<interface type='user'><mac address='52:54:00:11:22:33'/><model type='virtio'/></interface>"
               "<serial type='pty'/><graphics type='vnc' port='-1' autoport='yes'/>")
    d.define("one", devices, extra="<title>A title</title>")
    d.virsh("start", "one")
    for words in ("domblklist one", "domblklist one --details", "domblkinfo one vda", "domblkinfo one --all",
                  "domblkstat one vda", "domiflist one", "domcontrol one", "domjobinfo one", "ttyconsole one",
                  "vncdisplay one", "domdisplay one", "vcpucount one", "vcpucount one --live", "maxvcpus", "nodecpumap",
                  "nodecpumap --pretty", "cpu-models x86_64", "desc one", "desc one --title", "domcapabilities",
                  "domstats one --state --balloon --block --vcpu"):
        mask = lambda text: re.sub(r"(vcpu.0.(time|delay|wait)|balloon.rss)=\d+", "", text)
        same(mask(d.domsh(*words.split())), mask(d.virsh(*words.split())), words)
    digits = lambda text: re.sub(r" *\d+(\.\d+)?", "N", text)
    for words in ("dommemstat one", "freecell", "freecell --all", "freecell 0", "nodememstats", "nodecpustats",
                  "vcpuinfo one", "vcpuinfo one --pretty"):
        same(digits(d.domsh(*words.split())), digits(d.virsh(*words.split())), words)


@test()
def changes_are_made_and_confirmed_as_by_virsh(d):
    device = d.file("disk.xml", d.disk_xml(d.disk("b.img"), "vdb"))
    namespace = "http://example.org/x"
    steps = (["setmem", "one", "32M", "--config"], ["setmaxmem", "one", "128M", "--config"],
             ["setvcpus", "one", "2", "--config", "--maximum"], ["setvcpus", "one", "2", "--config"],
             ["desc", "one", "--title", "hello"], ["desc", "one", "--title"], ["desc", "one", "some words"],
             ["metadata", "one", namespace, "--key", "x", "--set", "<y/>"], ["metadata", "one", namespace],
             ["metadata", "one", namespace, "--remove"], ["attach-device", "one", device, "--config"],
             ["detach-device", "one", device, "--config"], ["domrename", "one", "two"], ["domrename", "two", "one"],
             ["start", "one"], ["reset", "one"], ["reboot", "one"], ["shutdown", "one"])
    said = {}
    for client in ("virsh", "domsh"):
        d.define("one", d.disk_xml(d.disk("a.img")))
        said[client] = [(words, getattr(d, client)(*words)) for words in steps]
        said[client].append(("xml", re.sub(r"<uuid>.*?</uuid>", "", d.virsh("dumpxml", "one", "--inactive"))))
        until(lambda: d.virsh("domstate", "one").strip() == "shut off", "the guest shuts itself down")
        d.virsh("undefine", "one")
    for (words, ours), (_, theirs) in zip(said["domsh"], said["virsh"]):
        same(ours, theirs, str(words))


@test()
def devices_are_plugged_and_pulled_as_by_virsh(d):
    steps = (["attach-disk", "one", d.disk("b.img"), "vdb", "--cache", "none", "--subdriver", "raw", "--serial", "s1"],
             ["attach-disk", "one", d.disk("c.img"), "sdc", "--targetbus", "scsi", "--mode", "readonly"],
             ["change-media", "one", "hdc", d.disk("cd.img")], ["change-media", "one", "hdc", "--eject"],
             ["change-media", "one", "hdc", d.disk("cd2.img"), "--insert"],
             ["attach-interface", "one", "user", "--mac", "52:54:00:00:00:01", "--model", "virtio"],
             ["detach-disk", "one", "vdb"], ["detach-interface", "one", "user", "--mac", "52:54:00:00:00:01"])
    said = {}
    for client in ("virsh", "domsh"):
        d.define("one", "<disk type='file' device='cdrom'><target dev='hdc' bus='ide'/><readonly/></disk>")
        said[client] = []
        for words in steps:
            if client == "virsh" and words[:3] == ["attach-interface", "one", "user"]:
                words = ["attach-device", "one", d.file("nic.xml", "<interface type='user'><mac address="
                         "'52:54:00:00:00:01'/><model type='virtio'/></interface>")]     # virsh wants a source
            getattr(d, client)(*words, "--config")
            said[client].append((words, re.sub(r"<uuid>.*?</uuid>", "", d.virsh("dumpxml", "one"))))
        d.virsh("undefine", "one")
    for (words, ours), (_, theirs) in zip(said["domsh"], said["virsh"]):
        same(ours, theirs, str(words))
    contains(d.domsh("attach-disk", "one", "/a'b", "vdb", "--serial", "a<b", "--print-xml"), "a&lt;b", "/a&apos;b")


@test()
def edit_runs_the_users_editor(d):
    d.define("one")
    editor = d.file("editor", "#!/bin/sh\nsed -i 's/32768/65536/g' \"$1\"\n")
    os.chmod(editor, 0o700)
    os.environ["EDITOR"] = editor
    contains(d.domsh("edit", "one"), "Domain 'one' XML configuration edited.")
    contains(d.virsh("dumpxml", "one"), "<memory unit='KiB'>65536</memory>")
    contains(d.domsh("edit", "one"), "not changed")
    open(editor, "w").write("#!/bin/sh\necho nonsense >\"$1\"\n")
    contains(d.domsh("edit", "one", fails=True), "error: ")
    contains(d.virsh("dumpxml", "one"), "<memory unit='KiB'>65536</memory>")


@test()
def domsh_confirms_as_virsh_does(d):
    path = d.file("one.xml", d.xml("one", uuid="6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
    commands = (["define", path], ["start", "one"], ["suspend", "one"], ["resume", "one"], ["autostart", "one"],
                ["autostart", "one", "--disable"], ["destroy", "one"], ["undefine", "one"], ["create", path],
                ["destroy", "one"])
    said = [d.domsh(*words) for words in commands]
    for words, ours in zip(commands, said):
        same(ours, d.virsh(*words), " ".join(words))


@test()
def the_second_start_pulls_the_tree_in_one_round_trip(d):
    d.define("one", d.disk_xml(d.disk("a.img"), cache="none"))
    d.virsh("start", "one")
    first = stats(d, "one")
    d.virsh("destroy", "one")
    d.virsh("start", "one")
    second = stats(d, "one")
    same((second["calls"], second["round_trips"], second["plan"]), ("1", "1", "warm"), "the second start")
    same((second["objects"], second["properties"]), (first["objects"], first["properties"]), "sizes of both trees")
    same((first["calls"], first["round_trips"], first["plan"]), ("2", "2", "cold"), "the first start")


CARD = "<interface type='user'><mac address='52:54:00:0a:0b:{:02x}'/><model type='virtio'/></interface>"


@test()
def a_domain_that_never_ran_pulls_in_one_call_if_its_parts_are_known(d):
    def run(name, processors, devices, *words):
        text = d.xml(name, devices).replace("<vcpu>1<", f"<vcpu>{processors}<")
        d.virsh("define", d.file(f"{name}.xml", text))
        d.virsh("start", name, *words)
        return stats(d, name)

    images = [d.disk(name) for name in ("a.img", "b.img", "c.img")]
    same(run("teacher", 2, d.disk_xml(images[0]) + CARD.format(1))["plan"], "cold")
    until(lambda: any(name.startswith("parts-") for name in os.listdir(f"{d.root}/cache/qom")), "parts on disk")
    d.stop()
    d.start()
    first = run("pupil", 3, d.disk_xml(images[1]) + d.disk_xml(images[2], "vdb") + CARD.format(2) + CARD.format(3), "--paused")
    same((first["calls"], first["round_trips"], first["plan"]), ("1", "1", "warm"), "its first start")
    kept, fresh = (json.loads(d.domsh("qom", "pupil", "--json", *words)) for words in ([], ["--refresh"]))
    same(sorted(o["path"] for o in kept), sorted(o["path"] for o in fresh))
    rng = "<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>"
    same(run("stranger", 2, rng)["calls"], "2", "the first start with an unknown part")
    same(run("friend", 2, rng + CARD.format(4))["calls"], "1", "it is known now")


@test(emulator=("sim", "qemu"))
def a_start_says_little_beside_the_tree(d):
    # libvirt 12.9 sends 16 commands and 1,070 bytes to start the same
    d.define("one", d.disk_xml(d.disk("a.img")) + CARD.format(1) + "<serial type='pty'/><graphics type='vnc' autoport='yes'/>")
    d.virsh("start", "one")
    total = json.loads(d.domsh("timings", "one", "--json"))[-1]
    same(total["phase"], "total")
    same((total["commands"] < 8, total["bytes_asked"] < 535, total["bytes_answered"] > 0), (True, True, True), total)
    contains(d.domsh("timings", "one"), f"monitor: {total['commands']} commands, {total['bytes_asked']} bytes asked, ")


@test()
def the_tree_of_the_second_start_equals_a_fresh_one(d):
    d.define("one", d.disk_xml(d.disk("a.img"), cache="none"))
    for _ in range(2):
        d.virsh("start", "one", "--paused")              # so that nothing moves
        kept = json.loads(d.domsh("qom", "one", "--json"))
        fresh = json.loads(d.domsh("qom", "one", "--json", "--refresh"))
        masked = ("rtc-time", "date", "guest-stats")
        normal = lambda tree: sorted(
            (o["path"], o["type"], sorted((p["name"], p["type"], json.dumps(p.get("value"))) for p in o["properties"]
                                          if p["name"] not in masked)) for o in tree)
        same(normal(kept), normal(fresh))
        d.virsh("destroy", "one")


@test()
def qom_shows_objects_and_properties(d):
    d.define("one", d.disk_xml(d.disk("a.img"), cache="writethrough"))
    d.virsh("start", "one")
    contains(d.domsh("qom", "one"), "  machine (pc-i440fx-", "peripheral (container)", "virtio-disk0 (virtio-blk-pci")
    contains(d.domsh("qom", "one", "virtio-disk0"), "/machine/peripheral/virtio-disk0 (", "write-cache: ")
    same(d.domsh("qom", "one", "virtio-disk0", "drive").strip(),
         d.domsh("qom", "one", "/machine/peripheral/virtio-disk0", "drive").strip())
    same(json.loads(d.domsh("qom", "one", "virtio-disk0", "write-cache")), "off")
    contains(d.domsh("qom", "one", "/no/such", fails=True), "/no/such")
    contains(d.domsh("qom", "one", "virtio-disk0", "no-such", fails=True), "no-such")
    d.virsh("destroy", "one")
    contains(d.domsh("qom", "one", fails=True), "not running")


@test(emulator="qemu")
def without_bulk_commands_the_tree_still_comes(d):
    d.define("one", d.disk_xml(d.disk("a.img")))
    d.virsh("start", "one")
    contains(d.domsh("qom", "one"), "  machine (pc-i440fx-7.2-machine)", "virtio-disk0 (virtio-blk-pci")
    numbers = stats(d, "one")
    if int(numbers["objects"]) < 100 or int(numbers["properties"]) < 1000:
        raise Failed(f"a small tree: {numbers}")


@test()
def json_is_an_array_of_objects_with_uuids(d):
    d.define("one")
    d.virsh("start", "one")
    uuid = d.virsh("domuuid", "one").strip()
    listed = json.loads(d.domsh("list", "--json"))
    same(listed, [{"id": 1, "name": "one", "state": "running", "uuid": uuid}])
    info = json.loads(d.domsh("dominfo", "one", "--json"))[0]
    same((info["id"], info["uuid"], info["cpus"], info["os_type"], info["max_memory"]), (1, uuid, 1, "hvm", "32768 KiB"))
    same(json.loads(d.domsh("domstate", "one", "--json"))[0]["reason"], "booted")
    same(json.loads(d.domsh("nodeinfo", "--json"))[0]["cpus"], os.cpu_count())
    same(sorted(json.loads(d.domsh("qom", "one", "--stats", "--json"))[0]),
         sorted(["objects", "properties", "calls", "round_trips", "request_bytes", "reply_bytes", "milliseconds", "plan",
                 "method"]))
    phases = json.loads(d.domsh("timings", "one", "--json"))
    same(all(phase["milliseconds"] >= 0 for phase in phases) and len(phases) > 2, True)


@test()
def exit_codes_tell_failure_from_misuse(d):
    code = lambda *words: subprocess.run([DOMSH, "-c", d.socket(), *words], env=d.environment(), capture_output=True,
                                         stdin=subprocess.DEVNULL, text=True).returncode
    same(code("list"), 0)
    same(code("start", "nobody"), 1)
    same(code("start"), 2)
    same(code("lst"), 2)
    same(code("list", "--every"), 2)
    same(code("--every"), 2)
    same(code("list; domid nobody; list"), 1)
    contains(d.domsh("lst", fails=True), "did you mean 'list'?")
    contains(d.domsh("list", "--al", fails=True), "did you mean --all?")


@test()
def define_tells_every_fault_with_its_line(d):
    text = d.xml("one", d.disk_xml("/a", cache="sometimes").replace("><", ">\n<")
                 + d.disk_xml("/b", "vdb", cache="whenever").replace("><", ">\n<"))
    said = d.domsh("define", d.file("bad.xml", text), fails=True)
    lines = [n for n, line in enumerate(text.split("\n"), 1) if "sometimes" in line or "whenever" in line]
    contains(said, *(f"bad.xml:{n}: error: " for n in lines))
    contains(said, "sometimes", "whenever", "writethrough")
    warned = d.run([DOMSH, "define", d.file("odd.xml", d.xml("one").replace("<vcpu>", "<nonsense/><vcpu>"))])
    contains(warned.err, "warning: ", "nonsense")


@test()
def events_are_told_as_virsh_tells_them(d):
    d.define("one", extra="<features><acpi/></features>")       # which hot-plug needs
    device = d.file("disk.xml", d.disk_xml(d.disk("b.img"), "vdb"))
    watchers = [d.spawn_connected(*words, "event", "--all", "--loop", "--timeout", "20")
                for words in (["stdbuf", "-oL", "virsh", "-c", d.uri()], [DOMSH])]
    for words in (["start", "one"], ["setmem", "one", "16M", "--live"], ["attach-device", "one", device, "--live"],
                  ["detach-device", "one", device, "--live"], ["reset", "one"], ["desc", "one", "--title", "x", "--live"],
                  ["destroy", "one"]):
        d.virsh(*words)
    texts = [w.communicate(timeout=60)[0] for w in watchers]
    d.children.clear()
    same(texts[1], texts[0])
    contains(texts[1], "lifecycle", "reboot", "device-added", "device-removed", "metadata-change")


@test()
def lines_come_from_standard_input_too(d):
    out = d.domsh("-q", input="define %s\nstart one\n\n# a remark\nlist --name\n" % d.file("one.xml", d.xml("one")))
    same(out.split(), ["one"])


@test()
def domsh_tells_of_devices_and_metadata(d):
    d.define("one")
    d.virsh("start", "one")
    watching = d.spawn_connected(DOMSH, "event", "--all", "--loop", "--timeout", "60", "--json")
    d.virsh("attach-device", "one", d.file("i.xml", "<input type='tablet' bus='usb'/>"))
    d.virsh("detach-device", "one", f"{d.root}/i.xml")
    d.virsh("desc", "one", "--config", "--title", "new")
    kinds = [json.loads(watching.stdout.readline()) for _ in range(3)]
    same([(k["kind"], k["detail"]) for k in kinds],
         [("device-added", "input2"), ("device-removed", "input2"), ("metadata-change", "type title, uri <null>")])


@test(config={"sim_options": "delay=stop:0:4000"})
def a_daemon_that_hangs_is_given_up_and_one_that_is_busy_is_not(d):
    d.define("one")
    d.virsh("start", "one")
    begun = time.monotonic()
    contains(d.domsh("-k", "1", "-K", "1", "suspend", "one"), "suspended")      # takes four seconds
    d.process.send_signal(signal.SIGSTOP)
    try:
        # While it is stopped it cannot even let us in.
        contains(d.domsh("-k", "1", "list", fails=True), "did not answer")
    finally:
        d.process.send_signal(signal.SIGCONT)
    watching = d.spawn_connected(DOMSH, "-k", "1", "-K", "2", "event", "--all", "--loop")
    d.process.send_signal(signal.SIGSTOP)
    try:
        said, _ = watching.communicate(timeout=30)
    finally:
        d.process.send_signal(signal.SIGCONT)
    contains(said, "is lost: it has not answered for 3 s, not even a keepalive")
    same(watching.returncode, 1)
    contains(d.domsh("-k", "x", "list", fails=True), "-k wants a number from 0 to 3600")
    same(time.monotonic() - begun < 60, True, "it took less than a minute")


@test()
def no_message_can_steer_the_terminal(d):
    name = "\x1b[2J\x07\u009b\r"
    connection = d.connect()
    import libvirt
    for call in (lambda: connection.lookupByName(name), lambda: connection.defineXML(f"<domain type='{name}'/>"),
                 lambda: connection.domainXMLFromNative(name, "x"), lambda: connection.getCPUModelNames(name)):
        try:
            call()
        except libvirt.libvirtError as fault:
            text = fault.get_error_message() + "".join(str(fault.get_str1()) + str(fault.get_str2()))
            same(re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), [], f"control characters in {text!r}")
        else:
            raise Failed("the call succeeded")
    contains(d.domsh("dominfo", name, fails=True), r"\x1b[2J\x07\xc2\x9b\x0d")
    contains(d.domsh(name, fails=True), r"\x1b[2J\x07\xc2\x9b\x0d")
    contains(d.domsh("list", "--" + name, fails=True), r"\x1b[2J\x07\xc2\x9b\x0d")


@test()
def pins_are_shown_and_set_as_by_virsh(d):
    d.virsh("define", d.file("one.xml", d.xml("one").replace("<vcpu>1</vcpu>", "<vcpu>2</vcpu>")))
    for state in ("off", "running"):
        for words in ("vcpupin one", "vcpupin one 1", "emulatorpin one", "vcpupin one --config", "vcpupin one 0 0 --current",
                      "emulatorpin one 0 --current", "vcpupin one", "emulatorpin one", "vcpupin one 0 r --current"):
            same(d.domsh(*words.split()), d.virsh(*words.split()), f"{words} while {state}")
        for words in ("vcpupin one 7", "vcpupin one 0 x", "vcpupin one 0 1023"):
            same(d.domsh(*words.split(), fails=True).splitlines()[0], d.virsh(*words.split(), fails=True).splitlines()[0])
        if state == "off":
            d.virsh("start", "one")
    same(json.loads(d.domsh("vcpupin", "one", "--json"))[0]["vcpu"], 0)


@test(emulator=("sim", "qemu"))
def keys_and_nmis_reach_the_guest(d):
    d.define("one")
    contains(d.domsh("send-key", "one", "KEY_A", fails=True), "domain is not running")
    contains(d.domsh("inject-nmi", "one", fails=True), "domain is not running")
    d.virsh("start", "one")
    same(d.domsh("inject-nmi", "one"), d.virsh("inject-nmi", "one"))
    for words in ("send-key one KEY_LEFTCTRL KEY_LEFTALT KEY_DELETE", "send-key one 29 56 111",
                  "send-key one --codeset xt 29 30", "send-key one --holdtime 10 --codeset qnum 30"):
        same(d.domsh(*words.split()), d.virsh(*words.split()), words)
    for words in ("send-key one KEY_NOBODY", "send-key one --codeset xt KEY_A"):
        same(d.domsh(*words.split(), fails=True).splitlines()[0], d.virsh(*words.split(), fails=True).splitlines()[0])
    contains(d.domsh("send-key", "one", "--codeset", "nobody", "1", fails=True), "unknown codeset: 'nobody'")
    contains(d.domsh("send-key", "one", *["1"] * 17, fails=True), "too many keycodes")


main()

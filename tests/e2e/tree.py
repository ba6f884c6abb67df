#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The object tree as people use it: found, read, set, watched, exported and compared."""
import json
import os
import re
import signal
import subprocess
import time

from harness import DOMSH, SOURCE, contains, main, same, test, until

CARD = "<interface type='user'><mac address='52:54:00:0a:0b:0c'/><model type='virtio'/></interface>"


def machine(d, name, devices=""):
    d.define(name, devices=d.disk_xml(d.disk(f"{name}.img"), cache="none") + CARD + devices,
             extra="<features><acpi/></features>")
    d.virsh("start", name)


def code(d, *words):
    return subprocess.run([DOMSH, *words], env=d.environment(), text=True, capture_output=True, timeout=60, check=False)


@test()
def objects_and_properties_are_found_by_pattern_in_one_domain_or_all(d):
    machine(d, "one")
    machine(d, "two")
    same(d.domsh("qom", "one", "find", "--type", "virtio-net-p?i").strip(), "/machine/peripheral/net0 (virtio-net-pci)")
    both = json.loads(d.domsh("qom-find", "--property", "mac", "--value", "52:54:00:*", "--json"))
    same(sorted((m["domain"], m["path"], m["value"]) for m in both if m["type"] == "virtio-net-pci"),
         [("one", "/machine/peripheral/net0", "52:54:00:0a:0b:0c"), ("two", "/machine/peripheral/net0", "52:54:00:0a:0b:0c")])
    same(json.loads(d.domsh("qom", "one", "find", "--type", "nothing", "--json")), [])
    contains(d.domsh("qom", "one", "find", "--type", "x" * 1025, fails=True), "more than 1024 bytes")
    contains(d.domsh("qom-find", "--type", "virtio-net-pci"), "one: /machine", "two: /machine")


@test(emulator=("sim", "qemu"))
def a_property_is_set_only_by_force_and_what_became_of_it_is_told(d):
    machine(d, "one")
    refused = d.domsh("qom", "one", "set", "rtc", "x", "1", fails=True)
    contains(refused, "/machine/peripheral/rtc")
    contains(d.domsh("qom", "one", "set", "net0", "realized", "off", fails=True), "unless it is forced", "out of the machine")
    same(d.domsh("qom", "one", "get", "net0", "realized").strip(), "true")
    contains(d.domsh("qom", "one", "set", "net0", "realzed", "off", fails=True), "did you mean 'realized'?")
    contains(d.domsh("qom", "one", "set", "net0", "mac", "x", "--force", fails=True), "did not take \"x\"")
    contains(d.domsh("qom", "one", "set", "balloon0", "guest-stats-polling-interval", "soon", fails=True), "'soon' is none")
    contains(d.domsh("qom", "one", "set", "balloon0", "guest-stats-polling-interval", "2"), "0 -> 2", "took it")
    change = json.loads(d.domsh("qom-set", "one", "balloon0", "guest-stats-polling-interval", "3", "--json", "--literal"))
    same([(c["sent"], c["before"], c["after"]) for c in change], [(3, 2, 3)])
    contains(d.domsh("qom-set", "one", "balloon0", "guest-stats-polling-interval", "4", readonly=True, fails=True), "read only")


@test()
def a_secret_is_neither_found_nor_exported_nor_set(d):
    key = d.file("key", "c2VjcmV0")
    os.chmod(key, 0o644)
    d.define("one", extra="""<qemu:commandline xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
        <qemu:arg value='-object'/><qemu:arg value='secret,id=s0,data=hush-hush'/></qemu:commandline>""")
    d.virsh("start", "one")
    found = json.loads(d.domsh("qom", "one", "find", "--path", "/objects/s0", "--property", "data", "--json"))
    same(["value" in f for f in found], [False])
    same(d.domsh("qom", "one", "find", "--value", "*hush*").strip(), "")
    contains(d.domsh("qom", "one", "set", "/objects/s0", "data", "x", "--force", fails=True), "secret")
    assert "hush" not in d.domsh("qom", "one", "export")
    for folder, _, names in os.walk(f"{d.root}/cache"):
        for name in names:
            assert "hush" not in open(f"{folder}/{name}", errors="replace").read(), name


@test()
def a_watched_property_is_printed_whenever_it_has_changed(d):
    machine(d, "one")
    watch = d.spawn(DOMSH, "qom", "one", "watch", "balloon0", "guest-stats-polling-interval", "--interval", "100",
                    "--count", "3", "--json")
    first = json.loads(watch.stdout.readline())
    same(first["value"], 0)
    for value in (5, 6):
        d.domsh("qom", "one", "set", "balloon0", "guest-stats-polling-interval", str(value))
        same(json.loads(watch.stdout.readline())["value"], value)
    same(watch.wait(30), 0)
    endless = d.spawn(DOMSH, "qom-watch", "one", "net0", "mac", "--interval", "1000000")
    contains(endless.stdout.readline(), "52:54:00:0a:0b:0c")
    endless.send_signal(signal.SIGINT)
    same(endless.wait(30), 0)
    contains(d.domsh("qom-watch", "one", "net0", "mac", "--interval", "1", fails=True), "--interval")
    before = time.monotonic()
    d.domsh("qom-watch", "one", "net0", "mac", "--timeout", "1")
    assert time.monotonic() - before < 20


@test()
def trees_are_compared_with_the_last_start_with_each_other_and_with_files(d):
    machine(d, "one")
    until(lambda: os.path.exists(f"{d.root}/cache/qom/trees/{d.virsh('domuuid', 'one').strip()}.jsonl"), "the tree is saved")
    same(code(d, "qom", "one", "diff").returncode, 0)
    d.domsh("qom", "one", "export", "--file", f"{d.root}/before.jsonl", "--refresh")
    d.domsh("qom", "one", "set", "balloon0", "guest-stats-polling-interval", "2")
    run = code(d, "qom", "one", "diff")
    same((run.returncode, run.stderr), (1, ""))
    contains(run.stdout, "--- one@start", "~ /machine/peripheral/balloon0 guest-stats-polling-interval: 0 -> 2")
    same(run.stdout, code(d, "qom-diff", "one@start", "one").stdout)
    run = code(d, "qom-diff", f"{d.root}/before.jsonl", "one", "--json")
    same(run.returncode, 1)
    same({c["property"] for c in json.loads(run.stdout)}, {"guest-stats-polling-interval"})
    run = code(d, "qom-diff", f"{d.root}/before.jsonl", f"{d.root}/none.jsonl")
    same(run.returncode, 2)
    contains(run.stderr, "none.jsonl")
    same(code(d, "qom-diff", "one", "nobody").returncode, 2)
    same(code(d, "qom-diff").returncode, 2)
    text = d.domsh("qom-export", "one")
    same(len(text.splitlines()) - 1, json.loads(text.splitlines()[0])["objects"])
    d.file("cut.jsonl", "\n".join(text.splitlines()[:-1]) + "\n")
    contains(code(d, "qom-diff", f"{d.root}/cut.jsonl", "one").stderr, "its heading says")


@test()
def the_tree_of_the_last_start_outlives_the_daemon_and_goes_with_the_domain(d):
    machine(d, "one")
    uuid = d.virsh("domuuid", "one").strip()
    saved = f"{d.root}/cache/qom/trees/{uuid}.jsonl"
    until(lambda: os.path.exists(saved), "the tree is saved")
    d.domsh("qom", "one", "set", "balloon0", "guest-stats-polling-interval", "2")
    d.kill()
    d.start()
    run = code(d, "qom", "one", "diff")
    same(run.returncode, 1)
    contains(run.stdout, "guest-stats-polling-interval: 0 -> 2")
    d.virsh("destroy", "one")
    same(code(d, "qom", "one", "diff").returncode, 2)
    d.virsh("start", "one")
    until(lambda: code(d, "qom-diff", "one@previous", "one@start").returncode == 0, "both starts left the same tree")
    d.virsh("destroy", "one")
    same(code(d, "qom-diff", "one@previous", "one@start").returncode, 0)
    d.virsh("undefine", "one")
    same(os.listdir(f"{d.root}/cache/qom/trees"), [])


@test()
def another_device_is_the_only_difference_between_two_domains_apart_from_their_names(d):
    machine(d, "one")
    machine(d, "two", devices="<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>")
    run = code(d, "qom-diff", "one", "two", "--json")
    same(run.returncode, 1)
    added = {c["path"] for c in json.loads(run.stdout) if c["change"] == "object added"}
    contains(" ".join(added), "/machine/peripheral/rng0", "/objects/objrng0")
    same([c for c in json.loads(run.stdout) if c["change"] == "object removed"], [])


def stats(d, name):
    return dict(line.split(": ") for line in d.domsh("qom", name, "--stats").splitlines() if ": " in line)


@test(emulator=("sim", "qemu"))
def after_hot_plug_only_what_changed_is_asked_and_the_tree_is_whole(d):
    machine(d, "one", devices="<controller type='scsi' model='virtio-scsi'/><controller type='usb' model='qemu-xhci'/>")
    d.domsh("qom", "one")
    whole = int(stats(d, "one")["request_bytes"])
    disk = d.file("disk.xml", d.disk_xml(d.disk("more.img"), target="sda", bus="scsi"))
    tablet = d.file("tablet.xml", "<input type='tablet' bus='usb'/>")
    for verb, device in (("attach", disk), ("attach", tablet), ("detach", tablet), ("detach", disk)):
        d.virsh(f"{verb}-device", "one", device, "--live")
        found = stats(d, "one")
        same(found["plan"], "changes", f"{verb} {device}")
        assert int(found["request_bytes"]) * 5 < whole, f"{found} of {whole}"
        d.domsh("qom-export", "one", "--file", f"{d.root}/kept.jsonl")
        run = code(d, "qom-diff", f"{d.root}/kept.jsonl", "one")
        same((run.returncode, run.stdout, run.stderr), (0, "", ""), f"{verb} {device}")
    d.domsh("qom", "one", "set", "balloon0", "guest-stats-polling-interval", "9")
    same(stats(d, "one")["plan"], "changes")
    found = json.loads(d.domsh("qom", "one", "find", "--property", "guest-stats-polling-interval", "--json"))
    same([f["value"] for f in found], [9, 9])


def settings(device):
    return {x["name"]: (x.get("asked"), x.get("effective"), x["agreement"]) for x in device["settings"]}


@test(emulator=("sim", "qemu"))
def a_device_shows_what_it_was_asked_to_be_beside_what_it_is(d):
    modes = {"none": (True, False, True), "writeback": (False, False, True), "writethrough": (False, False, False),
             "directsync": (True, False, False), "unsafe": (False, True, True)}
    disks = "".join(d.disk_xml(d.disk(f"{mode}.img"), target=f"vd{letter}", cache=mode) for letter, mode in zip("bcdef", modes))
    machine(d, "one", devices=disks + "<serial type='pty'/><input type='tablet' bus='usb'/>"
            "<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>")
    listed = {x["alias"]: x for x in json.loads(d.domsh("device", "one", "--json"))}
    same({a: x["kind"] for a, x in listed.items() if x["kind"] in ("disk", "interface", "rng", "serial", "memballoon")},
         {**{f"virtio-disk{n}": "disk" for n in range(6)}, "net0": "interface", "rng0": "rng", "serial0": "serial",
          "balloon0": "memballoon"})
    same(listed["input0"]["address"], "usb.0 port 1")
    same(listed["net0"]["backend"], "netdev hostnet0 (user)")
    contains(d.domsh("device", "one"), "virtio-disk0", "pci.0 0", "chardev charserial0 (pty)", "rng-random, /dev/urandom")
    for n, (mode, switches) in enumerate(modes.items(), 1):
        [disk] = json.loads(d.domsh("device", "one", f"virtio-disk{n}", "--json"))
        same(disk["path"], f"/machine/peripheral/virtio-disk{n}")
        found = settings(disk)
        same(found["cache"], (mode, mode, "agrees"), mode)
        same(tuple(found[f"cache.{key}"][1] for key in ("direct", "no-flush", "write-cache")), switches, mode)
        same([name for name, x in found.items() if x[2] == "differs"], [], mode)
        same(found["file"][1], f"{d.root}/{mode}.img")
    [card] = json.loads(d.domsh("device", "one", "net0", "--json"))
    same(settings(card)["mac"], ("52:54:00:0a:0b:0c",) * 2 + ("agrees",))
    [port] = json.loads(d.domsh("device", "one", "serial0", "--json"))
    contains(settings(port)["chardev.filename"][1], "pty:/dev/pts/")
    contains(d.domsh("device", "one", "virtio-dsk0", fails=True), "did you mean 'virtio-disk0'?")
    d.domsh("qom", "one", "set", "virtio-disk0", "bootindex", "9", "--force")
    contains(d.domsh("device", "one", "virtio-disk0", "--refresh"), "differs")


@test(emulator=("sim", "qemu"))
def the_processors_features_are_told_as_asked_and_as_they_are(d):
    d.define("one", extra="<cpu mode='custom' match='exact' check='none'><model fallback='forbid'>Haswell</model>"
             "<feature policy='require' name='aes'/><feature policy='disable' name='avx2'/></cpu>")
    d.virsh("start", "one")
    d.domsh("qom", "one")
    before = d.domsh("qom", "one", "--stats")
    found = {f["feature"]: (f["asked"], f["state"]) for f in json.loads(d.domsh("cpu-features", "one", "--json"))}
    same((found["aes"], found["avx2"], found["pni"]), (("on", "enabled"), ("off", "disabled"), ("-", "enabled")))
    same(found["tsc-deadline"], ("-", "unavailable"), "what TCG cannot give")
    same([name for name in found if name in ("realized", "enforce", "sse3", "sse4_1", "l3-cache")], [])
    unavailable = {f["feature"] for f in json.loads(d.domsh("cpu-features", "one", "--unavailable", "--json"))}
    path = json.loads(d.domsh("qom", "one", "find", "--property", "unavailable-features", "--json"))[0]["value"]
    same(unavailable, set(path))
    contains(d.domsh("cpu-features", "one"), "Model: Haswell (Haswell-x86_64-cpu)")
    same(d.domsh("qom", "one", "--stats"), before, "the tree was not pulled again")


@test()
def the_example_client_speaks_our_program_with_nothing_but_sockets(d):
    machine(d, "one")
    def example(*words):
        return subprocess.run([f"{SOURCE}/examples/tree.py", d.socket(), *words], text=True, capture_output=True, timeout=60,
                              check=False)
    same(example("one", "find", "virtio-*-pci", "mac").stdout, "/machine/peripheral/net0\tmac\t52:54:00:0a:0b:0c\n")
    contains(example("one").stdout, "virtio-disk0\tvirtio-blk-pci\tpci.0 0")
    contains(example("one", "device", "virtio-disk0").stdout, '\tcache\t"none"\t"none"\n')
    same((example("one", "drift").returncode, example("one", "drift").stdout), (0, ""))
    qmp(d, "one", "device_add", driver="virtio-rng-pci", id="behind")
    run = example("one", "drift")
    same((run.returncode, run.stdout), (1, "added\tdevice 'behind'\t-\t-\t-\n"))
    contains(example("nobody", "drift").stderr, "error 42: ")
    same(example("one", "paint").returncode, 1)


@test()
def verbs_devices_objects_and_properties_are_completed(d):
    machine(d, "one")
    def completed(line):
        return d.domsh("--complete", line).split()
    same(completed("qom one fi"), ["find"])
    same(completed("qom one n"), ["net0"])
    same(completed("qom o"), ["one"])
    same(completed("qom one get /machine/peripheral/n"), ["/machine/peripheral/net0"])
    same(completed("qom-get one /ma"), ["/machine"])
    same(completed("qom one get net0 ma"), ["mac"])
    same(completed("device one virtio-d"), ["virtio-disk0"])
    same(completed("qom one watch net0 mac --int"), ["--interval"])
    same(completed("destroy one o"), [], "one domain is enough")
    same(completed("device nobody v"), [])


def drifts(d, name):
    run = code(d, "drift", name, "--json")
    found = json.loads(run.stdout)
    same((run.returncode, run.stderr), (1 if found else 0, ""))
    return found


def qmp(d, name, command, **arguments):
    reply = json.loads(d.virsh("qemu-monitor-command", name, json.dumps({"execute": command, "arguments": arguments})))
    same(reply.get("error"), None, command)


@test(emulator=("sim", "qemu"))
def what_was_changed_behind_our_back_is_told_as_drift(d):
    machine(d, "one", devices="<controller type='scsi' model='virtio-scsi'/>")
    same(drifts(d, "one"), [])
    contains(d.domsh("drift", "one"), "no drift: ")
    qmp(d, "one", "device_add", driver="virtio-rng-pci", id="behind")
    contains(d.domsh("device", "one"), "behind", "virtio-rng-pci")
    qmp(d, "one", "device_add", driver="usb-kbd")
    qmp(d, "one", "object-add", **{"qom-type": "iothread", "id": "io9"})
    d.domsh("qom", "one", "set", "virtio-disk0", "bootindex", "7", "--force")
    same([(x["kind"], x.get("alias"), x.get("type"), x.get("property"), x.get("asked"), x.get("effective")) for x in drifts(d, "one")],
         [("property", "virtio-disk0", "virtio-blk-pci", "bootindex", 1, 7), ("added", "behind", "virtio-rng-pci", None, None, None),
          ("added", "io9", "iothread", None, None, None), ("added", None, "usb-kbd", None, None, None)])
    run = code(d, "drift", "one")
    same(run.returncode, 1)
    contains(run.stdout, "~ disk 'vda': bootindex is 7, asked was 1", "+ device 'behind' (virtio-rng-pci) is there")
    same(code(d, "drift", "nobody").returncode, 2)


@test(emulator=("sim", "qemu"))
def devices_that_the_xml_gives_by_hand_are_no_drift(d):
    words = ["-device", "virtio-serial-pci,addr=0x1d", "-device", "virtio-rng-pci,id=byhand,addr=0x1e",
             "-device", "virtio-balloon,addr=0x1f", "-object", "iothread,id=mine"]
    d.define("one", devices="<memballoon model='none'/><controller type='usb' model='qemu-xhci'/>",
             extra="<qemu:commandline xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>" +
             "".join(f"<qemu:arg value='{w}'/>" for w in words) + "</qemu:commandline>")
    d.virsh("start", "one")
    same(drifts(d, "one"), [])
    same([x["description"] for x in json.loads(d.domsh("device", "one", "--json")) if x["alias"] == "byhand"],
         ["device of the command line"])
    qmp(d, "one", "device_add", driver="usb-kbd")
    same([(x["kind"], x["type"]) for x in drifts(d, "one")], [("added", "usb-kbd")])


@test()
def devices_that_are_plugged_and_unplugged_properly_are_no_drift(d):
    machine(d, "one")
    card = d.file("card.xml", CARD.replace("0c", "0d"))
    disk = d.file("disk.xml", d.disk_xml(d.disk("more.img"), target="vdb", cache="writethrough"))
    for device in (card, disk):
        d.virsh("attach-device", "one", device, "--live")
    same(drifts(d, "one"), [])
    d.kill()
    d.start()
    same(drifts(d, "one"), [])
    for device in (card, disk):
        d.virsh("detach-device", "one", device, "--live")
    same(drifts(d, "one"), [])


@test(emulator="qemu")
def processors_memory_media_and_links_that_are_changed_properly_are_no_drift(d):
    d.define("one", devices=d.disk_xml(d.disk("a.iso"), target="sda", bus="sata").replace("'disk'", "'cdrom'") + CARD +
             d.disk_xml(d.disk("b.img")), machine="q35", extra="<features><acpi/></features><iothreads>1</iothreads>")
    d.domsh("setvcpus", "one", "4", "--maximum", "--config")
    d.virsh("start", "one")
    for words in (["setvcpus", "one", "3", "--live"], ["iothreadadd", "one", "2", "--live"], ["setmem", "one", "24M", "--live"],
                  ["change-media", "one", "sda", d.disk("c.iso"), "--live", "--update"],
                  ["change-media", "one", "sda", "--eject", "--live"], ["domif-setlink", "one", "52:54:00:0a:0b:0c", "down"],
                  ["blkdeviotune", "one", "vda", "--total-iops-sec", "100", "--live"]):
        d.virsh(*words)
        same(drifts(d, "one"), [], " ".join(words))
    same([x["kind"] for x in json.loads(d.domsh("device", "one", "--json")) if x["alias"].startswith("vcpu")], ["vcpu"] * 2)


@test()
def a_guest_that_ends_while_it_is_asked_ends_the_question(d):
    for command, words in (("qom-list-getv", ["drift", "one"]), ("query-block", ["device", "one", "net0"]),
                           ("qom-list", ["qom", "one", "set", "net0", "mac", "x", "--force"])):
        machine(d, f"one-{command}")
        words = [f"one-{command}" if w == "one" else w for w in words]
        d.domsh("qom", words[1])
        d.domsh("inject", f"one-{command}", f"delay={command}:1:20000")
        child = d.spawn_connected(DOMSH, *words)
        d.virsh("destroy", f"one-{command}")
        same(child.wait(15) != 0, True, f"{words} fails")
        contains(child.stdout.read(), "error: ")
    contains(d.virsh("list", "--all"), "shut off")


def examples(d, folder, names):
    """Starts each, with images of its own."""
    started = []
    for name in names:
        text = open(f"{SOURCE}/{folder}/{name}.xml").read().replace("type='kvm'", "type='qemu'")
        text = re.sub(r"<source dev='(/dev/vg/[^']*)'", r"<source file='\1'", text.replace("type='block'", "type='file'"))
        for image in set(re.findall(r"<source file='(/[^']+)'", text)):
            text = text.replace(f"'{image}'", "'" + d.disk(os.path.basename(image)) + "'")
        text = re.sub(r"type='qcow2'", "type='raw'", text)
        d.virsh("define", d.file("x.xml", text))
        domain = re.search("<name>(.*)</name>", text)[1]
        if code(d, "start", domain).returncode == 0:
            started.append(name)
            same(drifts(d, domain), [], f"drift of {name}")
            d.virsh("destroy", domain)
        code(d, "undefine", domain, "--nvram")
    return started


@test(emulator=("sim", "qemu"))
def a_fresh_start_of_each_example_has_no_drift(d):
    names = sorted(name[:-4] for name in os.listdir(f"{SOURCE}/examples") if name.endswith(".xml"))
    started = examples(d, "examples", names)
    assert len(started) >= 8, started


@test(config={"override_emulator": "sim"})
def a_fresh_start_of_domains_with_many_kinds_of_devices_has_no_drift(d):
    names = sorted(name[:-4] for name in os.listdir(f"{SOURCE}/tests/golden/args") if name.endswith(".xml"))
    started = examples(d, "tests/golden/args", names)
    assert len(started) >= 5, started


main()

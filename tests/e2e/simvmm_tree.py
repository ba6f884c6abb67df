#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""simvmm's command line and tree against what was measured of QEMU, and against what we know of it ourselves."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys

from harness import SHARED, SIMVMM, SOURCE, Failed, Skip, main, same, test

sys.path.insert(0, f"{SOURCE}/simvmm")
from emulator import Emulator   # noqa: E402

_spec = importlib.util.spec_from_loader("compare", importlib.machinery.SourceFileLoader("compare", f"{SOURCE}/simvmm/compare"))
compare = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(compare)

PLAIN = ["-M", "pc", "-m", "128", "-S", "-nodefaults", "-no-user-config", "-display", "none"]


def fixture(machine, version):
    """The command line and the tree that were recorded of a QEMU."""
    path = f"{SHARED}/facts/qemu/fixtures/qom-{machine}-{version}.json"
    if not os.path.exists(path):
        raise Skip(f"no {path} (DOMUS_SHARED says where)")
    recorded = json.load(open(path))
    tree = {}
    for node in recorded["nodes"]:
        tree[node["path"]] = [tuple(p) if len(p) == 3 or not p[1].startswith("child<") else (*p, compare_join(node["path"], p[0]))
                              for p in node["props"]]
    return recorded["argv"][1:], tree


def compare_join(path, name):
    return (path if path != "/" else "") + "/" + name


def own_line(d, argv, modern):
    """The recorded command line with our files, and without its monitor."""
    image = d.disk("qq.img", "64M")
    words, skip = [], False
    for word, following in zip(argv, [*argv[1:], ""]):
        monitor = word in ("-chardev", "-object", "-mon", "-qmp") and ("charmonitor" in following or "monitor" in following)
        if not skip and not monitor:
            words.append(word.replace("/tmp/qq.img", image))
        skip = monitor
    return words


def check_fixture(d, machine, version):
    argv, wanted = fixture(machine, version)
    modern = version.startswith("11")
    emulator = Emulator([SIMVMM, "-sim", f"qemu={version}"], own_line(d, argv, modern), modern)
    got = emulator.tree()
    emulator.quit()
    wanted_nodes, wanted_values = compare.normal(wanted)
    nodes, values = compare.normal(got)
    same(sorted(set(wanted_nodes.items()) ^ set(nodes.items())), [], "objects that only one has")
    same(sorted(set(wanted_values.items()) ^ set(values.items())), [], "properties that only one has")


@test(daemon=False)
def the_pc_of_qemu_11_1_is_the_recorded_one(d):
    check_fixture(d, "pc", "11.1")


@test(daemon=False)
def the_pc_of_qemu_7_2_is_the_recorded_one(d):
    check_fixture(d, "pc", "7.2")


@test(daemon=False)
def the_q35_of_qemu_11_1_is_the_recorded_one(d):
    check_fixture(d, "q35", "11.1")


@test(daemon=False)
def all_ways_to_read_the_tree_give_the_same(d):
    words = [*PLAIN, "-device", "virtio-balloon-pci,id=b0", "-device", "VGA"]
    emulator = Emulator([SIMVMM, "-sim", "qom=tree"], words)
    bulk, single = emulator.tree(bulk=True), emulator.tree(bulk=False)
    if sorted(bulk) != sorted(single):
        raise Failed("the objects differ")
    for path in bulk:
        same([p for p in bulk[path] if "struct tm" not in p], [p for p in single[path] if "struct tm" not in p], path)
    found = {}

    def walk(node, path):
        found[path] = {p["name"] for p in node["properties"]}
        for child in node["children"]:
            walk(child, compare_join(path, child["name"]))
    walk(emulator.call("qom-tree-get", {"path": "/"}), "/")
    emulator.quit()
    same(sorted(found), sorted(bulk), "paths of qom-tree-get")
    for path, properties in bulk.items():
        same(found[path], {p[0] for p in properties if not p[1].startswith("child<")}, path)


@test(daemon=False)
def two_of_the_same_command_line_answer_the_same_bytes(d):
    replies = []
    for _ in range(2):
        emulator = Emulator([SIMVMM], [*PLAIN, "-smp", "2", "-device", "VGA,id=v", "-device", "virtio-serial-pci"])
        paths = [p for p in emulator.tree() if not p.startswith("/chardevs/") and p != "/machine" and not p.endswith("/rtc")]
        emulator.send("qom-list-getv", {"paths": paths})
        replies.append(emulator.lines.readline())
        emulator.quit()
    if replies[0] != replies[1]:
        raise Failed("the replies differ")


# What QEMU 11.1.3 said to the same lines; the program's name apart.
REFUSED = """
-nope => -nope: invalid option
-m => -m: requires an argument
-m 128,slots=2 => slots specified but no max-size
-smp 4,maxcpus=2 => Invalid CPU topology: maxcpus must be equal to or greater than smp: sockets (1) * dies (1) * modules (1) * cores (2) * threads (1) == maxcpus (2) < smp_cpus (4)
-smp 2,sockets=3 => Invalid CPU topology: product of the hierarchy must match maxcpus: sockets (3) * dies (1) * modules (1) * cores (0) * threads (1) != maxcpus (2)
-smp 300 => Invalid SMP CPUs 300. The max CPUs supported by machine 'pc-i440fx-11.1' is 255
-cpu nope => unable to find CPU model 'nope'
-cpu qemu64,+foo => Property 'qemu64-x86_64-cpu.foo' not found
-M nope => unsupported machine type: "nope"|Use -machine help to list supported machines
-M pc,foo=bar => Property 'pc-i440fx-11.1-machine.foo' not found
-M pc,usb=maybe => Parameter 'usb' expects 'on' or 'off'
-M pc,memory-backend=zz => Memory backend 'zz' not found
-accel nope => -accel nope: invalid accelerator nope
-uuid zz => -uuid zz: failed to parse UUID string: wrong format
-name a,b=c => -name a,b=c: Invalid parameter 'b'
-boot q => Invalid boot device 'q'
-no-hpet => -no-hpet: invalid option
-chardev zz,id=a => -chardev zz,id=a: 'zz' is not a valid char driver name
-chardev null => -chardev null: chardev: no id specified
-chardev null,id=a,foo=1 => -chardev null,id=a,foo=1: Invalid parameter 'foo'
-chardev socket,id=a,path=/nodir/x,server=on,wait=off => -chardev socket,id=a,path=/nodir/x,server=on,wait=off: Failed to bind socket to /nodir/x: No such file or directory
-chardev socket,id=a,fd=99,server=on => -chardev socket,id=a,fd=99,server=on: File descriptor '99' is not a socket
-object nope,id=a => -object nope,id=a: Parameter 'qom-type' does not accept value 'nope'
-object memory-backend-ram,id=a => -object memory-backend-ram,id=a: Parameter 'size' is missing
-object monitor-qmp,id=m,chardev=zz => chardev "zz" not found
-netdev zz,id=a => -netdev zz,id=a: Parameter 'type' does not accept value 'zz'
-netdev user => -netdev user: Parameter 'id' is missing
-blockdev driver=file,node-name=x,filename=/nope => -blockdev driver=file,node-name=x,filename=/nope: Could not open '/nope': No such file or directory
-blockdev driver=raw,node-name=x,file=zz => -blockdev driver=raw,node-name=x,file=zz: Cannot find device='zz' nor node-name='zz'
-blockdev {"driver":"file","node-name":"y","filename":"/tmp","cache":{"direct":"x"}} => -blockdev {"driver":"file","node-name":"y","filename":"/tmp","cache":{"direct":"x"}}: Invalid parameter type for 'cache.direct', expected: boolean
-device nope => -device nope: 'nope' is not a valid device model name
-device {"driver": => -device {"driver":: 1:11: JSON parse error, premature end of input
-device virtio-balloon-pci,bus=isa.0 => -device virtio-balloon-pci,bus=isa.0: Device 'virtio-balloon-pci' can't go on ISA bus
-device virtio-balloon-pci,addr=1.0 => -device virtio-balloon-pci,addr=1.0: PCI: slot 1 function 0 not available for virtio-balloon-pci, in use by PIIX3,id=(null)
-device virtio-balloon-pci,disable-legacy=zz => -device virtio-balloon-pci,disable-legacy=zz: Parameter 'disable-legacy' does not accept value 'zz'
-device {"driver":"virtio-balloon-pci","deflate-on-oom":"on"} => -device {"driver":"virtio-balloon-pci","deflate-on-oom":"on"}: Invalid parameter type for 'deflate-on-oom', expected: boolean
-device virtio-net-pci,netdev=zz => -device virtio-net-pci,netdev=zz: Property 'virtio-net-device.netdev' can't find value 'zz'
-device virtio-blk-pci => -device virtio-blk-pci: drive property not set
-device usb-tablet => -device usb-tablet: No 'usb-bus' bus found for device 'usb-tablet'
-drive if=zz => -drive if=zz: unsupported bus type 'zz'
-kernel /nope => qemu: could not open kernel file '/nope': No such file or directory
-vnc unix:/nodir/x => -vnc unix:/nodir/x: Failed to bind socket to /nodir/x: No such file or directory
-pidfile /nodir/x => cannot create PID file: Could not create '/nodir/x': No such file or directory
-sandbox on,foo=1 => -sandbox on,foo=1: Invalid parameter 'foo'
"""


@test(daemon=False)
def what_qemu_refuses_is_refused_in_its_words(d):
    for line in REFUSED.strip().split("\n"):
        words, said = line.split(" => ")
        run = subprocess.run([SIMVMM, *PLAIN, *words.split(" ")], capture_output=True, text=True, timeout=60, check=False)
        prefix = "" if said.startswith("qemu: ") else "simvmm: "
        same((run.returncode, run.stdout, run.stderr), (1, "", prefix + said.replace("|", "\n") + "\n"), words)


@test(daemon=False)
def errors_have_the_time_if_asked_for(d):
    run = subprocess.run([SIMVMM, "-msg", "timestamp=on", "-device", "nope"], capture_output=True, text=True, timeout=60, check=False)
    if not run.stderr[:28].replace("-", "").replace(":", "").replace(".", "")[:8].isdigit() or "Z simvmm: " not in run.stderr:
        raise Failed(run.stderr)


main()

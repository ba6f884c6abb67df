#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""simvmm's back ends: character devices that come, change and go, passed descriptors, memory dumps, the schema."""
import json
import os
import socket
import subprocess
import tty

from harness import SOURCE, Failed, contains, main, same, test, until
from simvmm import Vmm


def call(c, name, **arguments):
    answer = c.ask(name, **arguments)
    if "error" in answer:
        raise Failed(f"{name}: {answer['error']['desc']}")
    return answer["return"]


def refuses(c, text, name, **arguments):
    same(c.ask(name, **arguments).get("error", {}).get("desc"), text, name)


def unix(path, **more):
    return {"type": "socket", "data": {"addr": {"type": "unix", "data": {"path": path}}, **more}}


def described(c):
    return {entry["label"]: entry["filename"] for entry in call(c, "query-chardev")}


@test(daemon=False)
def a_channel_is_plugged_with_its_back_end_and_unplugged(d):
    c = Vmm(d, "-device", "virtio-serial-pci,id=vs").client()
    pty = call(c, "chardev-add", id="a", backend={"type": "pty", "data": {}})["pty"]
    same(os.path.exists(pty), True, f"{pty} is there")
    refuses(c, "Chardev with id 'a' already exists", "chardev-add", id="a", backend={"type": "null", "data": {}})
    call(c, "device_add", driver="virtconsole", id="p", chardev="a", bus="vs.0")
    refuses(c, "Chardev 'a' is busy", "chardev-remove", id="a")
    call(c, "cont")
    terminal = os.open(pty, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(terminal)
    os.write(terminal, b"hello")
    same(os.read(terminal, 100), b"hello", "the guest's echo")
    os.close(terminal)
    call(c, "device_del", id="p")
    until(lambda: not [p for p in call(c, "qom-list", path="/machine/peripheral") if p["name"] == "p"], "the port is gone")
    call(c, "chardev-remove", id="a")
    same(set(described(c)), {"charmonitor"})


@test(daemon=False)
def a_client_socket_is_connected_again_and_again(d):
    path = f"{d.root}/peer"
    c = Vmm(d).client()
    refuses(c, f"Failed to add chardev 's': Failed to connect to '{path}': No such file or directory",
            "chardev-add", id="s", backend=unix(path, server=False))
    call(c, "chardev-add", id="s", backend=unix(path, **{"server": False, "reconnect-ms": 20}))
    same(described(c)["s"], f"disconnected:unix:{path}")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    listening.settimeout(60)
    for _ in range(2):
        peer, _ = listening.accept()
        until(lambda: described(c)["s"] == f"unix:{path}", "it is connected")
        peer.close()
    refuses(c, "Failed to add chardev 't': 'reconnect' option is incompatible with 'server'",
            "chardev-add", id="t", backend=unix(path + "2", **{"server": True, "wait": False, "reconnect-ms": 20}))


@test(daemon=False)
def what_goes_through_a_back_end_is_kept_where_it_was_told_to(d):
    c = Vmm(d, "-chardev", "ringbuf,id=r,size=8").client()
    call(c, "ringbuf-write", device="r", data="abcdefghij")
    same(call(c, "ringbuf-read", device="r", size=3), "cde")
    call(c, "ringbuf-write", device="r", data="MTI=", format="base64")
    same(call(c, "ringbuf-read", device="r", size=100, format="base64"), "ZmdoaWoxMg==")
    refuses(c, "charmonitor is not a ringbuf device", "ringbuf-read", device="charmonitor", size=1)
    refuses(c, "size must be greater than zero", "ringbuf-read", device="r", size=0)
    refuses(c, "Failed to add chardev 'q': size of ringbuf chardev must be power of two",
            "chardev-add", id="q", backend={"type": "ringbuf", "data": {"size": 100}})
    call(c, "chardev-add", id="l", backend={"type": "ringbuf", "data": {"size": 64, "logfile": f"{d.root}/log"}})
    call(c, "ringbuf-write", device="l", data="logged")
    same(open(f"{d.root}/log").read(), "logged")


@test(daemon=False)
def a_back_end_is_exchanged_for_another(d):
    c = Vmm(d, "-chardev", "null,id=x").client()
    call(c, "chardev-change", id="x", backend={"type": "file", "data": {"out": f"{d.root}/out"}})
    same(described(c)["x"], "file")
    refuses(c, "Chardev 'zz' does not exist", "chardev-change", id="zz", backend={"type": "null", "data": {}})
    refuses(c, "Failed to add chardev 'x': Could not open '/nodir/x': No such file or directory",
            "chardev-change", id="x", backend={"type": "file", "data": {"out": "/nodir/x"}})
    same(described(c)["x"], "file")
    refuses(c, "Parameter 'type' does not accept value 'zz'", "chardev-add", id="y", backend={"type": "zz", "data": {}})


@test(daemon=False)
def passed_descriptors_are_kept_by_name_and_in_sets(d):
    c = Vmm(d).client()
    refuses(c, "No file descriptor supplied via SCM_RIGHTS", "getfd", fdname="f")
    with open(f"{d.root}/file", "w") as file:
        for name, arguments in (("getfd", {"fdname": "f"}), ("add-fd", {"fdset-id": 3, "opaque": "mine"})):
            socket.send_fds(c.socket, [json.dumps({"execute": name, "arguments": arguments}).encode()], [file.fileno()])
            same("return" in json.loads(c.line()), True, name)
    call(c, "closefd", fdname="f")
    refuses(c, "File descriptor named 'f' not found", "closefd", fdname="f")
    listed = call(c, "query-fdsets")
    same([(s["fdset-id"], [m["opaque"] for m in s["fds"]]) for s in listed], [(3, ["mine"])])
    call(c, "chardev-add", id="x", backend={"type": "file", "data": {"out": "/dev/fdset/3", "append": True}})
    call(c, "remove-fd", **{"fdset-id": 3})
    same(call(c, "query-fdsets"), [])


@test(daemon=False)
def memory_is_dumped_as_elf_and_as_kdump(d):
    c = Vmm(d).client()
    call(c, "dump-guest-memory", paging=False, protocol=f"file:{d.root}/core")
    same(call(c, "query-dump")["status"], "completed")
    run = subprocess.run(["readelf", "-hln", f"{d.root}/core"], capture_output=True, text=True, check=True)
    contains(run.stdout, "CORE (Core file)", "NT_PRSTATUS", "0x00000000fffc0000")
    same(run.stderr, "")
    same(os.path.getsize(f"{d.root}/core") > 128 << 20, True, "the memory is in it")
    call(c, "cont")
    call(c, "dump-guest-memory", paging=False, protocol=f"file:{d.root}/kdump", detach=True, format="kdump-zlib")
    contains(c.lines_until("DUMP_COMPLETED")[-1], '"status": "completed"')
    same(open(f"{d.root}/kdump", "rb").read(12), b"makedumpfile")
    same(call(c, "query-status")["status"], "running", "what the guest does afterwards")
    refuses(c, "kdump-snappy is not available now", "dump-guest-memory", paging=False, protocol="file:/x", format="kdump-snappy")
    refuses(c, "parameter 'protocol' must start with 'file:' or 'fd:'", "dump-guest-memory", paging=False, protocol="x")


def schema(text):
    return {entry["name"]: entry for entry in text}


@test(daemon=False)
def the_schema_is_a_true_part_of_qemus_and_what_is_missing_is_listed(d):
    for version in ("11.1", "7.2"):
        c = Vmm(d, "-sim", f"qemu={version},qom={'get' if version == '11.1' else 'none'}").client()
        ours = schema(call(c, "query-qmp-schema"))
        line = next(li for li in open(f"{SOURCE}/simvmm/data/{version}.replies") if li.startswith("reply\tquery-qmp-schema\t"))
        theirs = schema(json.loads(line.split("\t")[2]))
        same(sorted(set(ours) - set(theirs)), [], "entities that QEMU has not")
        for name, entry in ours.items():
            for key in ("arg-type", "ret-type", "element-type"):
                if key in entry and entry[key] not in ours:
                    raise Failed(f"{name}: {key} is not described")
            members = [m.get("name") for m in entry.get("members", [])]
            same([m for m in members if m not in [t.get("name") for t in theirs[name].get("members", [])]], [], name)
        listed = [entry["name"] for entry in call(c, "query-commands")]
        commands = set(listed)
        same(sorted(n for n in commands if listed.count(n) > 1), [], "commands that are there twice")
        same({n for n, e in ours.items() if e["meta-type"] == "command"}, commands, "commands")
        missing = sorted(n for n, e in theirs.items() if e["meta-type"] in ("command", "event") and n not in ours)
        print(f"# of QEMU {version}'s commands and events simvmm has not: {' '.join(missing)}")
        call(c, "quit")


main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What simvmm does with disks: jobs and their events, chains, and images that qemu-img finds whole."""
import json
import os
import shutil
import socket
import struct
import subprocess

from harness import SIMVMM, Failed, main, same, test, until

HAS_QEMU_IMG = shutil.which("qemu-img") is not None


class Vmm:
    """A simvmm and a client, that keeps the events."""

    def __init__(self, d, *options):
        path = f"{d.root}/monitor"
        words = [SIMVMM, "-M", "pc", "-S", "-nodefaults", "-display", "none", *options, "-qmp", f"unix:{path},server=on,wait=off"]
        self.root = d.root
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        d.children.append(self.process)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        until(lambda: self.process.poll() is not None or self.connects(path), "the monitor listens")
        self.lines = self.socket.makefile("rb")
        self.events = []
        self.message()
        self.ask("qmp_capabilities")

    def connects(self, path):
        try:
            self.socket.connect(path)
            return True
        except (FileNotFoundError, ConnectionRefusedError):
            return False

    def message(self):
        line = self.lines.readline()
        if not line:
            raise Failed(f"simvmm closed the monitor, with {self.process.wait(30)}")
        return json.loads(line)

    def reply(self, command, **arguments):
        text = json.dumps({"execute": command, "arguments": {k if "throttle" in command else k.replace("_", "-"): v for k, v in arguments.items()}})
        self.socket.sendall(text.encode())
        while True:
            message = self.message()
            if "event" not in message:
                return message
            self.note(message)

    def note(self, message):
        data = message.get("data", {})
        self.events.append(data["status"] if message["event"] == "JOB_STATUS_CHANGE" else message["event"])

    def ask(self, command, **arguments):
        answer = self.reply(command, **arguments)
        if "error" in answer:
            raise Failed(f"{command}: {answer['error']['desc']}")
        return answer["return"]

    def refused(self, command, **arguments):
        return self.reply(command, **arguments).get("error", {}).get("desc", "it was not refused")

    def until(self, word):
        """The events up to that one; they are then forgotten."""
        while word not in self.events:
            self.note(self.message())
        events, self.events = self.events, []
        return events

    def add(self, name, file, **more):
        """A qcow2 node and the file below it."""
        self.ask("blockdev-add", driver="file", node_name=f"{name}-file", filename=f"{self.root}/{file}")
        self.ask("blockdev-add", driver="qcow2", node_name=name, file=f"{name}-file", **more)

    def create(self, file, **more):
        """A new image, by two jobs."""
        path, node = f"{self.root}/{file}", f"{file.split('.')[0]}-file"
        self.ask("blockdev-create", job_id="f", options={"driver": "file", "filename": path, "size": 0})
        self.until("concluded")
        self.ask("blockdev-add", driver="file", node_name=node, filename=path)
        self.ask("blockdev-create", job_id="q", options={"driver": "qcow2", "file": node, "size": 4 << 20, **more})
        events = self.until("concluded")
        for job in ("f", "q"):
            self.ask("job-dismiss", id=job)
        self.until("null")
        self.ask("blockdev-del", node_name=node)
        return events

    def check(self, file):
        if HAS_QEMU_IMG:
            done = subprocess.run(["qemu-img", "check", "-U", f"{self.root}/{file}"], capture_output=True, text=True, timeout=60)
            same(done.returncode, 0, f"qemu-img check {file}: {done.stdout}{done.stderr}")

    def chain(self):
        """The files from the device's disk down."""
        image = self.ask("query-block")[0]["inserted"]["image"]
        files = []
        while image:
            name = image["filename"]
            name = json.loads(name[5:])["file"]["filename"] if name.startswith("json:") else name
            files.append(os.path.basename(name))
            image = image.get("backing-image")
        return files


def three_deep(d):
    """base <- mid <- top, and a device on top."""
    vmm = Vmm(d)
    vmm.create("base.qcow2")
    for file, below in (("mid", "base"), ("top", "mid")):
        vmm.create(f"{file}.qcow2", **{"backing-file": f"{d.root}/{below}.qcow2", "backing-fmt": "qcow2"})
    vmm.add("base", "base.qcow2", read_only=True)
    vmm.add("mid", "mid.qcow2", read_only=True, backing="base")
    vmm.add("top", "top.qcow2", backing="mid")
    vmm.ask("device_add", driver="virtio-blk-pci", id="disk0", drive="top")
    return vmm


@test(daemon=False)
def an_image_is_made_by_a_job_and_is_whole(d):
    vmm = Vmm(d)
    same(vmm.create("a.qcow2"), ["created", "running", "waiting", "pending", "concluded"])
    vmm.check("a.qcow2")
    vmm.add("a", "a.qcow2")
    same(vmm.ask("query-named-block-nodes")[0]["image"]["virtual-size"], 4 << 20)


@test(daemon=False)
def a_chain_is_shown_and_grows_by_a_snapshot(d):
    vmm = three_deep(d)
    same(vmm.chain(), ["top.qcow2", "mid.qcow2", "base.qcow2"])
    vmm.ask("blockdev-snapshot-sync", node_name="top", snapshot_file=f"{d.root}/new.qcow2", snapshot_node_name="new")
    same(vmm.chain(), ["new.qcow2", "top.qcow2", "mid.qcow2", "base.qcow2"])
    vmm.check("new.qcow2")
    same(vmm.refused("blockdev-del", node_name="top"), "Node 'top' is busy: node is used as backing hd of 'new'")


@test(daemon=False)
def a_commit_waits_until_it_is_told_and_then_the_base_is_the_disk(d):
    vmm = three_deep(d)
    vmm.ask("block-commit", job_id="c", device="top", top_node="top", base_node="base", auto_dismiss=False)
    same(vmm.until("BLOCK_JOB_READY"), ["created", "running", "ready", "BLOCK_JOB_READY"])
    same(vmm.refused("blockdev-del", node_name="base"), "Node 'base' is busy: node is used as backing hd of 'mid'")
    vmm.ask("job-complete", id="c")
    same(vmm.until("concluded"), ["waiting", "pending", "BLOCK_JOB_COMPLETED", "concluded"])
    same(vmm.chain(), ["base.qcow2"])
    vmm.ask("job-dismiss", id="c")
    for node in ("top", "top-file", "mid", "mid-file"):
        vmm.ask("blockdev-del", node_name=node)
    vmm.check("base.qcow2")


@test(daemon=False)
def a_stream_makes_the_chain_shorter(d):
    vmm = three_deep(d)
    vmm.ask("block-stream", job_id="s", device="top", base_node="base")
    same(vmm.until("null"), ["created", "running", "waiting", "pending", "BLOCK_JOB_COMPLETED", "concluded", "null"])
    same(vmm.chain(), ["top.qcow2", "base.qcow2"])
    vmm.check("top.qcow2")


@test(daemon=False)
def a_slow_backup_can_be_paused_and_cancelled(d):
    vmm = three_deep(d)
    vmm.create("copy.qcow2")
    vmm.add("copy", "copy.qcow2")
    vmm.ask("blockdev-backup", job_id="b", device="top", target="copy", sync="full", speed=65536)
    same(vmm.ask("query-block-jobs")[0]["status"], "running")
    vmm.events.clear()
    vmm.ask("job-pause", id="b")
    vmm.ask("job-resume", id="b")
    vmm.ask("block-job-cancel", device="b")
    same(vmm.events, ["paused", "running", "aborting", "BLOCK_JOB_CANCELLED", "concluded", "null"])
    same(vmm.ask("query-jobs"), [])


@test(daemon=False)
def a_transaction_that_fails_leaves_nothing(d):
    vmm = three_deep(d)
    actions = [{"type": "block-dirty-bitmap-add", "data": {"node": "top", "name": "b"}},
               {"type": "blockdev-snapshot-sync", "data": {"node-name": "top", "snapshot-file": f"{d.root}/n.qcow2",
                                                           "snapshot-node-name": "n"}},
               {"type": "abort", "data": {}}]
    same(vmm.refused("transaction", actions=actions), "Transaction aborted using Abort action")
    same(vmm.chain(), ["top.qcow2", "mid.qcow2", "base.qcow2"])
    same([n["node-name"] for n in vmm.ask("query-named-block-nodes") if "dirty-bitmaps" in n or n["node-name"] == "n"], [])
    vmm.ask("transaction", actions=actions[:2])
    same(vmm.chain()[0], "n.qcow2")


@test(daemon=False)
def a_disk_is_made_larger_and_its_image_as_well(d):
    vmm = three_deep(d)
    vmm.ask("block_resize", node_name="top", size=8 << 20)
    same(vmm.ask("query-block")[0]["inserted"]["image"]["virtual-size"], 8 << 20)
    vmm.check("top.qcow2")


@test(daemon=False)
def a_tray_opens_takes_a_medium_and_closes(d):
    with open(f"{d.root}/a.iso", "wb") as f:
        f.truncate(1 << 20)
    vmm = Vmm(d, "-device", "ide-cd,id=cd0")
    vmm.ask("blockdev-add", driver="file", node_name="a", filename=f"{d.root}/a.iso", read_only=True)
    same(vmm.refused("blockdev-insert-medium", id="cd0", node_name="a"), "Tray of the device is not open")
    vmm.ask("blockdev-open-tray", id="cd0")
    vmm.ask("blockdev-insert-medium", id="cd0", node_name="a")
    vmm.ask("blockdev-close-tray", id="cd0")
    same(vmm.events, ["DEVICE_TRAY_MOVED", "DEVICE_TRAY_MOVED"])
    drive = vmm.ask("query-block")[0]
    same((drive["inserted"]["node-name"], drive["tray_open"]), ("a", False))
    vmm.ask("eject", id="cd0")
    drive = vmm.ask("query-block")[0]
    same(("inserted" in drive, drive["tray_open"]), (False, True))


@test(daemon=False)
def limits_of_a_group_are_shown_and_wrong_ones_refused(d):
    vmm = three_deep(d)
    disk = "/machine/peripheral/disk0/virtio-backend"
    plain = {"bps_rd": 0, "bps_wr": 0, "iops_rd": 0, "iops_wr": 0}
    vmm.ask("block_set_io_throttle", id=disk, bps=0, iops=100, group="slow", **plain)
    inserted = vmm.ask("query-block")[0]["inserted"]
    same((inserted["iops"], inserted["group"]), (100, "slow"))
    same(vmm.refused("block_set_io_throttle", id=disk, bps=-1, iops=0, **plain),
         "bps/iops/max values must be within [0, 1000000000000000]")


@test(daemon=False)
def the_whole_machine_is_saved_and_gone_back_to(d):
    vmm = three_deep(d)
    vmm.ask("cont")
    vmm.events.clear()
    disks = {"vmstate": "top", "devices": ["top"]}
    vmm.ask("snapshot-save", job_id="s", tag="one", **disks)
    same(vmm.until("concluded"), ["created", "running", "STOP", "RESUME", "waiting", "pending", "concluded"])
    vmm.ask("job-dismiss", id="s")
    same(vmm.ask("query-block")[0]["inserted"]["image"]["snapshots"][0]["name"], "one")
    vmm.ask("snapshot-load", job_id="l", tag="two", **disks)
    vmm.until("concluded")
    same(vmm.ask("query-jobs")[0]["error"], "Snapshot 'two' does not exist in one or more devices")
    vmm.ask("snapshot-delete", job_id="d", tag="one", devices=["top"])
    vmm.until("concluded")
    same("snapshots" in vmm.ask("query-block")[0]["inserted"]["image"], False)
    vmm.check("top.qcow2")


class Nbd:
    """A client of the network block device, written from the protocol's description."""

    def __init__(self, path, name):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        same(self.take(18), b"NBDMAGICIHAVEOPT\0\3")
        self.socket.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", 7, len(name) + 6) + struct.pack(">I", len(name)) + name + b"\0\0")
        kind = 3
        while kind == 3:
            _, _, kind, length = struct.unpack(">QIII", self.take(20))
            data = self.take(length)
            if kind == 3 and data[:2] == b"\0\0":
                self.size, self.flags = struct.unpack(">QH", data[2:])
        self.found = kind == 1

    def take(self, length):
        got = b""
        while len(got) < length:
            more = self.socket.recv(length - len(got))
            if not more:
                raise Failed(f"the server closed after {len(got)} of {length} bytes")
            got += more
        return got

    def ask(self, kind, offset, length, payload=b"", reply=0):
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, 0, kind, 7, offset, length) + payload)
        magic, error, handle = struct.unpack(">IIQ", self.take(16))
        same((magic, handle), (0x67446698, 7))
        return error, self.take(0 if error else reply)


@test(daemon=False)
def an_export_is_read_and_written_within_its_bounds(d):
    vmm = three_deep(d)
    vmm.ask("nbd-server-start", addr={"type": "unix", "data": {"path": f"{d.root}/nbd"}})
    vmm.ask("block-export-add", type="nbd", id="e", node_name="top", name="disk", writable=True)
    same(Nbd(f"{d.root}/nbd", b"other").found, False)
    c = Nbd(f"{d.root}/nbd", b"disk")
    same((c.found, c.size), (True, 4 << 20))
    same(c.ask(1, 5000, 3, b"abc"), (0, b""))
    same(c.ask(0, 4999, 5, reply=5), (0, b"\0abc\0"))
    same(c.ask(0, (4 << 20) - 1, 2, reply=2)[0], 22, "what lies behind the end cannot be read")
    same(c.ask(1, 4 << 20, 1, b"x")[0], 28)
    same(vmm.refused("block-export-del", id="e"), "export 'e' still in use")
    vmm.ask("block-export-del", id="e", mode="hard")
    same(vmm.events[-1], "BLOCK_EXPORT_DELETED")
    vmm.ask("nbd-server-stop")
    same(os.path.exists(f"{d.root}/nbd"), False)
    vmm.check("top.qcow2")


@test(daemon=False)
def a_client_of_an_export_that_lies_is_cut_off(d):
    vmm = three_deep(d)
    vmm.ask("nbd-server-start", addr={"type": "unix", "data": {"path": f"{d.root}/nbd"}})
    vmm.ask("block-export-add", type="nbd", id="e", node_name="top", name="disk")
    for lie in (struct.pack(">I8sII", 3, b"IHAVEOPT", 7, 0xFFFFFFFF), struct.pack(">I8sII", 3, b"NONSENSE", 7, 0)):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(60)
        s.connect(f"{d.root}/nbd")
        s.sendall(lie)
        got = b""
        while more := s.recv(100):
            got += more
        same(got, b"NBDMAGICIHAVEOPT\0\3")
    c = Nbd(f"{d.root}/nbd", b"disk")
    same(c.ask(1, 0, 1, b"x")[0], 1, "the export is for reading")
    same(c.ask(0, 0, 0xFFFFFFFF)[0], 22)


main()

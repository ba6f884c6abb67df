#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""simvmm's migrations: to files and descriptors, between two of them, cancelled, paused, broken and taken up again."""
import json
import os
import socket
import subprocess
import time

from harness import SIMVMM, Failed, contains, main, same, test, until

MIB = 1 << 20


class Vmm:
    """One simvmm with a monitor."""

    def __init__(self, d, name, *options, machine="pc"):
        path = f"{d.root}/{name}"
        old = "qemu=7.2" in ",".join(options)
        monitor = ["-mon", "chardev=m,mode=control"] if old else ["-object", "monitor-qmp,id=monitor,chardev=m"]
        self.process = subprocess.Popen([SIMVMM, "-M", machine, "-m", "64", "-nodefaults", "-display", "none", *options,
                                         "-chardev", f"socket,id=m,path={path},server=on,wait=off", *monitor],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        d.children.append(self.process)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        until(lambda: self.connects(path), f"{name} listens")
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.events = []
        self.ask("qmp_capabilities")

    def connects(self, path):
        try:
            self.socket.connect(path)
            return True
        except OSError:
            if self.process.poll() is not None:
                raise Failed(self.process.communicate()[1]) from None
            return False

    def message(self):
        line = self.lines.readline()
        if not line:
            raise Failed(f"the monitor was closed after {self.events}")
        return json.loads(line)

    def note(self, message):
        data = message.get("data", {})
        self.events.append(" ".join([message["event"], *(str(v) for v in data.values())]))

    def ask(self, name, fd=None, **arguments):
        text = json.dumps({"execute": name, "arguments": arguments}).encode()
        if fd is None:
            self.socket.sendall(text)
        else:
            socket.send_fds(self.socket, [text], [fd])
        while True:
            message = self.message()
            if "event" not in message:
                return message
            self.note(message)

    def call(self, name, fd=None, **arguments):
        answer = self.ask(name, fd, **arguments)
        if "error" in answer:
            raise Failed(f"{name}: {answer['error']['desc']}")
        return answer["return"]

    def refuses(self, name, text, **arguments):
        answer = self.ask(name, **arguments)
        same(answer.get("error", {}).get("desc"), text, name)

    def capabilities(self, *names):
        self.call("migrate-set-capabilities", capabilities=[{"capability": n, "state": True} for n in ("events", *names)])

    def until(self, event):
        """Events up to that one; all that came so far are forgotten."""
        while event not in self.events:
            message = self.message()
            if "event" not in message:
                raise Failed(f"a reply without a request: {message}")
            self.note(message)
        at = self.events.index(event) + 1
        found, self.events = self.events[:at], self.events[at:]
        return found

    def status(self):
        return self.call("query-status")["status"]

    def dies(self, status):
        _, err = self.process.communicate(timeout=60)
        same(self.process.returncode, status, f"exit status (it said {err!r})")
        return err


MOVED = ["MIGRATION setup", "MIGRATION active", "MIGRATION_PASS 2", "STOP", "MIGRATION device", "MIGRATION completed"]


@test(daemon=False)
def a_guest_goes_to_a_file_and_comes_back_from_it(d):
    source = Vmm(d, "a")
    source.capabilities()
    source.call("migrate", uri=f"file:{d.root}/saved")
    same(source.until("MIGRATION completed"), MOVED)
    same(source.status(), "postmigrate")
    found = source.call("query-migrate")
    same((found["status"], found["ram"]["remaining"], found["ram"]["total"] > 64 * MIB), ("completed", 0, True))
    same(open(f"{d.root}/saved", "rb").read(8), b"QEVM\0\0\0\3", "the file's first bytes")
    target = Vmm(d, "b", "-S", "-incoming", "defer")
    target.capabilities()
    same(target.status(), "inmigrate")
    target.call("migrate-incoming", uri=f"file:{d.root}/saved")
    same(target.until("MIGRATION completed"), ["MIGRATION setup", "MIGRATION active", "MIGRATION completed"])
    same(target.status(), "paused")
    target.call("cont")
    same(target.status(), "running")


@test(daemon=False)
def a_passed_descriptor_is_as_good_as_a_path(d):
    source = Vmm(d, "a", "-S")
    source.capabilities()
    reading, writing = os.pipe()
    source.call("getfd", writing, fdname="out")
    os.close(writing)
    source.call("migrate", uri="fd:out")
    size = 0
    while part := os.read(reading, 65536):
        size += len(part)
    os.close(reading)
    source.until("MIGRATION completed")
    sent = source.call("query-migrate")["ram"]["transferred"]
    if not sent <= size < sent + 4096:
        raise Failed(f"{size} bytes came, {sent} were counted")
    source.call("cont")
    source.refuses("migrate", "File descriptor named 'out' has not been found", uri="fd:out")


def pair(d, address, version="11.1", options=(), machine="pc"):
    source = Vmm(d, "a", "-sim", f"qemu={version}", *options)
    target = Vmm(d, "b", "-sim", f"qemu={version}", "-incoming", "defer", machine=machine)
    for one in (source, target):
        one.capabilities("return-path")
    target.call("migrate-incoming", uri=address)
    return source, target


@test(daemon=False)
def a_running_guest_moves_over_a_unix_socket(d):
    source, target = pair(d, f"unix:{d.root}/wire")
    source.call("migrate", uri=f"unix:{d.root}/wire")
    same(source.until("MIGRATION completed"), MOVED)
    same(target.until("MIGRATION completed"), ["MIGRATION setup", "MIGRATION active", "RESUME", "MIGRATION completed"])
    same((source.status(), target.status()), ("postmigrate", "running"))
    source.refuses("migrate", "Can't migrate the vm that was paused due to previous migration", uri="unix:/x")


@test(daemon=False)
def a_running_guest_moves_over_tcp_as_an_older_qemu_does_it(d):
    source, target = pair(d, "tcp:127.0.0.1:0", "7.2")
    port = target.call("query-migrate")["socket-address"][0]["port"]
    source.call("migrate", uri=f"tcp:127.0.0.1:{port}")
    same(source.until("MIGRATION completed"), ["MIGRATION setup", "MIGRATION_PASS 1", "MIGRATION active", "STOP",
                                               "MIGRATION_PASS 2", "MIGRATION completed"])
    target.until("MIGRATION completed")
    same(target.status(), "running")


@test(daemon=False)
def a_guest_of_another_machine_is_refused_and_goes_on_where_it_was(d):
    source, target = pair(d, f"unix:{d.root}/wire", machine="q35")
    source.call("migrate", uri=f"unix:{d.root}/wire")
    same(source.until("MIGRATION failed"), ["MIGRATION setup", "MIGRATION active", "MIGRATION failing", "MIGRATION failed"])
    same(source.status(), "running")
    contains(target.dies(1), "Machine type received is 'pc-i440fx-11.1' and local is 'pc-q35-11.1'")


@test(daemon=False)
def a_guest_with_other_devices_is_refused_without_the_end_of_the_program(d):
    source = Vmm(d, "a", "-device", "virtio-balloon-pci,id=b0")
    target = Vmm(d, "b", "-incoming", "defer")
    for one in (source, target):
        one.capabilities()
    target.call("migrate-incoming", **{"uri": f"unix:{d.root}/wire", "exit-on-error": False})
    source.call("migrate", uri=f"unix:{d.root}/wire")
    target.until("MIGRATION failed")
    contains(target.call("query-migrate")["error-desc"], "Unknown savevm section or instance 'virtio-balloon-pci")
    same(target.status(), "inmigrate")


@test(daemon=False)
def a_migration_takes_the_time_that_its_bandwidth_allows(d):
    source, _ = pair(d, f"unix:{d.root}/wire")
    source.call("migrate-set-parameters", **{"max-bandwidth": 1 * MIB})
    start = time.monotonic()
    source.call("migrate", uri=f"unix:{d.root}/wire")
    source.until("MIGRATION active")
    seen = [source.call("query-migrate")["ram"]["remaining"]]
    time.sleep(0.1)
    seen.append(source.call("query-migrate")["ram"]["remaining"])
    source.refuses("migrate", "There's a migration process in progress", uri="unix:/x")
    source.refuses("device_add", "device_add not allowed while migrating", driver="virtio-balloon-pci")
    source.until("MIGRATION completed")
    seconds = time.monotonic() - start
    sent = source.call("query-migrate")["ram"]["transferred"]
    if not 0 < seen[1] < seen[0]:
        raise Failed(f"what remained did not become less: {seen}")
    if not sent / MIB * 0.9 < seconds < sent / MIB + 20:
        raise Failed(f"{sent} bytes took {seconds:.2f} s")


@test(daemon=False)
def a_migration_that_does_not_come_to_an_end_is_cancelled(d):
    source, _ = pair(d, f"unix:{d.root}/wire", options=("-sim", "dirty=1G"))
    source.call("migrate-set-parameters", **{"max-bandwidth": 8 * MIB})
    source.call("migrate", uri=f"unix:{d.root}/wire")
    source.until("MIGRATION_PASS 3")
    source.call("migrate_cancel")
    same(source.until("MIGRATION cancelled")[-2:], ["MIGRATION cancelling", "MIGRATION cancelled"])
    same(source.call("query-migrate"), {"status": "cancelled"})
    same(source.status(), "running")


@test(daemon=False)
def a_migration_waits_before_the_switchover_if_asked_to(d):
    source, target = pair(d, f"unix:{d.root}/wire")
    source.capabilities("pause-before-switchover", "return-path")
    source.refuses("migrate-continue", "Migration not in expected state: none", state="pre-switchover")
    source.call("migrate", uri=f"unix:{d.root}/wire")
    same(source.until("MIGRATION pre-switchover")[-2:], ["STOP", "MIGRATION pre-switchover"])
    same(source.status(), "finish-migrate")
    source.refuses("cont", "Migration is not finalized yet")
    source.call("migrate-continue", state="pre-switchover")
    same(source.until("MIGRATION completed"), ["MIGRATION device", "MIGRATION completed"])
    target.until("MIGRATION completed")


@test(daemon=False)
def a_post_copy_that_breaks_is_taken_up_again(d):
    source, target = pair(d, f"unix:{d.root}/wire", options=("-sim", "dirty=1G"))
    source.refuses("migrate-start-postcopy", "Enable postcopy with migrate_set_capability before the start of migration")
    for one in (source, target):
        one.capabilities("return-path", "postcopy-ram")
    source.call("migrate-set-parameters", **{"max-bandwidth": 8 * MIB, "max-postcopy-bandwidth": 20000})
    source.call("migrate", uri=f"unix:{d.root}/wire")
    source.until("MIGRATION_PASS 2")
    source.call("migrate-start-postcopy")
    source.until("MIGRATION postcopy-active")
    target.until("RESUME")
    same(target.status(), "running")
    source.call("migrate-pause")
    source.until("MIGRATION postcopy-paused")
    target.until("MIGRATION postcopy-paused")
    target.call("migrate-recover", uri=f"unix:{d.root}/again")
    source.call("migrate-set-parameters", **{"max-postcopy-bandwidth": 0})
    source.call("migrate", uri=f"unix:{d.root}/again", resume=True)
    same(source.until("MIGRATION completed"), ["MIGRATION postcopy-recover", "MIGRATION postcopy-active", "MIGRATION completed"])
    target.until("MIGRATION completed")


@test(daemon=False)
def what_cannot_be_migrated_to_is_said(d):
    source = Vmm(d, "a")
    source.capabilities()
    source.refuses("migrate", "unknown migration protocol: exec:cat", uri="exec:cat")
    source.refuses("migrate", "need either 'uri' or 'channels' argument")
    source.refuses("migrate", "error parsing address '127.0.0.1'", uri="tcp:127.0.0.1")
    source.refuses("migrate", "Could not create '/nodir/x': No such file or directory", uri="file:/nodir/x")
    source.refuses("migrate-incoming", "'-incoming' was not specified on the command line", uri="tcp:0:0")
    source.until("MIGRATION failed")
    source.call("migrate", uri=f"unix:{d.root}/nobody")
    same(source.until("MIGRATION failed"), ["MIGRATION setup", "MIGRATION failing", "MIGRATION failed"])
    same(source.call("query-migrate"), {"status": "failed", "error-desc":
                                        f"Failed to connect to '{d.root}/nobody': No such file or directory"})
    source.refuses("migrate-set-parameters", "Option downtime-limit expects an integer in the range of 0 to (2000 * 1000) ms",
                   **{"downtime-limit": 3000000})


main()

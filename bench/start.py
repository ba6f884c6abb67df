#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""bench start [EMULATOR]: what domusd adds to a start and to a destroy.

Creates and destroys a guest through domusd, and in turn runs the bare emulator with the same command line: the monitor
is connected, negotiated and told `cont`; the end is SIGTERM and the process's exit.  Both are left alone in between, until the tree that domusd asks for after a start is
there.  Prints medians and their ratio.

BENCH_FOLDER=/dev/shm keeps domusd's files in memory, where a system's /run is.
"""
import json
import os
import re
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import time

from measure import harness, milliseconds_of

ROUNDS = int(os.environ.get("ROUNDS", "20"))
MONITOR_FD = 3
QUIET = 0.1


class Bare:
    """The emulator, run as domusd runs it."""

    def __init__(self, argv, path):
        self.argv, self.path, self.process, self.client = argv, path, None, None

    def say(self, command):
        self.client.sendall(json.dumps({"execute": command}).encode())
        while True:
            line = self.lines.readline()
            if not line:
                raise SystemExit(f"the emulator ended: {self.argv}")
            if b'"return"' in line:
                return

    def create(self):
        if os.path.exists(self.path):
            os.unlink(self.path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        listener.listen(1)
        self.client = socket.socket(socket.AF_UNIX)
        self.client.connect(self.path)
        self.process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, pass_fds=[MONITOR_FD],
                                        preexec_fn=lambda: os.dup2(listener.fileno(), MONITOR_FD))
        listener.close()
        self.lines = self.client.makefile("rb")
        self.lines.readline()
        self.say("qmp_capabilities")
        self.say("cont")

    def destroy(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.client.close()


def main():
    emulator = sys.argv[1] if len(sys.argv) > 1 else "sim"
    d = harness.Daemon(emulator)
    try:
        d.start()
        connection = d.connect()
        domain = connection.defineXML(d.xml("bench", d.disk_xml(d.disk("a.img"), cache="none"), memory=64))
        domain.create()                         # so that capabilities and plan are known
        domain.destroy()
        argv = shlex.split(connection.domainXMLToNative("qemu-argv", domain.XMLDesc(), 0))
        bare = Bare(argv, f"{d.root}/bare.sock")
        times = {("create", "domusd"): [], ("create", "bare"): [], ("destroy", "domusd"): [], ("destroy", "bare"): []}
        for _ in range(ROUNDS):
            times["create", "domusd"].append(milliseconds_of(domain.create))
            time.sleep(QUIET)
            times["destroy", "domusd"].append(milliseconds_of(domain.destroy))
            times["create", "bare"].append(milliseconds_of(bare.create))
            time.sleep(QUIET)
            times["destroy", "bare"].append(milliseconds_of(bare.destroy))
        print(f"{ROUNDS} rounds of {argv[0]}; milliseconds, medians\n")
        print(f"{'':8} {'domusd':>9} {'bare':>9} {'ratio':>7} {'target':>7}")
        for what, target in (("create", 1.1), ("destroy", 3)):
            ours, theirs = (statistics.median(times[what, who]) for who in ("domusd", "bare"))
            print(f"{what:8} {ours:9.1f} {theirs:9.1f} {ours / theirs:7.2f} {target:7}")
        connection.close()
        d.connections.clear()
        d.finish()
    finally:
        d.clean()


main()

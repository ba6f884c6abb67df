# SPDX-License-Identifier: Apache-2.0
"""simvmm as tests drive it: by its monitor and its control socket, without a daemon."""
import json
import os
import re
import socket
import subprocess

from harness import SIMVMM, Failed, same, until

PLAIN = ["-M", "pc", "-m", "128", "-S", "-nodefaults", "-no-user-config", "-display", "none"]


class Vmm:
    def __init__(self, d, *options):
        self.path = f"{d.root}/monitor"
        old = any(option.startswith("qemu=7.2") for option in options)
        monitor = ["-mon", "chardev=charmonitor,mode=control"] if old else ["-object", "monitor-qmp,id=monitor,chardev=charmonitor"]
        words = [SIMVMM, *PLAIN, *options, "-chardev", f"socket,id=charmonitor,path={self.path},server=on,wait=off", *monitor]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        d.children.append(self.process)

    def client(self, negotiate=True):
        return Client(self, negotiate)

    def ends(self, status=0):
        """Waits for the end; what it printed on standard error."""
        _, err = self.process.communicate(timeout=60)
        same(self.process.returncode, status, f"exit status (it said {err!r})")
        return err


class Client:
    def __init__(self, vmm, negotiate=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        until(lambda: vmm.process.poll() is not None or os.path.exists(vmm.path), "the monitor's socket is there")
        until(lambda: self.connect(vmm.path), "the monitor listens")
        self.lines = self.socket.makefile("rb")
        if negotiate:
            self.line()
            same(self.ask("qmp_capabilities"), {"return": {}})

    def connect(self, path):
        try:
            self.socket.connect(path)
            return True
        except ConnectionRefusedError:
            return False

    def send(self, text):
        self.socket.sendall(text.encode())

    def line(self):
        line = self.lines.readline().decode()
        if line and not line.endswith("\r\n"):
            raise Failed(f"a line does not end in CR LF: {line[-80:]!r}")
        return line[:-2]

    def lines_until(self, word):
        """What comes, event names alone, up to the first that has the word."""
        found = []
        while not found or word not in found[-1]:
            line = self.line()
            if not line:
                raise Failed(f"the monitor was closed after {found}")
            event = re.match(r'\{"timestamp": \{"seconds": \d+, "microseconds": \d+\}, "event": "(\w+)"(?:, "data": (.*))?\}$', line)
            found.append(" ".join(filter(None, event.groups())) if event else line)
        return found

    def ask(self, name, **arguments):
        self.send(json.dumps({"execute": name, **({"arguments": arguments} if arguments else {})}))
        while True:
            answer = json.loads(self.line())
            if "event" not in answer:
                return answer

    def silent(self, seconds=0.2):
        self.socket.settimeout(seconds)
        try:
            got = self.socket.recv(100)
            raise Failed(f"something came: {got!r}")
        except TimeoutError:
            self.socket.settimeout(60)


class Control:
    """Lines for -sim control=, and what they answer."""

    def __init__(self, d):
        self.path = f"{d.root}/control"
        self.option = ("-sim", f"control={self.path}")

    def say(self, line):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(60)
            s.connect(self.path)
            s.sendall(line.encode() + b"\n")
            got = ""
            while not got.endswith("\n") or not re.match(r"ok|error: ", got.splitlines()[-1]):
                more = s.recv(65536).decode()
                if not more:
                    raise Failed(f"the control socket was closed after {got!r}")
                got += more
        return got

    def do(self, line):
        said = self.say(line)
        if not said.endswith("ok\n"):
            raise Failed(f"{line}: {said}")
        return said[:-3]

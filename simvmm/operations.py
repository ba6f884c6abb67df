# SPDX-License-Identifier: Apache-2.0
"""Runs a sequence of requests on an emulator and tells, line by line, what a client and an owner of the files see.

A sequence is a list of lines:
    COMMAND {ARGUMENTS}     a request; its reply follows, the events where they came
    * EVENT WORD...         waits for an event that has all the words
    $ PROGRAM WORD...       a program of the host, run in the sequence's folder; its output follows
    ! SECONDS               nothing is asked for that long
    % QTEST / CONTROL       what the guest does: QEMU is told by its qtest protocol, simvmm by its control socket; several
                            QTEST are separated by ";"
    quit                    the emulator ends
@ stands for the folder, which is each emulator's own.  The lines before the first request that begin with "$" prepare it
before the emulator starts, and those that begin with "-" are options.
"""
import json
import re
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time

from emulator import Emulator, Refused

ALIKE = [                               # what cannot be the same
    (r'"timestamp": \{[^}]*\}, ', ""), (r'"(actual-size|thread-id)": \d+', r'"\1": N'), (r'"actual-size=\d+"', "N"),
    (r'"(date|vm-clock)-(n?sec)": \d+', r'"\1-\2": N'), (r"/dev/pts/\d+", "/dev/pts/N"), (r"pid \d+", "pid N"),
    (r"disk size: .*", "disk size: N"), (r'"(vm-state-size)": \d+', r'"\1": N'), (r'"(port|service)": "\d{4,}"', r'"\1": "N"'),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"), (r"#block\d+", "#blockN"), (r", [\d.]+% fragmented", ""),
]


class Guest:
    """What moves the guest: a qtest channel of QEMU, or simvmm's control socket."""

    def __init__(self, command, folder):
        self.path = folder + "/control" if "-sim" in command else None
        if self.path:
            self.options, self.fds = ["-sim", "control=" + self.path], ()
            return
        self.channel, theirs = socket.socketpair()
        self.channel.settimeout(10)
        os.set_inheritable(theirs.fileno(), True)
        self.keep, self.fds = theirs, (theirs.fileno(),)
        self.options = ["-chardev", f"socket,id=qtest,fd={theirs.fileno()}", "-qtest", "chardev:qtest", "-qtest-log", "none"]

    def do(self, qtest, control):
        if not self.path:
            for command in qtest.split(";"):
                self.channel.sendall(command.strip().encode() + b"\n")
                self.channel.recv(4096)
            return
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(10)
            s.connect(self.path)
            s.sendall(control.encode() + b"\n")
            answer = s.recv(4096).decode()
        if answer and not answer.endswith("ok\n"):
            raise Refused(f"{control}: {answer}")


def sharing_tmp(command):
    """A QEMU in a chroot gets our /tmp, where the folders are."""
    if command[0] != "chroot":
        return command
    script = 'mount --bind /tmp "$0/tmp" && exec chroot "$0" "$@"'
    return ["unshare", "-m", "--propagation", "private", "sh", "-c", script, *command[1:]]


class Run:
    def __init__(self, command, common, sequence, modern):
        self.folder = tempfile.mkdtemp(prefix="op-", dir="/tmp")
        self.transcript = []
        self.modern = modern
        options = []
        steps = [line.replace("@", self.folder) for line in sequence]
        try:
            while steps and steps[0][0] in "$-":
                line = steps.pop(0)
                if line[0] == "$":
                    self.host(line[2:], quiet=True)
                else:
                    options += line.split()
            self.guest = Guest(command, self.folder) if any(line[0] == "%" for line in steps) else None
            if self.guest:
                common = ["qtest" if word == "tcg" else word for word in common] + self.guest.options
            self.emulator = Emulator(sharing_tmp(command), common + options, modern, self.guest.fds if self.guest else ())
            try:
                for line in steps:
                    self.step(line)
            finally:
                if self.emulator:
                    self.emulator.quit()
        except Refused as refusal:
            self.say("refused: " + str(refusal))
        finally:
            shutil.rmtree(self.folder)

    def say(self, text):
        for pattern, put in ALIKE:
            text = re.sub(pattern, put, text)
        self.transcript.append(text.replace(self.folder, "@"))

    def line(self):
        return self.emulator.lines.readline().decode()

    def step(self, line):
        if line[0] == "*":
            self.wait(line[2:].split())
        elif line[0] == "$":
            self.host(line[2:])
        elif line[0] == "%":
            self.say("% " + line.split(" / ")[1])
            self.guest.do(*line[2:].split(" / "))
        elif line == "quit":
            self.emulator.quit()
            self.emulator = None
        elif line[0] == "!":
            time.sleep(float(line[2:]))
        else:
            self.request(*(line.split(" ", 1) + [None])[:2])

    def request(self, name, arguments):
        self.say(f"> {name} {arguments or ''}".rstrip())
        self.emulator.send(name, json.loads(arguments) if arguments else None)
        while True:
            line = self.line()
            if not line:
                self.say("(end of the monitor)")
                raise Refused("it ended")
            self.say(line.strip())
            if '"event": ' not in line:
                return

    def wait(self, words):
        until = time.monotonic() + 3
        while True:
            left = until - time.monotonic()
            if not self.pending() and not select.select([self.emulator.socket], [], [], max(left, 0))[0]:
                self.say(f"(nothing of {' '.join(words)} came)")
                return
            line = self.line()
            if not line:
                raise Refused("it ended")
            self.say(line.strip())
            if all(word in line for word in words):
                return

    def pending(self):
        """Something was read from the socket already."""
        self.emulator.socket.setblocking(False)
        try:
            return bool(self.emulator.lines.peek(1))
        except (BlockingIOError, OSError):
            return False
        finally:
            self.emulator.socket.settimeout(20)

    def host(self, line, quiet=False):
        done = subprocess.run(line, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        output = done.stdout + done.stderr
        if quiet and done.returncode:
            raise Refused(f"{line}: {output}")
        if not quiet:
            self.say("$ " + line)
            for text in output.splitlines() + ([f"(status {done.returncode})"] if done.returncode else []):
                self.say(text)

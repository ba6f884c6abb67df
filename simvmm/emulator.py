# SPDX-License-Identifier: Apache-2.0
"""An emulator (QEMU or simvmm) driven over QMP: what simvmm/harvest and simvmm/compare share.

A command is a list of words, so a QEMU in a chroot is ["chroot", DIR, "qemu-system-x86_64"].  The monitor's
listening socket is passed as a descriptor; no path has to exist on both sides.
"""
import json
import os
import socket
import subprocess
import tempfile


class Refused(Exception):
    """The emulator said no: an error reply, or it ended before it talked."""


class Emulator:
    def __init__(self, command, arguments, modern=True, fds=()):
        with tempfile.TemporaryDirectory(prefix="simvmm-") as folder:
            path = os.path.join(folder, "monitor")
            listening = socket.socket(socket.AF_UNIX)
            listening.bind(path)
            listening.listen(1)
            number = listening.fileno()
            os.set_inheritable(number, True)
            monitor = ["-chardev", f"socket,id=charmonitor,fd={number},server=on,wait=off"]
            monitor += ["-object", '{"qom-type":"monitor-qmp","id":"monitor","chardev":"charmonitor"}'] if modern \
                else ["-mon", "chardev=charmonitor,id=monitor,mode=control"]
            self.process = subprocess.Popen(command + arguments + monitor, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=(number, *fds))
            listening.close()
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(20)
            self.events = []
            try:
                self.socket.connect(path)
            except OSError:
                self.process.wait()
                raise Refused(self.process.stdout.read().decode()) from None
        self.lines = self.socket.makefile("rb")
        try:
            self.greeting = json.loads(self.lines.readline())
            self.call("qmp_capabilities")
        except (OSError, ValueError):
            self.socket.close()
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            raise Refused(self.process.stdout.read().decode()) from None

    def send(self, name, arguments=None):
        request = {"execute": name}
        if arguments:
            request["arguments"] = arguments
        self.socket.sendall(json.dumps(request, separators=(",", ":")).encode() + b"\n")

    def reply(self):
        while True:
            line = self.lines.readline()
            if not line:
                raise OSError("the emulator closed the monitor")
            message = json.loads(line)
            if "event" not in message:
                return message
            self.events.append(message)

    def call(self, name, arguments=None):
        self.send(name, arguments)
        answer = self.reply()
        if "error" in answer:
            raise Refused(answer["error"]["desc"])
        return answer["return"]

    def call_all(self, requests, depth=64):
        """Replies to many (name, arguments), pipelined, in order, errors included."""
        replies = []
        sent = 0
        while len(replies) < len(requests):
            while sent < len(requests) and sent - len(replies) < depth:
                self.send(*requests[sent])
                sent += 1
            replies.append(self.reply())
        return replies

    def quit(self):
        """Ends it and returns what it printed."""
        try:
            self.call("quit")
        except (OSError, ValueError, Refused):
            self.process.kill()
        self.socket.close()
        printed = self.process.stdout.read().decode()
        self.process.wait()
        return printed

    def tree(self, tops=("/",), bulk=None):
        """{path: [(name, type, value) or (name, type) if unreadable]}, parents first, properties in its order."""
        if bulk is None:
            bulk = self.call_all([("qom-list-get", {"paths": []})])[0].get("return") == []
        nodes = {}
        level = list(tops)
        while level:
            found = self._level_bulk(level) if bulk else self._level_single(level)
            below = []
            for path, properties in zip(level, found):
                nodes[path] = properties
                below += [join(path, p[0]) for p in properties if p[1].startswith("child<")]
            level = below
        return nodes

    def _level_bulk(self, paths):
        answer = self.call("qom-list-get", {"paths": paths})
        return [[(p["name"], p["type"], p["value"]) if "value" in p else (p["name"], p["type"])
                 for p in node["properties"]] for node in answer]

    def _level_single(self, paths):
        lists = [r["return"] for r in self.call_all([("qom-list", {"path": p}) for p in paths])]
        asked = [(path, p["name"]) for path, listed in zip(paths, lists) for p in listed
                 if not p["type"].startswith("child<")]
        replies = self.call_all([("qom-get", {"path": path, "property": name}) for path, name in asked])
        values = dict(zip(asked, replies))
        found = []
        for path, listed in zip(paths, lists):
            properties = []
            for p in listed:
                if p["type"].startswith("child<"):
                    properties.append((p["name"], p["type"], join(path, p["name"])))
                elif "return" in values[path, p["name"]]:
                    properties.append((p["name"], p["type"], values[path, p["name"]]["return"]))
                else:
                    properties.append((p["name"], p["type"]))
            found.append(properties)
        return found


def join(path, name):
    return (path if path != "/" else "") + "/" + name

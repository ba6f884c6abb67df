#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A QMP client, written from the QMP specification alone: works with QEMU and with simvmm.

    qmp-client.py SOCKET COMMAND [ARGUMENTS-AS-JSON]     one command; prints its return value
    qmp-client.py SOCKET --events                        prints events until the VMM ends

    simvmm -M q35 -nodefaults -display none -qmp unix:/tmp/q,server=on,wait=off &
    qmp-client.py /tmp/q query-status
"""
import json
import socket
import sys


class QmpError(Exception):
    """What an error reply says."""


class Qmp:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.events = []
        self.version = self.receive()["QMP"]["version"]["qemu"]         # the greeting comes first
        self.call("qmp_capabilities")                                   # without it nothing else is answered

    def receive(self):
        line = self.lines.readline()
        if not line:
            raise EOFError("the VMM has closed the monitor")
        return json.loads(line)

    def call(self, command, arguments=None):
        """The command's return value; events that come in between are kept in self.events."""
        request = {"execute": command, "id": command}
        if arguments:
            request["arguments"] = arguments
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            message = self.receive()
            if "event" in message:
                self.events.append(message)
            elif "error" in message:
                raise QmpError(f"{message['error']['class']}: {message['error']['desc']}")
            elif message.get("id") == command:
                return message["return"]

    def next_event(self):
        return self.events.pop(0) if self.events else self.receive()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        vmm = Qmp(sys.argv[1])
        if sys.argv[2] != "--events":
            print(json.dumps(vmm.call(sys.argv[2], json.loads(sys.argv[3]) if len(sys.argv) > 3 else None), indent=2))
            return
        while True:
            event = vmm.next_event()
            print(event["event"], json.dumps(event.get("data", {})), flush=True)
    except QmpError as error:
        sys.exit(str(error))
    except EOFError:
        pass


if __name__ == "__main__":
    main()

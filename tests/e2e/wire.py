# SPDX-License-Identifier: Apache-2.0
"""libvirt's protocol by hand, for what a client of libvirt's own does not do: be rude, stop reading, take no notice of
what a reply holds."""
import contextlib
import socket
import struct

REMOTE, KEEPALIVE = 0x20008086, 0x6b656570
CALL, REPLY, MESSAGE = 0, 1, 2
CONNECT_OPEN, GET_HOSTNAME, DOMAIN_RESET, LIST_ALL_DOMAINS, ALL_DOMAIN_STATS = 1, 59, 245, 273, 344
PING, PONG = 1, 2


class Client:
    """One connection."""

    def __init__(self, path, opened=True, patience=30):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(patience)
        self.socket.connect(path)
        self.serial = 0
        if opened:
            self.ask(CONNECT_OPEN, struct.pack(">I", 1) + string("qemu:///system") + struct.pack(">I", 0))

    def frame(self, procedure, payload=b"", program=REMOTE, type=CALL):
        serial, self.serial = self.serial, self.serial + 1
        return struct.pack(">IIIIIII", 28 + len(payload), program, 1, procedure, type, serial, 0) + payload

    def send(self, *frame, **more):
        self.socket.sendall(self.frame(*frame, **more))

    def bytes(self, count):
        data = b""
        while len(data) < count:
            some = self.socket.recv(count - len(data))
            if not some:
                raise EOFError
            data += some
        return data

    def receive(self):
        """(program, version, procedure, type, serial, status) and the payload."""
        length = struct.unpack(">I", self.bytes(4))[0]
        data = self.bytes(length - 4)
        return (*struct.unpack(">IIIIII", data[:24]), data[24:])

    def ask(self, procedure, payload=b""):
        """The reply's payload."""
        self.send(procedure, payload)
        reply = self.receive()
        if reply[2:6] != (procedure, REPLY, self.serial - 1, 0):
            raise ConnectionError(f"procedure {procedure} was answered with {reply}")
        return reply[6]

    def is_cut_off(self):
        """Reads what is left, to the end."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            try:
                while self.socket.recv(1 << 20):
                    pass
                return True
            except ConnectionError:
                return True
        return False


def string(text):
    data = text.encode()
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def domain(dom):
    return string(dom.name()) + dom.UUID() + struct.pack(">i", dom.ID())

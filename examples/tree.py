#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Asks domusd about a running domain's devices and object tree, in nothing but Python's own library.

    tree.py SOCKET DOMAIN                       its devices
    tree.py SOCKET DOMAIN device ALIAS          one device: each setting as asked and as it is
    tree.py SOCKET DOMAIN find TYPE [PROPERTY]  objects, or properties, that fit the patterns
    tree.py SOCKET DOMAIN drift                 where it is not what its XML asks for; exit status 1 if anywhere

It is here to be copied from: domus-rpc(7) explains the bytes, and src/rpc/domus.x lists every call.
"""
import json
import socket
import struct
import sys

REMOTE, DOMUS = 0x20008086, 0x446f6d75          # libvirt's program, and domusd's own
CONNECT_OPEN, LOOKUP_BY_NAME = 1, 23            # of REMOTE
QOM_FIND, DEVICES, DRIFT = 10, 12, 13           # of DOMUS
CALL, REPLY = 0, 1

# How replies are laid out, as domus.x has it: "string?" may be absent, "[...]" is a list of such records.
SETTING = {"name": "string", "asked": "string?", "effective": "string?", "agreement": "int"}
DEVICE = {"alias": "string", "kind": "string", "description": "string", "path": "string?", "type": "string?",
          "address": "string?", "backend": "string?", "settings": [SETTING]}
MATCH = {"path": "string", "type": "string", "property": "string?", "property_type": "string?", "value": "string?"}
DIFFERENCE = {"kind": "string", "subject": "string", "alias": "string?", "path": "string?", "type": "string?",
              "property": "string?", "asked": "string?", "effective": "string?"}


def encode(text):
    """A string: its length, its bytes, zeros up to a multiple of four."""
    data = text.encode()
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def encode_optional(text):
    return struct.pack(">I", 0) if text is None else struct.pack(">I", 1) + encode(text)


class Decoder:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form=">i"):
        value, = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def string(self):
        length = self.number(">I")
        text = self.data[self.at:self.at + length].decode()
        self.at += length + -length % 4
        return text

    def value(self, kind):
        if isinstance(kind, list):
            return [self.value(kind[0]) for _ in range(self.number(">I"))]
        if isinstance(kind, dict):
            return {name: self.value(of) for name, of in kind.items()}
        if kind == "string?":
            return self.string() if self.number(">I") else None
        return self.string() if kind == "string" else self.number()


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.serial = 0
        self.call(REMOTE, CONNECT_OPEN, encode_optional("qemu:///system") + struct.pack(">I", 0))

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                sys.exit("domusd closed the connection")
            data += more
        return data

    def call(self, program, procedure, arguments=b""):
        """Sends one call and returns what its reply holds, as a Decoder."""
        self.serial += 1
        header = struct.pack(">IIIIIII", 28 + len(arguments), program, 1, procedure, CALL, self.serial, 0)
        self.socket.sendall(header + arguments)
        while True:
            length, = struct.unpack(">I", self.read(4))
            frame = self.read(length - 4)
            _, _, _, kind, serial, status = struct.unpack_from(">IIIIII", frame)
            reply = Decoder(frame[24:])
            if (kind, serial) != (REPLY, self.serial):
                continue                        # keepalive, or a message that nobody here asked for
            if status:                          # the reply is a remote_error: code, domain, message, ...
                code, _, message = reply.number(), reply.number(), reply.value("string?")
                sys.exit(f"error {code}: {message}")
            return reply

    def find_domain(self, name):
        """The domain as each call takes it: name, 16 bytes of uuid, id."""
        return self.call(REMOTE, LOOKUP_BY_NAME, encode(name)).data


def show_devices(connection, domain, alias=None):
    reply = connection.call(DOMUS, DEVICES, domain + encode_optional(alias) + struct.pack(">I", 0))
    for device in reply.value([DEVICE]):
        print(device["alias"], device["type"] or "-", device["address"] or "-", device["backend"] or "-", sep="\t")
        for setting in device["settings"]:
            print("", setting["name"], setting["asked"] or "-", setting["effective"] or "-", sep="\t")
    return 0


def find(connection, domain, type_pattern, property_pattern=None):
    patterns = [None, type_pattern, property_pattern, None]     # path, type, property, value
    arguments = domain + b"".join(encode_optional(p) for p in patterns) + struct.pack(">I", 0)
    for match in connection.call(DOMUS, QOM_FIND, arguments).value([MATCH]):
        value = json.loads(match["value"]) if match["value"] else None
        print(match["path"], match["property"] or match["type"], "" if value is None else value, sep="\t")
    return 0


def show_drift(connection, domain):
    found = connection.call(DOMUS, DRIFT, domain).value([DIFFERENCE])
    for one in found:
        print(one["kind"], one["subject"], one["property"] or "-", one["asked"] or "-", one["effective"] or "-", sep="\t")
    return 1 if found else 0


def main(words):
    actions = {"device": (show_devices, 1, 1), "find": (find, 1, 2), "drift": (show_drift, 0, 0)}
    action, least, most = actions.get(words[2], (None, 0, 0)) if len(words) > 2 else (show_devices, 0, 0)
    if len(words) < 2 or not action or not least <= len(words[3:]) <= most:
        sys.exit(__doc__)
    connection = Connection(words[0])
    return action(connection, connection.find_domain(words[1]), *words[3:])


sys.exit(main(sys.argv[1:]))

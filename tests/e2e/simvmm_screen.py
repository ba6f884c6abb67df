#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""simvmm's screen, keyboard and VNC server, as a VNC client that was written from RFC 6143 sees them."""
import json
import os
import socket
import struct
import zlib

from harness import contains, main, same, test, until
from simvmm import Control, Vmm

VGA = ("-device", "VGA,id=video0")


def png(path):
    """Width, height and rows of a PNG of eight-bit red, green and blue, all checksums checked."""
    data = open(path, "rb").read()
    same(data[:8], b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, []
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        same(struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], zlib.crc32(name + body), f"checksum of {name}")
        chunks.append((name, body))
        at += 12 + length
    same([name for name, _ in chunks], [b"IHDR", b"IDAT", b"IEND"])
    width, height, bits, kind = struct.unpack(">IIBB", chunks[0][1][:10])
    same((bits, kind), (8, 2))
    raw = zlib.decompress(chunks[1][1])
    return width, height, [raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)] for y in range(height)]


class Viewer:
    def __init__(self, port, shared=1):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(60)
        same(self.read(12), b"RFB 003.008\n")
        self.socket.sendall(b"RFB 003.008\n")
        self.types = self.read(self.read(1)[0])
        self.shared = shared

    def read(self, count):
        got = b""
        while len(got) < count:
            more = self.socket.recv(count - len(got))
            if not more:
                raise EOFError(got)
            got += more
        return got

    def result(self):
        if struct.unpack(">I", self.read(4))[0] == 0:
            return None
        return self.read(struct.unpack(">I", self.read(4))[0])

    def open(self):
        self.socket.sendall(b"\x01")
        same(self.result(), None)
        self.socket.sendall(bytes([self.shared]))
        self.width, self.height = struct.unpack(">HH", self.read(4))
        self.read(16)
        return self.read(struct.unpack(">I", self.read(4))[0]).decode()

    def ask(self, incremental):
        self.socket.sendall(struct.pack(">BBHHHH", 3, incremental, 0, 0, self.width, self.height))

    def picture(self):
        """The dots of an update, a resize before it taken."""
        kind, count = struct.unpack(">BxH", self.read(4))
        same(kind, 0)
        for _ in range(count):
            _, _, width, height, encoding = struct.unpack(">HHHHi", self.read(12))
            if encoding == -223:
                self.width, self.height = width, height
            else:
                same((width, height, encoding), (self.width, self.height, 0))
                dots = self.read(4 * width * height)
        return dots

    def press(self, text):
        for letter in text:
            symbol = 0xff0d if letter == "\r" else ord(letter)
            self.socket.sendall(struct.pack(">BBxxI", 4, 1, symbol) + struct.pack(">BBxxI", 4, 0, symbol))


def vnc_port(d, vmm):
    return int(vmm.ask("query-vnc")["return"]["service"])


@test(daemon=False)
def a_picture_of_the_screen_is_a_real_one(d):
    control = Control(d)
    c = Vmm(d, *control.option, *VGA).client()
    c.ask("screendump", filename=f"{d.root}/a.png", format="png")
    width, height, rows = png(f"{d.root}/a.png")
    same((width, height), (640, 480))
    same(any(rows[230]), True, "the notice stands in the middle")
    c.ask("cont")
    control.do('print "hello\\n"')
    c.ask("screendump", filename=f"{d.root}/b.png", format="png")
    width, height, rows = png(f"{d.root}/b.png")
    same((width, height), (720, 400))
    c.ask("screendump", filename=f"{d.root}/b.ppm")
    same(open(f"{d.root}/b.ppm", "rb").read(), b"P6\n720 400\n255\n" + b"".join(rows), "PPM and PNG show the same")
    same(any(any(row) for row in rows[:16]), True)
    same(any(any(row) for row in rows[16:]), False)


@test(daemon=False)
def no_picture_without_a_screen_or_of_a_wrong_one(d):
    c = Vmm(d).client()
    contains(json.dumps(c.ask("screendump", filename="/x")), "There is no console to take a screendump from")
    os.unlink(f"{d.root}/monitor")
    c = Vmm(d, *VGA).client()
    for arguments, said in (({"head": 1}, "'head' must be specified together with 'device'"),
                            ({"device": "zz"}, "Device 'zz' not found"), ({"format": "gif"}, "does not accept value 'gif'"),
                            ({"device": "video0", "head": 1}, "Device video0 (head 1) is not bound to a QemuConsole")):
        contains(json.dumps(c.ask("screendump", filename="/nope/x", **arguments)), said)
    contains(json.dumps(c.ask("screendump", filename="/nope/x")), "Could not create '/nope/x': No such file or directory")


@test(daemon=False)
def a_vnc_client_sees_the_screen_and_types(d):
    control = Control(d)
    c = Vmm(d, *control.option, *VGA, "-name", "seen", "-vnc", "127.0.0.1:0,to=99", "-no-shutdown",
            "-sim", 'do=on input "die" panic').client()
    v = Viewer(vnc_port(d, c))
    same(list(v.types), [1])
    same(v.open(), "QEMU (seen)")
    same((v.width, v.height), (640, 480))
    lines = c.lines_until("VNC_INITIALIZED")
    same([line.split()[0] for line in lines], ["VNC_CONNECTED", "VNC_INITIALIZED"])
    same(len(c.ask("query-vnc")["return"]["clients"]), 1)
    v.socket.sendall(struct.pack(">BxHii", 2, 2, 0, -223))
    v.ask(0)
    notice = v.picture()
    v.ask(1)
    c.ask("cont")
    empty = v.picture()
    same((v.width, v.height), (720, 400))
    same(any(empty[i] for i in range(0, len(empty), 4)), False, "nothing is on it yet")
    same(notice.count(b"\xaa\xaa\xaa\x00") > 100, True)
    v.ask(1)
    v.press("die\r")
    same(v.picture().count(b"\xaa\xaa\xaa\x00") > 0, True, "what is typed is seen")
    same(c.lines_until("STOP")[-1], "STOP")
    v.socket.close()
    same(c.lines_until("VNC_DISCONNECTED")[-1].split()[0], "VNC_DISCONNECTED")


@test(daemon=False)
def one_that_does_not_share_ends_the_others(d):
    c = Vmm(d, *VGA, "-vnc", "127.0.0.1:0,to=99").client()
    first, second = Viewer(vnc_port(d, c)), Viewer(vnc_port(d, c), shared=0)
    first.open()
    second.open()
    same(first.socket.recv(1), b"")
    same(len(c.ask("query-vnc")["return"]["clients"]), 1)


@test(daemon=False)
def a_password_is_asked_for_and_expires(d):
    c = Vmm(d, *VGA, "-vnc", "127.0.0.1:0,to=99,password=on").client()
    same(c.ask("set_password", protocol="vnc", password="\x02" * 8), {"return": {}})
    v = Viewer(vnc_port(d, c))
    same(list(v.types), [2])
    v.socket.sendall(b"\x02")
    v.read(16)
    v.socket.sendall(b"\0" * 16)
    same(v.result(), b"Authentication failed\0")
    same(c.ask("expire_password", protocol="vnc", time="+60"), {"return": {}})
    contains(json.dumps(c.ask("expire_password", protocol="vnc", time="soon")), "Parameter 'time' doesn't take value 'soon'")
    contains(json.dumps(c.ask("set_password", protocol="vnc", password="x", connected="fail")), "must be 'keep'")


@test(daemon=False)
def garbage_ends_only_its_own_connection(d):
    c = Vmm(d, *VGA, "-vnc", "127.0.0.1:0,to=99").client()
    good = Viewer(vnc_port(d, c))
    good.open()
    for junk in (b"GET / HTTP/1.0\r\n", b"RFB 003.008\n\x07", b"RFB 003.008\n\x01\x01\xff", b"RFB 003.008\n\x01\x01\x06\0\0\0\xff\xff\xff\xff"):
        s = socket.create_connection(("127.0.0.1", vnc_port(d, c)))
        s.settimeout(60)
        s.sendall(junk)
        until(lambda s=s: not s.recv(4096), f"{junk} is hung up on")
    good.ask(0)
    same(len(good.picture()), 640 * 480 * 4)


@test(daemon=False)
def keys_reach_the_guest(d):
    control = Control(d)
    c = Vmm(d, *control.option, *VGA, "-no-shutdown", "-sim", 'do=on input "Hi 5!" reset', "-sim", "do=on nmi panic").client()
    c.ask("cont")
    for keys in (("shift", "h"), ("i",), ("spc",), ("5",), ("shift", "1")):
        same(c.ask("send-key", keys=[{"type": "qcode", "data": key} for key in keys]), {"return": {}})
    c.send('{"execute": "send-key", "arguments": {"keys": [{"type": "qcode", "data": "ret"}]}}')
    same(c.lines_until("return"), ['RESET {"guest": true, "reason": "guest-reset"}', '{"return": {}}'])
    for key, down in (("shift", True), ("h", True), ("h", False), ("shift", False), ("i", True), ("spc", True), ("5", True)):
        c.ask("input-send-event", events=[{"type": "key", "data": {"down": down, "key": {"type": "qcode", "data": key}}}])
    c.ask("send-key", keys=[{"type": "number", "data": 42}, {"type": "number", "data": 2}])
    c.send('{"execute": "send-key", "arguments": {"keys": [{"type": "number", "data": 28}]}}{"execute": "inject-nmi"}')
    same(c.lines_until("return"), ['RESET {"guest": true, "reason": "guest-reset"}', '{"return": {}}'])
    same(c.lines_until("return"), ['GUEST_PANICKED {"action": "pause"}', "STOP", '{"return": {}}'])
    contains(json.dumps(c.ask("input-send-event", events=[])), "VM not running")


main()

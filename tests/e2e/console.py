# SPDX-License-Identifier: Apache-2.0
"""A guest's console through the daemon: stock clients on a terminal, and libvirt's streams.

The simulated guest echoes what comes over its serial line."""
import os
import pty
import select
import signal
import socket
import subprocess
import termios
import threading
import time

from harness import DOMSH, Failed, Skip, contains, main, same, test, until

CONSOLE = "<serial type='pty'/><serial type='pty'/><parallel type='file'><source path='/dev/null'/></parallel>"
ESCAPE = b"\x1d"


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, d, *words):
        parent, child = pty.openpty()
        self.fd = parent
        self.process = subprocess.Popen(words, env=dict(d.environment(), TERM="dumb"), stdin=child, stdout=child,
                                        stderr=child, start_new_session=True)
        d.children.append(self.process)
        os.close(child)
        self.said = ""
        self.echoes = d.emulator == "sim"

    def read(self, seconds=0.05):
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                self.said += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:                             # the program has closed it
                time.sleep(0.02)
        return self.said

    def expect(self, text, seconds=30):
        end = time.monotonic() + seconds
        while text not in self.read():
            if time.monotonic() > end:
                raise Failed(f"{text!r} did not come: {self.said!r}")

    def cooks(self):
        return bool(termios.tcgetattr(self.fd)[3] & (termios.ECHO | termios.ICANON))

    def type(self, text):
        os.write(self.fd, text if isinstance(text, bytes) else text.encode())

    def expect_end(self, code=0):
        end = time.monotonic() + 30
        while self.process.poll() is None:
            self.read()
            if time.monotonic() > end:
                raise Failed(f"it does not end: {self.said!r}")
        for _ in range(3):
            self.read(0)
        os.close(self.fd)
        same(self.process.returncode, code, f"exit code after {self.said!r}")


def virsh(d, *words):
    return Terminal(d, "virsh", "-c", d.uri(), *words)


def talk(terminal):
    if not terminal.echoes:
        raise Skip("only the simulated guest reads and echoes")
    terminal.expect("Escape character")
    until(lambda: not terminal.cooks(), "the terminal is raw, so what comes back is the guest's")
    terminal.type("hello")
    terminal.expect("hello")


def started(d, echoing=False):
    if echoing and d.emulator != "sim":
        raise Skip("only the simulated guest reads and echoes")
    d.define("one", CONSOLE)
    d.virsh("start", "one")


@test()
def virsh_talks_with_the_guest_until_it_is_told_to_leave(d):
    started(d)
    for words in (["console", "one"], ["console", "one", "serial1", "--safe"], ["console", "one", "--force"]):
        terminal = virsh(d, *words)
        talk(terminal)
        terminal.type(ESCAPE)
        terminal.expect_end()


def domsh(d, *words):
    return Terminal(d, DOMSH, *words)


@test()
def domsh_is_a_console_too(d):
    started(d)
    for words in (["console", "one"], ["console", "one", "serial1", "--safe"]):
        terminal = domsh(d, *words)
        talk(terminal)
        terminal.type(b"x" + ESCAPE)
        terminal.expect_end()
    first = domsh(d, "console", "one")
    talk(first)
    second = domsh(d, "console", "one")
    second.expect("has this console of domain 'one' open already")
    second.expect_end(1)
    second = domsh(d, "console", "one", "--force")
    talk(second)
    first.expect("has taken over this console")
    first.expect_end(1)
    d.virsh("destroy", "one")
    second.expect_end()
    contains(d.domsh("console", "one", fails=True), "needs a terminal")


@test()
def domsh_leaves_the_terminal_as_it_was(d):
    started(d)
    terminal = domsh(d, "console", "one")
    talk(terminal)
    terminal.process.send_signal(signal.SIGTERM)
    until(lambda: terminal.process.poll() is not None, "it ends")
    same(terminal.cooks(), True, "the terminal's mode is back")
    terminal.expect_end()


@test()
def virsh_is_told_when_the_guest_goes(d):
    started(d)
    terminal = virsh(d, "console", "one")
    talk(terminal)
    d.virsh("destroy", "one")
    terminal.expect_end()
    d.virsh("start", "one")
    terminal = virsh(d, "console", "one")               # nothing of the old session is in the way
    talk(terminal)
    terminal.type(ESCAPE)
    terminal.expect_end()


@test(emulator="qemu")
def the_console_of_a_real_emulator_ends_with_its_guest(d):
    started(d)
    terminal = virsh(d, "console", "one")
    terminal.expect("Escape character")
    d.virsh("destroy", "one")
    terminal.expect_end()


@test()
def one_client_at_a_time_unless_by_force(d):
    started(d)
    first = virsh(d, "console", "one")
    talk(first)
    contains(d.run(["virsh", "-c", d.uri(), "console", "one", "serial1", "--force"], fails=True).err, "interactive")
    second = virsh(d, "console", "one", "--safe")
    second.expect("has this console of domain 'one' open already")
    second.expect_end(1)
    other = virsh(d, "console", "one", "serial1")       # another line is free
    talk(other)
    third = virsh(d, "console", "one", "--force")
    talk(third)
    first.expect("has taken over this console")
    first.expect_end(1)
    for terminal in (third, other):
        terminal.type(ESCAPE)
        terminal.expect_end()


@test()
def a_console_that_cannot_be_had_is_refused_with_the_reason(d):
    import libvirt
    started(d)
    d.define("none")
    connection = d.connect()

    def refused(domain, alias, flags, code, *words, of=connection):
        try:
            of.lookupByName(domain).openConsole(alias, of.newStream(), flags)
        except libvirt.libvirtError as error:
            same(error.get_error_code(), code, str(error))
            contains(str(error), *words)
            return
        raise Failed(f"a console of {domain} was opened")

    refused("none", None, 0, libvirt.VIR_ERR_OPERATION_INVALID, "not running")
    d.virsh("start", "none")
    refused("none", None, 0, libvirt.VIR_ERR_OPERATION_INVALID, "no console or serial port of type 'pty'")
    refused("one", "serial7", 0, libvirt.VIR_ERR_INVALID_ARG, "serial7")
    refused("one", "parallel0", 0, libvirt.VIR_ERR_OPERATION_INVALID, "parallel0", "'file'")
    refused("one", None, 4, libvirt.VIR_ERR_INVALID_ARG, "unsupported flags (0x4)")
    refused("one", None, 0, libvirt.VIR_ERR_OPERATION_DENIED, "read only", of=d.connect(readonly=True))


@test()
def a_daemon_that_stops_lets_go_of_consoles_and_the_next_one_has_them(d):
    started(d)
    terminal = virsh(d, "console", "one")
    talk(terminal)
    d.stop()
    terminal.expect("the daemon stops")
    terminal.expect_end(1)
    d.start()
    until(lambda: "running" in d.virsh("domstate", "one"), "the guest is found again")
    terminal = virsh(d, "console", "one")
    talk(terminal)
    terminal.type(ESCAPE)
    terminal.expect_end()


@test()
def a_client_that_goes_leaves_the_console_free(d):
    started(d, echoing=True)
    connection = d.connect()
    stream = connection.newStream()
    connection.lookupByName("one").openConsole(None, stream, 0)
    stream.send(b"abc")
    same(stream.recv(3), b"abc")
    stream.abort()
    stream = connection.newStream()
    connection.lookupByName("one").openConsole(None, stream, 0)
    first = virsh(d, "console", "one")
    first.expect("open already")
    first.expect_end(1)
    first = virsh(d, "console", "one", "--force")
    talk(first)
    first.process.kill()
    first.process.wait()
    os.close(first.fd)
    second = None

    def opened():
        nonlocal second
        second = virsh(d, "console", "one")
        until(lambda: "Escape" in second.read() or second.process.poll() is not None, "virsh answers")
        return "open already" not in second.read()
    until(opened, "the console is free")
    talk(second)
    second.type(ESCAPE)
    second.expect_end()


@test()
def much_is_carried_by_little_at_a_time(d):
    """More than any buffer on the way holds; the guest throws away what nobody reads, so little is under way."""
    started(d, echoing=True)
    connection = d.connect()
    stream = connection.newStream()
    connection.lookupByName("one").openConsole(None, stream, 0)
    wanted = b"".join(b"%07d " % number for number in range(16384))
    got = b""
    for at in range(0, len(wanted), 2048):
        stream.send(wanted[at:at + 2048])
        while len(got) < at + 2048:
            got += stream.recv(65536)
    same(got == wanted, True, "the echo is what was sent")
    stream.finish()


@test()
def a_guest_that_takes_nothing_makes_its_client_wait(d):
    started(d, echoing=True)
    connection = d.connect()
    stream = connection.newStream()
    connection.lookupByName("one").openConsole(None, stream, 0)
    guest = d.guest("one")
    os.kill(guest, signal.SIGSTOP)
    left = bytes(1 << 20)

    def send():
        nonlocal left
        while left:
            left = left[stream.send(left[:65536]):]
    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        thread.join(1)
        same(thread.is_alive(), True, "the client waits")
        same(d.virsh("domstate", "one").strip(), "running", "for others")
    finally:
        os.kill(guest, signal.SIGCONT)
    thread.join(20)
    same(thread.is_alive(), False, "the client still waits")
    stream.finish()


@test(emulator="qemu")
def a_screen_is_opened_over_the_clients_own_connection(d):
    import libvirt
    d.define("one", "<graphics type='vnc' passwd='secret'/>")
    d.virsh("start", "one", "--paused")
    dom = d.connect().lookupByName("one")
    with socket.socket(fileno=dom.openGraphicsFD(0)) as viewer:
        same(viewer.recv(12), b"RFB 003.008\n")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        dom.openGraphics(0, theirs.fileno(), libvirt.VIR_DOMAIN_OPEN_GRAPHICS_SKIPAUTH)
        theirs.close()
        same(ours.recv(12), b"RFB 003.008\n")
        ours.sendall(b"RFB 003.008\n")
        same(ours.recv(2), b"\x01\x01", "security types: none, though there is a password")
    try:
        dom.openGraphicsFD(1)
        raise Failed("it was opened")
    except libvirt.libvirtError as error:
        contains(str(error), "No graphics backend with index 1")


main()

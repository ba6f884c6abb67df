# SPDX-License-Identifier: Apache-2.0
"""domsh at a terminal: a pseudo-terminal with a user at its other end, who types and reads."""
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from harness import DOMSH, Failed, main, same, test, until

PROMPT = "domsh # "
TAB, ENTER, UP, CTRL_A, CTRL_C, CTRL_D, CTRL_R = "\t", "\r", "\x1b[A", "\x01", "\x03", "\x04", "\x12"


class Terminal:
    """A shell and its terminal.  Whoever waits here waits at most PATIENCE seconds."""
    PATIENCE = 30

    def __init__(self, d, *options, columns=80, term="xterm"):
        self.user, child = pty.openpty()
        self.resize(columns)
        self.mode = termios.tcgetattr(child)
        self.shell = subprocess.Popen(
            [DOMSH, *options], stdin=child, stdout=child, stderr=child, env=dict(d.environment(), TERM=term),
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(child)
        d.children.append(self.shell)
        self.seen = ""

    def resize(self, columns, lines=24):
        fcntl.ioctl(self.user, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))

    def type(self, keys):
        os.write(self.user, keys.encode())

    def read(self, *words):
        """What comes up to the last of the words, which come in this order; the rest is left."""
        end, text = time.monotonic() + self.PATIENCE, ""
        for word in words:
            while word not in self.seen:
                ready, _, _ = select.select([self.user], [], [], max(0, end - time.monotonic()))
                if not ready:
                    raise Failed(f"{word!r} never came: {self.seen!r}")
                try:
                    self.seen += os.read(self.user, 4096).decode(errors="replace")
                except OSError:
                    raise Failed(f"{word!r} never came, the shell has gone: {self.seen!r}") from None
            length = self.seen.index(word) + len(word)
            text, self.seen = text + self.seen[:length], self.seen[length:]
        return text

    def ends(self):
        """The exit status; whatever is still written has to be read, or the shell would wait for that."""
        end = time.monotonic() + self.PATIENCE
        while self.shell.poll() is None:
            if time.monotonic() > end:
                raise Failed(f"the shell does not end: {self.seen!r}")
            if select.select([self.user], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):
                    self.seen += os.read(self.user, 4096).decode(errors="replace")
        os.close(self.user)
        return self.shell.returncode


def echoes(terminal):
    return termios.tcgetattr(terminal.user)[3] & termios.ECHO != 0


@test()
def commands_options_and_domains_are_completed(d):
    for name in ("alphabet", "alpine", "beta"):
        d.define(name)
    t = Terminal(d)
    t.read(PROMPT)
    t.type("dump" + TAB)
    t.read("xml ")
    t.type("alph" + TAB)
    t.read("abet ")
    t.type("--ina" + TAB + ENTER)
    t.read("<name>alphabet</name>", "</domain>", PROMPT)
    t.type("domstate a" + TAB)                      # what both have in common
    t.read("lp")
    t.type(TAB)                                     # the choices, and the line again
    t.read("alphabet  alpine", PROMPT, "domstate alp")
    t.type("i" + TAB + ENTER)
    t.read("shut off", PROMPT)
    t.type("domstate nosuch" + TAB + ENTER)
    t.read("failed to get domain 'nosuch'", PROMPT)
    t.type("quit" + ENTER)
    same(t.ends(), 0)


@test()
def lines_are_remembered_from_one_shell_to_the_next(d):
    d.define("one")
    t = Terminal(d)
    t.read(PROMPT)
    t.type("domstate one" + ENTER)
    t.read("shut off", PROMPT)
    t.type("list --all" + ENTER)
    t.read("shut off", PROMPT)
    t.type(UP + UP + ENTER)
    t.read("domstate one", "shut off", PROMPT)
    t.shell.kill()                                  # the terminal's end can come at any time
    t.ends()
    t = Terminal(d)
    t.read(PROMPT)
    t.type(CTRL_R + "domst")
    t.read("ate one")
    t.type(ENTER)
    t.read("shut off", PROMPT)
    t.type(CTRL_D)
    same(t.ends(), 0)
    history = f"{d.root}/.local/state/domsh_history"
    same(os.stat(history).st_mode & 0o077, 0, "others' rights to the history")


@test()
def control_c_gives_up_the_line_and_control_d_leaves(d):
    d.define("one")
    t = Terminal(d)
    t.read(PROMPT)
    t.type("undefine one")
    t.read("undefine one")
    t.type(CTRL_C)
    t.read(PROMPT)
    t.type("domstate one" + ENTER)
    t.read("shut off", PROMPT)
    t.type(CTRL_C * 20)
    t.read(PROMPT)
    time.sleep(0.5)
    t.type("domstate one")
    t.read("domstate one")
    t.type(CTRL_A + CTRL_D)                         # in a line it only deletes
    t.type("d" + ENTER)
    t.read("shut off", PROMPT)
    t.type(CTRL_D)
    same(t.ends(), 0)


@test(config={"sim_options": "delay=stop:0:60000"})
def control_c_ends_a_command_that_takes_long(d):
    d.define("one")
    d.virsh("start", "one")
    t = Terminal(d)
    t.read(PROMPT)
    t.type("event --all --loop" + ENTER)
    t.read("--loop")
    time.sleep(1)
    t.type(CTRL_C)                                  # this one is meant to be left that way
    t.read("event loop interrupted", PROMPT)
    t.type("suspend one" + ENTER)
    t.read("suspend one")
    time.sleep(0.5)
    t.type(CTRL_C)
    same(t.ends(), -signal.SIGINT)


@test()
def the_terminal_is_given_back_as_it_was(d):
    for leave in ("quit" + ENTER, CTRL_D, signal.SIGTERM, signal.SIGQUIT):
        t = Terminal(d)
        child = os.open(os.readlink(f"/proc/{t.shell.pid}/fd/0"), os.O_RDWR | os.O_NOCTTY)
        t.read(PROMPT)
        until(lambda terminal=t: not echoes(terminal), "the editor has the terminal")
        time.sleep(0.2)
        if isinstance(leave, str):
            t.type(leave)
        else:
            t.shell.send_signal(leave)
        until(lambda terminal=t: terminal.shell.poll() is not None, f"the shell ends by {leave!r}")
        same(termios.tcgetattr(child), t.mode, f"the terminal's mode after {leave!r}")
        os.close(child)
        os.close(t.user)


@test()
def a_window_may_change_its_size(d):
    name = "a-name-of-more-than-forty-characters-in-all"
    d.define(name)
    t = Terminal(d, columns=30)
    t.read(PROMPT)
    t.type("domstate " + name)
    t.read("in-all")
    for columns in (60, 20, 1, 200):
        t.resize(columns)
        time.sleep(0.2)
        t.type("x")
    t.type("\b" * 4 + ENTER)
    t.read("shut off", PROMPT)
    t.type(CTRL_D)
    same(t.ends(), 0)


@test()
def terminals_of_every_kind_will_do(d):
    d.define("one")
    for term in ("dumb", "vt100", "xterm-256color", "nobody-knows-it", ""):
        t = Terminal(d, "-r", term=term)
        t.read("domsh > ")
        t.type("list --al" + TAB + ENTER)
        t.read("shut off", "domsh > ")
        t.type(CTRL_D)
        same(t.ends(), 0, f"exit status with TERM={term}")


@test()
def a_terminal_that_hangs_up_ends_the_shell(d):
    for typed in ("", "list --a", "event --all --loop" + ENTER):
        t = Terminal(d)
        t.read(PROMPT)
        t.type(typed)
        time.sleep(0.5)
        os.close(t.user)
        until(lambda terminal=t: terminal.shell.poll() is not None, f"the shell ends after {typed!r}")


@test()
def a_daemon_that_hangs_or_goes_leaves_the_prompt_alive(d):
    d.define("one")
    t = Terminal(d, "-k", "1", "-K", "1")
    t.read(PROMPT)
    t.type("domstate one" + ENTER)
    t.read("shut off", PROMPT)
    d.process.send_signal(signal.SIGSTOP)
    try:
        t.type("domstate o" + TAB)                  # no names, but the line goes on
        time.sleep(0.5)
        t.type("ne" + ENTER)
        t.read("error: ", PROMPT)
    finally:
        d.process.send_signal(signal.SIGCONT)
    t.type("domstate one" + ENTER)
    t.read("shut off", PROMPT)
    d.stop()
    t.type("domstate one" + ENTER)
    t.read("cannot connect", PROMPT)
    d.start()
    t.type("domstate one" + ENTER)
    t.read("shut off", PROMPT)
    t.type(CTRL_D)
    same(t.ends(), 0)


main()

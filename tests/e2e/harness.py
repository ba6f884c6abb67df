# SPDX-License-Identifier: Apache-2.0
"""End-to-end tests: a real domusd in a root of its own, driven by stock clients.

    from harness import test, main

    @test()                                     # or test(emulator="qemu", config={...}, daemon=False)
    def a_domain_can_be_started_twice(d):
        d.define("one")
        d.virsh("start", "one")

    main()

The function's name is the sentence that TAP prints.  Each test has at most LIMIT seconds.  When it has passed, its guests
are destroyed, its connections closed and the daemon stopped; then no process, socket or descriptor may be left, and no
sanitizer may have said anything, in the daemon's log or a guest's.

By hand: EMULATOR=qemu (or a path) runs all tests on that emulator; words after the file's name choose among its sentences.
"""
import contextlib
import difflib
import glob
import inspect
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

BUILD = os.environ.get("abs_top_builddir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build")
SOURCE = os.environ.get("abs_top_srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SHARED = os.environ.get("DOMUS_SHARED") or os.path.join(SOURCE, "../shared")
DOMUSD, DOMSH, SIMVMM = (os.path.abspath(f"{BUILD}/{p}") for p in ("daemon/domusd", "shell/domsh", "simvmm/simvmm"))
QEMU = "/usr/bin/qemu-system-x86_64"
LIMIT = 120
SANITIZED = os.path.exists(f"{BUILD}/config.h") and "#define WITH_SANITIZERS 1" in open(f"{BUILD}/config.h").read()
SANITIZER_WORDS = re.compile(r"AddressSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|runtime error:")


def has_socket(pid):
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        with contextlib.suppress(OSError):
            if os.readlink(link).startswith("socket:"):
                return True
    return False


class Failed(AssertionError):
    pass


class Skip(Exception):
    pass


class Result:
    """What a client program printed and returned."""

    def __init__(self, words, run):
        self.words, self.code, self.out, self.err = words, run.returncode, run.stdout, run.stderr

    def __str__(self):
        return f"{' '.join(self.words)}\n  exit {self.code}\n  stdout: {self.out.strip()}\n  stderr: {self.err.strip()}"


def shortened(text, limit=2000):
    return text if len(text) <= limit else f"{text[:limit]} ... ({len(text)} characters)"


def same(got, wanted, what=""):
    if got == wanted:
        return
    if isinstance(got, str) and isinstance(wanted, str) and "\n" in got + wanted:
        lines = difflib.unified_diff(wanted.splitlines(), got.splitlines(), "wanted", "got", lineterm="")
        raise Failed(shortened(f"{what or 'text'}:\n" + "\n".join(lines)))
    raise Failed(f"{what or 'value'}: got {shortened(repr(got))}, wanted {shortened(repr(wanted))}")


def contains(text, *parts):
    for part in parts:
        if part not in text:
            raise Failed(f"missing {part!r} in:\n{shortened(text)}")


def until(condition, what, seconds=30):
    """Waits for the condition, and returns what it returned; a busy machine has its time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"after {seconds} s still not: {what}")
        time.sleep(0.02)


def processes_of(root):
    """{pid: command line} of all processes that name `root` or write below it, ourselves excepted."""
    found = {}
    for folder in glob.glob("/proc/[0-9]*"):
        with contextlib.suppress(OSError):
            words = open(f"{folder}/cmdline", "rb").read().replace(b"\0", b" ").decode(errors="replace").strip()
            outputs = [os.readlink(f"{folder}/fd/{number}") for number in (1, 2) if os.path.exists(f"{folder}/fd/{number}")]
            if words and (root in words or any(o.startswith(root) for o in outputs)):
                found[int(folder.split("/")[2])] = words
    found.pop(os.getpid(), None)
    return found


def sockets_under(root):
    """Bound UNIX sockets (path) under root that a process still holds."""
    return [line.split()[-1] for line in open("/proc/net/unix") if root in line]


class Daemon:
    """One domusd and its root.  Paths, clients and the processes that it started hang on it."""

    def __init__(self, emulator="sim", config=None):
        self.root = tempfile.mkdtemp(prefix="dm-", dir=os.environ.get("BENCH_FOLDER") or "/tmp")
        self.emulator = QEMU if emulator == "qemu" else emulator
        self.process = None
        self.connections = []
        self.children = []
        self.descriptors = None
        self.log = f"{self.root}/daemon.log"
        os.mkdir(f"{self.root}/etc", 0o700)
        self.configure(config or {})

    def configure(self, config):
        with open(f"{self.root}/etc/domusd.conf", "w") as f:
            f.write("".join(f"{key} = {value}\n" for key, value in config.items()))

    # --- the daemon's life

    def start(self, *options):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([DOMUSD, "--root", self.root, "--emulator", self.emulator, *options],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until(self.is_ready, "domusd answers on its socket", 60)

    def is_ready(self):
        if self.process.poll() is not None:
            raise Failed(f"domusd exited with {self.process.returncode}:\n{self.log_text()}")
        with socket.socket(socket.AF_UNIX) as s:
            try:
                s.connect(self.socket())
            except OSError:
                return False
            # A child of a daemon that was killed may hold its socket for a moment, until it has seen that.
            peer = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
            return peer == self.process.pid

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            raise Failed("domusd did not stop within 60 s of SIGTERM") from None
        same(code, 0, "domusd's exit status after SIGTERM")
        self.process = None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def log_text(self):
        return open(self.log, errors="replace").read()

    def socket(self, readonly=False):
        return f"{self.root}/run/domus-sock{'-ro' if readonly else ''}"

    def uri(self, readonly=False):
        return f"qemu+unix:///system?socket={self.socket(readonly)}"

    # --- clients

    def environment(self):
        return dict(os.environ, HOME=self.root, LC_ALL="C.UTF-8", XDG_RUNTIME_DIR=self.root, XDG_CACHE_HOME=self.root,
                    DOMUS_URI=self.socket(), TZ="UTC")

    def attempt(self, *words, input=None):
        """What became of it, whatever that is."""
        run = subprocess.run(words, env=self.environment(), text=True, capture_output=True, timeout=LIMIT,
                             input=input, stdin=None if input is not None else subprocess.DEVNULL, check=False)
        return Result(words, run)

    def run(self, words, fails=False, input=None):
        result = self.attempt(*words, input=input)
        if bool(result.code) != fails:
            raise Failed(f"{'succeeded' if fails else 'failed'}: {result}")
        return result

    def virsh(self, *words, readonly=False, fails=False):
        """Runs virsh; its standard output, or standard error if it was meant to fail."""
        options = ["-c", self.uri(readonly)] + (["-r"] if readonly else [])
        result = self.run(["virsh", *options, *words], fails)
        return result.err if fails else result.out

    def domsh(self, *words, readonly=False, fails=False, input=None):
        result = self.run([DOMSH, *(["-r"] if readonly else []), *words], fails, input)
        return result.err if fails else result.out

    def spawn(self, *words):
        """A client that runs beside the test; it is ended with the test."""
        child = subprocess.Popen(words, env=self.environment(), text=True, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.children.append(child)
        return child

    def spawn_connected(self, *words):
        """The same, once it has called the daemon: what happens from now on is told to a client that listens."""
        child = self.spawn(*words)
        until(lambda: has_socket(child.pid), f"{words} is connected")
        time.sleep(1)                           # and has registered
        return child

    def connect(self, readonly=False):
        import libvirt
        libvirt.registerErrorHandler(lambda _, error: None, None)
        connection = (libvirt.openReadOnly if readonly else libvirt.open)(self.uri(readonly))
        self.connections.append(connection)
        return connection

    # --- guests

    def xml(self, name, devices="", memory=32, uuid="", extra="", type="qemu", machine="pc", emulator=""):
        return f"""<domain type='{type}'>
  <name>{name}</name>{f"<uuid>{uuid}</uuid>" if uuid else ""}
  <memory unit='MiB'>{memory}</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='{machine}'>hvm</type></os>
  {extra}
  <devices>{f"<emulator>{emulator}</emulator>" if emulator else ""}
    {devices}
  </devices>
</domain>
"""

    def file(self, name, text):
        path = f"{self.root}/{name}"
        with open(path, "w") as f:
            f.write(text)
        return path

    def define(self, name, devices="", **more):
        return self.virsh("define", self.file(f"{name}.xml", self.xml(name, devices, **more)))

    def disk(self, name, size="1M"):
        """A raw image of so many zeroes."""
        path = f"{self.root}/{name}"
        with open(path, "w") as f:
            f.truncate(int(size[:-1]) << {"K": 10, "M": 20, "G": 30}[size[-1]])
        return path

    def disk_xml(self, path, target="vda", bus="virtio", cache="", kind="raw"):
        word = f" cache='{cache}'" if cache else ""
        return (f"<disk type='file' device='disk'><driver name='qemu' type='{kind}'{word}/>"
                f"<source file='{path}'/><target dev='{target}' bus='{bus}'/></disk>")

    def guests(self):
        """{pid: command line} of the emulators that run in our root (those that are only asked what they can do
        excepted)."""
        return {pid: line for pid, line in processes_of(self.root).items()
                if re.search(r"(simvmm|qemu-system-\w+)$", line.split(" ")[0]) and " -name " in line}

    def guest(self, name):
        found = [pid for pid, line in self.guests().items() if re.search(rf"-name (guest=)?{re.escape(name)}\b", line)]
        same(len(found), 1, f"number of emulators of {name}")
        return found[0]

    def descriptor_count(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    # --- the end

    def finish(self):
        """After a test that passed: everything has to be given back."""
        for connection in self.connections:
            with contextlib.suppress(Exception):
                connection.close()
        for child in self.children:
            child.kill()
            child.wait()
        self.children = []
        if self.process:
            for line in self.virsh("list", "--name").split():
                self.virsh("destroy", line)
            until(lambda: not self.guests(), f"guests end: {self.guests()}")
            until(lambda: not glob.glob(f"{self.root}/run/m/*"),
                  f"monitor sockets are removed: {glob.glob(f'{self.root}/run/m/*')}")
            if self.descriptors is not None:
                until(lambda: self.descriptor_count() <= self.descriptors,
                      f"as few descriptors as at the start, {self.descriptors}: " + self.descriptor_list())
            self.stop()
        until(lambda: not processes_of(self.root), f"the processes end: {processes_of(self.root)}", 5)
        if sockets_under(self.root):
            raise Failed(f"sockets are left: {sockets_under(self.root)}")

    def descriptor_list(self):
        links = []
        for entry in glob.glob(f"/proc/{self.process.pid}/fd/*"):
            with contextlib.suppress(OSError):
                links.append(os.readlink(entry))
        return " ".join(sorted(links))

    def sanitizer_reports(self):
        found = []
        for path in [self.log, *glob.glob(f"{self.root}/log/*")]:
            text = open(path, errors="replace").read() if os.path.isfile(path) else ""
            if SANITIZER_WORDS.search(text):
                found.append(f"{path}:\n{text[-6000:]}")
        return found

    def clean(self):
        """Whatever happened: nothing of ours stays."""
        for child in self.children:
            child.kill()
        if self.process:
            self.process.kill()
            self.process.wait()
        for pid in processes_of(self.root):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.root, ignore_errors=True)


def now_with(d, options, **more):
    """Guests started from now on have this fault."""
    d.configure(dict({"sim_options": options, "start_timeout": 6}, **more))
    before = d.log_text().count("sim_options is now")
    d.process.send_signal(signal.SIGHUP)
    until(lambda: d.log_text().count("sim_options is now") > before, "the configuration is read again")


def timed(function):
    begun = time.monotonic()
    result = function()
    return result, time.monotonic() - begun


tests = []


def test(emulator="sim", config=None, daemon=True, options=(), limit=LIMIT):
    """Marks a test.  A tuple of emulators makes a test for each."""
    def mark(function):
        for one in emulator if isinstance(emulator, tuple) else (emulator,):
            sentence = function.__name__.replace("_", " ")
            if isinstance(emulator, tuple):
                sentence += f" ({one})"
            tests.append((sentence, function, one, config, daemon, options, limit))
        return function
    return mark


def expired(*_):
    raise Failed("the test took too long")


def run_one(function, emulator, config, daemon, options):
    emulator = os.environ.get("EMULATOR") or emulator
    if emulator == "qemu" and not os.path.exists(QEMU):
        raise Skip(f"{QEMU} is not installed")
    for program in [DOMUSD] + [SIMVMM] * (emulator == "sim"):
        if not os.path.exists(program):
            raise Skip(f"{program} is not built")
    d = Daemon(emulator, config)
    try:
        if daemon:
            d.start(*options)
            d.virsh("list")
            time.sleep(0.05)
            d.descriptors = d.descriptor_count()
        function(d)
        d.finish()
        reports = d.sanitizer_reports()
        if reports:
            raise Failed("a sanitizer reported: " + "\n".join(reports))
    except Skip:
        raise
    except Exception:
        print("".join(f"# log: {line}\n" for line in d.log_text().splitlines()[-40:]) if os.path.exists(d.log) else "")
        raise
    finally:
        signal.alarm(0)
        d.clean()


def main():
    wanted = sys.argv[1:]
    chosen = [t for t in tests if not wanted or any(w in t[0] for w in wanted)]
    for word in wanted:
        if not any(word in t[0] for t in tests):
            sys.exit(f"no sentence contains '{word}'")
    signal.signal(signal.SIGALRM, expired)
    for number, (sentence, function, emulator, config, daemon, options, limit) in enumerate(chosen, 1):
        signal.alarm(limit * (3 if SANITIZED else 1))
        try:
            run_one(function, emulator, config, daemon, options)
            print(f"ok {number} - {sentence}", flush=True)
        except Skip as why:
            print(f"ok {number} - {sentence} # SKIP {why}", flush=True)
        except Exception as fault:
            where = [f for f in traceback.extract_tb(fault.__traceback__) if f.filename != __file__]
            place = f"{os.path.basename(where[-1].filename)}:{where[-1].lineno}: " if where else ""
            text = str(fault) if isinstance(fault, Failed) else "".join(traceback.format_exception_only(type(fault), fault))
            print(f"not ok {number} - {sentence}")
            print("".join(f"# {line}\n" for line in (place + text).splitlines()), flush=True)
        finally:
            signal.alarm(0)
    print(f"1..{len(chosen)}")

# SPDX-License-Identifier: Apache-2.0
"""domusd itself: its options, its files, its stop, and what the next one finds."""
import os
import signal
import socket
import subprocess

from harness import DOMUSD, Failed, contains, main, same, test, until

UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def domusd(*words, **more):
    return subprocess.run([DOMUSD, *words], text=True, capture_output=True, timeout=30, check=False, **more)


@test(daemon=False)
def help_and_version_need_no_daemon(d):
    same(domusd("--version").stdout.split()[0], "domusd")
    contains(domusd("--help").stdout, "--root DIR", "--emulator", "--help-config")
    sample = domusd("--help-config")
    same(sample.returncode, 0)
    contains(sample.stdout, "#emulator = auto", "#max_clients = 5000", "1 to 5000 clients")
    same(domusd("--nonsense").returncode, 2)
    same(domusd("stray").returncode, 2)


@test(daemon=False)
def a_wrong_configuration_is_refused_with_its_line(d):
    with open(f"{d.root}/etc/domusd.conf", "w") as f:
        f.write("# fine\nemulater = sim\n")
    run = domusd("--root", d.root)
    same(run.returncode, 1)
    contains(run.stderr, "domusd.conf:2: unknown key 'emulater' (did you mean 'emulator'?)")
    contains(domusd("--root", d.root, "--config", f"{d.root}/none.conf").stderr, "none.conf")


@test(daemon=False)
def an_emulator_that_is_not_there_is_refused(d):
    run = domusd("--root", d.root, "--emulator", "/nonexistent/qemu")
    same(run.returncode, 1)
    contains(run.stderr, "/nonexistent/qemu")


@test()
def a_second_daemon_on_the_same_root_names_the_first(d):
    run = domusd("--root", d.root, "--emulator", "sim")
    same(run.returncode, 1)
    contains(run.stderr, f"another domusd (process {d.process.pid}) already serves")
    d.virsh("list")


@test(daemon=False)
def a_root_too_long_for_a_socket_is_refused_with_a_reason(d):
    run = domusd("--root", f"{d.root}/{'x' * 120}", "--emulator", "sim")
    same(run.returncode, 1)
    contains(run.stderr, "domus-sock")


@test()
def sockets_have_their_modes_and_go_with_the_daemon(d):
    same(oct(os.stat(d.socket()).st_mode & 0o777), "0o600")
    same(oct(os.stat(d.socket(readonly=True)).st_mode & 0o777), "0o666")
    d.stop()
    same([os.path.exists(d.socket()), os.path.exists(d.socket(readonly=True))], [False, False])
    with socket.socket(socket.AF_UNIX) as stale:        # as a killed daemon leaves it
        stale.bind(d.socket())
    d.start()
    d.virsh("list")


@test()
def guests_outlive_the_daemon_and_are_found_again(d):
    d.define("one", d.disk_xml(d.disk("a.img")), uuid=UUID)
    d.define("two")
    d.virsh("create", d.file("three.xml", d.xml("three")))
    d.virsh("start", "one")
    d.virsh("start", "two", "--paused")
    before = {name: (d.guest(name), d.virsh("domid", name), d.virsh("domstate", name, "--reason"),
                     d.virsh("dumpxml", name)) for name in ("one", "two", "three")}
    d.stop()
    same(len(d.guests()), 3, "guests without a daemon")
    d.start()
    for name, (pid, number, state, xml) in before.items():
        same(d.guest(name), pid, "process")
        same(d.virsh("domid", name), number, "id")
        same(d.virsh("domstate", name, "--reason"), state, "state")
        same(d.virsh("dumpxml", name), xml, "live definition")
    contains(d.virsh("dominfo", "three"), "Persistent:     no")
    d.virsh("resume", "two")
    d.virsh("destroy", "three")
    contains(d.virsh("domstate", "three", fails=True), "failed to get domain 'three'")
    d.virsh("destroy", "one")
    d.virsh("start", "one")
    same(d.virsh("domid", "one").strip(), "4", "a new id, higher than those found")


@test()
def a_guest_that_died_meanwhile_is_shut_off_crashed(d):
    d.define("one")
    d.virsh("start", "one")
    pid = d.guest("one")
    d.stop()
    os.kill(pid, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{pid}"), "the guest is gone")
    d.start()
    same(d.virsh("domstate", "one", "--reason").strip(), "shut off (crashed)")
    same(os.listdir(f"{d.root}/run/status"), [])


@test()
def a_damaged_definition_is_reported_and_left_and_the_rest_is_there(d):
    d.define("good")
    d.define("bad", uuid=UUID)
    d.stop()
    path = f"{d.root}/lib/domains/{UUID}.xml"
    damaged = open(path).read().replace("</name>", "</nam>")
    with open(path, "w") as f:
        f.write(damaged)
    d.start()
    same(d.virsh("list", "--all", "--name").split(), ["good"])
    contains(d.log_text(), f"{UUID}.xml")
    same(open(path).read(), damaged)


@test()
def a_status_file_of_a_newer_daemon_is_listed_and_left_alone(d):
    d.define("one", uuid=UUID)
    d.virsh("start", "one")
    d.stop()
    path = f"{d.root}/run/status/{UUID}.xml"
    original = open(path).read()
    newer = original.replace("version='1.0'", "version='2.0'").replace('version="1.0"', 'version="2.0"')
    if newer == original:
        raise Failed(f"no version in {original}")
    with open(path, "w") as f:
        f.write(newer)
    d.start()
    contains(d.virsh("list"), "one")
    for command in ("destroy", "suspend", "undefine"):
        contains(d.virsh(command, "one", fails=True), "newer domusd")
    same(open(path).read(), newer)
    d.stop()
    with open(path, "w") as f:
        f.write(original)
    d.start()
    same(d.virsh("domstate", "one").strip(), "running")


@test()
def what_a_later_minor_version_added_to_a_status_file_survives(d):
    d.define("one", uuid=UUID)
    d.virsh("start", "one")
    d.stop()
    path = f"{d.root}/run/status/{UUID}.xml"
    text = open(path).read()
    with open(path, "w") as f:
        f.write(text.replace("</domus-status>", "  <later x='1'/>\n</domus-status>"))
    d.start()
    d.virsh("suspend", "one")           # the file is written again
    contains(open(path).read(), "later", "x=")
    same(d.virsh("domstate", "one").strip(), "paused")


@test(config={"log_level": "info"})
def sighup_reads_the_configuration_and_opens_the_log_anew(d):
    d.configure({"log_level": "debug", "log_file": f"{d.root}/other.log", "max_clients": "9"})
    d.process.send_signal(signal.SIGHUP)
    until(lambda: os.path.exists(f"{d.root}/other.log") and
          "the configuration was read again" in open(f"{d.root}/other.log").read(), "the new log is written")
    contains(d.log_text(), "max_clients stays '5000' until domusd is restarted")
    os.rename(f"{d.root}/other.log", f"{d.root}/rotated.log")
    d.configure({"log_file": f"{d.root}/other.log", "nonsense": "1"})
    d.process.send_signal(signal.SIGHUP)
    until(lambda: os.path.exists(f"{d.root}/other.log") and "was not taken over" in open(f"{d.root}/other.log").read(),
          "the log is made again, although the configuration has a mistake, and tells of it")
    same("was not taken over" in open(f"{d.root}/rotated.log").read(), False)
    d.configure({"log_file": f"{d.root}/missing/other.log"})
    d.process.send_signal(signal.SIGHUP)
    until(lambda: "the log stays where it was" in open(f"{d.root}/other.log").read(), "the old log says why it stays")
    d.descriptors += 1                  # the log is a file now
    d.virsh("list")


@test()
def a_log_that_was_moved_away_is_left_alone_after_sighup(d):
    log, rotated = f"{d.root}/domusd.log", f"{d.root}/domusd.log.1"
    d.stop()
    d.configure({"log_file": log})
    d.start()
    d.descriptors += 1                  # the log is a file
    d.define("before")
    for turn in range(3):               # as logrotate does it, again and again
        os.rename(log, rotated)
        d.define(f"between{turn}")      # until it is told, the daemon goes on in the moved one
        contains(open(rotated).read(), f"between{turn}")
        d.process.send_signal(signal.SIGHUP)
        until(lambda: os.path.exists(log) and "was read again" in open(log).read(), "the log is made anew")
        size = os.path.getsize(rotated)
        d.define(f"after{turn}")
        contains(open(log).read(), f"after{turn}")
        same(os.path.getsize(rotated), size, "size of the log that was moved away")
        same(os.stat(log).st_mode & 0o777, 0o640, "mode of the new log")


@test(emulator=("sim", "qemu"))
def a_guests_log_is_cut_by_the_daemon_and_may_be_truncated_by_others(d):
    d.define("one", uuid=UUID)
    d.virsh("start", "one")
    log = f"{d.root}/log/one-{UUID}.log"
    guest = os.stat(f"/proc/{d.guest('one')}/fd/2")
    os.truncate(log, 0)                 # logrotate's copytruncate
    d.process.send_signal(signal.SIGHUP)
    until(lambda: "was read again" in d.log_text(), "SIGHUP is done")
    same(os.stat(log).st_ino, guest.st_ino, "the file that the emulator writes to")
    with open(f"/proc/{d.guest('one')}/fd/2", "a") as f:
        f.write("a word at the beginning\n")
    same(open(log).read(), "a word at the beginning\n")
    d.virsh("destroy", "one")
    d.virsh("start", "one")
    same(d.virsh("domstate", "one").strip(), "running")


@test()
def autostart_runs_once_in_a_boot(d):
    d.define("one")
    d.virsh("autostart", "one")
    same(os.listdir(f"{d.root}/lib/autostart"), [d.virsh("domuuid", "one").strip()])
    d.stop()
    d.start()
    same(d.virsh("domstate", "one").strip(), "shut off", "this boot had its autostart")
    d.stop()
    os.unlink(f"{d.root}/run/autostarted")              # as after a boot
    d.start()
    until(lambda: d.virsh("domstate", "one").strip() == "running", "it is started by itself")
    d.virsh("autostart", "one", "--disable")
    same(os.listdir(f"{d.root}/lib/autostart"), [])


@test()
def an_autodestroyed_guest_goes_with_its_client(d):
    c = d.connect()
    c.defineXML(d.xml("kept")).createWithFlags(2)
    c.createXML(d.xml("gone"), 2)
    same(len(d.guests()), 2)
    c.close()
    until(lambda: not d.guests(), "both guests end")
    same(d.virsh("list", "--all", "--name").split(), ["kept"])
    same(d.virsh("domstate", "kept", "--reason").strip(), "shut off (destroyed)")


@test()
def an_autodestroyed_guest_does_not_outlive_a_killed_daemon(d):
    c = d.connect()
    c.createXML(d.xml("gone"), 2)
    d.define("stays")
    d.virsh("start", "stays")
    d.kill()
    same(len(d.guests()), 2)
    d.start()
    until(lambda: d.virsh("list", "--all", "--name").split() == ["stays"], "only the other one is left")
    same(len(d.guests()), 1)


@test(config={"sim_options": "mute=greeting"})
def an_emulator_that_is_only_asked_what_it_can_do_does_not_outlive_us(d):
    asking = d.spawn("virsh", "-c", d.uri(), "version")
    pid = int(until(lambda: subprocess.run(["pgrep", "-P", str(d.process.pid)], capture_output=True, text=True).stdout,
                    "the emulator runs"))
    until(lambda: b"none" in open(f"/proc/{pid}/cmdline", "rb").read(), "it is no longer a copy of us")
    d.kill()
    until(lambda: not os.path.exists(f"/proc/{pid}"), "it is gone")
    asking.wait()
    d.configure({})
    d.start()


@test(config={"override_emulator": "sim"}, emulator="auto")
def an_override_replaces_every_emulator_and_is_shown(d):
    contains(d.log_text(), "override_emulator: every guest is run by", "simvmm")
    contains(d.domsh("version"), "simvmm")
    d.define("one", emulator="/nonexistent/qemu")
    d.virsh("start", "one")
    contains(d.guests()[d.guest("one")], "simvmm")
    contains(d.virsh("dumpxml", "one", "--inactive"), "<emulator>/nonexistent/qemu</emulator>")


@test(config={"disk_syntax": "drive"})
def disks_can_be_put_on_the_command_line_as_classic_drives(d):
    d.define("one", d.disk_xml(d.disk("a.img"), cache="writethrough"))
    line = d.virsh("domxml-to-native", "qemu-argv", "--domain", "one")
    contains(line, "-drive ", "cache=writethrough", "if=none")
    if "-blockdev" in line:
        raise Failed(line)
    d.virsh("start", "one")


@test(daemon=False)
def sockets_come_from_systemd_and_it_hears_that_we_are_ready(d):
    os.makedirs(f"{d.root}/run", exist_ok=True)
    notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notified.bind(f"{d.root}/notify")
    notified.settimeout(20)
    listening = []
    for path in (d.socket(), d.socket(readonly=True)):
        s = socket.socket(socket.AF_UNIX)
        s.bind(path)
        s.listen(16)
        listening.append(s)
    script = ('exec 3<&$1 4<&$2; export LISTEN_PID=$$ LISTEN_FDS=2; shift 2; exec "$@"')
    fds = [os.dup(s.fileno()) for s in listening]
    with open(d.log, "ab") as log:
        d.process = subprocess.Popen(["bash", "-c", script, "bash", *map(str, fds), DOMUSD, "--root", d.root, "--emulator", "sim"],
                                     stdout=log, stderr=log, pass_fds=fds, stdin=subprocess.DEVNULL,
                                     env=dict(os.environ, NOTIFY_SOCKET=f"{d.root}/notify"))
    same(notified.recv(64), b"READY=1")
    d.virsh("list")
    d.virsh("list", readonly=True)
    d.process.send_signal(signal.SIGHUP)
    contains(notified.recv(128).decode(), "RELOADING=1\nMONOTONIC_USEC=")
    same(notified.recv(64), b"READY=1")
    d.stop()
    same(notified.recv(64), b"STOPPING=1")
    same([os.path.exists(d.socket()), os.path.exists(d.socket(readonly=True))], [True, True], "the files are systemd's")
    for fd in fds:
        os.close(fd)
    for s in [*listening, notified]:
        s.close()


main()

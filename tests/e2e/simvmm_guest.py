#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""simvmm's guest: what it does by script, on which clock, and what a client of its monitor hears of that."""
import json
import os
import socket
import subprocess
import time

from harness import SIMVMM, contains, main, same, test, until
from simvmm import PLAIN, Control, Vmm


def run_of(d, script, *options):
    """All that a client hears from `cont` to the end, byte for byte."""
    vmm = Vmm(d, *options, "-sim", "clock=virtual,script=" + d.file("script", script))
    c = vmm.client()
    c.send('{"execute": "cont"}')
    heard = c.lines.read().decode()
    vmm.process.wait(60)                        # lest the next one's client meets this one's socket
    return heard


@test(daemon=False)
def on_a_virtual_clock_a_script_gives_the_same_run_always(d):
    script = "boot 500\nat 1000 rtc 7\nevery 700 balloon 100\nonce 3000 reset\non reset rtc -3\nat 9000 panic\n"
    options = ("-device", "virtio-balloon-pci", "-device", "pvpanic")
    begun = time.monotonic()
    first, second = run_of(d, script, *options), run_of(d, script, *options)
    same(first, second)
    same(time.monotonic() - begun < 10, True, "24 seconds of the guest's take less of ours")
    contains(first, '{"timestamp": {"seconds": 946684801, "microseconds": 0}, "event": "RTC_CHANGE", "data": {"offset": 7, ',
             '{"timestamp": {"seconds": 946684803, "microseconds": 0}, "event": "RESET", "data": {"guest": true, "reason": "guest-reset"}}',
             '{"timestamp": {"seconds": 946684812, "microseconds": 0}, "event": "GUEST_PANICKED", "data": {"action": "poweroff"}}')


@test(daemon=False)
def a_stepped_clock_moves_by_hand(d):
    control = Control(d)
    c = Vmm(d, *control.option, "-sim", "clock=stepped,do=at 1000 suspend").client()
    c.ask("cont")
    control.do("advance 999")
    same(c.ask("query-status")["return"]["status"], "running")
    control.do("advance 1")
    same(c.lines_until("SUSPEND")[-1], "SUSPEND")
    same(control.do("state"), "state suspended\nguest up\nms 1000\n")


@test(daemon=False)
def the_guests_time_stands_still_while_it_is_stopped(d):
    control = Control(d)
    c = Vmm(d, *control.option, "-sim", "clock=stepped,do=at 1000 rtc 1").client()
    c.ask("cont")
    control.do("advance 600")
    c.ask("stop")
    control.do("advance 5000")
    c.ask("cont")
    control.do("advance 399")
    c.silent()
    control.do("advance 1")
    contains(c.lines_until("RTC_CHANGE")[-1], '"offset": 1')


@test(daemon=False)
def what_happens_at_a_panic_is_the_policys_business(d):
    for options, policy, wanted, status in (
            ((), {}, ['GUEST_PANICKED {"action": "poweroff"}', "STOP", 'SHUTDOWN {"guest": true, "reason": "guest-panic"}'], 0),
            ((), {"panic": "exit-failure"}, ['GUEST_PANICKED {"action": "poweroff"}', "STOP",
                                             'SHUTDOWN {"guest": true, "reason": "guest-panic"}'], 1),
            (("-no-shutdown",), {}, ['GUEST_PANICKED {"action": "pause"}', "STOP"], "guest-panicked"),
            (("-action", "panic=none"), {}, ['GUEST_PANICKED {"action": "run"}'], "running"),
            ((), {"panic": "pause"}, ['GUEST_PANICKED {"action": "pause"}', "STOP"], "guest-panicked")):
        control = Control(d)
        vmm = Vmm(d, *control.option, *options)
        c = vmm.client()
        if policy:
            c.ask("set-action", **policy)
        c.ask("cont")
        control.say("panic")
        same(c.lines_until(wanted[-1].split()[0]), wanted, f"{options} {policy}")
        if isinstance(status, int):
            same(vmm.process.wait(30), status, f"{options} {policy}")
        else:
            same(c.ask("query-status")["return"]["status"], status)
            vmm.process.kill()
            vmm.process.wait()
            os.unlink(vmm.path)
            os.unlink(control.path)


@test(daemon=False)
def what_the_watchdog_does_is_the_policys_business(d):
    control = Control(d)
    c = Vmm(d, *control.option, "-no-shutdown").client()
    c.ask("cont")
    for action, wanted in (("none", 'WATCHDOG {"action": "none"}'), ("shutdown", "POWERDOWN"),
                           ("reset", 'RESET {"guest": true, "reason": "guest-reset"}'), ("pause", "STOP")):
        c.ask("set-action", watchdog=action)
        control.do("powerbutton ignore")
        time.sleep(1.05)                        # no more than one WATCHDOG a second
        control.do("watchdog")
        same(c.lines_until(wanted.split()[0])[-1], wanted, action)
    same(c.ask("query-status")["return"]["status"], "watchdog")


@test(daemon=False)
def a_disks_policy_says_what_becomes_of_a_failed_request(d):
    control = Control(d)
    image = d.disk("image")
    c = Vmm(d, *control.option, "-blockdev", f"driver=file,node-name=n0,filename={image},locking=off",
            "-device", "virtio-blk-pci,drive=n0,id=v0,werror=stop,rerror=ignore").client()
    c.ask("cont")
    control.do("io-error v0 read")
    contains(c.lines_until("BLOCK_IO_ERROR")[-1], '"action": "ignore"', '"operation": "read"', '"node-name": "n0"',
             '"reason": "Input/output error"', '"qom-path": "/machine/peripheral/v0/virtio-backend"', '"nospace": false')
    control.do("io-error v0 write enospc")
    lines = c.lines_until("STOP")
    contains(lines[0], '"action": "stop"', '"nospace": true', '"reason": "No space left on device"')
    same(c.ask("query-status")["return"]["status"], "io-error")
    same([b["io-status"] for b in c.ask("query-block")["return"]], ["nospace"])
    same(c.ask("cont"), {"return": {}})
    same([b["io-status"] for b in c.ask("query-block")["return"]], ["ok"])
    contains(control.say("io-error zz read"), "error: there is no disk 'zz'")


@test(daemon=False)
def a_guest_may_be_slow_to_give_memory_or_refuse_a_device(d):
    control = Control(d)
    c = Vmm(d, *control.option, "-device", "virtio-balloon-pci,id=b0", "-device", "virtio-rng-pci,id=r0",
            "-sim", "clock=stepped,do=balloon-rate 10").client()
    c.ask("cont")
    c.ask("balloon", value=108 << 20)
    control.do("advance 1000")
    same(c.ask("query-balloon"), {"return": {"actual": 118 << 20}})
    control.do("advance 1000")
    same(c.ask("query-balloon"), {"return": {"actual": 108 << 20}})
    control.do("unplug refuse")
    c.ask("device_del", id="r0")
    control.do("advance 1")
    contains(c.lines_until("UNPLUG")[-1], 'DEVICE_UNPLUG_GUEST_ERROR {"device": "r0", "path": "/machine/peripheral/r0"}')
    control.do("unplug never")
    c.ask("device_del", id="r0")
    control.do("advance 100000")
    contains(json.dumps(c.ask("device_del", id="r0")), "already in the process of unplug")
    c.ask("system_reset")
    same([p["name"] for p in c.ask("qom-list", path="/machine/peripheral")["return"]], ["type", "b0"])


@test(daemon=False)
def the_guest_tells_of_its_memory_as_often_as_it_is_asked(d):
    control = Control(d)
    c = Vmm(d, *control.option, "-device", "virtio-balloon-pci,id=b0", "-sim", "clock=stepped").client()
    c.ask("cont")
    stats = {"path": "/machine/peripheral/b0", "property": "guest-stats"}
    same(c.ask("qom-get", **stats)["return"]["last-update"], 0)
    same(c.ask("qom-set", path="b0", property="guest-stats-polling-interval", value=5), {"return": {}})
    control.do("advance 4999")
    same(c.ask("qom-get", **stats)["return"]["last-update"], 0)
    control.do("advance 1")
    got = c.ask("qom-get", **stats)["return"]
    same((got["last-update"], got["stats"]["stat-total-memory"]), (946684805, 120 << 20))
    c.ask("qom-set", path="b0", property="guest-stats-polling-interval", value=0)
    control.do("advance 60000")
    same(c.ask("qom-get", **stats)["return"]["last-update"], 946684805)
    contains(json.dumps(c.ask("qom-set", path="b0", property="guest-stats-polling-interval", value=-1)), "must be greater than zero")


@test(daemon=False)
def events_of_one_kind_come_once_a_second_and_the_newest_wins(d):
    control = Control(d)
    c = Vmm(d, *control.option, "-sim", "clock=stepped").client()
    c.ask("cont")
    for offset in (1, 2, 3):
        control.do(f"rtc {offset}")
    contains(c.lines_until("RTC_CHANGE")[-1], '"offset": 1')
    c.silent()
    control.do("advance 1000")
    contains(c.lines_until("RTC_CHANGE")[-1], '"offset": 3')


@test(daemon=False)
def a_guest_answers_what_is_typed(d):
    control = Control(d)
    vmm = Vmm(d, *control.option, "-chardev", "pty,id=c0", "-device", "isa-serial,chardev=c0",
              "-sim", 'do=on input "crash me" panic', "-sim", 'do=on boot print "login: "', "-no-shutdown")
    c = vmm.client()
    pty = vmm.process.stdout.readline().split()[4]
    c.ask("cont")
    fd = os.open(pty, os.O_RDWR | os.O_NOCTTY)
    os.write(fd, b"crash me\r")
    got = b""
    while not got.endswith(b"me\r"):
        got += os.read(fd, 100)
    os.close(fd)
    same(got, b"login: crash me\r")
    same(c.lines_until("STOP")[-2:], ['GUEST_PANICKED {"action": "pause"}', "STOP"])


class Agent:
    """A client of the guest's agent, on the channel that OPTIONS make."""

    def __init__(self, d):
        self.path = f"{d.root}/agent"
        self.options = ("-device", "virtio-serial-pci,id=vs0", "-chardev", f"socket,id=ga,path={self.path},server=on,wait=off",
                        "-device", "virtserialport,bus=vs0.0,chardev=ga,id=channel0,name=org.qemu.guest_agent.0")

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(self.path)
        self.lines = self.socket.makefile("rb")

    def send(self, name, **arguments):
        self.socket.sendall(json.dumps({"execute": name, "arguments": arguments}).encode() + b"\n")

    def ask(self, name, **arguments):
        self.send(name, **arguments)
        return json.loads(self.lines.readline())

    def get(self, name, **arguments):
        answer = self.ask(name, **arguments)
        same(list(answer), ["return"], f"{name}: {answer}")
        return answer["return"]


@test(daemon=False)
def the_agent_is_there_from_boot_to_end_and_qemu_tells(d):
    control, agent = Control(d), Agent(d)
    c = Vmm(d, *control.option, *agent.options, "-sim", "clock=stepped,do=boot 500", "-no-shutdown").client()
    agent.connect()
    agent.send("guest-ping")
    c.ask("cont")
    control.do("advance 499")
    same([x["frontend-open"] for x in c.ask("query-chardev")["return"] if x["label"] == "ga"], [False])
    control.do("advance 1")
    same(c.lines_until("VSERPORT")[-1], 'VSERPORT_CHANGE {"open": true, "id": "channel0"}')
    same(json.loads(agent.lines.readline()), {"return": {}}, "what was asked before it was there")
    same(agent.get("guest-sync", id=7), 7)
    agent.socket.sendall(b'\xff{"execute": "guest-sync-delimited", "arguments": {"id": 8}}\n')
    same([agent.lines.readline(), agent.lines.readline()],
         [b'{"error": {"class": "GenericError", "desc": "JSON parse error, stray \'\\uFFFD\'"}}\n', b'\xff{"return": 8}\n'])
    control.do("advance 2000")
    agent.send("guest-shutdown")
    until(lambda: control.do("advance 100") == "" and "shutdown" in control.do("state"), "the guest ends")
    same([line for line in c.lines_until("STOP") if line],
         ['VSERPORT_CHANGE {"open": false, "id": "channel0"}', 'SHUTDOWN {"guest": true, "reason": "guest-shutdown"}', "STOP"])


@test(daemon=False)
def the_agent_keeps_what_it_is_told(d):
    agent = Agent(d)
    image = d.disk("image")
    vmm = Vmm(d, *agent.options, "-name", "inside", "-smp", "2", "-blockdev", f"driver=file,node-name=n0,filename={image},locking=off",
              "-device", "virtio-blk-pci,drive=n0", "-device", "virtio-net-pci,mac=52:54:00:aa:bb:cc",
              "-sim", 'do=program /opt/app 3 "no\\n"', "-sim", "do=file /etc/motd hello")
    c = vmm.client()
    c.ask("cont")
    c.lines_until("VSERPORT")
    agent.connect()
    same(agent.get("guest-get-host-name"), {"host-name": "inside"})
    same([i["hardware-address"] for i in agent.get("guest-network-get-interfaces")], ["00:00:00:00:00:00", "52:54:00:aa:bb:cc"])
    same([f["mountpoint"] for f in agent.get("guest-get-fsinfo")], ["/"])
    address = agent.get("guest-get-disks")[0]["address"]
    same((address["bus-type"], address["pci-controller"]["slot"], address["dev"]), ("virtio", 3, "/dev/vda"))
    agent.get("guest-set-vcpus", vcpus=[{"logical-id": 1, "online": False}])
    same([v["online"] for v in agent.get("guest-get-vcpus")], [True, False])
    same(agent.get("guest-fsfreeze-freeze"), 1)
    same(agent.ask("guest-get-time"), {"error": {"class": "CommandNotFound", "desc":
         "Command guest-get-time has been disabled: the agent is in frozen state"}})
    same(agent.get("guest-fsfreeze-thaw"), 1)
    handle = agent.get("guest-file-open", path="/etc/motd")
    same(agent.get("guest-file-read", handle=handle), {"count": 5, "buf-b64": "aGVsbG8=", "eof": True})
    pid = agent.get("guest-exec", path="/opt/app", **{"capture-output": True})["pid"]
    same(agent.get("guest-exec-status", pid=pid), {"exited": True, "exitcode": 3, "out-data": "bm8K", "out-truncated": False})
    wanted = 1500000000 * 10**9
    agent.get("guest-set-time", time=wanted)
    contains(c.lines_until("RTC_CHANGE")[-1], '"offset": -')
    same(0 <= agent.get("guest-get-time") - wanted < 60 * 10**9, True)


@test(daemon=False)
def faults_meet_the_agents_commands(d):
    control, agent = Control(d), Agent(d)
    c = Vmm(d, *control.option, *agent.options).client()
    c.ask("cont")
    c.lines_until("VSERPORT")
    agent.connect()
    control.do("error=guest-ping:2:no: not now")
    same([agent.ask("guest-ping"), agent.ask("guest-ping")],
         [{"return": {}}, {"error": {"class": "GenericError", "desc": "no: not now"}}])
    control.do("delay=guest-sync:1:300")
    begun = time.monotonic()
    same(agent.get("guest-sync", id=1), 1)
    same(time.monotonic() - begun > 0.25, True)
    control.do("agent off")
    contains(c.lines_until("VSERPORT")[-1], '"open": false')


@test(daemon=False)
def faults_meet_the_nth_use_of_commands_and_events(d):
    control = Control(d)
    vmm = Vmm(d, *control.option)
    c = vmm.client()
    control.do("duplicate=query-name:1")
    c.send('{"execute": "query-name"}')
    same([c.line(), c.line()], ['{"return": {}}'] * 2)
    control.do("truncate=query-name:1:5")
    control.do("garble=query-uuid:1")
    c.send('{"execute": "query-name"}{"execute": "query-uuid"}')
    contains(c.lines.readline().decode(), '{"ret{"return"', "\x01")
    control.do("drop=RESUME:1")
    control.do("duplicate=STOP:1:3")
    c.send('{"execute": "cont"}{"execute": "stop"}')
    same(c.lines_until("return") + c.lines_until("return"), ['{"return": {}}', "STOP", "STOP", "STOP", '{"return": {}}'])
    control.do("flood=query-name:1:500")
    c.send('{"execute": "query-name"}')
    events = sum(c.line().find("BALLOON_CHANGE") > 0 for _ in range(501))
    same(events, 500)
    control.do("exit=query-name:1:7 gone fishing")
    c.send('{"execute": "query-name"}')
    contains(vmm.ends(7), "gone fishing\n")


@test(daemon=False)
def a_script_is_checked_whole_before_anything_starts(d):
    for script, said in (("boot 5\nat 7 explode\n", "line 2: there is no action 'explode'"),
                         ("at 7 io-error v0 chew\n", "line 1: 'io-error': 'chew' should be read|write"),
                         ("print \"x\n", "line 1: a quote is not closed"),
                         ("boot 1\n" * 1001, "more than 1000 lines")):
        run = subprocess.run([SIMVMM, *PLAIN, "-sim", "script=" + d.file("s", script)], capture_output=True, text=True, check=False)
        same(run.returncode, 1)
        contains(run.stderr, said)


@test(daemon=False)
def a_start_may_be_slow_or_fail_with_a_text(d):
    run = subprocess.run([SIMVMM, "-sim", "start=300,stderr=no such luck,exit=3"], capture_output=True, text=True, check=False)
    same((run.returncode, run.stderr), (3, "no such luck\n"))
    begun = time.monotonic()
    Vmm(d, "-sim", "start=400").client()
    same(time.monotonic() - begun > 0.35, True)


@test(daemon=False)
def a_monitor_may_be_standard_input_and_output(d):
    run = subprocess.run([SIMVMM, *PLAIN, "-qmp", "stdio"], capture_output=True, text=True, check=False,
                         input='{"execute": "qmp_capabilities"}{"execute": "query-status"}{"execute": "quit"}', timeout=30)
    same([sorted(json.loads(line)) for line in run.stdout.splitlines()],
         [["QMP"], ["return"], ["return"], ["data", "event", "timestamp"], ["return"]])


main()

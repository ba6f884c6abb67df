#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""simvmm by itself: its monitor, byte by byte, as a client that was written from QMP's description sees it."""
import json
import os
import signal
import socket
import subprocess
import time

from harness import SIMVMM, Failed, contains, main, same, test, until
from simvmm import PLAIN, Vmm


@test(daemon=False)
def the_greeting_names_the_version_and_nothing_works_before_negotiation(d):
    c = Vmm(d).client(negotiate=False)
    same(c.line(), '{"QMP": {"version": {"qemu": {"micro": 3, "minor": 1, "major": 11}, "package": "Debian 1:11.1.3+ds-1~bpo13+1"}, '
         '"capabilities": ["oob"]}}')
    c.send('{"execute": "query-status", "id": 1}')
    same(c.line(), '{"id": 1, "error": {"class": "CommandNotFound", "desc": "Expecting capabilities negotiation with '
         "'qmp_capabilities'\"}}")
    c.send('{"execute": "qmp_capabilities", "arguments": {"enable": []}}')
    same(c.line(), '{"return": {}}')
    c.send('{"execute": "qmp_capabilities"}')
    contains(c.line(), '"CommandNotFound"', "Capabilities negotiation is already complete, command ignored")


@test(daemon=False)
def ids_come_back_as_they_were_and_replies_in_order(d):
    c = Vmm(d).client()
    c.send('{"execute":"query-status","id":{"b":1.5,"a":null}}{"execute":"nope","id":"x"}\n\n {"id":2,"execute":"query-name"}')
    same(c.line(), '{"return": {"status": "prelaunch", "running": false}, "id": {"a": null, "b": 1.5}}')
    same(c.line(), '{"id": "x", "error": {"class": "CommandNotFound", "desc": "The command nope has not been found"}}')
    same(c.line(), '{"return": {}, "id": 2}')


@test(daemon=False)
def wrong_requests_get_qemus_complaints(d):
    c = Vmm(d).client()
    for sent, desc in (
            ('{"execute":"query-name","foo":1}', "QMP input member 'foo' is unexpected"),
            ('{"arguments":{}}', "QMP input lacks member 'execute'"),
            ('{"execute":5}', "QMP input member 'execute' must be a string"),
            ('{"execute":"query-name","arguments":5}', "QMP input member 'arguments' must be an object"),
            ('[]', "QMP input must be a JSON object"),
            ('{"execute":"query-name","arguments":{"x":1}}', "Parameter 'x' is unexpected"),
            ('{"execute":"qom-get","arguments":{"path":"/"}}', "Parameter 'property' is missing"),
            ('{"execute":"qom-list","arguments":{"path":5}}', "Invalid parameter type for 'path', expected: string"),
            ('{"execute":"qom-list-getv","arguments":{"paths":["/",5]}}', "Invalid parameter type for 'paths[1]', expected: string"),
            ('{"execute":"set-action","arguments":{"panic":"zz"}}', "Parameter 'panic' does not accept value 'zz'")):
        c.send(sent)
        same(json.loads(c.line()), {"error": {"class": "GenericError", "desc": desc}}, sent)
    c.send('{"execute":"query-name"]')
    contains(c.line(), "JSON parse error, expected ',' or '}'")


@test(daemon=False)
def one_client_is_served_at_a_time(d):
    vmm = Vmm(d)
    first = vmm.client()
    second = vmm.client(negotiate=False)
    second.silent()
    first.send('{"execute": "half')
    first.socket.shutdown(socket.SHUT_RDWR)
    first.socket.close()
    contains(second.line(), '"QMP"')
    contains(json.dumps(second.ask("query-status")), "Expecting capabilities negotiation")
    same(second.ask("qmp_capabilities"), {"return": {}})


@test(daemon=False)
def events_come_before_the_reply_to_what_caused_them(d):
    c = Vmm(d, "-no-shutdown").client()
    for command, wanted in (
            ("cont", ["RESUME"]), ("cont", []), ("stop", ["STOP"]), ("stop", []),
            ("system_reset", ['RESET {"guest": false, "reason": "host-qmp-system-reset"}'])):
        c.send('{"execute": "%s"}' % command)
        same(c.lines_until('"return"'), [*wanted, '{"return": {}}'], command)
    same(c.ask("query-status")["return"], {"status": "prelaunch", "running": False})


@test(daemon=False)
def a_guest_answers_the_power_button_by_shutting_down(d):
    vmm = Vmm(d, "-no-shutdown")
    c = vmm.client()
    c.ask("cont")
    c.send('{"execute": "system_powerdown"}')
    same(c.lines_until("STOP"), ["POWERDOWN", '{"return": {}}', 'SHUTDOWN {"guest": true, "reason": "guest-shutdown"}', "STOP"])
    same(c.ask("query-status")["return"], {"status": "shutdown", "running": False})
    same(c.ask("cont")["error"]["desc"], "Resetting the Virtual Machine is required")
    c.ask("system_reset")
    same(c.ask("cont"), {"return": {}})
    c.send('{"execute": "quit"}')
    same(c.lines_until('"return"'), ['SHUTDOWN {"guest": false, "reason": "host-qmp-quit"}', '{"return": {}}'])
    same(c.line(), "")
    vmm.ends(0)


@test(daemon=False)
def without_no_shutdown_the_guests_end_is_ours(d):
    vmm = Vmm(d)
    c = vmm.client()
    c.ask("cont")
    c.send('{"execute": "system_powerdown"}')
    same(c.lines_until("SHUTDOWN")[-1], 'SHUTDOWN {"guest": true, "reason": "guest-shutdown"}')
    same(c.line(), "")
    vmm.ends(0)


@test(daemon=False)
def a_signal_is_a_shutdown_that_names_the_sender(d):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        vmm = Vmm(d, "-no-shutdown")
        c = vmm.client()
        vmm.process.send_signal(number)
        same(c.lines_until("SHUTDOWN"), ['SHUTDOWN {"guest": false, "reason": "host-signal"}'])
        same(c.line(), "")
        contains(vmm.ends(0), f"simvmm: terminating on signal {int(number)} from pid {os.getpid()} (")


@test(daemon=False)
def what_is_listed_is_there_and_what_is_not_listed_is_not(d):
    for options, has in ((["qemu=11.1"], {"qom-list-get", "qom-list-getv"}), (["qom=get"], {"qom-list-get"}),
                         (["qom=tree"], {"qom-list-get", "qom-list-getv", "qom-tree-get"}), (["qom=none"], set()),
                         (["qemu=7.2"], set()), (["qemu=7.2,qom=getv"], {"qom-list-get", "qom-list-getv"})):
        vmm = Vmm(d, "-sim", *options)
        c = vmm.client()
        listed = {command["name"] for command in c.ask("query-commands")["return"]}
        schema = {entry["name"] for entry in c.ask("query-qmp-schema")["return"] if entry["meta-type"] == "command"}
        bulk = {"qom-list-get", "qom-list-getv", "qom-tree-get"}
        same(listed & bulk, has, f"bulk commands with {options}")
        same(schema - listed, set(), "commands that only the schema has")
        for name in sorted(listed - {"quit"}):
            answer = c.ask(name)
            if answer.get("error", {}).get("class") == "CommandNotFound" and name != "qmp_capabilities":
                raise Failed(f"{name} is listed, but: {answer}")
        for name in sorted(bulk - has) + ["x-colo-lost-heartbeat", "human-nope"]:
            same(c.ask(name)["error"]["class"], "CommandNotFound", name)
        c.ask("quit")
        vmm.ends(0)


@test(daemon=False)
def paths_resolve_as_qemus_do(d):
    c = Vmm(d).client()
    types = [p["type"] for p in c.ask("qom-list", path="/machine/i440fx")["return"] if p["name"] == "pci.0"]
    same(types, ["child<PCI>"])
    same(c.ask("qom-get", path="i440fx/pci.0", property="type"), {"return": "PCI"})
    same(c.ask("qom-get", path="/machine/smram", property="type"), {"return": "memory-region"})
    for command, arguments, kind, desc in (
            ("qom-list", {"path": "parent_bus"}, "GenericError", "Path 'parent_bus' is ambiguous"),
            ("qom-list-getv", {"paths": ["/", "parent_bus"]}, "GenericError", "Path 'parent_bus' is ambiguous"),
            ("qom-get", {"path": "parent_bus", "property": "x"}, "DeviceNotFound", "Device 'parent_bus' not found"),
            ("qom-list", {"path": "/nope"}, "DeviceNotFound", "Device '/nope' not found"),
            ("qom-list", {"path": ""}, "GenericError", "Path '' is ambiguous"),
            ("qom-get", {"path": "/machine", "property": "nope"}, "GenericError", "Property 'pc-i440fx-11.1-machine.nope' not found"),
            ("qom-get", {"path": "/machine/unattached/device[0]", "property": "crash-information"}, "GenericError", "No crash occurred")):
        same(c.ask(command, **arguments), {"error": {"class": kind, "desc": desc}}, f"{command} {arguments}")


@test(daemon=False)
def a_pty_is_a_real_one_and_a_screens_port_is_taken(d):
    vmm = Vmm(d, "-chardev", "pty,id=charserial0", "-device", "isa-serial,chardev=charserial0,id=serial0", "-vnc", "127.0.0.1:0,to=99")
    c = vmm.client()
    serial = [e["filename"] for e in c.ask("query-chardev")["return"] if e["label"] == "charserial0"]
    same(len(serial), 1)
    path = serial[0].removeprefix("pty:")
    with open(path, "r+b", buffering=0) as pty:
        same(os.isatty(pty.fileno()), True, f"{path} is a terminal")
    screen = c.ask("query-vnc")["return"]
    with socket.socket() as s:
        try:
            s.bind((screen["host"], int(screen["service"])))
            raise Failed(f"port {screen['service']} is free")
        except OSError:
            pass
    c.ask("quit")
    same(vmm.process.communicate(timeout=60)[0], f"char device redirected to {path} (label charserial0)\n")


@test(daemon=False)
def the_balloon_follows_what_it_is_told(d):
    c = Vmm(d, "-device", "virtio-balloon-pci,id=b0").client()
    same(c.ask("query-balloon"), {"return": {"actual": 128 << 20}})
    c.ask("cont")
    c.send('{"execute":"balloon","arguments":{"value":67108864}}')
    same(c.lines_until("BALLOON_CHANGE"), ['{"return": {}}', 'BALLOON_CHANGE {"actual": 67108864}'])
    same(c.ask("query-balloon"), {"return": {"actual": 64 << 20}})


@test(daemon=False)
def a_device_comes_and_goes(d):
    c = Vmm(d).client()
    c.ask("cont")
    same(c.ask("device_add", driver="virtio-balloon-pci", id="b0"), {"return": {}})
    same(c.ask("device_add", driver="virtio-balloon-pci", id="b0")["error"]["desc"], "Duplicate device ID 'b0'")
    same(c.ask("qom-get", path="/machine/peripheral/b0", property="hotplugged"), {"return": True})
    c.send('{"execute":"device_del","arguments":{"id":"b0"}}')
    same(c.lines_until('"device"'), ['{"return": {}}', 'DEVICE_DELETED {"path": "/machine/peripheral/b0/virtio-backend"}',
                                     'DEVICE_DELETED {"device": "b0", "path": "/machine/peripheral/b0"}'])
    same(c.ask("qom-list", path="/machine/peripheral/b0")["error"]["class"], "DeviceNotFound")


@test(daemon=False)
def a_bus_that_takes_nobody_at_run_time_says_so(d):
    for options, bus, text in (([], "isa.0", "Bus 'isa.0'"), (["-M", "pc,acpi=off"], "pci.0", "Bus 'pci.0'"),
                               (["-M", "q35"], "pcie.0", "Bus 'pcie.0'"), ([], "vga", "Device 'VGA'"),
                               (["-sim", "qemu=7.2"], "vga", None)):
        driver = {"isa.0": "isa-serial", "vga": "VGA"}.get(bus, "virtio-balloon-pci")
        c = Vmm(d, *options).client()
        same(c.ask("device_add", driver=driver, id="b0")["error"]["desc"],
             f"{text} does not support hotplugging" if text else "Parameter 'driver' expects a pluggable device type")
        c.ask("quit")
        until(lambda: not os.path.exists(f"{d.root}/monitor"), "its socket is gone")
    c = Vmm(d, "-M", "q35", "-device", "pcie-root-port,id=rp").client()
    same(c.ask("device_add", driver="virtio-balloon-pci", id="b0", bus="rp"), {"return": {}})


@test(daemon=False)
def daemonized_it_returns_when_it_is_ready(d):
    pidfile = f"{d.root}/pid"
    run = subprocess.run([SIMVMM, *PLAIN, "-qmp", f"unix:{d.root}/qmp,server=on,wait=off", "-daemonize", "-pidfile", pidfile],
                         capture_output=True, text=True, timeout=60, check=False)
    same((run.returncode, run.stdout, run.stderr), (0, "", ""))
    pid = int(open(pidfile).read())
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(f"{d.root}/qmp")
        contains(s.recv(100).decode(), "QMP")
    os.kill(pid, signal.SIGTERM)
    until(lambda: not os.path.exists(pidfile), "the PID file is gone")
    run = subprocess.run([SIMVMM, *PLAIN, "-daemonize", "-device", "nope"], capture_output=True, text=True, timeout=60, check=False)
    same((run.returncode, run.stderr), (1, "simvmm: -device nope: 'nope' is not a valid device model name\n"))


# --- faults

@test(daemon=False)
def a_mute_one_says_nothing_or_only_hello(d):
    c = Vmm(d, "-sim", "mute=greeting").client(negotiate=False)
    c.silent()
    c.socket.close()
    os.unlink(f"{d.root}/monitor")
    c = Vmm(d, "-sim", "mute=replies").client(negotiate=False)
    contains(c.line(), '"QMP"')
    c.send('{"execute": "qmp_capabilities"}')
    c.silent()


@test(daemon=False)
def only_the_nth_use_of_a_command_goes_wrong(d):
    c = Vmm(d, "-sim", "error=query-name:2:not today", "-sim", "garbage=query-uuid:1:nonsense").client()
    same(c.ask("query-name"), {"return": {}})
    same(c.ask("query-name"), {"error": {"class": "GenericError", "desc": "not today"}})
    same(c.ask("query-name"), {"return": {}})
    c.send('{"execute": "query-uuid"}')
    same(c.line(), "nonsense")


@test(daemon=False)
def a_reply_can_break_off(d):
    vmm = Vmm(d, "-sim", "close=query-version")
    c = vmm.client()
    c.send('{"execute": "query-version"}')
    got = c.lines.read()
    whole = '{"return": {"qemu"'.encode()
    if not got or not got.startswith(whole[:len(got)]) or got.endswith(b"\n"):
        raise Failed(f"half a reply expected, got {got!r}")
    same(vmm.client().ask("query-name"), {"return": {}}, "the next client is served")


@test(daemon=False)
def a_slow_one_takes_its_time_but_keeps_the_order(d):
    c = Vmm(d, "-sim", "delay=query-name:0:300").client()
    start = time.monotonic()
    c.send('{"execute": "query-name", "id": 1}{"execute": "query-status", "id": 2}')
    contains(c.line(), '"id": 1')
    took = time.monotonic() - start
    contains(c.line(), '"id": 2')
    if not 0.25 < took < 20:
        raise Failed(f"took {took:.3f} s, not 0.3")


@test(daemon=False)
def it_can_crash_and_it_can_refuse_to_start(d):
    vmm = Vmm(d, "-sim", "crash=cont")
    c = vmm.client()
    c.send('{"execute": "cont"}')
    same(c.line(), "")
    vmm.ends(-signal.SIGKILL)
    same(Vmm(d, "-sim", "exit=3,stderr=no such luck").ends(3), "no such luck\n")


@test(daemon=False)
def a_wrong_setting_names_itself_and_the_right_ones(d):
    err = Vmm(d, "-sim", "sloow=5").ends(1)
    contains(err, "simvmm: -sim sloow=5: there is no 'sloow'; known are qemu, qom, slow, mute, ")
    contains(Vmm(d, "-sim", "qom=x").ends(1), "qom='x': expected getv, get, tree or none")


@test(daemon=False)
def a_monitor_is_an_object_since_11_1_whichever_option_made_it(d):
    extra = ["-chardev", "null,id=a", "-mon", "chardev=a,id=mine,mode=control",
             "-chardev", "null,id=b", "-mon", "chardev=b,mode=control"]
    listed = Vmm(d, *extra).client().ask("qom-list", path="/objects")["return"]
    found = {p["name"] for p in listed if p["type"] == "child<monitor-qmp>"}
    same(found, {"monitor", "mine", "compat_monitor0"})
    os.unlink(f"{d.root}/monitor")
    listed = Vmm(d, "-sim", "qemu=7.2", *extra).client().ask("qom-list", path="/objects")["return"]
    same([p for p in listed if "monitor" in p["type"]], [])


main()

# SPDX-License-Identifier: Apache-2.0
"""A guest's monitor is recorded, and simvmm plays it back: what is the same passes, what is not is told."""
import json
import os
import signal
import socket
import subprocess

from harness import SIMVMM, Failed, contains, main, same, test, until

UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def lines(path):
    return [json.loads(line) for line in open(path)]


def record(d, devices="", **more):
    """A start, a suspend, a resume and a question, recorded; the recording's path."""
    folder = f"{d.root}/records"
    os.mkdir(folder)
    d.configure({"record_folder": folder})
    d.process.send_signal(signal.SIGHUP)
    until(lambda: "record_folder is now" in d.log_text(), "the setting is read")
    d.define("one", devices, uuid=UUID, **more)
    start(d)
    use(d)
    path = f"{folder}/one-{UUID}.qmp"
    until(lambda: tree_is_read(path), "the tree is read as far as it is going to be")
    d.virsh("destroy", "one")
    return path


def start(d):
    """With the tree, which is asked for when the guest runs, before anything else is."""
    d.virsh("start", "one")
    if not d.emulator.endswith("x86_64"):
        d.domsh("qom", "one", "--stats")


def use(d):
    d.virsh("suspend", "one")
    d.virsh("resume", "one")
    contains(d.virsh("qemu-monitor-command", "one", '{"execute":"query-name"}'), "one")


def tree_is_read(path):
    asked = [line["to"].get("id") for line in lines(path) if "to" in line]
    answered = [line["from"].get("id") for line in lines(path) if "from" in line]
    return set(asked) <= set(answered)


def play(d, path, options):
    """Guests started from now on play the recording back."""
    d.configure({"override_emulator": "sim", "sim_options": f"{options}replay={path}"})
    d.process.send_signal(signal.SIGHUP)
    until(lambda: "sim_options is now" in d.log_text(), "the settings are read")


@test(emulator=("sim", "qemu"))
def a_recording_of_a_start_plays_that_start(d):
    path = record(d, d.disk_xml(d.disk("a.img")) + "<serial type='pty'/>")
    same(os.stat(path).st_mode & 0o777, 0o600, "mode of the recording")
    all_lines = lines(path)
    same(all_lines[0], {"recording": 1, "domain": "one"})
    commands = [line["to"]["execute"] for line in all_lines if "to" in line]
    for command in ("qmp_capabilities", "cont", "stop", "query-name"):
        if command not in commands:
            raise Failed(f"{command} was not recorded: {commands}")
    same([line["from"]["event"] for line in all_lines if "event" in line.get("from", {})][:3], ["RESUME", "STOP", "RESUME"])
    play(d, path, "qemu=7.2," if d.emulator.endswith("x86_64") else "")
    start(d)
    use(d)
    same(d.virsh("domstate", "one").strip(), "running")
    contains(d.virsh("qemu-monitor-command", "one", '{"execute":"query-kvm"}'), "the recording is at its end")
    contains(open(f"{d.root}/log/one-{UUID}.log").read(), "and not with \"query-kvm\"")


@test()
def secrets_are_not_recorded(d):
    path = record(d, "<graphics type='vnc' port='-1' autoport='yes' passwd='hushhush'/>")
    d.configure({"record_folder": os.path.dirname(path), "log_level": "debug"})
    d.process.send_signal(signal.SIGHUP)
    until(lambda: "log_level is now" in d.log_text(), "the setting is read")
    d.virsh("start", "one")
    for command in ('{"execute":"object-add","arguments":{"qom-type":"secret","id":"s0","data":"hushhush"}}',
                    '{"execute":"qom-get","arguments":{"path":"/objects/s0","property":"data"}}',
                    '{"execute":"qom-list-get","arguments":{"paths":["/objects/s0"]}}'):
        d.virsh("qemu-monitor-command", "one", command)
    text = open(path).read()
    same("hushhush" in text, False, "the secret is in the recording")
    contains(text, '"data":"(secret)"', '"return":"(secret)"')


@test(daemon=False)
def a_client_hears_where_it_leaves_the_recording(d):
    path = d.file("some.qmp", "\n".join(json.dumps(line) for line in [
        {"recording": 1}, {"at": 0, "from": {"QMP": {"version": {}, "capabilities": []}}},
        {"at": 1, "to": {"execute": "qmp_capabilities", "id": 1}}, {"at": 1, "from": {"return": {}, "id": 1}},
        {"at": 2, "to": {"execute": "set_password", "arguments": {"protocol": "vnc", "password": "(secret)"}, "id": 2}},
        {"at": 2, "to": {"execute": "cont", "id": 3}}, {"at": 3, "from": {"return": {}, "id": 2}},
        {"at": 4, "from": {"timestamp": {"seconds": 1, "microseconds": 2}, "event": "RESUME"}},
        {"at": 5, "from": {"return": {}, "id": 3}}, {"at": 6, "from": {"event": "SHUTDOWN"}}]))
    where = f"{d.root}/qmp"
    vmm = subprocess.Popen([SIMVMM, "-machine", "pc", "-qmp", f"unix:{where},server=on,wait=off", "-sim", f"replay={path}"],
                           stderr=subprocess.PIPE, text=True)
    d.children.append(vmm)
    until(lambda: os.path.exists(where), "the monitor is there")
    for _ in range(2):                              # each client hears it from its beginning
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(where)
            with s.makefile("rw") as stream:
                hear = lambda: json.loads(stream.readline())

                def say(command, **more):
                    stream.write(json.dumps({"execute": command, **more}))
                    stream.flush()

                contains(str(hear()), "QMP")
                say("qmp_capabilities")
                same(hear(), {"return": {}})
                say("cont", id="early")
                same(hear(), {"id": "early", "error": {"class": "GenericError", "desc":
                     f"{path}:5: the recording goes on with \"set_password\" "
                     "{\"protocol\":\"vnc\",\"password\":\"(secret)\"}, and not with \"cont\""}})
                say("set_password", arguments={"password": "x", "protocol": "vnc"}, id="a")
                say("cont", id="b")
                same([hear().get("id"), hear()["event"], hear()["id"]], ["a", "RESUME", "b"])
                say("stop")
                contains(hear()["error"]["desc"], "the recording is at its end, and not with \"stop\"")
    vmm.terminate()
    contains(vmm.communicate(timeout=30)[1], f"simvmm: {path}:5: the recording goes on with")
    d.children.remove(vmm)
    for text, why in (("{", "some.qmp:1"), ("{\"at\":1}\n", "nothing was recorded there")):
        bad = subprocess.run([SIMVMM, "-sim", f"replay={d.file('some.qmp', text)}"], capture_output=True, text=True, check=False)
        same(bad.returncode, 1)
        contains(bad.stderr, why)


main()

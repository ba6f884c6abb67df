# SPDX-License-Identifier: Apache-2.0
"""Every command of stock virsh that people need from the first week on: it works, or says that it is not supported.

None hangs, and none fails in any other way than the one that is written here.
"""
import csv
import os

from harness import SHARED, Failed, Skip, main, test

MAC = "52:54:00:11:22:33"
LATER = "this function is not supported by the connection driver"
DOMAIN = "one"

# command: what follows it -> what it says when it fails ("" if it works)
AT_REST = {
    "list": {"--all": "", "--title --all": "", "--managed-save --all": "", "--uuid --all": ""},
    "dominfo": {"one": ""}, "domstate": {"one --reason": ""}, "domid": {"one": ""}, "domuuid": {"one": ""},
    "domname": {"UUID": ""}, "dumpxml": {"one": ""},
    "domblklist": {"one --details": ""}, "domblkinfo": {"one vda": "", "one --all": ""}, "domiflist": {"one": ""},
    "domif-getlink": {"one MAC": ""}, "domstats": {"": "", "one": ""},
    "autostart": {"one": "", "one --disable": ""},
    "desc": {"one": "", "one --config words": "", "one --config --title title": ""},
    "metadata": {"one http://x/ --key k --set <a/> --config": "", "one http://x/": "", "one http://x/ --remove --config": ""},
    "domrename": {"one two": "", "two one": ""},
    "setmaxmem": {"one 64M --config": ""}, "setmem": {"one 32M --config": ""},
    "setvcpus": {"one 2 --config": "", "one 4 --config --maximum": ""}, "vcpucount": {"one": ""}, "vcpuinfo": {"one": ""},
    "vcpupin": {"one": "", "one 0 0 --config": ""}, "emulatorpin": {"one": "", "one 0 --config": ""},
    "setvcpu": {"one 1 --enable --config": LATER},
    "iothreadadd": {"one 1 --config": ""}, "iothreadinfo": {"one": ""}, "iothreadpin": {"one 1 0 --config": ""},
    "iothreaddel": {"one 1 --config": ""},
    "memtune": {"one": "", "one --hard-limit 100000 --config": ""},
    "blkiotune": {"one": "", "one --weight 300 --config": ""},
    "schedinfo": {"one": "", "one --config --set cpu_shares=100": ""},
    "domiftune": {"one MAC": LATER},
    "blkdeviotune": {"one vda": "", "one vda --total-bytes-sec 100000 --config": ""},
    "attach-device": {"one rng.xml --config": ""}, "update-device": {"one link.xml --config": ""},
    "detach-device": {"one rng.xml --config": ""},
    "attach-disk": {"one b.img vdb --config": ""}, "detach-disk": {"one vdb --config": ""},
    "attach-interface": {"one bridge br0 --mac 52:54:00:00:00:09 --config": ""},
    "detach-interface": {"one bridge --mac 52:54:00:00:00:09 --config": ""},
    "detach-device-alias": {"one ua-x --config": "no device found with alias ua-x"},
    "change-media": {"one hda cd.img --insert --config": "", "one hda --eject --config": ""},
    "domif-setlink": {"one MAC down --config": ""},
    "managedsave-remove": {"one": ""},
    "edit": {"one": ""}, "define": {"one.xml": ""}, "create": {"two.xml": ""}, "destroy": {"two": ""},
    "capabilities": {"": ""}, "cpu-models": {"x86_64": ""}, "domcapabilities": {"": ""}, "freecell": {"": "", "--all": ""},
    "hostname": {"": ""}, "maxvcpus": {"": ""}, "nodecpumap": {"": ""}, "nodecpustats": {"": "", "--percent": ""},
    "nodeinfo": {"": ""}, "nodememstats": {"": ""}, "sysinfo": {"": "Host SMBIOS information is not available"}, "uri": {"": ""},
    "version": {"": "", "--daemon": ""}, "connect": {"": ""}, "event": {"--list": ""},
    "domdisplay": {"one": "not running"}, "vncdisplay": {"one": "not running"},
    "domcontrol": {"one": "not running"}, "domblkerror": {"one": "not running"}, "dommemstat": {"one": "not running"},
    "domifstat": {"one vnet0": "not running"}, "domblkstat": {"one vda": "not running"}, "cpu-stats": {"one": "not running"},
    "console": {"one": "not running"}, "send-key": {"one KEY_A": "not running"}, "inject-nmi": {"one": "not running"},
    "screenshot": {"one one.ppm": "not running"}, "reboot": {"one": "not running"}, "reset": {"one": "not running"},
    "shutdown": {"one": "not running"}, "suspend": {"one": "not running"}, "resume": {"one": "not running"},
    "dump": {"one x.img": "not running"}, "domjobabort": {"one": "not running"}, "domifaddr": {"one": "not running"}, "domjobinfo": {"one": ""}, "blockresize": {"one vda 2M": "not running"},
    "ttyconsole": {"one": None},        # says nothing, and fails
    "undefine": {"one": ""},
}
RUNNING = {
    "start": {"one": "already active"},
    "resume": {"one": ""}, "domname": {"ID": ""}, "domid": {"one": ""}, "domstate": {"one": ""},
    "dumpxml": {"one": "", "one --inactive": ""}, "domblkstat": {"one vda": "", "one": "", "one vda --human": ""},
    "domblkinfo": {"one vda": ""}, "domblkerror": {"one": ""}, "domcontrol": {"one": ""}, "domif-getlink": {"one MAC": ""},
    "domifstat": {"one MAC": "traffic"}, "dommemstat": {"one": ""},
    "domstats": {"--state --cpu-total --balloon --vcpu --interface --block": "", "--raw --list-active": ""},
    "domdisplay": {"one": "", "one --all": ""}, "vncdisplay": {"one": ""}, "ttyconsole": {"one": ""}, "vcpucount": {"one": ""},
    "vcpuinfo": {"one": ""}, "vcpupin": {"one": "", "one 0 0 --live": ""}, "emulatorpin": {"one": ""},
    "iothreadinfo": {"one": ""}, "setmem": {"one 30M --live": ""}, "cpu-stats": {"one --total": ""},
    "setvcpu": {"one 1 --enable --live": LATER}, "memtune": {"one": LATER}, "blkiotune": {"one": LATER},
    "schedinfo": {"one": LATER}, "domiftune": {"one MAC": LATER},
    "attach-disk": {"one b.img sda --targetbus scsi --live": ""}, "detach-disk": {"one sda --live": ""},
    "attach-device": {"one rng.xml --live": ""}, "detach-device-alias": {"one rng0": ""},
    "domifaddr": {"one": "", "one --source agent": "agent is not", "one --source arp": "host's tables"},
    "dump": {"one x.img": LATER},
    "suspend": {"one": ""}, "reset": {"one": ""}, "domjobinfo": {"one": ""}, "domjobabort": {"one": "no job is active"},
    "qemu-monitor-command": {"one --hmp info": ""}, "reboot": {"one": ""}, "shutdown": {"one --mode acpi": ""},
    "destroy": {"one": "", "one --graceful": "not running"},
}
# What a later version brings; a stored domain says it as a running one does.
MISSING = {
    "save": {"one x.img": LATER}, "managedsave": {"one": LATER}, "restore": {"x.img": LATER},
    "save-image-dumpxml": {"x.img": LATER}, "blockcommit": {"one vda": LATER},
    "blockcopy": {"one vda x.img": LATER}, "blockjob": {"one vda": LATER}, "blockpull": {"one vda": LATER},
    "qemu-agent-command": {'one {"execute":"guest-ping"}': LATER}, "qemu-monitor-event": {"one --timeout 1": LATER},
    "migrate": {"one qemu+unix:///system?socket=none": "none"}, "migrate-setmaxdowntime": {"one 1": LATER},
    "migrate-getmaxdowntime": {"one": LATER}, "migrate-setspeed": {"one 1": LATER}, "migrate-getspeed": {"one": LATER},
    "snapshot-create": {"one": LATER}, "snapshot-create-as": {"one s": LATER}, "snapshot-current": {"one": "no current snapshot"},
    "snapshot-delete": {"one s": LATER}, "snapshot-dumpxml": {"one s": LATER}, "snapshot-info": {"one s": LATER},
    "snapshot-list": {"one": ""}, "snapshot-parent": {"one s": LATER}, "snapshot-revert": {"one s": LATER},
}


def devices(d):
    for name in ("b.img", "cd.img"):
        d.disk(name)
    d.file("rng.xml", "<rng model='virtio'><backend model='random'>/dev/random</backend></rng>")
    d.file("link.xml", f"<interface type='user'><mac address='{MAC}'/><model type='virtio'/><link state='up'/></interface>")
    d.file("two.xml", d.xml("two"))
    return ("<disk type='file' device='cdrom'><target dev='hda' bus='ide'/></disk>" + d.disk_xml(d.disk("a.img")) +
            f"<interface type='user'><mac address='{MAC}'/><model type='virtio'/></interface><serial type='pty'/>"
            "<graphics type='vnc' port='-1'/><video><model type='vga'/></video><controller type='scsi' model='virtio-scsi'/>")


def run(d, table, words):
    """What each command says that does not do what the table says."""
    wrong = []
    for command, uses in table.items():
        for rest, failure in uses.items():
            arguments = [words.get(word, word) for word in rest.split()]
            arguments = [f"{d.root}/{a}" if a.endswith((".img", ".xml", ".ppm")) else a for a in arguments]
            result = d.attempt("virsh", "-c", d.uri(), command, *arguments)
            works = result.code == 0
            if works != (failure == "") or (failure and failure not in result.err):
                wrong.append(str(result))
    return wrong


@test(limit=240)
def all_commands_work_or_say_what_they_cannot_do(d):
    xml = d.xml(DOMAIN, devices(d), uuid="6f3a1c52-0d4b-4d6e-9a57-1b2c3d4e5f61", extra="<features><acpi/></features>")
    d.virsh("define", d.file("one.xml", xml.replace("<vcpu>1<", "<vcpu current='1'>4<")))
    os.environ["VISUAL"] = os.environ["EDITOR"] = "true"        # which changes nothing
    words = {"MAC": MAC, "UUID": d.virsh("domuuid", DOMAIN).strip()}
    wrong = run(d, MISSING, words) + run(d, AT_REST, words)
    d.virsh("define", f"{d.root}/one.xml")
    d.virsh("start", DOMAIN)
    words["ID"] = d.virsh("domid", DOMAIN).strip()
    d.virsh("suspend", DOMAIN)
    wrong += run(d, RUNNING, words)
    if wrong:
        raise Failed("\n".join(wrong))


@test()
def no_command_that_is_needed_is_left_out(d):
    path = f"{SHARED}/facts/rpc/virsh-commands.tsv"
    if not os.path.exists(path):
        raise Skip(f"{path} is not there")
    with open(path, encoding="utf-8") as table:
        needed = {row["command"] for row in csv.DictReader(table, delimiter="\t") if row["need"] == "1"}
    missing = needed - set(AT_REST) - set(RUNNING) - set(MISSING)
    if missing:
        raise Failed(f"nobody tries {sorted(missing)}")


main()

# SPDX-License-Identifier: Apache-2.0
"""What a guest is beside its devices: firmware, memory, processors, the host's threads, options by hand."""
import glob
import json
import os
import re

from harness import Failed, Skip, contains, main, same, test

QEMU_NAMESPACE = "http://libvirt.org/schemas/domain/qemu/1.0"


def threads(pid):
    """{name of a thread: the processors that it may use}"""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        status = open(f"/proc/{pid}/task/{task}/status").read()
        found[re.search(r"Name:\s*(.*)", status)[1]] = re.search(r"Cpus_allowed_list:\s*(.*)", status)[1]
    return found


def environment(pid):
    return open(f"/proc/{pid}/environ", "rb").read().decode().split("\0")


@test(emulator="qemu")
def threads_run_where_the_definition_says(d):
    if (os.cpu_count() or 1) < 2:
        return
    d.define("one", extra="""<iothreads>1</iothreads>
      <cputune><vcpupin vcpu='0' cpuset='1'/><emulatorpin cpuset='0'/><iothreadpin iothread='1' cpuset='1'/></cputune>""")
    d.virsh("start", "one")
    where = threads(d.guest("one"))
    same(where["qemu-system-x86"], "0")
    same(where["CPU 0/TCG"], "1")
    same(where["IO iothread1"], "1")


@test()
def processors_that_the_host_has_not_are_refused_at_the_start(d):
    d.define("one", extra="<cputune><emulatorpin cpuset='1000-1001'/></cputune>")
    contains(d.virsh("start", "one", fails=True), "1000-1001", "none of these processors")
    d.define("two", extra="<numatune><memory mode='strict' placement='auto'/></numatune>")
    contains(d.virsh("start", "two", fails=True), "numad")
    label = "<seclabel type='static' model='selinux'><label>a:b:c</label></seclabel>"
    d.define("three", extra=label)
    contains(d.virsh("start", "three", fails=True), "selinux")
    same(d.virsh("list", "--name").strip(), "")


@test(emulator="qemu")
def a_guest_gets_its_owners_options_and_environment(d):
    xml = d.xml("one", extra="<clock offset='timezone' timezone='Europe/Berlin'/>")
    xml = xml.replace("<domain ", f"<domain xmlns:q='{QEMU_NAMESPACE}' ").replace("</domain>", """<q:commandline>
      <q:arg value='-fw_cfg'/><q:arg value='name=opt/x,string=a b'/><q:env name='WORD' value='two words'/>
    </q:commandline></domain>""")
    d.virsh("define", d.file("one.xml", xml))
    d.virsh("start", "one")
    pid = d.guest("one")
    contains(open(f"/proc/{pid}/cmdline").read(), "-fw_cfg\0name=opt/x,string=a b\0")
    words = environment(pid)
    for word in ("WORD=two words", "TZ=Europe/Berlin", "LC_ALL=C"):
        if word not in words:
            raise Failed(f"no {word} in {words}")
    contains(d.virsh("dumpxml", "one"), QEMU_NAMESPACE, "name='WORD' value='two words'")


@test(emulator="qemu")
def memory_is_made_as_the_definition_says(d):
    d.define("one", memory=64, extra="""<maxMemory slots='2' unit='GiB'>1</maxMemory>
      <memoryBacking><nosharepages/><source type='memfd'/><access mode='shared'/></memoryBacking>
      <cpu><numa><cell cpus='0' memory='48' unit='MiB'/><cell memory='16' unit='MiB'/></numa></cpu>
      <features><acpi/><hyperv><relaxed state='on'/><vapic state='on'/></hyperv></features>""")
    d.virsh("start", "one")
    reply = d.virsh("qemu-monitor-command", "one", '{"execute":"query-memdev"}')
    memory = {one["id"]: (one["size"], one["share"]) for one in json.loads(reply)["return"]}
    same(memory, {"ram-node0": (48 << 20, True), "ram-node1": (16 << 20, True)})


@test(emulator="qemu")
def variables_of_the_firmware_are_made_once_and_kept(d):
    code, fresh, changed = d.disk("code.fd", "1M"), "fresh".ljust(65536), "changed".ljust(65536)
    d.file("vars.fd", fresh)
    mine = f"{d.root}/lib/nvram/3f0f1a6e-4b93-44ea-8a3a-cf1f1a8d4c11_VARS.fd"
    xml = d.xml("one", uuid="3f0f1a6e-4b93-44ea-8a3a-cf1f1a8d4c11").replace("</os>", f"""
      <loader readonly='yes' type='pflash'>{code}</loader><nvram template='{d.root}/vars.fd'/></os>""")
    d.virsh("define", d.file("one.xml", xml))
    d.virsh("start", "one")
    same(open(mine).read(), fresh)
    same(os.stat(mine).st_mode & 0o777, 0o600)
    contains(d.virsh("dumpxml", "one"), mine)
    d.virsh("destroy", "one")
    with open(mine, "w") as f:
        f.write(changed)
    os.unlink(f"{d.root}/vars.fd")
    d.virsh("start", "one")
    same(open(mine).read(), changed)
    d.virsh("destroy", "one")
    contains(d.virsh("undefine", "one", fails=True), "nvram")
    d.virsh("undefine", "one", "--nvram")
    same(os.path.exists(mine), False)
    d.virsh("define", f"{d.root}/one.xml")
    contains(d.virsh("start", "one", fails=True), "template", "vars.fd")


@test()
def a_firmware_that_cannot_be_found_says_what_to_do(d):
    wanted = "<loader type='pflash' readonly='yes'>/no/such.fd</loader>"
    xml = d.xml("one").replace("</os>", f"{wanted}</os>").replace("<os>", "<os firmware='efi'>")
    d.virsh("define", d.file("one.xml", xml))
    contains(d.virsh("start", "one", fails=True), "'efi'", "ovmf")


@test(emulator="qemu")
def a_firmware_is_chosen_for_who_asks_for_one(d):
    if not glob.glob("/usr/share/qemu/firmware/*.json"):
        raise Skip("no firmware is installed (Debian: ovmf)")
    plain = "<firmware><feature enabled='no' name='secure-boot'/></firmware>"
    d.virsh("define", d.file("one.xml", d.xml("one", memory=64).replace("</os>", f"{plain}</os>")
                             .replace("<os>", "<os firmware='efi'>")))
    d.virsh("start", "one")
    live = d.virsh("dumpxml", "one")
    contains(live, "type='pflash'", "<nvram template=", f"{d.root}/lib/nvram/")
    contains(d.virsh("dumpxml", "one", "--inactive"), "type='pflash'", "<nvram template=",
             "<feature enabled='no' name='enrolled-keys'/>")
    stored = d.virsh("dumpxml", "one", "--inactive")
    d.virsh("define", d.file("again.xml", stored))
    same(d.virsh("dumpxml", "one", "--inactive"), stored)


@test(emulator="qemu")
def a_microvm_runs(d):
    d.define("one", d.disk_xml(d.disk("a.img")) + "<serial type='pty'/>", machine="microvm")
    d.virsh("start", "one")
    same(d.virsh("domstate", "one").strip(), "running")
    contains(d.virsh("qemu-monitor-command", "one", "--hmp", "info qtree"), "virtio-blk-device")


main()

# SPDX-License-Identifier: Apache-2.0
"""Changing a definition bit by bit, and the buttons of a running machine, by stock clients."""
import threading

import libvirt

from harness import Failed, contains, main, same, test, until

URI = "http://app.example/1"


def refusal(function, *arguments):
    """(code, message) that the call fails with."""
    try:
        function(*arguments)
    except libvirt.libvirtError as error:
        return error.get_error_code(), error.get_error_message()
    raise Failed("the call succeeded")


def listen(d):
    """A connection, and the list of (domain, event, detail) that fills as lifecycle events come."""
    libvirt.virEventRegisterDefaultImpl()
    threading.Thread(target=lambda: [libvirt.virEventRunDefaultImpl() for _ in iter(int, 1)],
                     daemon=True).start()
    c, seen = d.connect(), []
    number = c.domainEventRegisterAny(
        None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE,
        lambda _, dom, event, detail, opaque: seen.append((dom.name(), event, detail)), None)
    return c, seen, number


@test()
def memory_and_vcpus_are_changed_for_the_next_start(d):
    d.define("one", memory=64)
    d.virsh("setmaxmem", "one", "128M")
    contains(d.virsh("setmem", "one", "96M", fails=True), "domain is not running")
    d.virsh("setmem", "one", "96M", "--config")
    contains(d.virsh("dominfo", "one"), "Max memory:     131072 KiB", "Used memory:    98304 KiB")
    contains(d.virsh("setmem", "one", "129M", "--config", fails=True),
             "cannot set memory higher than max memory")
    d.virsh("setmaxmem", "one", "48M", "--config")
    contains(d.virsh("dominfo", "one"), "Max memory:     49152 KiB", "Used memory:    49152 KiB")
    contains(d.virsh("setmem", "one", "32M", "--live", fails=True), "domain is not running")
    d.virsh("setvcpus", "one", "4", "--config", "--maximum")
    d.virsh("setvcpus", "one", "3", "--config")
    contains(d.virsh("vcpucount", "one"), "maximum      config         4", "current      config         3")
    contains(d.virsh("setvcpus", "one", "5", "--config", fails=True), "5 > 4")
    d.virsh("setvcpus", "one", "2", "--config", "--maximum")
    contains(d.virsh("vcpucount", "one"), "maximum      config         2", "current      config         2")
    contains(d.virsh("setvcpus", "one", "9999", "--config", "--maximum", fails=True), "9999")
    d.stop()
    d.start()
    contains(d.virsh("dumpxml", "one"), "<memory unit='KiB'>49152</memory>", ">2</vcpu>")


@test()
def a_running_guest_is_asked_for_memory_and_keeps_its_limits(d):
    d.define("one", memory=64)
    d.virsh("start", "one")
    d.virsh("setmem", "one", "48M", "--live")
    until(lambda: "Used memory:    49152 KiB" in d.virsh("dominfo", "one"), "the guest gave memory back")
    contains(d.virsh("dumpxml", "--inactive", "one"), "<currentMemory unit='KiB'>65536</currentMemory>")
    contains(d.virsh("setmaxmem", "one", "128M", fails=True),
             "cannot resize the maximum memory on an active domain")
    contains(d.virsh("setvcpus", "one", "2", fails=True), "2 > 1")
    contains(d.virsh("setvcpus", "one", "1", "--guest", fails=True), "Guest agent is not responding")
    d.virsh("setvcpus", "one", "2", "--config", "--maximum")
    contains(d.virsh("vcpucount", "one"), "maximum      config         2", "maximum      live           1")
    d.virsh("dommemstat", "one", "--period", "5", "--live", "--config")
    contains(d.virsh("dumpxml", "one"), "<stats period='5'/>")
    contains(d.virsh("dumpxml", "--inactive", "one"), "<stats period='5'/>")


@test()
def titles_and_descriptions_are_said_and_taken_back(d):
    d.define("one")
    contains(d.virsh("desc", "one"), "No description for domain")
    d.virsh("desc", "one", "--title", "Our", "web server")
    d.virsh("desc", "one", "What it is\nfor")
    same(d.virsh("desc", "one", "--title"), "Our web server\n")
    contains(d.virsh("desc", "one"), "What it is\nfor")
    contains(d.virsh("list", "--all", "--title"), "Our web server")
    d.virsh("desc", "one", "--title", "")
    contains(d.virsh("desc", "one", "--title"), "No title for domain")
    d.virsh("start", "one")
    d.virsh("desc", "one", "--live", "only now")
    contains(d.virsh("dumpxml", "one"), "<description>only now</description>")
    contains(d.virsh("dumpxml", "--inactive", "one"), "<description>What it is")
    d.virsh("destroy", "one")
    contains(d.virsh("desc", "one"), "What it is")


@test()
def programs_keep_their_own_metadata(d):
    d.define("one")
    d.virsh("metadata", "one", URI, "--key", "app", "--set", "<note kind='a'><x>1 &lt; 2</x></note>")
    contains(d.virsh("dumpxml", "one"), f"<app:note xmlns:app='{URI}' kind='a'>", "<x>1 &lt; 2</x>")
    contains(d.virsh("metadata", "one", URI), "<note kind='a'>", "<x>1 &lt; 2</x>")
    d.virsh("metadata", "one", URI + "/other", "--key", "other", "--set", "<y/>")
    d.virsh("metadata", "one", URI, "--key", "app", "--set", "<note>2</note>")
    contains(d.virsh("metadata", "one", URI), "<note>2</note>")
    contains(d.virsh("metadata", "one", URI + "/other"), "<y/>")
    for xml in ("<a/><b/>", "<a>", "a", "<a/></metadata><metadata><b/>"):
        d.virsh("metadata", "one", URI, "--key", "app", "--set", xml, fails=True)
    contains(d.virsh("metadata", "one", URI), "<note>2</note>")
    d.virsh("metadata", "one", URI, "--remove")
    contains(d.virsh("metadata", "one", URI, fails=True), "Requested metadata element is not present")
    d.virsh("metadata", "one", URI + "/other", "--remove")
    if "<metadata" in d.virsh("dumpxml", "one"):
        raise Failed("an empty <metadata> stays behind")


@test()
def a_domain_gets_a_new_name_while_it_rests(d):
    c, seen, number = listen(d)
    dom = c.defineXML(d.xml("one"))
    c.defineXML(d.xml("two"))
    d.virsh("autostart", "one")
    d.virsh("domrename", "one", "three")
    contains(d.virsh("list", "--all"), "three", "two")
    contains(d.virsh("domrename", "one", "x", fails=True), "failed to get domain 'one'")
    contains(d.virsh("domrename", "three", "two", fails=True), "already exists")
    contains(d.virsh("domrename", "three", "a/b", fails=True), "cannot be a domain's name")
    until(lambda: len(seen) >= 4, "four events")
    same(seen[2:], [("one", libvirt.VIR_DOMAIN_EVENT_UNDEFINED, libvirt.VIR_DOMAIN_EVENT_UNDEFINED_RENAMED),
                    ("three", libvirt.VIR_DOMAIN_EVENT_DEFINED, libvirt.VIR_DOMAIN_EVENT_DEFINED_RENAMED)])
    c.domainEventDeregisterAny(number)
    d.stop()
    d.start()
    contains(d.virsh("dominfo", "three"), dom.UUIDString(), "Autostart:      enable")
    d.virsh("start", "three")
    contains(d.virsh("domrename", "three", "one", fails=True), "cannot rename active domain")


@test()
def an_editor_changes_a_definition(d):
    d.define("one", memory=32)
    d.run(["env", "EDITOR=sed -i s/32768/65536/", "virsh", "-c", d.uri(), "edit", "one"])
    contains(d.virsh("dominfo", "one"), "Max memory:     65536 KiB")
    contains(d.run(["env", "EDITOR=true", "virsh", "-c", d.uri(), "edit", "one"]).out, "not changed")


@test()
def transient_domains_have_nothing_to_configure(d):
    c = d.connect()
    dom = c.createXML(d.xml("one"))
    for call in ((dom.setMemoryFlags, 16384, libvirt.VIR_DOMAIN_AFFECT_CONFIG),
                 (dom.setVcpusFlags, 1, libvirt.VIR_DOMAIN_AFFECT_CONFIG),
                 (dom.setMetadata, libvirt.VIR_DOMAIN_METADATA_TITLE, "x", None, None,
                  libvirt.VIR_DOMAIN_AFFECT_CONFIG)):
        code, text = refusal(*call)
        same(code, libvirt.VIR_ERR_OPERATION_INVALID)
        contains(text, "transient domains do not have any persistent config")
    same(refusal(dom.rename, "two")[0], libvirt.VIR_ERR_OPERATION_INVALID)


@test()
def the_power_button_ends_a_guest_and_a_reboot_does_not(d):
    c, seen, number = listen(d)
    dom = c.defineXML(d.xml("one"))
    for call in (dom.shutdown, dom.reboot, dom.reset, dom.injectNMI):
        same(refusal(call), (55, "Requested operation is not valid: domain is not running"))
    reboots = []
    other = c.domainEventRegisterAny(dom, libvirt.VIR_DOMAIN_EVENT_ID_REBOOT, lambda *_: reboots.append(1),
                                     None)
    dom.create()
    same(refusal(dom.shutdownFlags, libvirt.VIR_DOMAIN_SHUTDOWN_GUEST_AGENT)[0],
         libvirt.VIR_ERR_AGENT_UNRESPONSIVE)
    same(refusal(dom.shutdownFlags, libvirt.VIR_DOMAIN_SHUTDOWN_INITCTL)[0], libvirt.VIR_ERR_INVALID_ARG)
    d.virsh("reset", "one")
    same(d.virsh("domstate", "one"), "running\n\n")
    pid = d.guest("one")
    d.virsh("reboot", "one")
    until(lambda: len(reboots) == 2, "the guest has shut down, and was reset")
    same((d.guest("one"), d.virsh("domstate", "one")), (pid, "running\n\n"))
    d.virsh("shutdown", "one", "--mode", "acpi")
    until(lambda: not dom.isActive(), "the guest has shut down")
    same(dom.state(), [libvirt.VIR_DOMAIN_SHUTOFF, libvirt.VIR_DOMAIN_SHUTOFF_SHUTDOWN])
    until(lambda: seen and seen[-1][1] == libvirt.VIR_DOMAIN_EVENT_STOPPED, "the last event")
    same(seen[-2:], [("one", libvirt.VIR_DOMAIN_EVENT_SHUTDOWN, libvirt.VIR_DOMAIN_EVENT_SHUTDOWN_GUEST),
                     ("one", libvirt.VIR_DOMAIN_EVENT_STOPPED, libvirt.VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN)])
    c.domainEventDeregisterAny(number)
    c.domainEventDeregisterAny(other)


@test()
def shares_and_limits_are_kept_for_who_enforces_them(d):
    d.define("one")
    d.virsh("memtune", "one", "--hard-limit", "200000", "--config")
    contains(d.virsh("memtune", "one"), "hard_limit     : 200000", "soft_limit     : unlimited")
    contains(d.virsh("dumpxml", "one"), "<hard_limit unit='KiB'>200000</hard_limit>")
    d.virsh("memtune", "one", "--hard-limit", "-1", "--config")
    contains(d.virsh("memtune", "one"), "hard_limit     : unlimited")
    d.virsh("blkiotune", "one", "--weight", "300", "--config")
    contains(d.virsh("blkiotune", "one"), "weight         : 300")
    contains(d.virsh("schedinfo", "one", "--config", "--set", "cpu_shares=100"), "cpu_shares     : 100")
    contains(d.virsh("schedinfo", "one", "--config", "--set", "cpu_shares=1", fails=True), "shares")
    d.virsh("start", "one")
    for command in "memtune", "blkiotune", "schedinfo":
        contains(d.virsh(command, "one", fails=True), "this function is not supported")
    contains(d.virsh("schedinfo", "one", "--config"), "cpu_shares     : 100")


@test()
def threads_for_disks_come_and_go_in_a_stored_definition(d):
    d.define("one")
    d.virsh("iothreadadd", "one", "4", "--config")
    d.virsh("iothreadadd", "one", "2", "--config")
    d.virsh("iothreadpin", "one", "2", "0", "--config")
    same([line.split() for line in d.virsh("iothreadinfo", "one").splitlines()[2:] if line],
         [["4", d.virsh("iothreadinfo", "one").splitlines()[2].split()[1]], ["2", "0"]])
    contains(d.virsh("iothreadadd", "one", "2", "--config", fails=True), "already")
    d.virsh("iothreaddel", "one", "2", "--config")
    contains(d.virsh("iothreaddel", "one", "2", "--config", fails=True), "cannot find")
    xml = d.virsh("dumpxml", "one")
    contains(xml, "<iothreads>1</iothreads>", "<iothread id='4'/>")
    if "iothreadpin" in xml:
        raise Failed("the pin of a thread that went stays")


@test(emulator="qemu")
def disks_are_slowed_down_and_threads_come_while_their_guest_runs(d):
    d.define("one", d.disk_xml(d.disk("a.img")))
    d.virsh("blkdeviotune", "one", "vda", "--total-bytes-sec", "100000", "--config")
    d.virsh("start", "one")
    block = ("qemu-monitor-command", "one", '{"execute":"query-block"}')
    contains(d.virsh(*block), '"bps": 100000')
    d.virsh("blkdeviotune", "one", "vda", "--read-bytes-sec", "5000", "--group-name", "slow", "--live")
    contains(d.virsh(*block), '"bps": 0', '"bps_rd": 5000', '"group": "slow"')
    contains(d.virsh("blkdeviotune", "one", "vda"), "read_bytes_sec : 5000", "group_name     : slow")
    contains(d.virsh("blkdeviotune", "one", "vda", "--config"), "total_bytes_sec: 100000")
    contains(d.virsh("blkdeviotune", "one", "vda", "--total-bytes-sec", "1", "--read-bytes-sec", "2", fails=True),
             "exclude each other")
    d.virsh("blkdeviotune", "one", "vda", "--read-bytes-sec", "0", "--live")
    if "iotune" in d.virsh("dumpxml", "one"):
        raise Failed("limits that were taken back stay in the definition")
    d.virsh("iothreadadd", "one", "3", "--live")
    d.virsh("iothreadpin", "one", "3", "0", "--live")
    contains(d.virsh("qemu-monitor-command", "one", '{"execute":"query-iothreads"}'), '"iothread3"')
    d.virsh("iothreaddel", "one", "3", "--live")
    contains(d.virsh("iothreadinfo", "one"), "No IOThreads")


@test(emulator="qemu")
def processors_come_while_their_guest_runs(d):
    xml = d.xml("one", extra="<cputune><vcpupin vcpu='2' cpuset='0'/></cputune><features><acpi/></features>")
    d.virsh("define", d.file("one.xml", xml.replace("<vcpu>1<", "<vcpu current='1'>3<")))
    d.virsh("start", "one")
    d.virsh("setvcpus", "one", "3", "--live")
    same(d.virsh("vcpucount", "one", "--live", "--active").strip(), "3")
    same(d.virsh("vcpucount", "one", "--config", "--active").strip(), "1")
    same(d.virsh("vcpuinfo", "one").count("VCPU:"), 3)
    contains(d.virsh("dumpxml", "one"), ">3</vcpu>")
    same(d.virsh("vcpupin", "one", "--vcpu", "2", "--live").splitlines()[2].split(), ["2", "0"])
    contains(d.virsh("setvcpus", "one", "4", "--live", fails=True), "4 > 3")
    d.stop()
    d.start()
    same(d.virsh("vcpucount", "one", "--live", "--active").strip(), "3")
    d.virsh("setvcpus", "one", "2", "--live", fails=True)       # there is no guest to let go of it
    same(d.virsh("vcpucount", "one", "--live", "--active").strip(), "3")


@test(emulator="qemu")
def keys_and_interrupts_reach_qemu(d):
    d.define("one")
    d.virsh("start", "one")
    d.virsh("send-key", "one", "KEY_LEFTCTRL", "KEY_LEFTALT", "KEY_DELETE")
    d.virsh("send-key", "one", "--codeset", "qnum", "--holdtime", "50", "0x1c")
    contains(d.virsh("send-key", "one", "60000", fails=True), "60000")
    d.virsh("inject-nmi", "one")
    d.virsh("reboot", "one")            # nobody answers, and nothing happens
    same(d.virsh("domstate", "one"), "running\n\n")


main()

# SPDX-License-Identifier: Apache-2.0
"""What domains and the host use, as stock clients ask for it."""
import libvirt

from harness import Failed, contains, main, same, test

MAC = "52:54:00:11:22:33"


def refusal(function, *arguments):
    """The code that the call fails with."""
    try:
        function(*arguments)
    except libvirt.libvirtError as error:
        return error.get_error_code()
    raise Failed("the call succeeded")


def devices(d):
    return (d.disk_xml(d.disk("one.img", "3M")) +
            "<disk type='file' device='cdrom'><target dev='hdc' bus='ide'/></disk>"
            f"<interface type='user'><mac address='{MAC}'/><model type='virtio'/></interface>"
            "<graphics type='vnc' port='-1'/><serial type='pty'/>")


@test()
def a_domain_at_rest_tells_what_its_definition_holds(d):
    d.define("one", devices(d))
    same(d.virsh("vcpucount", "one", "--maximum", "--config"), "1\n\n")
    contains(d.virsh("vcpuinfo", "one"), "VCPU:           0", "N/A")
    contains(d.virsh("vcpupin", "one"), " 0      0")
    contains(d.virsh("emulatorpin", "one"), "*: 0")
    contains(d.virsh("domblklist", "one"), "vda      ", "one.img", "hdc      -")
    contains(d.virsh("domiflist", "one"), "user", "virtio", MAC)
    contains(d.virsh("domblkinfo", "one", "vda"), "Capacity:       3145728", "Physical:       3145728")
    contains(d.virsh("domblkinfo", "one", "--all"), "hdc      -          -            -")
    contains(d.virsh("domjobinfo", "one"), "None")
    contains(d.virsh("domstats", "one"), "state.state=5", "balloon.maximum=32768", "vcpu.current=1",
             "vcpu.maximum=1", "block.count=2", "block.0.name=vda", "one.img")
    for words in (("domblkstat", "one", "vda"), ("dommemstat", "one"), ("domifstat", "one", MAC),
                  ("domcontrol", "one")):
        contains(d.virsh(*words, fails=True), "domain is not running")


@test()
def a_qcow2_image_has_its_capacity_from_its_header(d):
    path = f"{d.root}/one.qcow2"
    d.run(["qemu-img", "create", "-q", "-f", "qcow2", path, "64M"])
    d.define("one", d.disk_xml(path, kind="qcow2"))
    contains(d.virsh("domblkinfo", "one", "vda"), "Capacity:       67108864")
    contains(d.virsh("domblkinfo", "one", path), "Capacity:       67108864")
    contains(d.virsh("domblkinfo", "one", "vdb", fails=True), "'vdb'")
    d.run(["rm", path])
    contains(d.virsh("domblkinfo", "one", "vda", fails=True), "cannot stat file", path)


@test(emulator=("sim", "qemu"))
def a_running_domain_tells_what_its_vmm_counts(d):
    d.define("one", devices(d))
    d.virsh("start", "one")
    contains(d.virsh("vcpuinfo", "one"), "running", "CPU Affinity:   y")
    contains(d.virsh("domblkstat", "one", "vda"), "vda rd_req ", "vda wr_bytes 0")
    contains(d.virsh("domblkstat", "one"), " rd_req ")
    contains(d.virsh("domblkinfo", "one", "vda"), "Capacity:       3145728")
    contains(d.virsh("domblkinfo", "one", "hdc", fails=True), "does not currently have a source assigned")
    contains(d.virsh("domblkerror", "one"), "No errors found")
    contains(d.virsh("dommemstat", "one"), "actual 32768", "rss ")
    contains(d.virsh("domifstat", "one", MAC, fails=True), "'user'")
    contains(d.virsh("domifstat", "one", "vnet7", fails=True), "not a known interface")
    same(d.virsh("domcontrol", "one"), "ok\n\n")
    contains(d.virsh("domjobabort", "one", fails=True), "no job is active")
    contains(d.virsh("ttyconsole", "one"), "/dev/pts/")
    contains(d.virsh("vncdisplay", "one"), ":")
    contains(d.virsh("domdisplay", "one"), "vnc://localhost:")
    contains(d.virsh("vcpucount", "one"), "current      live           1", "maximum      config         1")
    contains(d.virsh("domstats", "one"), "state.state=1", "cpu.time=", "balloon.current=32768",
             "balloon.rss=",
             "vcpu.0.time=", "net.count=1", "block.0.rd.reqs=", "block.0.capacity=3145728",
                 "iothread.count=0")

    contains(d.virsh("cpu-stats", "one", "--total"), "Total:", "cpu_time", "user_time", "system_time")
    contains(d.virsh("iothreadinfo", "one"), "No IOThreads found")
    d.virsh("vcpupin", "one", "0", "0", "--live")
    d.virsh("emulatorpin", "one", "0")
    contains(d.virsh("vcpupin", "one"), " 0      0\n")
    contains(d.virsh("emulatorpin", "one"), "*: 0\n")
    contains(d.virsh("vcpupin", "one", "7", "0", "--live", fails=True), "vcpu 7")
    contains(d.virsh("dumpxml", "one"), "<vcpupin vcpu='0' cpuset='0'/>", "<emulatorpin cpuset='0'/>")
    contains(d.virsh("vcpupin", "one", "7", "0", "--config", fails=True), "vcpu 7")
    d.virsh("vcpupin", "one", "0", "0", "--config")
    contains(d.virsh("dumpxml", "--inactive", "one"), "<vcpupin vcpu='0' cpuset='0'/>")
    contains(d.virsh("vcpupin", "one", "--config"), " 0      0\n")
    contains(d.virsh("snapshot-current", "one", fails=True), "has no current snapshot")

    c = d.connect()
    dom = c.lookupByName("one")
    ((_, stats),) = c.getAllDomainStats(libvirt.VIR_DOMAIN_STATS_BLOCK | libvirt.VIR_DOMAIN_STATS_STATE)
    same((stats["state.state"], stats["block.1.name"], "cpu.time" in stats), (1, "hdc", False))
    same(dom.blockStats("vda")[4], -1)
    same(dom.jobInfo()[0], libvirt.VIR_DOMAIN_JOB_NONE)
    same(refusal(dom.vcpusFlags, libvirt.VIR_DOMAIN_VCPU_GUEST), libvirt.VIR_ERR_AGENT_UNRESPONSIVE)
    same(refusal(c.getAllDomainStats, libvirt.VIR_DOMAIN_STATS_PERF,
                 libvirt.VIR_CONNECT_GET_ALL_DOMAINS_STATS_ENFORCE_STATS),
         libvirt.VIR_ERR_OPERATION_UNSUPPORTED)


@test()
def statistics_come_for_all_domains_or_those_that_are_named(d):
    for name in ("one", "two", "three"):
        d.define(name)
    c = d.connect()
    same({dom.name() for dom, _ in c.getAllDomainStats()}, {"one", "two", "three"})
    same(c.getAllDomainStats(flags=libvirt.VIR_CONNECT_GET_ALL_DOMAINS_STATS_ACTIVE), [])
    gone, two = c.lookupByName("one"), c.lookupByName("two")
    gone.undefine()
    same([dom.name() for dom, _ in c.domainListGetStats([gone, two])], ["two"])


@test()
def the_host_tells_its_processors_and_memory(d):
    contains(d.virsh("freecell"), "Total:", "KiB")
    contains(d.virsh("freecell", "--all"), "    0:", "Total:")
    contains(d.virsh("nodecpumap"), "CPUs present:", "CPU map:        y")
    contains(d.virsh("nodememstats"), "total  :", "free   :", "buffers:", "cached :")
    contains(d.virsh("nodecpustats"), "user:", "system:", "idle:", "iowait:")
    contains(d.virsh("nodecpustats", "0"), "user:")
    contains(d.virsh("nodecpustats", "999", fails=True), "no processor 999")
    contains(d.virsh("nodememstats", "77", fails=True), "no NUMA node 77")
    same(int(d.virsh("maxvcpus")) > 0, True)


@test(emulator=("sim", "qemu"))
def the_emulator_tells_its_processor_models(d):
    contains(d.virsh("cpu-models", "x86_64"), "qemu64")
    contains(d.virsh("cpu-models", "s390x", fails=True), "s390x")
    contains(d.virsh("domcapabilities"), "<domainCapabilities>", "<iothreads supported='yes'/>", "<value>pflash</value>",
             "<memoryBacking supported='yes'>", "<enum name='backendModel'>", "<genid supported='yes'/>",
             "<value>virtio</value>",
             "<value>vnc</value>",
             "<value>ide</value>", "<value>pty</value>")
    if "<value>ide</value>" in d.virsh("domcapabilities", "--machine", "q35"):
        raise Failed("a q35 board has no IDE")
    contains(d.virsh("domcapabilities", "--arch", "s390x", fails=True), "s390x")


@test()
def threads_of_its_own_are_listed_with_where_they_may_run(d):
    d.define("one", extra="<iothreads>2</iothreads><cputune><iothreadpin iothread='2' cpuset='0'/></cputune>")
    contains(d.virsh("iothreadinfo", "one"), " 1             0", " 2             0\n")


main()

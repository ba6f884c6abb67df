# SPDX-License-Identifier: Apache-2.0
"""The main path, by libvirt-python, on the simulated VMM and on Debian's QEMU."""
import threading
import time

import libvirt

from harness import Failed, main, same, test, until

BOTH = ("sim", "qemu")


def code_of(function, *arguments):
    """The error code that the call fails with."""
    try:
        function(*arguments)
    except libvirt.libvirtError as error:
        return error.get_error_code()
    raise Failed("the call succeeded")


@test(emulator=BOTH)
def a_domain_lives_from_define_to_undefine(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one", d.disk_xml(d.disk("a.img"), cache="none"), memory=64))
    same((dom.name(), dom.ID(), dom.isActive(), dom.isPersistent()), ("one", -1, 0, 1))
    same([x.name() for x in c.listAllDomains(libvirt.VIR_CONNECT_LIST_DOMAINS_INACTIVE)], ["one"])
    dom.create()
    same(dom.state(), [libvirt.VIR_DOMAIN_RUNNING, libvirt.VIR_DOMAIN_RUNNING_BOOTED])
    same(dom.info()[1:4], [65536, 65536, 1])
    same(c.lookupByID(dom.ID()).UUIDString(), dom.UUIDString())
    dom.suspend()
    same(dom.state()[0], libvirt.VIR_DOMAIN_PAUSED)
    dom.suspend()
    dom.resume()
    same(code_of(dom.resume), libvirt.VIR_ERR_OPERATION_INVALID)
    dom.destroy()
    same(dom.state(), [libvirt.VIR_DOMAIN_SHUTOFF, libvirt.VIR_DOMAIN_SHUTOFF_DESTROYED])
    same(code_of(dom.destroy), libvirt.VIR_ERR_OPERATION_INVALID)
    dom.undefine()
    same(code_of(c.lookupByName, "one"), libvirt.VIR_ERR_NO_DOMAIN)


@test()
def the_connection_tells_what_it_is(d):
    c = d.connect()
    same(c.getType(), "QEMU")
    same(c.getLibVersion(), 11003000)
    same(c.isAlive(), 1)
    same(len(c.getInfo()), 8)
    same(c.listAllNetworks(), [])
    same(c.listAllStoragePools(), [])


@test()
def undefining_a_running_domain_makes_it_transient(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one"))
    dom.create()
    dom.undefine()
    same((dom.isActive(), dom.isPersistent()), (1, 0))
    dom.destroy()
    same(code_of(dom.info), libvirt.VIR_ERR_NO_DOMAIN)


@test()
def defining_a_transient_domain_makes_it_persistent(d):
    c = d.connect()
    dom = c.createXML(d.xml("one"))
    same(dom.isPersistent(), 0)
    c.defineXML(d.xml("one", uuid=dom.UUIDString()))
    same(dom.isPersistent(), 1)
    dom.destroy()
    same((dom.isActive(), dom.isPersistent()), (0, 1))


@test()
def lifecycle_events_reach_a_python_client(d):
    libvirt.virEventRegisterDefaultImpl()
    threading.Thread(target=lambda: [libvirt.virEventRunDefaultImpl() for _ in iter(int, 1)], daemon=True).start()
    c = d.connect()
    seen = []
    number = c.domainEventRegisterAny(None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE,
                                      lambda _, dom, event, detail, opaque: seen.append((dom.name(), event)), None)
    dom = c.defineXML(d.xml("one"))
    dom.create()
    dom.destroy()
    dom.undefine()
    wanted = [libvirt.VIR_DOMAIN_EVENT_DEFINED, libvirt.VIR_DOMAIN_EVENT_RESUMED, libvirt.VIR_DOMAIN_EVENT_STARTED,
              libvirt.VIR_DOMAIN_EVENT_SHUTDOWN, libvirt.VIR_DOMAIN_EVENT_STOPPED, libvirt.VIR_DOMAIN_EVENT_UNDEFINED]
    until(lambda: len(seen) >= len(wanted), "all events arrive")
    same([event for _, event in seen], wanted)
    c.domainEventDeregisterAny(number)


@test()
def twenty_domains_start_and_stop_at_once(d):
    c = d.connect()
    doms = [c.defineXML(d.xml(f"d{i}")) for i in range(20)]
    faults = []

    def turn(dom, what):
        try:
            getattr(dom, what)()
        except libvirt.libvirtError as error:
            faults.append(f"{dom.name()}: {error}")

    for what in ("create", "destroy", "create", "destroy"):
        threads = [threading.Thread(target=turn, args=(dom, what)) for dom in doms]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(faults, [], what)
        same(len(c.listAllDomains(libvirt.VIR_CONNECT_LIST_DOMAINS_ACTIVE)), 20 if what == "create" else 0)


@test()
def what_is_not_built_answers_no_support(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one"))
    same(code_of(c.networkDefineXML, "<network/>"), libvirt.VIR_ERR_NO_SUPPORT)
    same(code_of(dom.snapshotCreateXML, "<domainsnapshot/>"), libvirt.VIR_ERR_NO_SUPPORT)


main()

# SPDX-License-Identifier: Apache-2.0
"""What calls answer, to the code: clashes, states, flags, lists, jobs, and events to the detail."""
import os
import shutil
import signal
import threading
import time

import libvirt

from harness import SIMVMM, Failed, contains, main, same, test, until

UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
OTHER = "6ba7b811-9dad-11d1-80b4-00c04fd430c8"


def refusal(function, *arguments):
    """(code, message) that the call fails with."""
    try:
        function(*arguments)
    except libvirt.libvirtError as error:
        return error.get_error_code(), error.get_error_message()
    raise Failed("the call succeeded")


@test()
def clashes_of_name_and_uuid_have_libvirts_words(d):
    c = d.connect()
    c.defineXML(d.xml("one", uuid=UUID))
    for call in (c.defineXML, c.createXML):
        same(refusal(call, d.xml("one", uuid=OTHER)),
             (9, f"operation failed: domain 'one' already exists with uuid {UUID}"))
        same(refusal(call, d.xml("two", uuid=UUID)),
             (9, f"operation failed: domain 'one' is already defined with uuid {UUID}"))
    same(c.defineXML(d.xml("one", uuid=UUID, memory=48)).maxMemory(), 48 * 1024)


@test()
def states_refuse_what_does_not_fit_them(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one"))
    for call in (dom.destroy, dom.suspend, dom.resume):
        same(refusal(call), (55, "Requested operation is not valid: domain is not running"))
    dom.create()
    same(refusal(dom.create), (55, "Requested operation is not valid: domain is already running"))
    same(refusal(dom.resume)[0], 55)
    same(refusal(c.createXML, d.xml("one", uuid=dom.UUIDString())),
         (55, "Requested operation is not valid: domain 'one' is already active"))
    dom.undefine()
    same(refusal(dom.undefine), (55, "Requested operation is not valid: cannot undefine transient domain"))
    same(refusal(dom.setAutostart, 1), (55, "Requested operation is not valid: cannot set autostart for transient domain"))
    dom.destroy()
    same(refusal(dom.info)[0], 42)
    same(refusal(c.lookupByName, "nobody"), (42, "Domain not found: no domain with matching name 'nobody'"))
    same(refusal(c.lookupByUUIDString, OTHER)[0], 42)
    same(refusal(c.lookupByID, 77), (42, "Domain not found: no domain with matching id 77"))


@test()
def unknown_flags_are_refused(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one"))
    same(refusal(c.listAllDomains, 0x10000)[0], 8)
    same(refusal(dom.createWithFlags, 0x400)[0], 8)
    same(refusal(dom.undefineFlags, 0x80)[0], 8)
    same(refusal(dom.XMLDesc, 0x100)[0], 8)
    same(refusal(c.domainXMLToNative, "xen-xm", d.xml("one"), 0)[0], 8)


@test()
def a_created_domain_leaves_a_stored_definition_alone(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one", uuid=UUID, memory=32))
    c.createXML(d.xml("one", uuid=UUID, memory=64))
    same((dom.isPersistent(), dom.isActive()), (1, 1))
    contains(dom.XMLDesc(0), "<memory unit='KiB'>65536</memory>")
    contains(dom.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE), "<memory unit='KiB'>32768</memory>")
    c.defineXML(d.xml("one", uuid=UUID, memory=48))     # redefined while it runs
    contains(dom.XMLDesc(0), "<memory unit='KiB'>65536</memory>")
    dom.destroy()
    contains(dom.XMLDesc(0), "<memory unit='KiB'>49152</memory>")


@test()
def a_creation_that_fails_leaves_nothing(d):
    c = d.connect()
    refusal(c.createXML, d.xml("one", d.disk_xml("/nonexistent/disk.img")))
    same(c.listAllDomains(), [])
    same(os.listdir(f"{d.root}/run/status"), [])


@test()
def metadata_and_titles_are_found(d):
    c = d.connect()
    extra = ("<title>A title</title><description>What it is for</description>"
             "<metadata><a:x xmlns:a='http://a.example/'>1</a:x></metadata>")
    dom = c.defineXML(d.xml("one", extra=extra))
    same(dom.metadata(libvirt.VIR_DOMAIN_METADATA_TITLE, None), "A title")
    same(dom.metadata(libvirt.VIR_DOMAIN_METADATA_DESCRIPTION, None), "What it is for")
    contains(dom.metadata(libvirt.VIR_DOMAIN_METADATA_ELEMENT, "http://a.example/"), ">1</")
    same(refusal(dom.metadata, libvirt.VIR_DOMAIN_METADATA_ELEMENT, "http://b.example/")[0], 80)
    contains(d.virsh("list", "--all", "--title"), "A title")


@test()
def passwords_are_shown_only_to_those_who_may_see_them(d):
    vnc = "<graphics type='vnc' passwd='sesame'/>"
    d.connect().defineXML(d.xml("one", vnc))
    for state in ("off", "on"):
        if state == "on":
            d.virsh("start", "one")
        if "sesame" in d.virsh("dumpxml", "one"):
            raise Failed("the password is shown to everybody")
        contains(d.virsh("dumpxml", "one", "--security-info"), "passwd='sesame'")
        same(refusal(d.connect(readonly=True).lookupByName("one").XMLDesc, libvirt.VIR_DOMAIN_XML_SECURE)[0], 29)
    d.stop()
    d.start()                           # it survives in the status file, which nobody else can read
    contains(d.virsh("dumpxml", "one", "--security-info"), "passwd='sesame'")
    for folder in ("lib/domains", "run/status"):
        for name in os.listdir(f"{d.root}/{folder}"):
            same(oct(os.stat(f"{d.root}/{folder}/{name}").st_mode & 0o777), "0o600", name)


@test(config={"emulator_user": "nobody", "emulator_group": "nogroup"}, daemon=False)
def emulators_can_run_as_somebody_else(d):
    os.chmod(d.root, 0o755)
    d.emulator = shutil.copy(SIMVMM, f"{d.root}/simvmm")     # the built tree may be in a folder of root's own
    d.start()
    d.define("one")
    d.virsh("start", "one")
    with open(f"/proc/{d.guest('one')}/status") as f:
        status = f.read()
    contains(status, "Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534")
    d.virsh("suspend", "one")


@test()
def there_are_no_networks_pools_or_devices(d):
    c = d.connect()
    for call in (c.listAllNetworks, c.listNetworks, c.listDefinedNetworks, c.listAllStoragePools, c.listStoragePools,
                 c.listDefinedStoragePools, c.listAllInterfaces, c.listInterfaces, c.listDefinedInterfaces, c.listAllSecrets,
                 c.listSecrets, c.listAllNWFilters, c.listNWFilters, c.listAllDevices):
        same(call(), [], call.__name__)
    same((c.numOfNetworks(), c.numOfStoragePools(), c.numOfSecrets(), c.numOfNWFilters(), c.numOfInterfaces()), (0,) * 5)


@test()
def events_tell_the_detail_in_libvirts_order(d):
    libvirt.virEventRegisterDefaultImpl()
    threading.Thread(target=lambda: [libvirt.virEventRunDefaultImpl() for _ in iter(int, 1)], daemon=True).start()
    c = d.connect()
    seen = []

    def heard(_, dom, event, detail, opaque):
        seen.append((dom.name(), dom.ID(), event, detail))

    numbers = [c.domainEventRegisterAny(None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, heard, None)]
    other = c.defineXML(d.xml("other"))
    one = c.defineXML(d.xml("one", uuid=UUID))
    only_one = []
    numbers.append(c.domainEventRegisterAny(one, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE,
                                            lambda _, dom, event, detail, opaque: only_one.append(dom.name()), None))
    c.defineXML(d.xml("one", uuid=UUID))
    one.createWithFlags(libvirt.VIR_DOMAIN_START_PAUSED)
    one.resume()
    one.destroy()
    other.undefine()
    one.undefine()
    until(lambda: seen and seen[-1][:3] == ("one", -1, libvirt.VIR_DOMAIN_EVENT_UNDEFINED), "the last event")
    same(seen[:6], [("other", -1, 0, 0), ("one", -1, 0, 0), ("one", -1, 0, 1),  # defined: added, added, updated
                    ("one", 1, 2, 0), ("one", 1, 3, 0),                         # started, then suspended
                    ("one", 1, 4, 0)])                                          # resumed
    same(seen[-3:], [("one", -1, 5, 1), ("other", -1, 1, 0), ("one", -1, 1, 0)])
    same(set(only_one), {"one"})
    for number in numbers:              # or the connection stays open
        c.domainEventDeregisterAny(number)
    other_client = d.connect()
    for event in range(26):
        number = other_client.domainEventRegisterAny(None, event, lambda *_: None, None)
        other_client.domainEventDeregisterAny(number)


@test()
def a_guest_that_dies_is_shut_off_crashed_and_its_event_says_so(d):
    c = d.connect()
    kept, gone = c.defineXML(d.xml("kept")), c.createXML(d.xml("gone"))
    kept.create()
    for name in ("kept", "gone"):
        os.kill(d.guest(name), signal.SIGKILL)
    until(lambda: not d.guests() and not kept.isActive(), "both are seen to be dead")
    same(kept.state(), [libvirt.VIR_DOMAIN_SHUTOFF, libvirt.VIR_DOMAIN_SHUTOFF_CRASHED])
    until(lambda: [x.name() for x in c.listAllDomains()] == ["kept"], "the transient one vanishes")
    same(refusal(gone.info)[0], 42)
    same(os.listdir(f"{d.root}/run/status"), [])


def silence(d):
    """From now on emulators come up, and say no word once they are told to run."""
    d.configure({"sim_options": "hang=cont"})
    d.process.send_signal(signal.SIGHUP)
    until(lambda: "sim_options is now" in d.log_text(), "the configuration is read again")


@test()
def destroy_cancels_a_start_that_hangs(d):
    c = d.connect()
    dom = c.defineXML(d.xml("one"))
    silence(d)
    outcome = []
    starter = threading.Thread(target=lambda: outcome.append(refusal(dom.create)))
    starter.start()
    until(d.guests, "the emulator runs")
    time.sleep(0.2)
    begin = time.monotonic()
    d.connect().lookupByName("one").destroy()
    starter.join(30)
    if time.monotonic() - begin > 15:                 # it would be given up after 30
        raise Failed("the start was not cancelled at once")
    same(outcome[0][0], libvirt.VIR_ERR_OPERATION_ABORTED)
    contains(outcome[0][1], "destroy")
    same(dom.isActive(), 0)
    same(d.guests(), {})


@test()
def a_stop_cancels_and_undoes_a_start_that_hangs(d):
    dom = d.connect().defineXML(d.xml("one"))
    silence(d)
    outcome = []
    starter = threading.Thread(target=lambda: outcome.append(refusal(dom.create)))
    starter.start()
    until(d.guests, "the emulator runs")
    d.stop()
    starter.join(30)
    contains(outcome[0][1], "domusd stops")
    same(d.guests(), {})
    same(os.listdir(f"{d.root}/run/status"), [])
    d.configure({})
    d.start()


main()

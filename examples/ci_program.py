#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a test of one's own libvirt program may look like; examples/ci.sh gives it a daemon.

It starts a guest, loses it to a panic and to an emulator that dies, sees both as events, and sees a call fail as it
would on a day when storage is full.  All in a second, and the same each time.
"""
import subprocess
import threading

import libvirt

XML = """<domain type='qemu'>
  <name>tested</name><memory unit='MiB'>64</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <on_crash>destroy</on_crash>
  <devices><panic model='isa'/></devices>
</domain>"""

seen = []
told = threading.Condition()


def on_event(_connection, domain, event, detail, _):
    with told:
        seen.append((domain.name(), event, detail))
        told.notify_all()


def wait_for(event):
    with told:
        if not told.wait_for(lambda: any(e == event for _, e, _ in seen), 20):
            raise SystemExit(f"event {event} did not come; seen: {seen}")
        seen.clear()


def inject(line):
    """A fault, or what the guest does; simvmm(1) has the list."""
    subprocess.run(["domsh", "-q", "inject", "tested", *line.split()], check=True)


def run_loop():
    while True:
        libvirt.virEventRunDefaultImpl()


libvirt.virEventRegisterDefaultImpl()
libvirt.registerErrorHandler(lambda *_: None, None)
threading.Thread(target=run_loop, daemon=True).start()
connection = libvirt.open()
connection.domainEventRegisterAny(None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, on_event, None)
domain = connection.defineXML(XML)

domain.create()
wait_for(libvirt.VIR_DOMAIN_EVENT_STARTED)
inject("error=stop:1:No space left on device")
try:
    domain.suspend()
    raise SystemExit("the suspend should have failed")
except libvirt.libvirtError as error:
    print("a call that fails:", error)
domain.suspend()
domain.resume()

inject("panic")
wait_for(libvirt.VIR_DOMAIN_EVENT_STOPPED)
print("a guest that panicked is gone:", domain.state())

domain.create()
wait_for(libvirt.VIR_DOMAIN_EVENT_STARTED)
inject("crash")
wait_for(libvirt.VIR_DOMAIN_EVENT_STOPPED)
same = domain.state() == [libvirt.VIR_DOMAIN_SHUTOFF, libvirt.VIR_DOMAIN_SHUTOFF_CRASHED]
print("an emulator that died is told as a crash:", domain.state())
domain.undefine()
connection.close()
raise SystemExit(0 if same else 1)

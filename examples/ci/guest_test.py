#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program under test: starts a guest by libvirt-python, plugs a disk, and shuts the guest down.

It is an ordinary libvirt client; nothing in it knows that the VMM is simulated.  The URI is its argument.
"""
import sys
import time

import libvirt

DOMAIN = """
<domain type='qemu'>
  <name>ci-guest</name>
  <memory unit='MiB'>256</memory>
  <vcpu>2</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <devices>
    <interface type='user'><model type='virtio'/></interface>
    <serial type='pty'/>
  </devices>
</domain>
"""
DISK = """
<disk type='file' device='disk'>
  <driver name='qemu' type='raw'/>
  <source file='{path}'/>
  <target dev='vda' bus='virtio'/>
</disk>
"""


def wait_for(what, condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"after {seconds} s still not: {what}")
        time.sleep(0.05)


def main(uri, disk):
    connection = libvirt.open(uri)
    guest = connection.defineXML(DOMAIN)
    guest.create()
    assert guest.state()[0] == libvirt.VIR_DOMAIN_RUNNING
    guest.suspend()
    assert guest.state()[0] == libvirt.VIR_DOMAIN_PAUSED
    guest.resume()
    guest.attachDevice(DISK.format(path=disk))
    assert disk in guest.XMLDesc(), "the disk is in the live definition"
    guest.detachDevice(DISK.format(path=disk))
    wait_for("the disk is gone", lambda: disk not in guest.XMLDesc())
    guest.shutdown()
    wait_for("the guest is off", lambda: not guest.isActive())
    guest.undefine()
    connection.close()
    print("the guest was started, changed and shut down")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} URI DISK-IMAGE")
    main(*sys.argv[1:])

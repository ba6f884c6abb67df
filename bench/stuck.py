#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""bench stuck [GUESTS]: what 50 guests whose emulator has stopped answering cost the callers of other guests.

Two daemons with as many guests on the simulated VMM.  In one of them every guest but four has a monitor that went deaf in
the middle of a reset, and a client waits for each.  The same calls go to the four sound guests of both, one by one in turn,
so that what else the machine does falls on both.  Prints the 99th percentile of each kind of call, and their ratio.
"""
import sys
import threading
import time

from measure import bare_xml, harness

import libvirt
import libvirt_qemu

SOUND = 4
CALLS = 25                              # of each kind in a round
SECONDS = 22                            # for all rounds: a monitor that does not answer is given up after 30
TARGET = 1.2


def query_status(dom):
    return libvirt_qemu.qemuMonitorCommand(dom, '{"execute":"query-status"}', 0)


def suspend_and_resume(dom):
    dom.suspend()
    dom.resume()


KINDS = [("info", lambda dom: dom.info()), ("XMLDesc", lambda dom: dom.XMLDesc()),
         ("monitor command", query_status), ("suspend and resume", suspend_and_resume)]


class Side:
    def __init__(self, guests, config):
        self.daemon = harness.Daemon("sim", config)
        self.daemon.start()
        self.connection = self.daemon.connect()
        names = [f"guest{n}" for n in range(guests + SOUND)]
        for name in names:
            self.connection.defineXML(bare_xml(name)).create()
        self.guests = names[:guests]
        self.sound = [self.connection.lookupByName(name) for name in names[guests:]]
        self.times = {name: [] for name, _ in KINDS}
        self.waiting = []

    def wait_for(self, name):
        connection = libvirt.open(self.daemon.uri())
        try:
            connection.lookupByName(name).reset(0)
        except libvirt.libvirtError:
            pass
        connection.close()

    def get_stuck(self):
        self.waiting = [threading.Thread(target=self.wait_for, args=(name,)) for name in self.guests]
        for thread in self.waiting:
            thread.start()
        time.sleep(2)

    def measure(self, name, call, n):
        begun = time.perf_counter()
        call(self.sound[n % SOUND])
        self.times[name].append((time.perf_counter() - begun) * 1e3)

    def end(self):
        still = sum(thread.is_alive() for thread in self.waiting)
        for name in self.guests:
            self.connection.lookupByName(name).destroy()
        for thread in self.waiting:
            thread.join()
        self.daemon.finish()
        return still


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def report(calm, stuck):
    print(f"{'':22} {'median, ms':>21} {'99 of 100, ms':>21}\n{'':22} {'without':>10} {'with':>10} {'without':>10} {'with':>10} "
          f"{'ratio':>7} {'target':>7}")
    for name, _ in KINDS:
        a, b = calm.times[name], stuck.times[name]
        print(f"{name:22} {percentile(a, .5):10.3f} {percentile(b, .5):10.3f} {percentile(a, .99):10.3f} "
              f"{percentile(b, .99):10.3f} {percentile(b, .99) / percentile(a, .99):7.2f} {TARGET:7}")


def main():
    guests = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    sides = []                          # without, with
    libvirt.registerErrorHandler(lambda _, error: None, None)
    try:
        for config in ({}, {"sim_options": "hang=system_reset"}):
            sides.append(Side(guests, config))
        sides[1].get_stuck()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            sides.reverse()                     # whoever is first meets colder caches
            for name, call in KINDS:
                for n in range(CALLS):
                    for side in sides if n % 2 else reversed(sides):
                        side.measure(name, call, n)
        stuck = [side.end() for side in sorted(sides, key=lambda side: not side.waiting)]
        if stuck != [guests, 0]:
            raise SystemExit(f"{stuck} guests were stuck at the end; the figures are void")
        sides.sort(key=lambda side: len(side.waiting))
        print(f"{guests} guests without and with a stuck monitor; {len(sides[0].times['info'])} calls of each kind to "
              f"{SOUND} others\n")
        report(*sides)
    finally:
        for side in sides:
            side.daemon.clean()


main()

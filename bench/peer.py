#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""bench peer URI [DEFINITIONS] [--emulator PATH]: domusd beside the libvirt at URI, call by call.

Both daemons do the same through the same client library, in turn (A B B A …), so that what else the machine does falls on
both.  A list of thousands, and their statistics, cost the library more than a daemon, so the time until the reply is there,
and not looked at, stands beside that of the call.  What is written costs what the file system costs: let BENCH_FOLDER
(/tmp) name a folder near to the peer's.

The start and the end of a guest use PATH, which must be the same program for both; without it they are left out.  All
domains that are made at the peer have names that begin with `domus-bench-`, and are removed again.
"""
import argparse
import contextlib
import statistics
import struct
import urllib.parse

from measure import bare_xml, guest_xml, harness, milliseconds_of, wire

import libvirt

ROUNDS = 6
CALLS = 1000
STARTS = 10
PREFIX = "domus-bench-"
# The issue's: at most so much of the peer's time.
TARGETS = {"defineXML": 1 / 3, "info": 1 / 2.5, "listAllDomains": 1 / 3, "getAllDomainStats": 1 / 5}


LIST = wire.LIST_ALL_DOMAINS, struct.pack(">II", 1, 0)
STATS = wire.ALL_DOMAIN_STATS, struct.pack(">III", 0, 0, 0)


class Side:
    def __init__(self, uri):
        self.connection, self.times = libvirt.open(uri), {}
        path = urllib.parse.parse_qs(urllib.parse.urlsplit(uri).query).get("socket", ["/run/libvirt/libvirt-sock"])[0]
        self.client = wire.Client(path, patience=60)

    def note(self, what, milliseconds):
        self.times.setdefault(what, []).append(milliseconds)

    def define(self, first, last):
        for n in range(first, last):
            self.connection.defineXML(guest_xml(f"{PREFIX}{n}"))

    def close(self):
        self.client.socket.close()
        self.connection.close()

    def clear(self):
        for dom in self.connection.listAllDomains():
            if dom.name().startswith(PREFIX):
                with contextlib.suppress(libvirt.libvirtError):
                    dom.destroy()
                dom.undefine()


def in_turn(sides, round_number):
    return sides if round_number % 2 == 0 else reversed(sides)


def starts(sides, emulator):
    for side in sides:
        side.guest = side.connection.defineXML(bare_xml(f"{PREFIX}start", emulator))
        side.guest.create()                     # so that both know the emulator
        side.guest.destroy()
    for n in range(STARTS):
        for side in in_turn(sides, n):
            side.note("create", milliseconds_of(side.guest.create))
            side.note("destroy", milliseconds_of(side.guest.destroy))
    for side in sides:
        side.guest.undefine()


def definitions(sides, count):
    for n in range(ROUNDS):
        first, last = count * n // ROUNDS, count * (n + 1) // ROUNDS
        for side in in_turn(sides, n):
            side.note("defineXML", milliseconds_of(lambda s=side: s.define(first, last)) / (last - first))
    for n in range(ROUNDS):
        for side in in_turn(sides, n):
            c = side.connection
            dom = c.lookupByName(f"{PREFIX}0")
            side.note("info", milliseconds_of(lambda d=dom: [d.info() for _ in range(CALLS)]) / CALLS)
            side.note("XMLDesc", milliseconds_of(lambda d=dom: [d.XMLDesc() for _ in range(CALLS)]) / CALLS)
            side.note("lookupByName", milliseconds_of(
                lambda c=c: [c.lookupByName(f"{PREFIX}0") for _ in range(CALLS)]) / CALLS)
            side.note("listAllDomains", milliseconds_of(c.listAllDomains))
            side.note("list, its reply alone", milliseconds_of(lambda s=side: s.client.ask(*LIST)))
            side.note("getAllDomainStats", milliseconds_of(c.getAllDomainStats))
            side.note("stats, their reply alone", milliseconds_of(lambda s=side: s.client.ask(*STATS)))
    for n in range(ROUNDS):
        for side in in_turn(sides, n):
            some = [side.connection.lookupByName(f"{PREFIX}{i}")
                    for i in range(count * n // ROUNDS, count * (n + 1) // ROUNDS)]
            side.note("undefine", milliseconds_of(lambda s=some: [d.undefine() for d in s]) / len(some))


def report(ours, peer, count):
    version = peer.connection.getLibVersion()
    print(f"milliseconds a call, medians of {ROUNDS} rounds in turn; {count} definitions; libvirt "
          f"{version // 1000000}.{version // 1000 % 1000}.{version % 1000}\n")
    print(f"| {'call':24} | {'domusd':>9} | {'libvirt':>9} | {'ratio':>6} | {'target':>6} |\n"
          f"| {'-' * 24} | {'-' * 8}: | {'-' * 8}: | {'-' * 5}: | {'-' * 5}: |")
    for what, times in ours.times.items():
        a, b = statistics.median(times), statistics.median(peer.times[what])
        target = f"{TARGETS[what]:.2f}" if what in TARGETS else ""
        print(f"| {what:24} | {a:9.3f} | {b:9.3f} | {a / b:6.2f} | {target:>6} |")


def main():
    parser = argparse.ArgumentParser(prog="bench peer", description=__doc__.splitlines()[0])
    parser.add_argument("uri")
    parser.add_argument("definitions", nargs="?", type=int, default=3000)
    parser.add_argument("--emulator")
    args = parser.parse_args()
    peer = Side(args.uri)
    d = harness.Daemon(args.emulator or "sim")
    try:
        d.start()
        ours = Side(d.uri())
        peer.clear()
        if args.emulator:
            starts([ours, peer], args.emulator)
        definitions([ours, peer], args.definitions)
        report(ours, peer, args.definitions)
        ours.close()
        d.finish()
    finally:
        peer.clear()
        d.clean()


main()

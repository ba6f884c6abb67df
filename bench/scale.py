#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""bench scale [COUNT...] [--guests N]: domusd with many definitions (3000 and 10000), and with many running guests (200).

For each count: the rate at which definitions are made (each is on disk before its call returns), then the time
from the start of a fresh domusd to its first complete list, and what one call of each kind takes.  For the guests, on the
simulated VMM: starts a second by 8 clients, what they cost while nothing happens, and how long a new domusd takes to have
all of them back after the old one was killed with SIGKILL.
"""
import argparse
import contextlib
import statistics
import subprocess
import threading
import time

from measure import LIST_TIMES, bare_xml, cpu_seconds, guest_xml, harness, milliseconds_of, row, status_kib, wakeups

import libvirt

CALLS = 3000
CLIENTS = 8
IDLE_SECONDS = 10


def median_of(function, times=LIST_TIMES):
    return statistics.median(milliseconds_of(function) for _ in range(times))


def start_to_first_list(d, count):
    """Milliseconds from exec to the reply, for a client that is ready and waits."""
    begun = time.perf_counter()
    with open(d.log, "ab") as log:
        d.process = subprocess.Popen([harness.DOMUSD, "--root", d.root, "--emulator", d.emulator],
                                     stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    while True:
        with contextlib.suppress(libvirt.libvirtError):
            connection = d.connect()
            break
        time.sleep(0.002)
    found = len(connection.listAllDomains())
    milliseconds = (time.perf_counter() - begun) * 1000
    if found != count:
        raise SystemExit(f"{found} of {count} domains were listed")
    return milliseconds, connection


def disconnect(d):
    for connection in d.connections:
        connection.close()
    d.connections.clear()


def by_clients(d, count, do):
    """Eight clients do it, each its share; seconds."""
    def share(first):
        connection = d.connect()
        for n in range(first, count, CLIENTS):
            do(connection, n)
    threads = [threading.Thread(target=share, args=(i,)) for i in range(CLIENTS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


def definitions(count):
    print(f"{count} definitions\n")
    mine = count == 3000                        # the targets are for so many
    d = harness.Daemon("sim")
    try:
        d.start()
        connection = d.connect()
        taken = milliseconds_of(lambda: [connection.defineXML(guest_xml(f"guest{n}")) for n in range(count)])
        row("defined, one after the other", count / taken * 1000, "/s", "3 x 342..440/s" * mine)
        row("memory after that (RSS)", status_kib(d.process.pid, "VmRSS") / 1024, "MiB", "under 36 MB" * mine)
        texts = [dom.XMLDesc() for dom in connection.listAllDomains()]
        taken = by_clients(d, count, lambda c, n: c.defineXML(texts[n]))
        row(f"defined again, by {CLIENTS} clients", count / taken, "/s")
        disconnect(d)
        d.stop()
        times = []
        for last in (False, False, True):
            milliseconds, connection = start_to_first_list(d, count)
            times.append(milliseconds)
            if not last:
                disconnect(d)
                d.stop()
        row("start to first list", statistics.median(times), "ms", "300 ms" * mine)
        row("memory after that (RSS)", status_kib(d.process.pid, "VmRSS") / 1024, "MiB", "under 36 MB" * mine)
        row("listAllDomains", median_of(connection.listAllDomains), "ms", "a third of 14.8 ms" * mine)
        row("getAllDomainStats", median_of(connection.getAllDomainStats), "ms", "a fifth of 215 ms" * mine)
        dom = connection.lookupByName("guest0")
        row("info", CALLS / milliseconds_of(lambda: [dom.info() for _ in range(CALLS)]) * 1000, "/s",
            "2.5 x 6035/s" * mine)
        row("XMLDesc", CALLS / milliseconds_of(lambda: [dom.XMLDesc() for _ in range(CALLS)]) * 1000, "/s")
        before = cpu_seconds(d.process.pid), wakeups(d.process.pid)
        time.sleep(IDLE_SECONDS)
        row("idle: processor", (cpu_seconds(d.process.pid) - before[0]) / IDLE_SECONDS * 100, "%")
        row("idle: wake-ups", (wakeups(d.process.pid) - before[1]) / IDLE_SECONDS, "/s")
        d.finish()
    finally:
        d.clean()
    print()


def idle_costs(d, connection, before_kib, count):
    harness.until(lambda: cpu_is_idle(d), "domusd becomes idle", 60)
    row("domusd's memory a guest (RSS)", (status_kib(d.process.pid, "VmRSS") - before_kib) / count, "KiB")
    before = cpu_seconds(d.process.pid), wakeups(d.process.pid)
    time.sleep(IDLE_SECONDS)
    row("idle: processor", (cpu_seconds(d.process.pid) - before[0]) / IDLE_SECONDS * 100, "%")
    row("idle: wake-ups", (wakeups(d.process.pid) - before[1]) / IDLE_SECONDS, "/s")
    row("getAllDomainStats", median_of(connection.getAllDomainStats), "ms")


def cpu_is_idle(d):
    before = cpu_seconds(d.process.pid)
    time.sleep(1)
    return cpu_seconds(d.process.pid) - before <= 0.01


def guests(count):
    print(f"{count} running guests of the simulated VMM\n")
    d = harness.Daemon("sim")
    try:
        d.start()
        connection = d.connect()
        for n in range(count):
            connection.defineXML(bare_xml(f"guest{n}"))
        before_kib = status_kib(d.process.pid, "VmRSS")
        taken = by_clients(d, count, lambda c, n: c.lookupByName(f"guest{n}").create())
        row(f"started, by {CLIENTS} clients", count / taken, "/s")
        idle_costs(d, connection, before_kib, count)
        disconnect(d)
        d.kill()
        milliseconds, connection = start_to_first_list(d, count)
        row("start to first list after SIGKILL", milliseconds, "ms")
        running = len(connection.listAllDomains(libvirt.VIR_CONNECT_LIST_DOMAINS_RUNNING))
        if running != count:
            raise SystemExit(f"{running} of {count} guests were found again")
        harness.until(lambda: cpu_is_idle(d), "domusd becomes idle", 60)
        row("processor time until all trees are there too", cpu_seconds(d.process.pid) * 1000, "ms")
        begun = time.perf_counter()
        for dom in connection.listAllDomains():
            dom.destroy()
        row("destroyed, one after the other", count / (time.perf_counter() - begun), "/s")
        d.finish()
    finally:
        d.clean()


def main():
    parser = argparse.ArgumentParser(prog="bench scale", description=__doc__.splitlines()[0])
    parser.add_argument("count", nargs="*", type=int, default=[3000, 10000])
    parser.add_argument("--guests", type=int, default=200)
    args = parser.parse_args()
    for count in args.count:
        if count:
            definitions(count)
    if args.guests:
        guests(args.guests)


main()

# SPDX-License-Identifier: Apache-2.0
"""Many clients, many guests, and clients that behave badly: each harms itself at most.

The bounds of time are generous: they tell "slower than it should be" from "not at all", on a busy machine too.  ./dev bench
scale and stuck measure.
"""
import contextlib
import os
import resource
import select
import struct
import threading
import time

import libvirt

from harness import SANITIZED, Failed, main, same, test, until
from wire import (CALL, CONNECT_OPEN, DOMAIN_RESET, GET_HOSTNAME, KEEPALIVE, LIST_ALL_DOMAINS, MESSAGE, PING, PONG,
                  REMOTE, REPLY, Client, domain)

PATIENCE = 10                           # seconds for a call that should take less than a millisecond


def slowest(function, times):
    """The longest of so many calls, in seconds."""
    longest = 0
    for _ in range(times):
        begun = time.monotonic()
        function()
        longest = max(longest, time.monotonic() - begun)
    return longest


def at_once(functions):
    """Runs all of them side by side; what one raises is raised."""
    faults = []

    def run(function):
        try:
            function()
        except Exception as fault:
            faults.append(fault)
    threads = [threading.Thread(target=run, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]


def assert_served(d, connection=None):
    """Everybody else is answered as if nothing were."""
    connection = connection or d.connect()
    seconds = slowest(connection.numOfDomains, 50)
    if seconds > PATIENCE:
        raise Failed(f"another client waited {seconds:.1f} s for a call")


def memory_mib(d):
    with open(f"/proc/{d.process.pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


@test()
def a_thousand_idle_clients_and_eight_busy_ones(d):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    connection = d.connect()
    connection.defineXML(d.xml("one")).create()
    idle = [Client(d.socket()) for _ in range(1000)]

    def work():
        mine = libvirt.open(d.uri())
        dom = mine.lookupByName("one")
        for _ in range(200):
            same(dom.info()[0], libvirt.VIR_DOMAIN_RUNNING)
            same(dom.isActive(), 1)
        mine.close()
    at_once([work] * 8)
    if not SANITIZED and memory_mib(d) > 200:
        raise Failed(f"domusd has {memory_mib(d)} MiB with 1,000 idle clients")
    for client in idle:                         # they are still there
        client.send(GET_HOSTNAME)
    for client in idle:
        same(client.receive()[2:4], (GET_HOSTNAME, REPLY))
        client.socket.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@test()
def a_client_that_does_not_read_is_cut_off_alone(d):
    connection = d.connect()
    for n in range(200):
        connection.defineXML(d.xml(f"a-name-that-is-rather-long-for-a-guest-{n}"))
    before = memory_mib(d)
    rude = Client(d.socket())
    rude.socket.setblocking(False)
    ask = rude.frame(LIST_ALL_DOMAINS, struct.pack(">iI", 1, 0))
    end = time.monotonic() + 80
    while time.monotonic() < end:               # each reply has some 16 KiB, and 16 MiB may be owed
        try:
            rude.socket.send(ask)
        except BlockingIOError:
            select.select([], [rude.socket], [], 0.1)
            assert_served(d, connection)
        except ConnectionError:
            break
    else:
        raise Failed("it still is a client, with 16 MiB not read")
    if not SANITIZED and memory_mib(d) - before > 64:
        raise Failed(f"domusd grew by {memory_mib(d) - before} MiB")
    assert_served(d, connection)


@test()
def a_client_that_floods_does_not_starve_the_others(d):
    connection = d.connect()
    connection.defineXML(d.xml("one")).create()
    flooding = [Client(d.socket()) for _ in range(4)]
    stop = threading.Event()

    def flood(client):
        """Always some hundred calls ahead of the replies, and a ping after each ten."""
        burst = b"".join(client.frame(GET_HOSTNAME) for _ in range(200))
        while not stop.is_set():
            client.socket.sendall(burst)
            for _ in range(200):
                same(client.receive()[3], REPLY)

    def others():
        try:
            assert_served(d, connection)
            seconds = slowest(lambda: d.virsh("domstate", "one"), 3)
            if seconds > 2 * PATIENCE:
                raise Failed(f"virsh took {seconds:.1f} s")
        finally:
            stop.set()
    at_once([others] + [lambda c=client: flood(c) for client in flooding])


@test()
def garbage_is_answered_or_ends_its_own_connection(d):
    connection = d.connect()
    good = struct.pack(">IIIIIII", 28, REMOTE, 1, GET_HOSTNAME, CALL, 0, 0)
    garbage = {
        "random bytes": b"\xf0" + os.urandom(4095),     # a first byte that makes no length we would wait for
        "a length of nothing": bytes(4),
        "a length below a header": struct.pack(">I", 27) + good[4:],
        "a length of 4 GiB": b"\xff" * 4,
        "a length just too large": struct.pack(">I", 33554437),
        "a request of HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "descriptors that do not come": struct.pack(">IIIIIIII", 32, REMOTE, 1, GET_HOSTNAME, 4, 0, 0, 5) + b"\0" * 5,
    }
    for what, data in garbage.items():
        client = Client(d.socket())
        with contextlib.suppress(ConnectionError):
            client.socket.sendall(data)
        until(client.is_cut_off, f"the connection ends after {what}", PATIENCE)
        client.socket.close()
    answered = {
        "a program that is not": (1, b"", 0x12345678, CALL),
        "a procedure that is not": (4000, b"", REMOTE, CALL),
        "arguments that are none": (CONNECT_OPEN, b"\xff" * 12, REMOTE, CALL),
        "a list longer than its frame": (LIST_ALL_DOMAINS, b"", REMOTE, CALL),
    }
    client = Client(d.socket())
    for what, frame in answered.items():
        client.send(*frame)
        same(client.receive()[5], 1, f"the status of the reply to {what}")
    for type in (REPLY, MESSAGE, 3, 6, 77):             # answers to nothing are ignored
        client.send(GET_HOSTNAME, type=type)
    client.send(GET_HOSTNAME)
    same(client.receive()[2:6], (GET_HOSTNAME, REPLY, client.serial - 1, 0))
    for _ in range(50):                                 # half a frame, and never the rest
        Client(d.socket(), opened=False).socket.send(good[:20])
    assert_served(d, connection)


@test(config={"sim_options": "hang=system_reset"})
def a_ping_is_answered_while_ten_long_calls_are_open(d):
    connection = d.connect()
    doms = [connection.defineXML(d.xml(f"one{n}")) for n in range(10)]
    for dom in doms:
        dom.create()
    client = Client(d.socket())
    for dom in doms:
        client.send(DOMAIN_RESET, domain(dom) + struct.pack(">I", 0))
    client.send(GET_HOSTNAME)                           # so that the others have been taken up
    same(client.receive()[2], GET_HOSTNAME)
    for _ in range(3):
        client.send(PING, program=KEEPALIVE, type=MESSAGE)
        same(client.receive()[:4], (KEEPALIVE, 1, PONG, MESSAGE))
    for dom in doms:
        dom.destroy()
    replies = [client.receive() for _ in doms]
    same({reply[2:4] + reply[5:6] for reply in replies}, {(DOMAIN_RESET, REPLY, 1)}, "each call fails at last")
    same(len({reply[4] for reply in replies}), 10, "and has its own reply")


@test()
def thirty_domains_are_started_at_once(d):
    connection = d.connect()
    doms = [connection.defineXML(d.xml(f"one{n}", "<serial type='pty'/>")) for n in range(30)]
    clients = [libvirt.open(d.uri()) for _ in doms]
    at_once([lambda c=c, dom=dom: c.lookupByName(dom.name()).create() for c, dom in zip(clients, doms)])
    same([dom.info()[0] for dom in doms], [libvirt.VIR_DOMAIN_RUNNING] * 30)
    same(sorted(connection.listDomainsID()), list(range(1, 31)), "their numbers")
    same(len(d.guests()), 30, "emulators")
    at_once([lambda c=c, dom=dom: c.lookupByName(dom.name()).destroy() for c, dom in zip(clients, doms)])
    same(connection.numOfDomains(), 0)
    for client in clients:
        client.close()


@test()
def two_hundred_running_domains_survive_a_killed_daemon(d):
    count = 40 if SANITIZED else 200
    connection = d.connect()

    def start(first):
        for n in range(first, count, 8):
            connection.defineXML(d.xml(f"one{n}", memory=16)).create()
    at_once([lambda first=i: start(first) for i in range(8)])
    before = {dom.name(): dom.ID() for dom in connection.listAllDomains(libvirt.VIR_CONNECT_LIST_DOMAINS_RUNNING)}
    same(len(before), count)
    same(len(connection.getAllDomainStats()), count)
    connection.close()
    d.connections.clear()
    d.kill()
    d.start()
    connection = d.connect()
    same({dom.name(): dom.ID() for dom in connection.listAllDomains(libvirt.VIR_CONNECT_LIST_DOMAINS_RUNNING)}, before)
    doms = connection.listAllDomains()
    at_once([lambda first=i: [dom.destroy() for dom in doms[first::8]] for i in range(8)])
    same(connection.numOfDomains(), 0)
    d.descriptors = None                                # counted in the first daemon


main()

# SPDX-License-Identifier: Apache-2.0
"""kill -9 of domusd at random points: no guest is lost or orphaned, no definition damaged."""
import os
import random
import re
import threading
import time

import libvirt

from harness import Failed, main, same, test, until

ROUNDS = 50
NAMES = ("a", "b", "c")
NEXT = {                                # what may be done in a state, and the state after it
    "absent": [("define", "off")],
    "off": [("start", "running"), ("start-paused", "paused"), ("undefine", "absent"), ("define", "off")],
    "running": [("suspend", "paused"), ("destroy", "off"), ("define", "running")],
    "paused": [("resume", "running"), ("destroy", "off")],
}


class Actor(threading.Thread):
    """Drives one domain through random states until the daemon dies; knows which states are then possible."""

    def __init__(self, d, name, state, seed):
        super().__init__(daemon=True)
        self.d, self.domain, self.possible, self.random = d, name, {state}, random.Random(seed)
        self.fault = None

    def do(self, connection, action):
        name = self.domain
        if action == "define":
            connection.defineXML(self.d.xml(name, uuid=f"00000000-0000-4000-8000-00000000000{NAMES.index(name)}"))
            return
        dom = connection.lookupByName(name)
        if action == "start":
            dom.create()
        elif action == "start-paused":
            dom.createWithFlags(libvirt.VIR_DOMAIN_START_PAUSED)
        else:
            getattr(dom, action)()

    def run(self):
        state, action = next(iter(self.possible)), "connect"
        try:
            connection = libvirt.open(self.d.uri())
            while True:
                action, after = self.random.choice(NEXT[state])
                self.possible = {state, after} | ({"paused"} if action == "start" else set())   # before its `cont`
                self.do(connection, action)
                state = after
                self.possible = {state}
        except libvirt.libvirtError as error:
            if error.get_error_domain() != libvirt.VIR_FROM_RPC and error.get_error_code() != libvirt.VIR_ERR_SYSTEM_ERROR:
                self.fault = f"{action} of {self.domain} in state {state}: {error}"


def state_of(connection, name):
    try:
        dom = connection.lookupByName(name)
    except libvirt.libvirtError as error:
        same(error.get_error_code(), libvirt.VIR_ERR_NO_DOMAIN)
        return "absent"
    return {libvirt.VIR_DOMAIN_RUNNING: "running", libvirt.VIR_DOMAIN_PAUSED: "paused",
            libvirt.VIR_DOMAIN_SHUTOFF: "off"}.get(dom.state()[0], f"state {dom.state()}")


def names_of(guests):
    return sorted(re.search(r"-name (?:guest=)?(\w+)", line).group(1) for line in guests.values())


def check(d, actors, round_number):
    """After the restart: states are possible ones, and emulators and active domains are the same set.  An emulator that
    was told to end by the daemon that died may take its time."""
    connection = libvirt.open(d.uri())
    found = {}

    def agree():
        for actor in actors:
            found[actor.domain] = state_of(connection, actor.domain)
        active = sorted(name for name, state in found.items() if state in ("running", "paused"))
        return names_of(d.guests()) == active

    until(agree, f"round {round_number}: the emulators are those of the active domains, {found}")
    for actor in actors:
        if actor.fault:
            raise Failed(f"round {round_number}: {actor.fault}")
        if found[actor.domain] not in actor.possible:
            raise Failed(f"round {round_number}: domain {actor.domain} is {found[actor.domain]}, "
                         f"possible were {sorted(actor.possible)}")
    for name, state in found.items():
        if state != "absent":
            connection.lookupByName(name).XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE)
    connection.close()
    return found


@test(limit=200)
def fifty_kills_at_random_points_lose_and_orphan_nothing(d):
    libvirt.registerErrorHandler(lambda _, error: None, None)
    seed = int(os.environ.get("SEED") or random.randrange(1 << 30))
    print(f"# SEED={seed}")
    chance = random.Random(seed)
    states = dict.fromkeys(NAMES, "absent")
    for number in range(ROUNDS):
        actors = [Actor(d, name, states[name], chance.random()) for name in NAMES]
        for actor in actors:
            actor.start()
        time.sleep(chance.random() * 0.25)
        d.kill()
        for actor in actors:
            actor.join(30)
        d.start()
        states = check(d, actors, number)
    left = [name for name in os.listdir(f"{d.root}/lib/domains") if not name.endswith(".xml")]
    same(left, [], "half-written definitions")


main()

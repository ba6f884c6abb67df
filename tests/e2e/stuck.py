# SPDX-License-Identifier: Apache-2.0
"""Emulators that fail, hang or lie: the domain ends in a true state, the error names it, no other domain notices."""
import os
import re
import time

from harness import Failed, contains, main, same, test, until


def sim(options, **more):
    return dict({"sim_options": options}, **more)


@test(config=sim("exit=1,text=no such device"))
def an_emulator_that_ends_early_is_quoted(d):
    d.define("one")
    contains(d.virsh("start", "one", fails=True), "one", "no such device")
    same(d.virsh("domstate", "one").strip(), "shut off")
    same(d.guests(), {})


@test(config=sim("mute=greeting", start_timeout=2))
def an_emulator_that_never_speaks_is_given_up(d):
    d.define("one")
    begun = time.monotonic()
    contains(d.virsh("start", "one", fails=True), "one")
    if time.monotonic() - begun > 15:
        raise Failed("it took too long")
    same(d.virsh("domstate", "one").strip(), "shut off")
    same(d.guests(), {})


main()

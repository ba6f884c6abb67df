# SPDX-License-Identifier: Apache-2.0
"""Emulators that fail, hang or lie: the domain ends in a true state, the error names it, no other domain notices.

What goes wrong is said in sim_options; SIGHUP makes domusd read them again, so that guests started before are sound.
"""
import signal
import threading
import time

from harness import Failed, contains, main, now_with, same, test, timed, until


def assert_not_running(d, name):
    same(d.virsh("domstate", name).strip(), "shut off")
    until(lambda: not any(f"={name}" in line or f" {name} " in line for line in d.guests().values()),
          f"the emulator of {name} is gone")


@test()
def a_start_that_fails_at_its_last_step_names_domain_and_reason(d):
    d.define("sound")
    d.virsh("start", "sound")
    for action in ("error", "garbage", "close", "crash", "hang"):
        name = f"one-{action}"
        d.define(name)
        now_with(d, f"{action}=cont")
        said, seconds = timed(lambda: d.virsh("start", name, fails=True))
        contains(said, name)
        if seconds > 25:
            raise Failed(f"{action}: the start failed only after {seconds:.0f} s")
        assert_not_running(d, name)
        same(d.virsh("domstate", "sound").strip(), "running", f"the other domain after {action}")
    now_with(d, "qemu=11.1")
    d.virsh("start", "one-hang")


@test()
def an_emulator_that_hangs_harms_only_its_own_domain(d):
    d.define("sound")
    d.virsh("start", "sound")
    d.define("stuck")
    now_with(d, "hang=stop")
    d.virsh("start", "stuck")
    waiting = threading.Thread(target=lambda: d.virsh("suspend", "stuck", fails=True))
    waiting.start()
    time.sleep(0.3)
    for words in (["dominfo", "stuck"], ["domstate", "stuck"], ["suspend", "sound"], ["resume", "sound"], ["list"],
                  ["qemu-monitor-command", "sound", '{"execute":"query-status"}'], ["dumpxml", "stuck"]):
        _, seconds = timed(lambda w=words: d.virsh(*w))
        if seconds > 10:                        # the hung one is given up after 30
            raise Failed(f"{words} took {seconds:.1f} s while another domain's emulator hung")
    _, seconds = timed(lambda: d.virsh("destroy", "stuck"))
    waiting.join(30)
    same(waiting.is_alive(), False, "destroy ends the call that waited")
    if seconds > 10:
        raise Failed(f"destroy took {seconds:.1f} s")
    same(d.virsh("domstate", "stuck", "--reason").strip(), "shut off (destroyed)")
    same(d.virsh("domstate", "sound").strip(), "running")


@test()
def a_monitor_that_closes_or_babbles_ends_its_domain_as_crashed(d):
    d.define("sound")
    d.virsh("start", "sound")
    for action in ("close", "garbage", "crash"):
        name = f"one-{action}"
        d.define(name)
        now_with(d, f"{action}=query-status:0")
        d.virsh("start", name)
        contains(d.virsh("qemu-monitor-command", name, '{"execute":"query-status"}', fails=True), name)
        until(lambda: d.virsh("domstate", name).strip() == "shut off", f"{name} is shut off")
        contains(d.virsh("domstate", name, "--reason"), "crashed")
        assert_not_running(d, name)
    same(d.virsh("domstate", "sound").strip(), "running")


@test(limit=150)
def thirty_stuck_starts_do_not_delay_others(d):
    d.define("sound")
    d.virsh("start", "sound")
    for i in range(30):
        d.define(f"stuck{i}")
    now_with(d, "hang=cont", start_timeout=30)
    starts = [d.spawn("virsh", "-c", d.uri(), "start", f"stuck{i}") for i in range(30)]
    until(lambda: len(d.guests()) == 31, "all thirty emulators run, and hang")
    time.sleep(1)
    connection = d.connect()
    dom = connection.lookupByName("sound")
    times = sorted(timed(dom.info)[1] for _ in range(200))
    if times[197] > 0.5:
        raise Failed(f"1 % of the calls took more than {times[197] * 1000:.0f} ms")
    for start in starts:
        start.wait(90)
    d.children.clear()
    same(d.virsh("list", "--name").split(), ["sound"])


main()

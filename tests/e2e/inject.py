#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""domsh inject: faults and a guest's whims, put into a running guest of the simulator."""
import time

from harness import contains, main, now_with, same, test, timed, until


def state(d, name):
    return d.virsh("domstate", name, "--reason").strip()


@test()
def a_fault_is_injected_listed_met_and_cleared(d):
    d.define("one")
    d.virsh("start", "one")
    d.domsh("inject", "one", "error=stop:2:no: not now")
    d.virsh("suspend", "one")
    d.virsh("resume", "one")
    same(d.domsh("inject", "one", "--list").strip(), "1 error=stop:2:no: not now (1 uses)")
    contains(d.virsh("suspend", "one", fails=True), "no: not now")
    same(state(d, "one"), "running (unpaused)")
    d.domsh("inject", "one", "--clear")
    same(d.domsh("inject", "one", "--list").strip(), "")
    d.virsh("suspend", "one")


@test()
def a_wrong_line_is_refused_with_what_would_be_right(d):
    d.define("one")
    d.virsh("start", "one")
    contains(d.domsh("inject", "one", "boot", "soon", fails=True), "domain 'one': 'boot': 'soon' should be MS")
    contains(d.domsh("inject", "one", "explode=stop", fails=True), "there is no fault 'explode'; known are delay, hang")
    contains(d.domsh("inject", "one", "--clear", "7", fails=True), "there is no fault 7")
    contains(d.domsh("inject", "one", fails=True), "which fault?")
    contains(d.domsh("inject", "one", "panic", readonly=True, fails=True), "read only")


@test()
def a_domain_that_does_not_run_has_no_faults(d):
    d.define("one")
    contains(d.domsh("inject", "one", "panic", fails=True), "is not running")


@test(emulator="qemu")
def a_real_emulator_takes_no_faults(d):
    d.define("one")
    d.virsh("start", "one")
    contains(d.domsh("inject", "one", "panic", fails=True), "domain 'one' runs on", "only guests of the simulator, simvmm, take faults")


@test()
def what_the_guest_does_by_itself_reaches_the_domain(d):
    d.define("one", extra="<on_crash>preserve</on_crash>")
    d.virsh("start", "one")
    d.domsh("inject", "one", "suspend")
    until(lambda: state(d, "one").startswith("pmsuspended"), "the domain is suspended by its guest")
    d.domsh("inject", "one", "wake")
    until(lambda: state(d, "one").startswith("running"), "and wakes")
    d.domsh("inject", "one", "shutdown")
    until(lambda: state(d, "one") == "shut off (shutdown)", "it ends by itself")


@test()
def a_guest_that_ignores_the_power_button_runs_on(d):
    d.define("one")
    d.virsh("start", "one")
    d.domsh("inject", "one", "powerbutton", "ignore")
    d.virsh("shutdown", "one")
    time.sleep(0.5)
    same(state(d, "one"), "running (booted)")
    d.domsh("inject", "one", "powerbutton", "10")
    d.virsh("shutdown", "one")
    until(lambda: state(d, "one") == "shut off (shutdown)", "the guest heeds the button")


@test()
def a_monitor_that_hangs_can_still_be_cleared_from_beside(d):
    d.define("one")
    d.virsh("start", "one")
    d.domsh("inject", "one", "delay=query-status:0:60000")
    child = d.spawn("virsh", "-c", d.uri(), "qemu-monitor-command", "one", '{"execute":"query-status"}')
    until(lambda: "(1 uses)" in d.domsh("inject", "one", "--list"), "the command is delayed")
    d.domsh("inject", "one", "crash")
    until(lambda: state(d, "one").startswith("shut off"), "the crash is noticed")
    child.wait(30)


@test()
def it_goes_on_after_the_daemon_was_restarted(d):
    d.define("one")
    d.virsh("start", "one")
    d.kill()
    d.start()
    until(lambda: state(d, "one").startswith("running"), "the guest is found again")
    d.domsh("inject", "one", "drop=stop")
    contains(d.domsh("inject", "one", "--list"), "drop=stop")


@test()
def a_greeting_that_is_late_or_wrong_or_never_comes_is_told_at_the_start(d):
    d.define("late")
    now_with(d, "delay=greeting:0:700")
    _, seconds = timed(lambda: d.virsh("start", "late"))
    same(seconds > 0.6, True, f"the start waits for the greeting ({seconds:.2f} s)")
    for fault in ("garbage=greeting", "close=greeting", "truncate=greeting", "hang=greeting", "exit=greeting:0:3 no luck"):
        name = f"bad-{fault.split('=')[0]}"
        d.define(name)
        now_with(d, fault)
        said = d.virsh("start", name, fails=True)
        contains(said, "error:")
        same(state(d, name).split()[0:2], ["shut", "off"], fault)


main()

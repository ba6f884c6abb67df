#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each way to read an object tree gives what one gets by qom-list and qom-get alone, on each kind of emulator."""
import os
import re
import subprocess

from harness import BUILD, QEMU, SIMVMM, Skip, main, same, test

BENCH = f"{BUILD}/bench/qom"
ALWAYS = {"qom-list + qom-get, one at a time", "qom-list + qom-get, pipelined", "ours without a bulk command"}
BULK = {"bulk, one object a call", "bulk, by level", "ours, nothing remembered", "bulk, one call, absolute paths",
        "ours, remembered: one call, short paths", "ours, remembered, read ahead", "ours, never ran, of parts of another's"}


def ways(emulator):
    """{way: calls} of those that the emulator offers; the benchmark fails if a tree differs from the first one's."""
    if not os.path.exists(BENCH):
        raise Skip(f"{BENCH} is not built")
    run = subprocess.run([BENCH, "--runs", "1", emulator], capture_output=True, text=True, timeout=110, check=False)
    same(run.returncode, 0, run.stdout[-3000:] + run.stderr[-3000:])
    table = run.stdout.rsplit("faster emulator\n", 1)[1]
    found = re.findall(r"^(\S.{39}) +(?:[\d.]+ +){4}(\d+)", table, re.M)
    return {way.strip(): int(calls) for way, calls in found}


def simulated(d, options):
    return ways_of_script(d, f'exec {SIMVMM} -sim {options} "$@"')


def ways_of_script(d, line):
    script = d.file("emulator", f"#!/bin/sh\n{line}\n")
    os.chmod(script, 0o700)
    return ways(script)


def check_bulk(calls):
    same((calls["ours, nothing remembered"], calls["ours, remembered: one call, short paths"],
          calls["ours, remembered, read ahead"], calls["ours, never ran, of parts of another's"]), (2, 1, 4, 1), "calls")


@test(daemon=False)
def on_a_simulated_qemu_with_a_bulk_command_all_ways_give_one_tree(d):
    for qom in ("get", "getv"):
        calls = simulated(d, f"qom={qom}")
        same(set(calls), ALWAYS | BULK, qom)
        check_bulk(calls)


@test(daemon=False)
def on_one_that_gives_a_tree_in_one_call_so_does_that(d):
    calls = simulated(d, "qom=tree")
    same(calls["qom-tree-get"], 1)
    same(ALWAYS <= set(calls), True, calls)


@test(daemon=False)
def on_a_simulated_old_qemu_all_ways_give_one_tree(d):
    same(set(simulated(d, "qemu=7.2")), ALWAYS)


@test(daemon=False, limit=120)
def on_the_distributions_qemu_all_ways_give_one_tree(d):
    if not os.path.exists(QEMU):
        raise Skip(f"{QEMU} is not installed")
    same(ALWAYS <= set(ways(QEMU)), True)


@test(daemon=False, limit=120)
def on_the_newest_qemu_all_ways_give_one_tree(d):
    newest = os.environ.get("NEWEST_QEMU")
    if not newest:
        raise Skip("NEWEST_QEMU does not name one")
    check_bulk(ways(newest))


main()

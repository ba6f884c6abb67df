# SPDX-License-Identifier: Apache-2.0
"""Only WAITS functions call WAITS functions: whoever calls what may suspend says so in its own declaration.

Read from the text: a function is marked where it is declared or defined.  What a pointer calls is not seen; fibers
begin with fiber_start() and work handed to await_work() runs elsewhere, so their functions need no mark.
"""
import re

import style

FOLDERS = ["src/loop", "src/domain", "src/qemu", "src/rpc", "daemon", "simvmm"]
NAME = re.compile(r"(?<!#)\b([a-z_][a-z0-9_]*)\s*\(")
DEFINITION = re.compile(r"^(?!\s|#|\}|typedef|struct [^()]*\{)([^\n;{}]*?\b([a-z_]\w*)\s*\([^;{}]*\))\s*\n\{(.*?)^\}", re.S | re.M)


def marked_in(path):
    """(names that others see, names of this file only)"""
    public, private = set(), set()
    for match in re.finditer(r"(\bstatic\s+)?\bWAITS\b([^;{}]*?)[;{]", style.code(path)):
        found = NAME.search(match.group(2))
        if found:
            (private if match.group(1) else public).add(found.group(1))
    return public, private


def unmarked_callers(path, marked, starts):
    text = style.code(path)
    for match in DEFINITION.finditer(text):
        head, name, body = match.groups()
        if "WAITS" in head or name in marked or name in starts:
            continue
        called = sorted({m for m in re.findall(r"(?<![.>\w])([a-z_]\w*)\s*\(", body)} & marked)
        if called:
            line = text[:match.start()].count("\n") + 1
            yield f"{path}:{line}: {name}() calls {', '.join(called)}, but is not marked WAITS"


def beginnings(paths):
    """Where waiting begins: what fiber_start() gets, and the procedures' handlers, which a fiber of a call runs."""
    names = {"on_" + name for name in re.findall(r"^[A-Z_]*PROC\(\s*\d+, (\w+)", style.text("src/rpc/procedures.def"), re.M)}
    for path in paths:
        names.update(re.findall(r"\bfiber_start\s*\(\s*(\w+)", style.code(path)))
    return names


def is_visible(path, to):
    """simvmm knows the loop and nothing else of ours, so its names may be the same as others'."""
    in_simvmm = path.startswith("simvmm/")
    return path.startswith("src/loop/") or in_simvmm == to.startswith("simvmm/")


def all_faults():
    paths = [p for folder in FOLDERS for p in style.sources(folder)]
    marked = {path: marked_in(path) for path in paths}
    starts = beginnings(paths)
    for path in paths:
        if path.endswith(".c"):
            public = set().union(*(marked[other][0] for other in paths if is_visible(other, path)))
            yield from unmarked_callers(path, public | marked[path][1], starts)


tap = style.Tap()
tap.check("only functions marked WAITS, or begun as fibers, call functions marked WAITS", all_faults())
tap.done()

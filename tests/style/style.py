# SPDX-License-Identifier: Apache-2.0
"""What the style tests share: our source files, their code without comments and strings, and TAP."""
import functools
import os
import re

TOP = os.environ.get("abs_top_srcdir") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["src/base", "src/loop", "src/xml", "src/json", "src/conf", "src/domain", "src/qemu", "src/rpc",
           "daemon", "shell", "simvmm", "fuzz", "bench", "tests"]


@functools.lru_cache(maxsize=None)
def text(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return f.read()


def exists(path):
    return os.path.exists(os.path.join(TOP, path))


def walk(folder, *endings):
    for where, folders, names in os.walk(os.path.join(TOP, folder)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(where, name), TOP)


def sources(folder):
    """The C files of a folder; "base" is src/base."""
    if "/" not in folder and exists("src/" + folder):
        folder = "src/" + folder
    return list(walk(folder, ".c", ".h"))


def scripts():
    found = [p for f in FOLDERS + ["examples", ".ci"] for p in walk(f, ".sh", ".py")]
    return found + [p for p in ("dev", ".ci/run", "tests/tools/run", "tests/tools/lint", "fuzz/run") if exists(p)]


@functools.lru_cache(maxsize=None)
def code(path):
    """The file with comments and the insides of strings blanked, line for line; #include lines stay."""
    def blank(match):
        found = match.group(0)
        if found.startswith("/"):
            return re.sub(r"[^\n]", " ", found)
        return found if len(found) < 2 or re.search(r"#\s*include[^\n]*$", match.string[:match.start()]) \
            else found[0] + " " * (len(found) - 2) + found[-1]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text(path), flags=re.S)


class Tap:
    """One sentence a check; the check's faults, if any, are its diagnostics."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, sentence, faults):
        faults = list(faults)
        self.count += 1
        self.failed += bool(faults)
        print(f"{'not ok' if faults else 'ok'} {self.count} - {sentence}")
        for fault in faults[:40]:
            print(f"# {fault}")

    def done(self):
        print(f"1..{self.count}")


# SPDX-License-Identifier: Apache-2.0
"""How our text looks: licence line, width, no tabs, no goto, no typedef of a struct, words that we do not leave behind."""
import re

import style

WIDTH = 110
SPDX = "SPDX-License-Identifier: Apache-2.0"


def lines(paths):
    for path in paths:
        for number, line in enumerate(style.text(path).split("\n"), 1):
            yield path, number, line


def code_lines(paths):
    for path in paths:
        for number, line in enumerate(style.code(path).split("\n"), 1):
            yield path, number, line


def matching(pattern, items, why):
    for path, number, line in items:
        if re.search(pattern, line):
            yield f"{path}:{number}: {why}: {line.strip()[:80]}"


c_files = [p for f in style.FOLDERS for p in style.sources(f)]
scripts = style.scripts()
tap = style.Tap()
tap.check("each file names its licence in its first two lines",
          (p for p in c_files + scripts if SPDX not in "\n".join(style.text(p).split("\n")[:2])))
tap.check(f"no line of C is wider than {WIDTH}",
          (f"{p}:{n}: {len(l)} wide" for p, n, l in lines(c_files) if len(l) > WIDTH))
tap.check("no tab and no blank at the end of a line of C", matching(r"\t|\s$", lines(c_files), "white space"))
tap.check("there is no goto", matching(r"\bgoto\b", code_lines(c_files), "goto"))
# Names that only macros use: a codec's member type, an element's struct; and what stands beside rpcgen's names.
GLUE = re.compile(r"\b(ctype_\w+|\w+_type|nothing);")
tap.check("structs have no typedef, but for what macros paste together",
          (f for f in matching(r"\btypedef\s+struct\b", code_lines(c_files), "typedef") if not GLUE.search(f)))
tap.check("nothing is left for later", matching(r"\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b", lines(c_files + scripts), "left over"))
tap.check("headers are included once by pragma", (p for p in c_files if p.endswith(".h") and
                                                 "#pragma once" not in style.text(p)))
tap.done()

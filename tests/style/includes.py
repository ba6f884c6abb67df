# SPDX-License-Identifier: Apache-2.0
"""Who may include whom, and where each library may be named.

A folder of src/ includes only what stands below it, and each outside library hides in one folder.  The table is the
architecture; change it only together with ARCHITECTURE.md.
"""
import re

import style

MAY_INCLUDE = {
    "base": "",
    "loop": "base",
    "xml": "base",
    "json": "base",
    "conf": "base xml",
    "domain": "base loop conf xml",
    "qemu": "base loop json conf domain xml/value.h",   # the types that definitions' members are made of
    "rpc": "base loop",
    "shell": "base loop rpc json xml conf",
    "daemon": "base loop xml json conf domain qemu rpc",
    "simvmm": "base loop json",
}

# The library's header, and the names that are its own.
LIBRARIES = {
    "loop": ("libuv", r'<uv\.h>', r'\buv_\w+'),
    "xml": ("libxml2", r'<libxml/', r'\bxml(?:Node|Doc|Parse|Free|Reader|Text|Char|Attr|Ctxt|SAX|Schema|Error)\w*\s*[(*]|\bxmlChar\b'),
    "json": ("yajl", r'<yajl/', r'\byajl_\w+'),
    "rpc": ("libtirpc", r'<rpc/', r'\bxdr(?:mem|rec|stdio)?_\w+'),
    "shell": ("libedit", r'<histedit\.h>|<editline/', r'\bel_(?:init|gets|set|end|line|insertstr)\b'),
}


def includes(path):
    """(line number, path) of each #include of ours."""
    for number, line in enumerate(style.code(path).split("\n"), 1):
        found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if found:
            yield number, found.group(1)


def wrong_includes(folder):
    allowed = set(MAY_INCLUDE[folder].split()) | {folder}
    for path in style.sources(folder):
        for number, included in includes(path):
            if included == "config.h":
                continue
            target = included.split("/")[0]
            if "/" not in included:
                yield f"{path}:{number}: \"{included}\" is not written from src/"
            elif target not in allowed and included not in allowed:
                yield f"{path}:{number}: {folder} must not include {included}"


def escaped_library(home):
    name, header, names = LIBRARIES[home]
    for folder in MAY_INCLUDE:
        if folder == home:
            continue
        for path in style.sources(folder):
            for number, line in enumerate(style.code(path).split("\n"), 1):
                if re.search(r"#\s*include\s+" + f"(?:{header})", line) or re.search(names, line):
                    yield f"{path}:{number}: {name} belongs in {home} only: {line.strip()}"


def unlike_first(path):
    """A .c file's first include is its own header, if it has one."""
    own = path[:-2] + ".h"
    if not style.exists(own):
        return None
    wanted = own.removeprefix("src/")
    first = next((i for i in includes(path) if i[1] != "config.h"), None)
    return None if first and first[1] == wanted else f"{path}: its first include should be \"{wanted}\""


tap = style.Tap()
for folder, allowed in MAY_INCLUDE.items():
    tap.check(f"{folder} includes only {', '.join(allowed.split() + ['itself'])}", wrong_includes(folder))
for home, (name, _, _) in LIBRARIES.items():
    tap.check(f"{name} appears only in {home}", escaped_library(home))
tap.check("each source file includes its own header first",
          filter(None, (unlike_first(p) for f in MAY_INCLUDE for p in style.sources(f) if p.endswith(".c"))))
tap.done()

# SPDX-License-Identifier: Apache-2.0
"""Our .x files and tables against what was measured on the wire ($DOMUS_SHARED/facts/rpc/procedures.tsv)."""
import os
import re
import sys
from pathlib import Path

TOP = Path(os.environ.get("abs_top_srcdir", Path(__file__).resolve().parents[3]))
MEASURED = Path(os.environ.get("DOMUS_SHARED", TOP.parent / "shared"), "facts/rpc/procedures.tsv")

WORDS = {
    "int": "i32", "unsigned int": "u32", "hyper": "i64", "unsigned hyper": "u64", "double": "f64", "char": "char",
    "unsigned char": "u8", "short": "i16", "unsigned short": "u16", "opaque": "bytes", "remote_uuid": "uuid",
    "remote_nonnull_string": "str", "remote_string": "str?", "remote_typed_param": "tparam",
}
OBJECTS = {
    "domain": "name:str,uuid:uuid,id:i32",
    "network": "name:str,uuid:uuid",
    "storage_pool": "name:str,uuid:uuid",
    "nwfilter": "name:str,uuid:uuid",
    "network_port": "net:network,uuid:uuid",
    "nwfilter_binding": "portdev:str,filtername:str",
    "interface": "name:str,mac:str",
    "storage_vol": "pool:str,name:str,key:str",
    "node_device": "name:str",
    "secret": "uuid:uuid,usageType:i32,usageID:str",
    "domain_snapshot": "name:str,dom:domain",
    "domain_checkpoint": "name:str,dom:domain",
}
ERROR = ("code:i32,domain:i32,message:str?,level:i32,dom:domain?,str1:str?,str2:str?,str3:str?,int1:i32,int2:i32,"
         "net:network?")


def source(name):
    return re.sub(r"/\*.*?\*/", "", (TOP / "src/rpc" / name).read_text(), flags=re.S)


def structs():
    text = source("remote.x") + source("qemu.x")
    return dict(re.findall(r"^struct (\w+) \{(.*?)\};", text, re.S | re.M))


STRUCTS = structs()


def word(kind):
    if kind in WORDS:
        return WORDS[kind]
    name = kind.replace("remote_", "").replace("nonnull_", "")
    if name in OBJECTS:
        return name.replace("domain_snapshot", "snapshot").replace("domain_checkpoint", "checkpoint") + \
            ("" if "nonnull_" in kind else "?")
    return "{" + layout(kind) + "}"


def layout(name):
    """A struct of ours in the table's notation; "-" if there is none."""
    if name not in STRUCTS:
        return "-"
    members = [re.fullmatch(r"(.*?) (\w+)([<\[]\d+[>\]])?", m.strip()) for m in STRUCTS[name].split(";") if m.strip()]
    return ",".join(f"{m[2]}:{word(m[1])}{m[3] or ''}" for m in members)


def rows():
    lines = [line.split("\t") for line in MEASURED.read_text().splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def wrong_layouts(measured):
    for row in measured:
        name = ("qemu_" if row["program"] == "qemu" else "remote_") + row["name"].lower()
        reply = name + ("_msg" if row["kind"] == "event" else "_ret")
        for kind, ours, wanted in (("args", layout(name + "_args"), row["args"]), ("reply", layout(reply), row["ret"])):
            if ours != wanted:
                yield f"{row['name']} {kind}: {ours}, should be {wanted}"


def wrong_numbers(measured):
    known = {(r["program"], int(r["number"])): r for r in measured}
    for macro, number, name in re.findall(r"^(PROC|EMPTY|EVENT|QEMU_PROC)\( *(\d+), (\w+)", source("procedures.def"), re.M):
        program = "qemu" if macro == "QEMU_PROC" else "remote"
        row = known.get((program, int(number)))
        prefix = "qemu_" if program == "qemu" else ""
        if not row or prefix + row["name"].lower() != name or (row["kind"] == "event") != (macro == "EVENT"):
            yield f"{program} {number} {name}: the table has {row and row['name']}"


def wrong_rights(measured):
    """Who may call it on a read-only connection follows from its right."""
    known = {(r["program"], int(r["number"])): r for r in measured}
    pattern = r"^(PROC|EMPTY|QEMU_PROC)\( *(\d+), (\w+), (?:[A-Z_]+, )?(\w+)"
    for macro, number, name, right in re.findall(pattern, source("procedures.def"), re.M):
        allowed = known["qemu" if macro == "QEMU_PROC" else "remote", int(number)]["ro"]
        if (right in ("none", "getattr", "search", "read")) != (allowed in "yc"):
            yield f"{number} {name}: right {right}, but the table says read-only {allowed}"


def wrong_apis(measured):
    ours = {(p, int(n)): a for p, n, a in re.findall(r"^(REMOTE|QEMU)_API\( *(\d+), (\w+)", source("apis.def"), re.M)}
    for row in measured:
        key = row["program"].upper(), int(row["number"])
        name = ours.pop(key, None)
        if row["kind"] == "call" and (not name or name not in row["api"]):
            yield f"{key}: {name}, should be {row['api']}"
        if row["kind"] == "event" and name:
            yield f"{key}: an event has no API"
    yield from (f"{key}: nobody knows it" for key in ours)


def check(number, sentence, faults):
    faults = list(faults)
    print(f"{'not ok' if faults else 'ok'} {number} - {sentence}")
    for fault in faults[:40]:
        print(f"# {fault}")


if not MEASURED.exists():
    print(f"1..0 # SKIP there is no {MEASURED}")
    sys.exit(0)
TABLE = rows()
print("1..5")
check(1, "objects and the error have their measured layout",
      (f"{k}: {layout(k)}" for k, v in [("remote_nonnull_" + o, v) for o, v in OBJECTS.items()] + [("remote_error", ERROR)]
       if layout(k) != v))
check(2, f"all {len(TABLE)} calls and events have their measured layout", wrong_layouts(TABLE))
check(3, "each row has the number that the table gives its name", wrong_numbers(TABLE))
check(4, "each row's right lets in read-only connections as the table says", wrong_rights(TABLE))
check(5, "each call that clients know has its public name", wrong_apis(TABLE))

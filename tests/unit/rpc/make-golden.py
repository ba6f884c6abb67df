#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes golden.tsv: for each built procedure, the bytes of its arguments and reply with every member filled in.

Run by hand when a row is added: make-golden.py ../shared/facts/rpc/procedures.tsv > golden.tsv

This is a witness of its own: the layouts come from a table that was measured on the wire, not from our .x files, and
the encoder is this one.  Each number is another one, each text is its member's name, optional things are there, lists
have two items.
"""
import re
import struct
import sys
from pathlib import Path

OBJECTS = {
    'domain': 'name:str,uuid:uuid,id:i32',
    'network': 'name:str,uuid:uuid', 'storage_pool': 'name:str,uuid:uuid', 'nwfilter': 'name:str,uuid:uuid',
    'interface': 'name:str,mac:str', 'node_device': 'name:str', 'secret': 'uuid:uuid,usageType:i32,usageID:str',
}
FINDING = '{severity:i32,line:u32,path:str,value:str?,expected:str?,message:str}'
OBJECT = '{path:str,type:str,properties:{name:str,type:str,value:str?}<4096>}'
MATCH = '{path:str,type:str,property:str?,property_type:str?,value:str?}'
DRIFT = ('{kind:str,subject:str,alias:str?,path:str?,type:str?,property:str?,asked:str?,effective:str?}')
DEVICE = ('{alias:str,kind:str,description:str,path:str?,type:str?,address:str?,backend:str?,'
          'settings:{name:str,asked:str?,effective:str?,agreement:i32}<256>}')
DOMUS = {
    1: ('-', 'project_version:str,emulator:str?,override_emulator:str?'),
    2: ('xml:str,flags:u32', 'dom:domain?,code:i32,message:str?,findings:%s<100>' % FINDING),
    3: ('dom:domain,path:str?,flags:u32', 'objects:%s<65536>' % OBJECT),
    4: ('dom:domain,path:str,property:str', 'value:str'),
    5: ('dom:domain', 'objects:u64,properties:u64,calls:u64,round_trips:u64,request_bytes:u64,reply_bytes:u64,'
                      'milliseconds:f64,plan:str,method:str'),
    6: ('dom:domain', 'phases:{name:str,milliseconds:f64}<64>,calls:u64,request_bytes:u64,reply_bytes:u64'),
    10: ('dom:domain,path:str?,type:str?,property:str?,value:str?,flags:u32', 'matches:%s<65536>,total:u64' % MATCH),
    12: ('dom:domain,alias:str?,flags:u32', 'devices:%s<4096>' % DEVICE),
    14: ('dom:domain', 'model:str,type:str,features:{name:str,asked:i32,state:i32}<4096>'),
    13: ('dom:domain', 'drifts:%s<4096>,compared:u64,more:i32' % DRIFT),
    11: ('dom:domain,path:str,property:str,value:str,flags:u32', 'type:str,sent:str,before:str?,after:str?'),
    20: ('dom:domain,line:str', 'text:str'),
}


def members(layout):
    """Splits "a:i32,b:{c:str,d:u32}<4>" at its outer commas."""
    depth, start = 0, 0
    for i, c in enumerate(layout):
        depth += (c in '{<[') - (c in '}>]')
        if c == ',' and depth == 0:
            yield layout[start:i]
            start = i + 1
    yield layout[start:]


def padded(data):
    return data + b'\0' * (-len(data) % 4)


class Encoder:
    def __init__(self):
        self.number = 0

    def next(self):
        self.number += 1
        return self.number

    def layout(self, layout):
        return b''.join(self.value(*member.split(':', 1)) for member in members(layout))

    def value(self, name, kind):
        if kind.endswith('?'):
            return struct.pack('>I', 1) + self.value(name, kind[:-1])
        repeated = re.fullmatch(r'(.*)([<\[])(\d+)[>\]]', kind)
        if repeated:
            return self.repeated(name, repeated[1], repeated[2] == '[', int(repeated[3]))
        if kind.startswith('{'):
            return self.layout(kind[1:-1])
        if kind in OBJECTS:
            return self.layout(OBJECTS[kind])
        return self.scalar(name, kind)

    def repeated(self, name, kind, fixed, count):
        if kind == 'bytes':
            data = bytes(range(count if fixed else 5))
            return (b'' if fixed else struct.pack('>I', len(data))) + padded(data)
        count = count if fixed else 2
        return (b'' if fixed else struct.pack('>I', count)) + b''.join(self.value(name, kind) for _ in range(count))

    def scalar(self, name, kind):
        if kind == 'str':
            return struct.pack('>I', len(name)) + padded(name.encode())
        if kind == 'tparam':
            return self.scalar('field', 'str') + struct.pack('>I', 4) + self.scalar('', 'u64')
        if kind == 'uuid':
            return bytes(self.next() % 256 for _ in range(16))
        if kind == 'f64':
            return struct.pack('>d', self.next() + 0.5)
        if kind in ('i64', 'u64'):
            return struct.pack('>Q', 0x100000000 * 7 + self.next())
        if kind in ('char', 'u8', 'i16', 'u16', 'i32', 'u32'):
            return struct.pack('>I', self.next() % 128)
        raise SystemExit('what is ' + kind + '?')


def main():
    source = Path(__file__).resolve().parents[3] / 'src/rpc/procedures.def'
    rows = re.findall(r'^(PROC|EMPTY|EVENT|QEMU_PROC|DOMUS_PROC)\( *(\d+), (\w+)', source.read_text(), re.M)
    measured = {}
    for line in Path(sys.argv[1]).read_text().splitlines()[1:]:
        program, number, _, args, reply = line.split('\t')[:5]
        measured[program, int(number)] = (args, reply)
    for macro, number, name in rows:
        program = {'QEMU_PROC': 'qemu', 'DOMUS_PROC': 'domus'}.get(macro, 'remote')
        args, reply = DOMUS[int(number)] if program == 'domus' else measured[program, int(number)]
        for what, layout in (('args', args), ('message' if macro == 'EVENT' else 'reply', reply)):
            if layout != '-':
                print(program, number, name, what, Encoder().layout(layout).hex(), sep='\t')


main()

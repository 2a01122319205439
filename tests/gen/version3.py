#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""version3.py samples|waits|events OUT: a small capture of format version 3, by format.md alone.

It does not use the library, so that it stays what a recorder of that time has written, whatever
today's writes.  "samples" has what the first recorders of version 3 knew; "waits" has the stream of
waits, and the sums of a thread, as well; "events" has the stream of what the kernel did, of all
kinds, and the accounts that say which were recorded.  Columns have numbers of their own, as a reader has to
find them by what they are declared to be; there are a block, a column and a stream that nobody
knows."""
import struct
import sys

VARINT, ZIGZAG, DELTA, CONST, BYTES = range(5)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


def zigzag(number):
    return varint(number << 1 if number >= 0 else -number * 2 - 1)


def column(coding, values):
    if coding == CONST:
        return varint(values[0])
    if coding == BYTES:
        return b"".join(varint(len(value)) + value for value in (text.encode() for text in values))
    if coding == DELTA:
        return b"".join(zigzag(b - a) for a, b in zip([0] + values, values))
    return b"".join((zigzag if coding == ZIGZAG else varint)(value) for value in values)


class File:
    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(b"\x8fSPTCAP\n" + struct.pack("<II", 3, 0))
        self.blocks = 0

    def block(self, type_, rows, **columns):
        """Columns are c1=[...], or c1=(coding, [...])."""
        payload = varint(rows) + varint(len(columns))
        for name, values in columns.items():
            coding, values = values if isinstance(values, tuple) else (
                BYTES if isinstance(values[0], str) else VARINT, values)
            data = column(coding, values)
            payload += varint(int(name[1:])) + bytes([coding]) + varint(len(data)) + data
        fields = struct.pack("<4sHHII", b"SPTB", type_, 0, len(payload), len(payload))
        number = struct.pack("<I", self.blocks)
        crc = crc32c(fields + bytes(4) + number + payload)
        self.file.write(fields + struct.pack("<I", crc) + number + payload)
        self.blocks += 1


HOST, OBJECT, PROCESS, THREAD, NODE, STREAM, STREAM_COLUMN, EVENT, NAME, ACCOUNT = range(1, 11)
END, FRAME, UNKNOWN = 14, 16, 999
MS = 1000000


def samples(file):
    host = {
        "host": "old",
        "arch": "x86_64",
        "cpus": "1",
        "clock": "timer",
        "period_ns": str(MS),
        "start_time": "1000000000",
        "source": "module"
    }
    file.block(HOST, len(host), c1=list(host), c2=list(host.values()))
    file.block(UNKNOWN, 1, c1=[5])
    file.block(OBJECT, 2, c1=[1, 2], c2=[5, 1], c3=["/usr/bin/app", "kernel"], c60=[7, 7])
    file.block(PROCESS, 1, c1=[1], c2=[100], c4=[1000 * MS], c6=["app"])
    file.block(THREAD, 1, c1=[1], c2=[1], c3=[0], c4=[0])
    # main; main, work; main, do_read: given by the parent's frame, or the latest one below that.
    file.block(FRAME, 3, c1=[1, 0, 3], c2=(ZIGZAG, [0x1000, 0x1000, 0x30 - 0x2000]), c3=[0, 1, 1])
    file.block(NODE, 3, c1=[0, 1, 1], c2=[0, 0, 0])
    file.block(NAME, 3, c1=[1, 1, 2], c2=[0x1000, 0x2000, 0x30], c3=["main", "work", "do_read"],
               c5=[0x100, 0x100, 0x10])
    file.block(STREAM, 2, c1=[4, 5], c2=[0, 2], c3=["samples", "weather"], c4=["cpu", ""],
               c5=["ns", ""])
    file.block(STREAM_COLUMN, 6, c1=[4, 4, 4, 4, 4, 5], c2=[7, 6, 9, 5, 3, 1],
               c3=[1, 2, 3, 4, 5, 99], c4=["time", "cpu", "thread", "node", "weight", "rain"])
    file.block(EVENT, 1, c0=(CONST, [5]), c1=[3])
    file.block(EVENT, 4, c0=(CONST, [4]),
               c7=(DELTA, [1001 * MS, 1002 * MS, 1004 * MS, 1005 * MS]), c6=(CONST, [0]), c9=(CONST, [1]), c5=[2, 2, 2, 3], c3=[1, 1, 2, 1])
    file.block(ACCOUNT, 1, c1=[1006 * MS], c2=[0], c3=[5], c4=[5], c9=[4])


def waits(file):
    file.block(STREAM, 2, c1=[8, 9], c2=[1, 4], c3=["waits", "thread-times"],
               c4=["off-cpu", "wall"], c5=["ns", "ns"])
    roles = {8: [1, 2, 3, 4, 6, 21, 5, 19], 9: [1, 40, 3, 24, 26, 27, 36]}
    for stream, columns in roles.items():
        file.block(STREAM_COLUMN, len(columns), c1=(CONST, [stream]),
                   c2=[20 + role for role in columns], c3=columns, c4=[f"column {role}" for role in columns])
    # 20 ms asleep, 5 of them runnable, below do_read; as long below work.
    file.block(EVENT, 2, c0=(CONST, [8]), c21=[1030 * MS, 1060 * MS], c22=(CONST, [0]),
               c23=(CONST, [1]), c24=[3, 2], c26=[20 * MS, 20 * MS], c41=[5 * MS, 0], c25=[20 * MS, 20 * MS],
               c39=(CONST, [3]))
    file.block(EVENT, 1, c0=(CONST, [9]), c21=[1060 * MS], c60=[1000 * MS], c23=[1], c44=[20 * MS],
               c46=[5 * MS], c47=[35 * MS], c56=[2])


def events(file):
    file.block(STREAM, 2, c1=[10, 11], c2=[1, 4], c3=["events", "source-accounts"], c4=["", ""],
               c5=["", "events"])
    roles = {10: [1, 2, 3, 4, 5, 6, 45, 12, 20, 7, 16, 13, 22], 11: [1, 2, 45, 43, 44]}
    for stream, columns in roles.items():
        file.block(STREAM_COLUMN, len(columns), c1=(CONST, [stream]), c2=[100 - role for role in columns],
                   c3=columns, c4=[f"column {role}" for role in columns])
    # Two interrupts, a soft one, a fault, a request, a lock, and a kind that nobody knows.
    kinds = [4, 11, 5, 23, 4, 14, 77]
    file.block(EVENT, len(kinds), c0=(CONST, [10]), c99=[(1010 + i) * MS for i in range(len(kinds))],
               c97=(CONST, [1]), c96=[2, 2, 3, 3, 3, 2, 3], c95=[3000, 1, 500, 7000, 4000, 900, 1],
               c94=[3000, 800, 500, 7000, 4000, 900, 1], c55=kinds, c88=[0, 0, 4, 0, 2, 0, 0],
               c84=[0, 800, 0, 4096, 0, 0, 0], c87=[0, 0, 0, 3, 0, 0, 0], c78=[0, 1, 0, 0, 0, 0, 0],
               c80=[0, 0, 0, 0, 0, 1, 0], c93=[0, 0, 0, 0, 0, 3, 0])
    file.block(EVENT, 6, c0=(CONST, [11]), c99=(CONST, [1060 * MS]), c55=[4, 5, 11, 23, 14, 15])


def main():
    kind, path = sys.argv[1:]
    file = File(path)
    samples(file)
    if kind == "waits":
        waits(file)
    if kind == "events":
        events(file)
    file.block(END, 1, c1=[1070 * MS])


main()

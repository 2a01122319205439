# SPDX-License-Identifier: GPL-2.0-or-later
"""perfetto-write.py KIND: a trace of Perfetto as other programs write it, to standard output:
slices, switches, compact or samples."""
import sys
import zlib

BOOT, INCREMENTAL, ABSOLUTE = 6, 64, 65
BEGIN, END, INSTANT = 1, 2, 3


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def message(*fields):
    """Of (number, value): a number, bytes, a text, or a list of packed numbers."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
            continue
        data = (value.encode() if isinstance(value, str) else
                b"".join(map(varint, value)) if isinstance(value, list) else value)
        out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def packet(*fields, sequence=1):
    return message((1, message(*fields, (10, sequence))))


def text(number, iid, name):
    return (number, message((1, iid), (2, name)))


def event(time, kind, *fields):
    return packet((8, time), (11, message((9, kind), *fields)))


def slices():
    """With the clock, the names and the track of a sequence, and in its end some that are packed."""
    yield packet((6, message((1, message((1, BOOT), (2, 5_000_000))),
                             (1, message((1, INCREMENTAL), (2, 5000), (3, 1), (4, 1000))),
                             (1, message((1, ABSOLUTE), (2, 5000), (4, 1000))))),
                 (59, message((58, INCREMENTAL), (11, message((11, 77))))), (13, 1))
    # This clock is the machine's own.
    yield packet((8, 5_000_000), (58, BOOT), (12, message(text(2, 1, "outer"), text(1, 1, "work"))),
                 (11, message((9, BEGIN), (10, 1), (3, 1))))
    yield event(100, BEGIN, (23, "inner"))
    yield event(30, INSTANT, (23, "unread"))
    # The absolute time is 200 us behind the begin.
    yield packet((8, 5200), (58, ABSOLUTE), (11, message((9, END))))
    # 100 and 30 us behind the begin, then as much again, and packed.
    yield message((1, message((50, zlib.compress(event(170, END))))))
    # Of no thread: not taken, since there are some of a thread.
    yield event(1, BEGIN, (11, 5), (23, "elsewhere"))
    # Tracks may be described later.
    yield packet((60, message((1, 77), (4, message((1, 10), (2, 11), (5, "worker"))))))
    yield packet((60, message((1, 78), (3, message((1, 10), (6, "program"))))))
    yield packet((60, message((1, 5), (2, "requests"))))


def switches():
    """11 leaves CPU 0 to sleep, and comes back on CPU 1, whose events are first in the file."""
    def switch(time, before, state, behind):
        return (2, message((1, time), (4, message((1, f"t{before}"), (2, before), (4, state),
                                                  (5, f"t{behind}"), (6, behind)))))
    yield packet((1, message((1, 1), switch(9000, 0, 0, 11), switch(9500, 11, 0, 12),
                             switch(9900, 12, 2, 11))))
    yield packet((1, message((1, 0), switch(1000, 0, 0, 11), switch(2000, 11, 1, 0))))
    yield packet((2, message((1, message((1, 10), (3, "/usr/bin/program"), (3, "-v"))),
                             (2, message((1, 11), (2, "worker"), (3, 10))))))


def compact():
    yield packet((1, message((1, 0), (4, message((1, [1000, 1000, 7000]), (2, [0, 1, 0]),
                                                 (3, [11, 0, 11]), (5, "idle"), (5, "worker"),
                                                 (6, [1, 0, 1]))))))


def samples():
    """A clock's, of two sequences with the same numbers for other names."""
    for sequence, name in ((1, "first"), (2, "second")):
        yield packet((59, message((12, message((1, message((2, 1000), (4, 1))))))),
                     (41, 1), (12, message(
                         text(5, 1, name), text(5, 2, "main"), text(17, 1, "usr"),
                         text(17, 2, "program"), (19, message((1, 1), (7, 1), (7, 2))),
                         (6, message((1, 1), (2, 2), (3, 1))), (6, message((1, 2), (2, 1), (3, 1))),
                         (6, message((1, 3), (3, 1), (4, 0x1234))),
                         (7, message((1, 1), (2, 1), (2, 2))), (7, message((1, 2), (2, 1), (2, 3))))),
                     sequence=sequence)
        for i in range(3):
            yield packet((8, 10_000_000 + i * 1_000_000),
                         (66, message((1, 0), (2, 10), (3, 10), (4, 1 if i else 2))),
                         sequence=sequence)


sys.stdout.buffer.write(b"".join(globals()[sys.argv[1]]()))

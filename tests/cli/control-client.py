#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# control-client.py known|hostile|flood|garbage: a program that speaks to GNOME's profiler by the
# socket of SYSPROF_CONTROL_FD, in its public protocol.  known: marks, counters and lines of known
# content; the others do what a program should not.
import mmap
import os
import random
import socket
import struct
import sys
import time

PAGE = 4096


class Ring:
    def __init__(self, fd):
        size = os.fstat(fd).st_size
        self.map = mmap.mmap(fd, size)
        self.size = size - PAGE
        os.close(fd)

    def put(self, data):
        """False: there is no room."""
        head, tail = struct.unpack_from('=II', self.map, 0)
        if (tail - head) % self.size + len(data) >= self.size:
            return False
        for i in range(0, len(data), 8):
            at = PAGE + (tail + i) % self.size
            self.map[at:at + 8] = data[i:i + 8]
        struct.pack_into('=I', self.map, 4, (tail + len(data)) % self.size)
        return True


def request(control):
    control.sendall(b'CreatRing\0')
    _, fds, _, _ = socket.recv_fds(control, 1, 1)
    return Ring(fds[0]) if fds else None


def frame(kind, data, at=None):
    data += b'\0' * (-len(data) % 8)
    return struct.pack('=HhiqB7x', 24 + len(data), -1, os.getpid(),
                       time.monotonic_ns() if at is None else at, kind) + data


def mark(group, name, message, duration, at=None):
    return frame(10, struct.pack('=q24s40s', duration, group, name) + message + b'\0', at)


def known(control):
    ring = request(control)
    begin = time.monotonic_ns()
    time.sleep(0.1)
    for i in range(5000):
        while not ring.put(mark(b'test', b'known', b'number %d' % i, 1000 * i, begin)):
            time.sleep(0.001)
    ring.put(frame(8, struct.pack('=HHI', 1, 0, 0) +
                   struct.pack('=32s32s52sIQ', b'test', b'depth', b'', 7 | 1 << 24, 0)))
    for i in range(10):
        ring.put(frame(9, struct.pack('=HHI', 1, 0, 0) +
                       struct.pack('=8I', 7, 0, 0, 0, 0, 0, 0, 0) +
                       struct.pack('=dQQQQQQQ', i / 2, 0, 0, 0, 0, 0, 0, 0)))
    ring.put(frame(12, struct.pack('=HHI32s', 16, 0, 0, b'test') + b'a warning\0'))
    ring.put(frame(255, b''))


def hostile(control):
    random.seed(47)
    for _ in range(60):
        ring = request(control)
        ring.put(mark(b'test', b'before', b'', 0))
        time.sleep(0.02)
        for _ in range(300):
            ring.put(frame(random.randrange(256), random.randbytes(8 * random.randrange(20))))
        ring.put(mark(b'x' * 24, b'y' * 40, b'z' * 60000, -1, -5))
        ring.put(mark(b'\x1b[31m', b'a\nb', b'\xff', 1 << 62, 1 << 62))
        time.sleep(0.02)
        for _ in range(50):
            struct.pack_into('=II', ring.map, 0, random.getrandbits(32),
                             random.randrange(ring.size))
            at = PAGE + 8 * random.randrange(ring.size // 8)
            ring.map[at:at + 8] = random.randbytes(8)


def flood(control):
    rings = [request(control) for _ in range(400)]
    sys.exit(0 if None in rings and rings[0] else 1)


def garbage(control):
    control.sendall(b'something else entirely')
    control.settimeout(5)
    sys.exit(0 if control.recv(1) == b'' else 1)


def main():
    control = socket.socket(fileno=int(os.environ['SYSPROF_CONTROL_FD']))
    {'known': known, 'hostile': hostile, 'flood': flood, 'garbage': garbage}[sys.argv[1]](control)


main()

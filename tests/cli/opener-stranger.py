# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks root's opener of perf events for what it must not give, as an ordinary user: each line it
prints is a check that failed.  Its arguments: ask, or one of the ends (exit, hand, stdin); and a
process of root."""
import array
import ctypes
import errno
import fcntl
import mmap
import os
import socket
import struct
import subprocess
import sys
import time

OPENER = "/usr/libexec/sysprof-trace-perf-opener"
BEGIN, RING, JOIN, ENABLE, DISABLE, PERIOD, KALLSYMS, MAPS, TRACEPOINTS = range(9)
TICKS, SWITCHES, WAKINGS, STACKS = range(4)
WANTED = 1
REQUEST, ANSWER = struct.Struct("=IIIIQII"), struct.Struct("=iIIII")
IOC_ENABLE, IOC_PERIOD, IOC_SET_OUTPUT = 0x2400, 0x40082404, 0x2405
IOC_SET_FILTER, IOC_SET_BPF, IOC_MODIFY = 0x40082406, 0x40042408, 0x4008240b
PAGE = mmap.PAGESIZE


def expect(good, what):
    if not good:
        print(what, flush=True)


def ask_pkexec(kind=socket.SOCK_SEQPACKET):
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    process = subprocess.Popen(["pkexec", OPENER], stdin=theirs)
    theirs.close()
    ours.settimeout(20)
    return ours, process


class Door:
    def __init__(self):
        self.channel, self.process = ask_pkexec()
        expect(self.ask(BEGIN)[0] == 0, "the first request is not answered")

    def ask(self, what, kind=0, cpu=0, flags=0, number=0, watermark=4096, reserved=0, file=None):
        """The errno and the descriptor of the answer; None: it has ended."""
        data = REQUEST.pack(what, kind, cpu, flags, number, watermark, reserved)
        extra = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", file))] if file else []
        try:
            self.channel.sendmsg([data], extra)
            answer, control, _, _ = self.channel.recvmsg(ANSWER.size, socket.CMSG_SPACE(4))
        except OSError:
            return None
        if len(answer) != ANSWER.size:
            return None
        fd = struct.unpack("i", control[0][2])[0] if control else None
        return ANSWER.unpack(answer)[0], fd

    def ends(self, what):
        expect(self.process.wait(20) is not None, what)


def refused(call, *numbers):
    try:
        call()
    except OSError as error:
        return error.errno in numbers
    return False


def head_of(ring):
    return struct.unpack_from("Q", ring, 1024)[0]


def test_limits():
    door = Door()
    for what, arguments, number in (
            ("too short a period", {"number": 1000, "flags": WANTED}, errno.EINVAL),
            ("no period", {"number": 0, "flags": WANTED}, errno.EINVAL),
            ("an unknown flag", {"number": 1000000, "flags": 1 << 9}, errno.EINVAL),
            ("a CPU that is not there", {"number": 1000000, "cpu": 8191}, None),
            ("a file that is no group", {"number": 1000000, "file": [0]}, None)):
        answer = door.ask(RING, **arguments)
        expect(answer and answer[0] and answer[1] is None and number in (None, answer[0]),
               f"{what}: {answer}")
    expect(door.ask(JOIN)[0] == errno.EBADF, "a ring that is not open is joined")
    expect(door.ask(MAPS, number=0)[0] == errno.EINVAL, "process 0 has mappings")
    expect(door.ask(MAPS, number=(1 << 32) + 1)[0] == errno.EINVAL, "a pid is cut")
    door.channel.close()
    door.ends("a closed socket does not end it")
    for what, arguments in (("an unknown request", {"what": 9}), ("a kind", {"what": RING, "kind": 4}),
                            ("a CPU", {"what": RING, "cpu": 8192}),
                            ("reserved bits", {"what": BEGIN, "reserved": 1})):
        door = Door()
        expect(door.ask(**arguments) is None, f"{what} beyond the protocol is answered")
        door.ends(f"{what} beyond the protocol does not end it")
    door = Door()
    door.channel.send(b"x")
    expect(not door.channel.recv(1), "a short request is answered")
    door.ends("a short request does not end it")


def test_descriptor():
    """What can be done with what it hands over."""
    door = Door()
    number, fd = door.ask(RING, TICKS, flags=WANTED, number=1000000)
    expect(number == 0 and fd is not None, f"no ring: {number}")
    ring = mmap.mmap(fd, 9 * PAGE)
    expect(door.ask(JOIN)[0] == 0 and door.ask(ENABLE)[0] == 0, "the ring does not begin")
    until = time.monotonic() + 20
    while not head_of(ring) and time.monotonic() < until:
        time.sleep(0.05)
    expect(head_of(ring), "there are no records")
    period = ctypes.create_string_buffer(struct.pack("Q", 100))
    expect(refused(lambda: fcntl.ioctl(fd, IOC_PERIOD, period), errno.EINVAL), "it takes a period")
    expect(refused(lambda: fcntl.ioctl(fd, IOC_SET_FILTER, b"common_pid != 0\0"), errno.EINVAL),
           "it takes a filter")
    expect(refused(lambda: fcntl.ioctl(fd, IOC_SET_BPF, 0), errno.EINVAL, errno.EBADF, errno.EPERM),
           "it takes a program of BPF")
    expect(refused(lambda: fcntl.ioctl(fd, IOC_MODIFY, struct.pack("II120x", 1, 128)), errno.EINVAL,
                   errno.EOPNOTSUPP, errno.EFAULT), "it can become another event")
    expect(os.read(fd, 8) == bytes(8), "it counts something")
    expect(door.ask(PERIOD, number=1)[0] == errno.EINVAL, "it takes too short a period")
    expect(door.ask(PERIOD, number=2000000)[0] == 0, "it takes no period")
    door.channel.close()
    door.ends("a closed socket does not end it")
    head = head_of(ring)
    fcntl.ioctl(fd, IOC_ENABLE, 0)
    time.sleep(0.3)
    expect(head_of(ring) == head, "the ring goes on after the opener has ended")


def test_files():
    door = Door()
    number, fd = door.ask(KALLSYMS)
    expect(number == 0 and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY,
           "kallsyms is not read-only")
    number, fd = door.ask(MAPS, number=int(sys.argv[2]))
    expect(number == 0 and b"r-xp" in os.read(fd, 65536), "a process of root has no mappings")
    expect(refused(lambda: open(f"/proc/self/fd/{fd}", "rb"), errno.EACCES),
           "they can be opened anew")
    status = open(f"/proc/{door.process.pid}/status", encoding="ascii").read()
    expect("CapEff:\t0000004400080000\n" in status and "CapPrm:\t0000004400080000\n" in status and
           "NoNewPrivs:\t1\n" in status, "it has other rights: " + status)
    expect(refused(lambda: os.kill(door.process.pid, 9), errno.EPERM), "its user can end it")


def main():
    if sys.argv[1] == "ask":
        test_limits()
        test_descriptor()
        test_files()
    elif sys.argv[1] == "exit":
        # Its caller ends, while another process has the socket.
        if os.fork() == 0:
            door = Door()
            if os.fork() == 0:
                time.sleep(60)
            print(door.process.pid, flush=True)
            os._exit(0)
        os.wait()
    elif sys.argv[1] == "hand":
        # The socket is not its parent's.
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork() == 0:
            process = subprocess.Popen(["pkexec", OPENER], stdin=theirs)
            os._exit(process.wait())
        expect(os.wait()[1] != 0, "it serves the socket of another process")
    else:
        _, process = ask_pkexec(socket.SOCK_STREAM)
        expect(process.wait(20) != 0, "it serves another kind of socket")


main()

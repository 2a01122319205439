#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# client-work.py pipe|socket|futex|dbus SECONDS: a server that works for three clients, and clients that
# do next to nothing but ask it.  Each is a process, "served-server" and "served-client-N"; the work for client N
# takes N times as long as that for client 1.  Prints, as JSON, the CPU time in ns that the server
# has used for each of them, by its own clock.
import ctypes
import json
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time

CLIENTS = 3
UNIT_NS = {'dbus': 2_000_000}.get(sys.argv[1], 400_000)
libc = ctypes.CDLL(None, use_errno=True)


def call_it(name):
    libc.prctl(15, name.encode(), 0, 0, 0)


def work(ns):
    begin = time.thread_time_ns()
    while time.thread_time_ns() - begin < ns:
        pass
    return time.thread_time_ns() - begin


class Channels:
    """Of bytes, which a poll of the server finds: files of it, files of the clients."""

    def __init__(self, pairs):
        self.pairs = pairs

    def serve(self, handle):
        poll = select.poll()
        for (request, _), _ in self.pairs:
            poll.register(request, select.POLLIN)
        by_file = {request: (n, reply) for n, ((request, reply), _) in enumerate(self.pairs)}
        while True:
            for file, _ in poll.poll():
                n, reply = by_file[file]
                os.read(file, 1)
                handle(n)
                os.write(reply, b'x')

    def ask(self, n):
        _, (reply, request) = self.pairs[n]
        os.write(request, b'x')
        os.read(reply, 1)


def pipes():
    made = []
    for _ in range(CLIENTS):
        request, reply = os.pipe(), os.pipe()
        made.append(((request[0], reply[1]), (reply[0], request[1])))
    return Channels(made)


def sockets():
    made = []
    for _ in range(CLIENTS):
        ours, theirs = (end.detach() for end in socket.socketpair(socket.AF_UNIX))
        made.append(((ours, ours), (theirs, theirs)))
    return Channels(made)


class Futexes:
    """A word that counts requests, and one for each client that counts its replies."""

    WAIT, WAKE, NUMBER = 0, 1, 202 if os.uname().machine == 'x86_64' else 98

    def __init__(self):
        self.memory = mmap.mmap(-1, 4096)
        self.words = (ctypes.c_uint32 * 64).from_buffer(self.memory)

    def futex(self, word, operation, value):
        libc.syscall(self.NUMBER, ctypes.byref(self.words, 4 * word), operation, value, None, None, 0)

    def serve(self, handle):
        while True:
            before = self.words[0]
            found = [n for n in range(CLIENTS) if self.words[16 + n]]
            for n in found:
                self.words[16 + n] = 0
                handle(n)
                self.words[32 + n] += 1
                self.futex(32 + n, self.WAKE, 1)
            if not found:
                self.futex(0, self.WAIT, before)

    def ask(self, n):
        before = self.words[32 + n]
        self.words[16 + n] = 1
        self.words[0] += 1		# that of two clients may be one
        self.futex(0, self.WAKE, 1)
        while self.words[32 + n] == before:
            self.futex(32 + n, self.WAIT, before)


class Bus:
    """Calls on the session's bus, which each process connects to by itself."""

    NAME, PATH = 'example.Work', '/example/Work'
    XML = ('<node><interface name="example.Work"><method name="Ask"><arg type="u" direction="in"/>'
           '</method></interface></node>')
    bus = None

    def connect(self):
        from gi.repository import Gio, GLib
        if not self.bus:
            self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        return Gio, GLib

    def serve(self, handle):
        gio, glib = self.connect()

        def take(bus, sender, path, interface, method, arguments, call):
            handle(arguments.unpack()[0])
            call.return_value(None)

        self.bus.register_object(self.PATH, gio.DBusNodeInfo.new_for_xml(self.XML).interfaces[0], take,
                                 None, None)
        gio.bus_own_name_on_connection(self.bus, self.NAME, 0, None, None)
        glib.MainLoop().run()

    def ask(self, n):
        _, glib = self.connect()
        try:
            self.bus.call_sync(self.NAME, self.PATH, self.NAME, 'Ask', glib.Variant('(u)', (n,)), None,
                               0, 30000)
        except glib.Error:
            time.sleep(0.01)		# it has not begun yet


def fork(name, run):
    child = os.fork()
    if child == 0:
        call_it(name)
        run()
        os._exit(0)
    return child


def main():
    channel = {'pipe': pipes, 'socket': sockets, 'futex': Futexes, 'dbus': Bus}[sys.argv[1]]()
    end = time.monotonic() + float(sys.argv[2])
    used = mmap.mmap(-1, 4096)

    def handle(n):
        at = 8 * n
        ns, = struct.unpack_from('q', used, at)
        struct.pack_into('q', used, at, ns + work((n + 1) * UNIT_NS))

    def ask(n):
        try:
            os.nice(-10)		# asleep by the time of the answer
        except OSError:
            pass
        time.sleep(0.1 + 0.1 * n)		# each finds the server asleep once
        channel.ask(n)
        time.sleep(0.3 - 0.1 * n)
        while time.monotonic() < end:
            channel.ask(n)
            time.sleep(0.0005)

    server = fork('served-server', lambda: channel.serve(handle))
    clients = [fork('served-client-%d' % (n + 1), lambda n=n: ask(n)) for n in range(CLIENTS)]
    for client in clients:
        os.waitpid(client, 0)
    os.kill(server, signal.SIGTERM)
    os.waitpid(server, 0)
    print(json.dumps(struct.unpack_from('%dq' % CLIENTS, used)))


main()

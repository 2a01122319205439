#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# compositor.py known|hostile|floods: on the session's bus what Mutter is for GNOME's profiler: who calls
# Start() gives it a file for a capture.  Of the marks, one comes only at Stop().  Prints its pid
# once it can be asked, and at Stop() how much memory the file has.
import os
import struct
import sys
import time

from gi.repository import Gio, GLib

PATH, INTERFACE = '/org/gnome/Sysprof3/Profiler', 'org.gnome.Sysprof3.Profiler'
XML = '''<node><interface name="org.gnome.Sysprof3.Profiler">
<method name="Start"><arg type="a{sv}" direction="in"/><arg type="h" direction="in"/></method>
<method name="Stop"/></interface></node>'''
file = None


def mark(name, duration_ns, times=1):
    body = struct.pack('=q24s40s16s', duration_ns, b'Compositor', name, b'a message')
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - duration_ns
    head = struct.pack('=HhiqB7x', 24 + len(body), 0, os.getpid(), begin, 10)
    os.write(file, (head + body) * times)


def take(bus, sender, path, interface, method, arguments, call):
    global file
    if method == 'Start':
        file = os.dup(call.get_message().get_unix_fd_list().get(arguments.unpack()[1]))
        os.write(file, bytes(256))
        time.sleep(0.2)
        for i in range(5000):
            mark(b'Frame Clock (dispatch)', 1000 * (1 + i % 2))
        if sys.argv[1] == 'hostile':
            os.write(file, b'\xff' * 1000000)
        if sys.argv[1] == 'floods':
            mark(b'Frame Clock (dispatch)', 1000, 1000000)
    else:
        print(os.fstat(file).st_blocks * 512, flush=True)
        mark(b'last', 0)
    call.return_value(None)


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], take, None, None)
Gio.bus_own_name_on_connection(bus, 'org.gnome.Mutter.DisplayConfig', 0,
                               lambda *_: print(os.getpid(), flush=True), None)
GLib.MainLoop().run()

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dbus-service.py serve|call: a service on the session's bus whose methods take a known time, and a
# client that measures its calls and prints, as lines of JSON, what it has seen of each.
import json
import os
import sys
import time

from gi.repository import Gio, GLib

NAME, PATH, INTERFACE = 'example.Service', '/example/Service', 'example.Service'
XML = '''<node><interface name="example.Service">
<method name="Wait"><arg type="u" direction="in"/><arg type="s" direction="in"/>
<arg type="s" direction="out"/></method>
<method name="Fail"/><method name="Never"/><method name="Quit"/>
<method name="Say"><arg type="u" direction="in"/></method>
<signal name="Said"><arg type="u"/></signal></interface></node>'''
held = []


def serve():
    loop = GLib.MainLoop()
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)

    def take(bus, sender, path, interface, method, arguments, call):
        if method == 'Wait':
            ms, text = arguments.unpack()
            time.sleep(ms / 1000)
            call.return_value(GLib.Variant('(s)', (text * 2,)))
        elif method == 'Fail':
            call.return_dbus_error('example.Service.Refused', 'no')
        elif method == 'Never':
            held.append(call)
        elif method == 'Say':
            for i in range(arguments.unpack()[0]):
                bus.emit_signal(None, PATH, INTERFACE, 'Said', GLib.Variant('(u)', (i,)))
            call.return_value(None)
        else:
            call.return_value(None)
            bus.flush_sync()
            loop.quit()

    bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], take, None, None)
    Gio.bus_own_name_on_connection(bus, NAME, 0, lambda *_: print(os.getpid(), flush=True), None)
    loop.run()


def call():
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)

    def one(method, arguments=None):
        begin = time.monotonic_ns()
        error = ''
        try:
            bus.call_sync(NAME, PATH, INTERFACE, method, arguments, None, 0, 30000)
        except GLib.Error as failure:
            error = Gio.dbus_error_get_remote_error(failure)
        print(json.dumps({'method': method, 'begin': begin, 'end': time.monotonic_ns(),
                          'error': error, 'pid': os.getpid(), 'name': bus.get_unique_name()}))

    for i in range(200):
        one('Wait', GLib.Variant('(us)', (i % 5, 'x' * i)))
    for i in range(20):
        one('Fail')
    one('Missing')
    one('Say', GLib.Variant('(u)', (50,)))
    for i in range(10):
        message = Gio.DBusMessage.new_method_call(NAME, PATH, INTERFACE, 'Say')
        message.set_body(GLib.Variant('(u)', (0,)))
        message.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED)
        bus.send_message(message, 0)
    bus.call(NAME, PATH, INTERFACE, 'Never', None, None, 0, -1, None, lambda *_: None)
    bus.flush_sync()
    one('Quit')


{'serve': serve, 'call': call}[sys.argv[1]]()

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls on D-Bus: those of a known client to a known service, on buses of this test's own, each with
# its reply, its processes and its bytes; and what a hostile client or a closed bus does.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

service=$PWD/tests/cli/dbus-service.py
if [ -z "$(command -v dbus-daemon)" ] || ! /usr/bin/python3 -c 'from gi.repository import Gio' 2>/dev/null; then
	echo "1..0 # SKIP dbus-daemon and python3-gi are needed"
	exit 0
fi

daemons=()
trap 'kill "${daemons[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

# bus NAME RULES...: a bus of that name, and its address in $address.
bus()
{
	local name=$1

	shift
	cat >"$work/$name.conf" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "">
<busconfig>
<listen>unix:path=$work/$name.bus</listen>
<auth>EXTERNAL</auth>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
<allow user="*"/>
$*
</policy>
</busconfig>
END
	dbus-daemon --config-file="$work/$name.conf" --nofork --print-address=3 3>"$work/$name.address" \
		2>"$work/$name.err" &
	daemons+=($!)
	for _ in $(seq 100); do [ -s "$work/$name.address" ] && break; sleep 0.1; done
	address=$(cat "$work/$name.address")
}

# serve: the service on the session's bus, whose pid is in $work/service.
serve()
{
	rm -f "$work/service"
	"$service" serve >"$work/service" &
	daemons+=($!)
	for _ in $(seq 100); do [ -s "$work/service" ] && break; sleep 0.1; done
}

record()
{
	"$cli" record --source perf -F 50 --no-embed --dbus -o "$work/a" -- "$@" \
		>"$work/out" 2>"$work/err"
}

# judge OPTIONS...: the report, judged by the Python program on the standard input.
judge()
{
	local program

	program=$(cat)
	"$cli" report "$work/a" --json --limit 0 "$@" >"$work/json" 2>"$work/err2" && python3 -c "
import json, sys
$timed_python
report = json.load(open('$work/json'))
said = [json.loads(line) for line in open('$work/said')]
$program"
}

bus session
export DBUS_SESSION_BUS_ADDRESS=$address
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$work/none
export XDG_RUNTIME_DIR=$work

serve
check 'calls of a client are recorded' record "$service" call
cp "$work/out" "$work/said"
check '... each once, with its error if there was one' judge --dbus <<'END'
found = {call['name']: call for call in report['calls'] if call['name'].startswith('example.')}
wanted = {}
for call in said:
    n = wanted.setdefault('example.Service.' + call['method'], [0, 0])
    n[0] += 1
    n[1] += call['error'] != ''
wanted['example.Service.Say'][0] += 10		# without a reply, as was wanted
wanted['example.Service.Never'] = [1, 1]
assert {name: [call['count'], call['errors']] for name, call in found.items()} == wanted, found
assert wanted['example.Service.Fail'] == [20, 20] and wanted['example.Service.Missing'] == [1, 1]
assert all(call['server'] == 'example.Service' and call['bus'] == 'session'
           for call in found.values()), found
assert not any('GetConnectionUnixProcessID' in call['name'] for call in report['calls']), report
END
check '... in their order, by the client, to the server' judge --events dbus <<END
rows = [row for row in report['rows'] if row['fields']['name'].startswith('example.')]
rows.sort(key=lambda row: row['time_ns'])
# Who gets no reply does not learn who would have sent it.
server, = {row['fields']['server_pid'] for row in rows
           if row['fields']['reply_bytes'] and not row['fields']['name'].endswith('.Never')}
assert server == int(open('$work/service').read()), server
assert {row['fields']['client_pid'] for row in rows} == {said[0]['pid']} == {row['pid'] for row in rows}
assert {row['fields']['client'] for row in rows} == {said[0]['name']}
known = [row for row in rows if row['fields']['name'].endswith(('.Wait', '.Fail', '.Missing'))]
assert [row['fields']['name'] for row in known] == \
    ['example.Service.' + call['method'] for call in said[:221]]
assert [row['fields']['error'] for row in known] == [call['error'] for call in said[:221]]
for call, row in zip(said, known):
    assert row['time_ns'] >= call['begin'], (call, row)
waits = known[:200]
for i, row in enumerate(waits):
    assert row['fields']['bytes'] - waits[0]['fields']['bytes'] == i, (i, row)
    assert row['fields']['reply_bytes'] - waits[0]['fields']['reply_bytes'] == 2 * i, (i, row)
never, = [row for row in rows if row['fields']['name'].endswith('.Never')]
# The bus says so itself if the client is still there when the server ends.
assert never['fields']['error'] in ('[no reply]', 'org.freedesktop.DBus.Error.NoReply'), never
END
timed check '... and took as long as the client says' judge --events dbus <<'END'
rows = sorted((row for row in report['rows'] if row['fields']['name'].endswith(('.Wait', '.Fail'))),
              key=lambda row: row['time_ns'])
off = sorted(abs(row['duration_ns'] - (call['end'] - call['begin'])) for row, call in zip(rows, said))
timed(off[len(off) // 2] < 5000000, off)
END
check 'signals, too' judge --events dbus-signal <<END
rows = [row for row in report['rows'] if row['fields']['name'] == 'example.Service.Said']
assert len(rows) == 50, len(rows)
assert {row['fields']['sender_pid'] for row in rows} == {int(open('$work/service').read())}
END
text()
{
	"$cli" report "$work/a" --dbus >"$work/text" && cat "$work/text" &&
		grep -qE '^ +200 +0 .* example.Service.Wait  example.Service on session$' "$work/text"
}
check 'the report in words' text
check 'calls are marks, too' bash -c '"$0" report "$1" --all --during "example.Service.W*" >"$2"' \
	"$cli" "$work/a" "$work/text"
check 'the other bus is said not to be there' grep -q '^Note: D-Bus: the system bus: ' "$work/err"

# One that says a thing and ends, as a child of a shell.
cat >"$work/says.py" <<'END'
import time
from gi.repository import Gio
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.emit_signal(None, '/x', 'example.Child', 'Said', None)
bus.call_sync('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'GetId', None, None, 0, 3000)
time.sleep(0.3)
END
check 'signals and calls of a child' record sh -c "/usr/bin/python3 '$work/says.py'; true"
check "... are the command's" judge --events dbus-signal --only-command <<'END'
names = [row['fields']['name'] for row in report['rows']]
assert names == ['example.Child.Said'], names
END
check '... as well as calls' judge --dbus --only-command <<'END'
assert {call['name'].split('.')[-1] for call in report['calls']} >= {'Hello', 'GetId'}, report
END

# The system's bus, which lets nobody listen, and then everybody.
bus closed '<deny send_interface="org.freedesktop.DBus.Monitoring"/>'
DBUS_SYSTEM_BUS_ADDRESS=$address check 'a bus that does not let us listen' record sleep 1
check '... is said in a note' grep -q '^Note: D-Bus: the system bus: .*[Mm]onitor' "$work/err"
DBUS_SESSION_BUS_ADDRESS=unix:path=$work/none check 'no bus at all is an error' bash -c '
	! "$0" record --source perf --dbus -o "$1" -- true 2>"$2" &&
	[ "$(wc -l <"$2")" = 1 ] && grep -q "^sysprof-cli: Cannot listen to D-Bus: " "$2"' \
	"$cli" "$work/b" "$work/err"
system=$DBUS_SESSION_BUS_ADDRESS
serve
DBUS_SYSTEM_BUS_ADDRESS=$system check 'both buses' record "$service" call
cp "$work/out" "$work/said"
check '... each call once for each bus it was on' judge --dbus <<'END'
waits = {call['bus']: call['count'] for call in report['calls'] if call['name'].endswith('.Wait')}
assert waits == {'session': 200, 'system': 200}, waits
END

# A client that says what it should not.
cat >"$work/hostile.py" <<'END'
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
for i in range(3000):
    message = Gio.DBusMessage.new_method_call(bus.get_unique_name(), '/x', 'a.b%d' % i, 'M' * 200)
    message.set_body(GLib.Variant('(s)', ('\x1b[31m\x07' * 10,)))
    bus.send_message(message, 0)
    reply = Gio.DBusMessage()
    reply.set_message_type(Gio.DBusMessageType.METHOD_RETURN)
    reply.set_reply_serial(i * 7 + 1)
    reply.set_destination(bus.get_unique_name())
    bus.send_message(reply, 0)
bus.flush_sync()
END
check 'calls without end, replies to nothing' record /usr/bin/python3 "$work/hostile.py"
check '... are bounded, and nothing of them reaches the terminal' bash -c '
	"$0" report "$1" --dbus --limit 0 >"$2" && ! LC_ALL=C grep -q "[[:cntrl:]]" "$2"' \
	"$cli" "$work/a" "$work/text"
check 'a recording without' bash -c '
	"$0" record --source perf -F 50 -o "$1" -- true 2>"$2" && ! "$0" report "$1" --dbus 2>"$2" &&
	grep -q "has no calls on D-Bus" "$2"' "$cli" "$work/c" "$work/err"

# A compositor that runs already, and one that writes what is no capture.
compositor()
{
	local kind=$1

	shift
	rm -f "$work/compositor"
	tests/cli/compositor.py "$kind" >"$work/compositor" &
	compositor=$!
	for _ in $(seq 100); do [ -s "$work/compositor" ] && break; sleep 0.1; done
	"$cli" record --source perf -F 50 --no-embed --marks --duration 1 -o "$work/a" "$@" \
		>"$work/out" 2>"$work/err"
	kill $compositor
	wait $compositor
	[ -s "$work/a" ]
}
check "a compositor's marks are recorded" compositor known
check '... all of them, in its process' judge --marks <<'END'
marks = {mark['name']: mark for mark in report['marks']}
frames = marks['Frame Clock (dispatch)']
assert frames['count'] == 5000 and frames['sum_ns'] == 7500000, frames
assert frames['category'] == 'Compositor' and marks['last']['count'] == 1, marks
END
check '... which has them' judge --events mark <<END
assert {row['pid'] for row in report['rows']} == {int(open('$work/compositor').readline())}
END
# One that calls again and again, and says when it has begun.
/usr/bin/python3 - >"$work/calling" 2>/dev/null <<'END' &
import time
from gi.repository import Gio
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
while True:
    bus.call_sync('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'GetId', None, None, 0, 3000)
    print('called', flush=True)
    time.sleep(0.1)
END
daemons+=($!)
until [ -s "$work/calling" ]; do kill -0 ${daemons[-1]} || break; sleep 0.1; done
check '... with calls on D-Bus' compositor known --dbus
kill ${daemons[-1]}
check '... but not those by which the recorder asks for its marks' judge --events dbus <<'END'
names = {row['fields']['name'] for row in report['rows']}
assert 'org.freedesktop.DBus.GetId' in names, names
assert not [name for name in names if 'Profiler' in name], names
END
check 'a compositor that writes anything' compositor hostile
check '... is heard until then' judge --marks <<'END'
marks = {mark['name']: mark for mark in report['marks']}
assert list(marks) == ['Frame Clock (dispatch)'] and marks[list(marks)[0]]['count'] == 5000, marks
END
check '... and that is said' grep -q 'wrote invalid marks' "$work/err"
check 'a compositor that writes faster than anybody reads' compositor floods
check '... is heard no longer' grep -q 'wrote invalid marks' "$work/err"
gives_back()
{
	[ "$(sed -n 2p "$work/compositor")" = 0 ]
}
check '... and has given its memory back' gives_back

# The bus ends while it is listened to.
check 'a bus that ends is no end of the recording' bash -c '
	dbus-run-session -- "$0" record --source perf -F 50 --dbus -o "$1" -- \
		sh -c "kill \$(pgrep -P \$(cut -d\  -f4 /proc/\$PPID/stat) dbus-daemon); sleep 1; exit 0" \
		2>"$2"; "$0" info "$1" >"$2"' "$cli" "$work/d" "$work/err"

echo "1..$number"
exit $broken

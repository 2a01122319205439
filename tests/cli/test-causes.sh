#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How many commands a newcomer needs to the cause of a slow program: at most three.  The newcomer
# knows "record", and then types what the line says that begins with "Next:", as a terminal shows
# it.  The programs are of kinds that people have: a server whose threads want one lock while a pool
# has no work, a program that gives its memory back and faults it in again, a window that blocks its
# main loop by a call on D-Bus.  With perf events.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root
# The window and its service have a bus of their own.
[ -n "${CAUSES_BUS:-}" ] || CAUSES_BUS=1 exec dbus-run-session -- "$PWD/tests/cli/test-causes.sh"
# shellcheck source=tests/cli/causes.bash
. tests/cli/causes.bash
export PATH=${cli%/*}:$PATH XDG_CACHE_HOME=$work/cache

cd "$work" || exit 1
check 'the programs are built' causes_build
/usr/bin/python3 service.py &
service=$!
trap 'kill $service; rm -rf "$work"' EXIT

# run_as_newcomer COMMAND: what a person sees; record advises only people, at terminals.
run_as_newcomer()
{
	python3 - "$1" <<'END_OF_PYTHON'
import os, subprocess, sys
master, slave = os.openpty()
program = subprocess.Popen(["bash", "-c", sys.argv[1]], stdin=subprocess.DEVNULL, stderr=slave)
os.close(slave)
said = b""
try:
    while part := os.read(master, 4096):
        said += part
except OSError:  # nobody has the terminal any longer
    pass
program.wait()
print(said.decode().replace("\r", ""))
END_OF_PYTHON
}

# find_cause WANTED COMMAND: follows the last advice of each record, the first of each report.
find_cause()
{
	local wanted=$1 command="sysprof-cli record --source perf -- $2" n=0

	rm -f sysprof.capture
	while [ $n -lt 6 ]; do
		n=$((n + 1))
		echo "$n: $command"
		run_as_newcomer "$command" >seen 2>&1
		if grep -qE "$wanted" seen; then
			grep -E "$wanted" seen | head -n 1
			[ $n -le 3 ]
			return
		fi
		case $command in
		*record*) command=$(grep '^Next: ' seen | tail -n 1) ;;
		*) command=$(grep '^Next: ' seen | head -n 1) ;;
		esac
		command=${command#Next: }
		command=${command%%   '('*}
		[ -n "$command" ] || break
	done
	cat seen
	return 1
}

timed check 'a lock that threads fight for, beside a pool without work' find_cause \
	'above all in pthread_mutex_lock( and others)? below update' ./server
# Which of the two is said depends on how dear a fault is on this machine.
timed check 'pages that fault again and again' find_cause \
	'_fault itself.* (is in parse and what it calls|comes from parse), [5-9][0-9] % was spent in the kernel' ./arena
timed check 'a call that blocks the main loop' find_cause \
	'above all in g_dbus_connection_call_sync below refresh_battery' ./window

# The answer is the same where programs read it.
sentence()
{
	sysprof-cli record --source perf --waits -o server.capture -- ./server >/dev/null 2>err &&
		sysprof-cli report --json --metric blocked server.capture >report.json &&
		python3 - <<'END_OF_PYTHON'
import json
document = json.load(open("report.json"))
said = {one["about"]: one["text"].replace("\u00a0", " ") for one in document["sentences"]}
assert "hardly ran" in said["idle"], said
assert said["places"].startswith("Of the rest, ") and "below update" in said["places"], said
first, *others = [one["function"] for one in document["functions"]]
assert first.startswith("update"), (first, others[:5])
idle, = [one for one in document["functions"] if "idle_mailer" in one["function"] and one["own"]]
assert idle["own"] > document["functions"][0]["own"], (idle, document["functions"][0])
END_OF_PYTHON
}
timed check 'lists begin with those who had work' sentence

echo "1..$number"
exit $broken

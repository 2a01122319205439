#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report --by client: a server of known work for three clients, by pipes, sockets, futexes and D-Bus.
# Each of its samples is charged to one of them, in known shares.

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root

record()
{
	local way=$1

	shift
	timeout 120 "$cli" record --source perf -F 4000 --stacks none --no-embed "$@" -o "$work/$way" -- \
		tests/cli/client-work.py "$way" 4 >"$work/$way.out" 2>"$work/err"
}

# judge WAY: what follows on the standard input, with what the server used for each in @used, and
# the groups of its samples.
judge()
{
	local program

	program=$(cat)
	for by in client process; do
		"$cli" report "$work/$1" --by "$by" --process served-server --all --json >"$work/$by.json" || return
	done
	python3 -c "
import json
$timed_python
used = json.load(open('$work/$1.out'))
groups = json.load(open('$work/client.json'))['groups']
server, = json.load(open('$work/process.json'))['groups']
weights = {group['name']: group['weight'] for group in groups}
$program"
}

ways=(pipe socket futex)
if [ -n "$(command -v dbus-run-session)" ] && /usr/bin/python3 -c 'from gi.repository import Gio' 2>/dev/null; then
	ways+=(dbus)
fi
if [ ! -e /sys/kernel/tracing/events/sched/sched_waking ]; then
	ways=("${ways[@]:3}")
	echo "# without tracefs perf events have no wakers"
fi

export -f record
export cli work
for way in "${ways[@]}"; do
	if [ "$way" = dbus ]; then
		check 'a server on D-Bus' dbus-run-session -- bash -c 'record dbus --dbus'
	else
		check "a server by $way" record "$way" --waits=all
	fi
	check '... each of its samples is charged to one process' judge "$way" <<'END'
assert sum(weights.values()) == server['weight'] > 0, (weights, server)
assert sum(group['samples'] for group in groups) == server['samples'], (groups, server)

END
	timed check '... to each client as much as it used' judge "$way" <<'END'
timed({'served-client-1', 'served-client-2', 'served-client-3'} <= set(weights), weights)
known = [weights.get('served-client-%d' % (n + 1), 0) for n in range(3)]
timed(sum(known) > 0.85 * server['weight'], (weights, server))
shares = [100 * weight / sum(known) for weight in known]
wanted = [100 * ns / sum(used) for ns in used]
timed(all(abs(share - want) <= 2 for share, want in zip(shares, wanted)), (shares, wanted))
END
done

check 'a recording without wakings' bash -c '
	"$0" record --source perf -F 50 --no-embed -o "$1" -- true 2>"$2" &&
	! "$0" report "$1" --by client 2>"$2" && grep -q "record --waits=all" "$2"' \
	"$cli" "$work/none" "$work/err"

echo "1..$number"
exit $broken

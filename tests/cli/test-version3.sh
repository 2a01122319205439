#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings of format version 3 as it was: written by format.md alone (tests/gen/version3.py), not
# by today's writer.

set -u

cd "$(dirname "$0")/../.." || exit 1
cli=${CLI:-$PWD/build/sysprof-cli}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0 broken=0

# says TEXT WANTED COMMAND...: ok if the command prints that.
says()
{
	local text=$1 wanted=$2 got

	shift 2
	number=$((number + 1))
	got=$("$@" 2>&1)
	if [ "$got" = "$wanted" ]; then
		echo "ok $number - $text"
	else
		broken=1
		echo "not ok $number - $text"
		diff <(echo "$wanted") <(echo "$got") | sed 's/^/# /'
	fi
}

# field KIND PYTHON ARGUMENT...: what the expression is, with the JSON of the command as d.
field()
{
	local kind=$1 expression=$2

	shift 2
	"$cli" "$@" "$work/$kind.capture" --json |
		python3 -c "import json, sys; d = json.load(sys.stdin); print($expression)"
}

for kind in samples waits; do
	python3 tests/gen/version3.py "$kind" "$work/$kind.capture" || exit 1
	says "$kind: stacks, names and weights" 'app;main;do_read 1
app;main;work 4' bash -c "'$cli' export -f folded '$work/$kind.capture' | LC_ALL=C sort"
	says "$kind: finished, and every period accounted for" '[0] 5 True' field "$kind" \
		'[cpu["residue"] for cpu in d["cpus"]], d["weight"], d["finished"]' info
done
says 'waits: blocked and runnable' '35000000 5000000' echo \
	"$(field waits 'd["sum"]' report --metric blocked)" \
	"$(field waits 'd["sum"]' report --metric runnable)"
says 'waits: of whom' 'app;main;do_read 20000
app;main;work 20000' bash -c \
	"'$cli' export -f folded --metric off-cpu '$work/waits.capture' | LC_ALL=C sort"
columns='"wall_ns", "running_ns", "runnable_ns", "blocked_ns", "voluntary"'
says 'waits: sums of the thread' '60000000 20000000 5000000 35000000 2' field waits \
	"*[d['threads'][0][key] for key in ($columns)]" report --metric wall --by thread

python3 tests/gen/version3.py events "$work/events.capture" || exit 1
for metric in irq:7000 softirq:500 faults:1 fault-time:800 io:7000 io-bytes:4096 lock:900 \
	lock-held:900; do
	says "events: ${metric%:*}" "${metric#*:}" field events 'd["sum"]' report --metric "${metric%:*}"
done
says 'events: by what was interrupted' "[('interrupt', 4000), ('task', 3000)]" field events \
	'sorted((row["name"], row["weight"]) for row in d["groups"])' report --metric irq --by context
says 'events: of whom' 'app;main;do_read 4
app;main;work 3' bash -c \
	"'$cli' export -f folded --metric irq '$work/events.capture' | LC_ALL=C sort"
# A recording of today has a stream for each kind; a merged one has both.
build/tests/gen-waits "$work/today.capture" || exit 1
"$cli" merge -o "$work/merged.capture" "$work/events.capture" "$work/today.capture" || exit 1
today=$(field today 'd["sum"]' report --metric irq)
says 'merged with one of today: the events of both' "$((7000 + today))" field merged 'd["sum"]' report \
	--metric irq
says 'merged: streams of both' 'events interrupts irqs-off locks' field merged \
	'" ".join(sorted({s["name"] for s in d["streams"]} & {"events", "interrupts", "irqs-off", "locks"}))' info
says 'today: a stream for each kind' 'interrupts irqs-off locks' field today \
	'" ".join(sorted({s["name"] for s in d["streams"]} & {"events", "interrupts", "irqs-off", "locks"}))' info

echo "1..$number"
exit "$broken"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Waits, recorded with perf events on this very machine: threads that wait in known ways, held
# against what the kernel counted of each.  Other work may share the machine: shares are of the
# thread's own time, and how long it waited for a CPU is the kernel's to say.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP perf events tell of switches only to root"
	exit 0
fi
[ -x "$workloads/waits" ] || { echo \
	"Bail out! $workloads/waits is not built; run 'make tests'"; exit 1; }

two=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')

# record NAME OPTION...: leaves NAME.capture, and what the program prints in NAME.out
record()
{
	local name=$1

	shift
	# No more than two CPUs for it, on whatever machine.
	timeout 100 taskset -c "$two" "$cli" record --source perf -o "$work/$name.capture" "$@" -- \
		"$workloads/waits" "$name" >"$work/$name.out" 2>"$work/err"
}

# judge NAME PYTHON: with threads {tid: row of the report}, truth {function: ns}, "told" {tid: what
# the kernel counted}, info, near(), and shown(metric, option...) at hand; asserts.
judge()
{
	python3 - "$cli" "$work/$1.capture" "$work/$1.out" <<END
$timed_python
import functools, json, subprocess, sys
cli, path, out = sys.argv[1:]
@functools.cache
def shown(metric, *options):
    done = subprocess.run([cli, "report", path, "--json", "--process", "waits", f"--metric={metric}", *options], capture_output=True, check=True)
    return json.loads(done.stdout)
def near(got, expected, tolerance, what):
    timed(abs(got - expected) <= tolerance, f"{what}: {got}, should be {expected} within {tolerance}")
def share_below(tid, function):
    """Of its blocked time, as far as stacks found room: the ring of a machine with much else to do is full at times."""
    tree = shown("blocked", "--thread", str(tid), "--tree")["tree"]
    found = sum(row["total"] for row in shown("blocked", "--thread", str(tid), "--with", function)["functions"] if row["function"] == function)
    bare = sum(row["self"] for child in tree["children"] for row in child["children"] if row["function"] == "[no stack]")
    timed(bare < tree["total"] / 2, "most stacks were lost")
    return 100 * found / (tree["total"] - bare)
lines = [line.split() for line in open(out)]
truth = {words[1]: int(words[2]) for words in lines if words[0] == "truth"}
names = "wall", "ran", "delayed", "voluntary", "involuntary"
told = {int(words[2]): dict(zip(names, map(int, words[3:])), name=words[1]) for words in lines if words[0] == "thread"}
def has(metric):
    return subprocess.run([cli, "report", path, f"--metric={metric}"], capture_output=True).returncode == 0
threads = {row["tid"]: row for row in shown("wall", "--by", "thread")["threads"]} if has("wall") else {}
info = json.loads(subprocess.run([cli, "info", "--json", path], capture_output=True, check=True).stdout)
$2
END
}

# The accounts of a source that records waits.
sources='
source = info["sources"][0]
assert source["events"]["lost"] == source["nested"] == 0
assert (source["name"], source["kind"], source["unavailable"]) == ("waits", "spans", None)
# Perf events count nothing else, and do not pass it over.
rest = info["sources"][1:]
assert [(s["name"], s["kind"]) for s in rest] == [("wakings", "marks"), ("lanes", "switches")], rest
assert all(s["unavailable"] and s["events"]["seen"] == 0 for s in rest), rest
'

# Of each thread: the sums are its life, and the kernel counted as much.
laws='
for tid in told:
    row = threads[tid]
    assert row["wall_ns"] == row["running_ns"] + row["runnable_ns"] + row["blocked_ns"] + row["unknown_ns"]
    assert row["whole"] and row["unknown_ns"] == 0, row
for tid, kernel in told.items():
    row = threads[tid]
    share = 100 / row["wall_ns"]
    near(row["wall_ns"] * share, kernel["wall"] * share, 2, "life")
    near(row["running_ns"] * share, kernel["ran"] * share, 2, "on a CPU")
    # Its last words come before its last switches.
    near(row["voluntary"], kernel["voluntary"], 3, "switches it asked for")
    near(row["involuntary"], kernel["involuntary"], 5, "switches it did not ask for")
'

slept()
{
	record sleeper --waits=all --stacks dwarf -F 97 && judge sleeper "$sources$laws"'
tid = next(iter(told))
share = 100 / threads[tid]["wall_ns"]
# Without trace points a thread that was woken counts as blocked until it runs.
late = told[tid]["delayed"] * share
near(threads[tid]["blocked_ns"] * share, truth["take_a_nap"] * share, 3 + late, "asleep")
near(share_below(tid, "take_a_nap"), 100, 3, "below take_a_nap")
'
}

waited()
{
	record mutex --waits=all --stacks dwarf -F 97 && judge mutex "$sources$laws"'
waiter = next(tid for tid in told if told[tid]["name"] == "waiter")
share = 100 / threads[waiter]["wall_ns"]
# Without trace points a thread that was woken counts as blocked until it runs.
late = told[waiter]["delayed"] * share
near(threads[waiter]["blocked_ns"] * share, truth["wait_for_lock"] * share, 3 + late, "blocked")
near(share_below(waiter, "wait_for_lock"), 100, 3, "waiting for the lock")
'
}

# Three threads for two CPUs: what they do not run they are runnable, as the kernel has it.
hogged()
{
	record hogs --waits=all -F 97 && judge hogs "$sources$laws"'
for tid, kernel in told.items():
    row = threads[tid]
    share = 100 / row["wall_ns"]
    near(row["runnable_ns"] * share, kernel["delayed"] * share, 2, "runnable")
    timed(row["blocked_ns"] * share < 1, row)
'
}

# An ordinary user's own threads: their sums are the kernel's, their waits those in calls of the C
# library.  No trace points, no lanes.
by_nobody()
{
	mkdir -p "$work/nobody" && chmod 755 "$work" && chown nobody "$work/nobody" &&
		(cd "$work/nobody" && XDG_CACHE_HOME=$work/nobody/cache timeout 100 \
			setpriv --reuid=nobody --regid=nogroup --clear-groups taskset -c "$two" \
			"$cli" record --source perf --waits=all -F 97 -o here.capture -- \
			"$workloads/waits" mutex >"$work/own.out" 2>"$work/err") &&
		mv "$work/nobody/here.capture" "$work/own.capture" && judge own "$laws"'
assert len(told) == 2
assert not any("lane" in stream["name"] for stream in info["streams"]), info["streams"]
'
}

# A grid picks some of the waits, and their weights represent all.
picked()
{
	record sleeper --waits --stacks dwarf -F 97 && judge sleeper '
source = info["sources"][0]
for part in "events", "value", "ns":
    tally = source[part]
    assert tally["seen"] == tally["delivered"] + tally["not_picked"], tally
assert source["events"]["not_picked"] > 0
tid = next(iter(told))
off = threads[tid]["blocked_ns"] + threads[tid]["runnable_ns"]
near(100 * shown("off-cpu", "--thread", str(tid))["sum"] / off, 100, 3, "off the CPU")
'
}

short()
{
	record sleeper --waits=2ms -F 97 && judge sleeper '
source = info["sources"][0]
assert source["events"]["below_threshold"] > 0 and source["events"]["not_picked"] == 0
tid = next(iter(told))
samples = shown("blocked", "--thread", str(tid))["samples"]
timed(90 <= samples <= 110, samples)
'
}

# All metrics of one recording agree, and each one is exported in microseconds.
agree()
{
	judge sleeper '
wall, off, blocked = (shown(metric)["sum"] for metric in ("wall", "off-cpu", "blocked"))
states = {row["name"]: row["weight"] for row in shown("wall", "--by", "state")["groups"]}
# On a quiet machine there may be none.
runnable = shown("runnable")["sum"] if any(name.startswith("runnable") for name in states) else 0
cpu = shown("cpu")["sum"]
assert off == blocked + runnable and wall == off + cpu, (wall, off, blocked, runnable, cpu)
assert sum(states.values()) == wall and states["running"] == cpu, states
half = shown("off-cpu", "--time", "..0.5")["sum"] + shown("off-cpu", "--time", "0.5..")["sum"]
assert half == off, (half, off)
folded = subprocess.run([cli, "export", path, "-f", "folded", "--metric", "off-cpu", "--process", "waits"], capture_output=True, check=True)
assert sum(int(line.rsplit(b" ", 1)[1]) for line in folded.stdout.splitlines()) == off // 1000
'
}

# Three threads burn, then one: for the metric they share the time, which is that of the clock.
shared()
{
	"$cli" record --source perf -F 997 -o "$work/shared.capture" -- \
		"$workloads/waits" hogs >"$work/shared.out" 2>"$work/err" && judge shared '
groups = shown("latency", "--by", "parallelism")
rows = {row["name"]: row["weight"] for row in groups["groups"]}
assert sum(rows.values()) == groups["sum"] == shown("latency")["sum"]
timed(groups["sum"] < shown("cpu")["sum"] and rows.get("2 threads", 0) > 0, f"two at once: {rows}")
alone, two = (shown("latency", "--parallelism", n)["sum"] for n in ("1", "2-9"))
assert alone == rows.get("1 thread", 0) and alone + two == groups["sum"], (alone, two, rows)
'
}

refused()
{
	local value

	for value in some 0 -1 5x; do
		"$cli" record "--waits=$value" -o "$work/no.capture" -- true 2>"$work/err"
		[ $? = 2 ] && grep -q -- "--waits=$value" "$work/err" || return 1
	done
	"$cli" record --source perf -o "$work/no.capture" -- true 2>"$work/err" &&
	! "$cli" report "$work/no.capture" --parallelism 1 2>"$work/err" &&
	grep -q 'with --metric latency' "$work/err" &&
	! "$cli" report "$work/no.capture" --metric wall 2>"$work/err" &&
	grep -q 'record with --waits' "$work/err"
}

# It waits to be let go from before the recording on, and is not the command yet.
own_waits()
{
	"$cli" export --format jsonl --metric off-cpu "$work/sleeper.capture" 2>"$work/err" |
		python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert rows, "there are no waits"
before = [row for row in rows if row["duration_ns"] > row["time_ns"]]
assert not before, before'
}
check "a thread that sleeps is blocked for as long, in the function that does" slept
check "... and what it waited for the recorder is no wait of it" own_waits
check "a thread that waits for a lock is blocked in that function" waited
check "threads without a CPU are runnable for as long as the kernel says" hogged
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] ||
	check "nobody has the waits of his own threads, as the kernel has them" by_nobody
check "a grid leaves waits out, and what is left stands for all" picked
check "a threshold leaves short waits out" short
check "wall is running, blocked and runnable, in any condition" agree
check "latency is the time that passed, shared among those that ran" shared
# They wait in the same call before the recording begins and when it has ended.
asleep()
{
	local sleeper

	python3 -c '
import threading
for i in range(8):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("begun", flush=True)
threading.Event().wait()' >"$work/asleep.out" &
	sleeper=$!
	until [ -s "$work/asleep.out" ]; do sleep 0.1; done
	"$cli" record --source perf --waits --duration 1 -o "$work/asleep.capture" -p $sleeper \
		2>"$work/err"
	kill $sleeper
	python3 - "$cli" "$work/asleep.capture" <<'END'
import json, subprocess, sys
for metric in "blocked", "off-cpu", "wall":
    done = subprocess.run([sys.argv[1], "report", sys.argv[2], "--json", f"--metric={metric}"], capture_output=True, check=True)
    report = json.loads(done.stdout)
    rows = {f["function"]: f["self"] for f in report["functions"]}
    assert sum(rows.values()) == report["sum"] > 8e9, (metric, report["sum"], rows)
    assert rows["[no stack]"] > 0.9 * report["sum"], rows
END
}

check "threads that slept all along are on no stack, and all adds up" asleep
check "what is no wait is refused, and what was not recorded said" refused
echo "1..$number"
exit "$broken"

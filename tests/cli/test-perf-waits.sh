#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of perf with switches become waits: a program of known sleeps, with sums that are equal, to the
# nanosecond, to what perf script prints of the same file.

set -u

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

if [ "$(id -u)" != 0 ] || ! type perf >/dev/null 2>&1 ||
	[ ! -e /sys/kernel/tracing/events/sched/sched_switch ]; then
	echo "1..0 # SKIP perf, root and tracefs are needed"
	exit 0
fi

cat >"$work/sleeps.py" <<'END'
import os, time
ends = os.pipe()
if not os.fork():
    for _ in range(10):
        time.sleep(0.02)
    os.write(ends[1], b"x")
    os._exit(0)
os.read(ends[0], 1)
os.wait()
END

# made NAME RECORDER...: leaves NAME.data by perf, and the NAME.capture that it becomes.
made()
{
	local name=$1

	shift
	"$@" >/dev/null 2>"$work/err" && "$cli" import "$work/$name.data" -o "$work/$name.capture"
}

# The ends of waits that perf script has not, either, count as lost.
#
# perf 6.1 dies of a build-id that is longer than its own, so it reads none (-B).
#
# judge NAME PYTHON: with threads(METRIC, ...) -> {(name, tid): (weight, events)} and script(FIELDS) at hand.
judge()
{
	python3 - "$cli" "$work/$1" <<END
import json, re, subprocess, sys
cli, of = sys.argv[1:3]
def said(*arguments):
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
def threads(metric, *more):
    table = json.loads(said(cli, "report", "--metric", metric, "--by", "thread", "--all", "--json", *more, of + ".capture"))
    return {(row["name"], row["tid"]): (row["weight"], row["samples"]) for row in table["groups"]}
def script(*more):
    return said("perf", "script", "-f", "--ns", "-i", of + ".data", *more).splitlines()
def ns(line):
    seconds, rest = re.search(r"(\d+)\.(\d{9}):", line).groups()
    return int(seconds) * 10**9 + int(rest)
def unended():
    """Of sched_switch: how often a thread left a CPU, or began, and left again or exited without coming."""
    out, n, has_begun = set(), 0, False
    for line in script("--show-task-events", "-F", "comm,tid,time,event,trace"):
        task = re.search(r"PERF_RECORD_(FORK|EXIT)\(\d+:(\d+)\)", line)
        if task and task.group(1) == "FORK":
            # Waits begin with the first switch.
            if has_begun:
                out.add(task.group(2))
        elif task:
            n += task.group(2) in out
            out.add("ended " + task.group(2))
        if "sched_switch:" in line:
            before, after = (re.search(rf"{which}_pid=(\d+)", line).group(1) for which in ("prev", "next"))
            if "ended " + before not in out and before != "0":
                n += before in out
                out.add(before)
            out.discard(after)
            has_begun = True
    return n
$2
END
}

cpu=$(seen_cpu)
check 'perf reports switches of an idle CPU' test -n "$cpu"
check 'perf sched record: imported' made sched perf sched record -B -o "$work/sched.data" taskset \
	-c "$cpu" python3 "$work/sleeps.py"
check '... each thread is off its CPU as long as perf script says' judge sched '
left, off, born, ended = {}, {}, set(), set()
for line in script("--show-task-events", "-F", "comm,tid,time,event,trace"):
    task = re.search(r"PERF_RECORD_(FORK|EXIT)\(\d+:(\d+)\)", line)
    if task and task.group(1) == "FORK":
        born.add(task.group(2))
    elif task:
        ended.add(task.group(2))
        left.pop(task.group(2), None)
    if "sched_switch:" not in line:
        continue
    before, after = (re.search(rf"{which}_pid=(\d+)", line).group(1) for which in ("prev", "next"))
    # What it does after its exit is not of a thread any more.
    if before not in ended:
        left[before] = ns(line)
    if after in left and after != "0":
        off[after] = off.get(after, 0) + ns(line) - left.pop(after)
seen = {}
# A thread has a row for each of its names.
for (_, tid), (weight, _) in threads("off-cpu").items():
    seen[str(tid)] = seen.get(str(tid), 0) + weight
checked = 0
for tid, expected in off.items():
    # Others wait until the file ends, and those that were born in it also for their first run.
    if tid not in ended or tid not in seen:
        continue
    assert seen[tid] >= expected if tid in born else seen[tid] == expected, (tid, seen[tid], expected)
    checked += 1
assert checked > 1, (checked, off, seen)'
lost='
sources = json.loads(said(cli, "info", "--json", of + ".capture"))["sources"]
lost = [source["events"]["lost"] for source in sources if source["name"] == "waits"]
assert lost == [unended()], (lost, unended())'
check '... and ends of waits that it does not have are lost' judge sched "$lost"
check '... and ten sleeps of 20 ms are blocked time' judge sched '
found = threads("blocked")
assert any(200e6 <= weight and 10 <= n for (name, _), (weight, n) in found.items() if name == "python3"), found'
timed check '... which end in time' judge sched '
found = threads("blocked")
assert any(200e6 <= weight < 280e6 and 10 <= n < 16 for (name, _), (weight, n) in found.items() if name == "python3"), found'
check '... whose wakers are known' bash -c \
	'"$1" report --wakers --process python3 "$2" | grep -q "by python3 in\|by \[interrupt\]"' - "$cli" \
	"$work/sched.capture"

check 'perf record --switch-events: imported' made switches perf record -qB -a --switch-events -e \
	cpu-clock -o "$work/switches.data" taskset -c "$cpu" python3 "$work/sleeps.py"
check '... with the same sleeps, and samples' judge switches '
found = threads("blocked")
assert any(200e6 <= weight and 10 <= n for (name, _), (weight, n) in found.items() if name == "python3"), found'
timed check '... which end in time' judge switches '
found = threads("blocked")
assert any(200e6 <= weight < 280e6 and 10 <= n < 16 for (name, _), (weight, n) in found.items() if name == "python3"), found'

check 'with stacks: imported' made stacks perf record -qB -a -g -e sched:sched_switch -e \
	sched:sched_waking -o "$work/stacks.data" taskset -c "$cpu" python3 "$work/sleeps.py"
check '... sleepers show where they sleep' bash -c \
	'"$1" report --metric blocked --tree --process python3 "$2" | grep -q nanosleep' - "$cli" \
	"$work/stacks.capture"

# A process by itself: who came when it left is not in the file, nor when it came again.
check 'of one process alone: imported' made alone perf record -qB -e sched:sched_switch -o \
	"$work/alone.data" python3 "$work/sleeps.py"
check '... with all of its waits lost' judge alone "$lost"
check '... which is not nothing' judge alone 'assert unended() >= 10, unended()'

echo "1..$number"
exit $broken

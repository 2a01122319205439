#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What programs say of themselves: marks of spt/mark.h from several threads and processes, hostile
# ones, and a recorder that dies; and what a report says of them.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

# record WAY...: a recording of that workload, in $work/a; what it prints is in $work/out.
record()
{
	"$cli" record --source perf -F "${rate:-100}" -o "$work/a" -- \
		"$workloads/marks" "$@" \
		>"$work/out" 2>"$work/err"
}

# json OPTIONS...: the report, judged by the Python program on the standard input, as "report".
judge()
{
	local program

	program=$(cat)
	"$cli" report "$work/a" --json --limit 0 "$@" >"$work/json" 2>"$work/err" &&
		python3 -c "import json, sys
report = json.load(open('$work/json'))
out = [line.split() for line in open('$work/out')]
err = open('$work/err').read()
$program"
}

record truth 20000
cp "$work/err" "$work/said"
check "marks of two processes with two threads each are all there, or counted as lost" \
	judge --marks <<'END'
marks = {mark['name']: mark for mark in report['marks']}
for name, n, sum_ns in out:
    assert marks[name]['count'] == int(n), (name, marks[name])
    # The program's own sum has its clock calls, too.
    assert marks[name]['sum_ns'] <= int(sum_ns), (name, marks[name], sum_ns)
    assert marks[name]['sum_ns'] >= 200 * 19000, (name, marks[name])
    assert marks[name]['least_ns'] <= marks[name]['median_ns'] <= marks[name]['p99_ns'] <= \
        marks[name]['most_ns']
END
check "none was lost, since the program waits for room" grep -q '^Marks: .*, 0 lost$' "$work/said"
check "each thread has its own" judge --events mark <<'END'
threads = {}
for row in report['rows']:
    threads.setdefault(row['fields']['name'], set()).add((row['pid'], row['tid']))
assert all(len(of) == 1 for of in threads.values()), threads
assert len(set.union(*threads.values())) == 4, threads
assert len({pid for pid, tid in set.union(*threads.values())}) == 2, threads
END
check "marks are added up by their threads, processes and category" bash -c '
	for by in thread process category; do
		"$0" report "$1" --marks --by $by --json --limit 0
	done | python3 -c "import json, sys
text, found, at = sys.stdin.read(), [], 0
while at < len(text.rstrip()):
    one, at = json.JSONDecoder().raw_decode(text, at)
    found.append((one[\"by\"], sorted(mark[\"count\"] for mark in one[\"marks\"])))
    at += len(text[at:]) - len(text[at:].lstrip())
assert found == [(\"thread\", [20000] * 4), (\"process\", [40000] * 2), (\"category\", [80000])], found"' \
	"$cli" "$work/a"
check "by nothing else" bash -c '! "$0" report "$1" --marks --by cpu 2>"$2" && grep -q "takes name" "$2"' \
	"$cli" "$work/a" "$work/err"
check "slow ones are picked" judge --marks --slower-than 15us <<'END'
assert all(mark['least_ns'] >= 15000 for mark in report['marks'])
END
for options in "--mark nothing" "--mark two --slower-than 1h" "--slower-than 3" \
	"--mark one --during two" "--mark one --slower-than x"; do
	# shellcheck disable=SC2086
	check "refused in a sentence: $options" bash -c '! "$@" 2>"$0" >"$0.out" &&
		[ "$(wc -l <"$0")" = 1 ] && ! [ -s "$0.out" ]' "$work/said" \
		"$cli" report "$work/a" $options
done
check "exports carry marks as a metric" bash -c '
	"$0" export "$1" --metric mark --format jsonl -o "$1.jsonl" && [ "$(wc -l <"$1.jsonl")" -ge 80000 ]' \
	"$cli" "$work/a"
"$cli" merge "$work/a" "$work/a" -o "$work/merged" 2>>"$work/err"
check "a merged recording has those of both" bash -c '
	"$0" report "$1" --marks --json | grep -q "\"count\": 40000"' "$cli" "$work/merged"

rate=4000 record truth 200000
check "--mark is what its thread did within, --during what all did" bash -c '
	mark=$("$0" report "$1" --json --mark two --by thread | grep -c \"tid\")
	during=$("$0" report "$1" --json --during two --by process | grep -c \"pid\")
	[ "$mark" = 1 ] && [ "$during" -ge 1 ]' "$cli" "$work/a"

export capture=$work/a
check "samples are of the innermost mark" judge --by mark <<'END'
import os, subprocess
weights = {row['name']: row['weight'] for row in report['groups']}
assert sum(weights.values()) == report['sum'] and set(weights) <= {name for name, *_ in out} | {'[no mark]'}, weights
for name in set(weights) - {'[no mark]'}:
    within = json.loads(subprocess.run(['build/sysprof-cli', 'report', '--json', '--mark', name, os.environ['capture']],
                                       stdout=subprocess.PIPE, check=True).stdout)['sum']
    assert weights[name] <= within, (name, weights, within)
assert len(weights) > 2, weights
END
check "... of a command, all that ran has no --all" bash -c '
	! "$0" report "$1" --during two --by process | grep -q -e "the rest"' "$cli" "$work/a"

record nested
check "spans nest; ends without a begin, and spans deeper than 64, are dropped and counted" \
	judge --marks <<'END'
marks = {mark['name']: mark for mark in report['marks']}
assert marks['outer']['count'] == marks['inner']['count'] == marks['block']['count'] == 1
assert marks['outer']['sum_ns'] >= marks['inner']['sum_ns'] >= 1000000
assert marks['deep']['count'] == 64 and 'never begun' not in marks and 'lost' not in marks
assert marks['open']['count'] == 1, marks
END
check "a message is a line of the log" bash -c '
	"$0" report "$1" --events log | grep -q "text=a line"' "$cli" "$work/a"

record hostile 200000
check "hostile names: nothing of them reaches the terminal" bash -c '
	for what in "--marks --limit 20" "--events mark --limit 20" "--metric mark --by name --limit 9"
	do
		"$0" report "$1" $what | LC_ALL=C grep -q "[[:cntrl:]]" && exit 1
	done
	[ "$("$0" report "$1" --marks --limit 0 | grep -c many)" -ge 50000 ]' "$cli" "$work/a"
check "counters without a number, and those beyond the bound, are dropped and counted" bash -c '
	! "$0" report "$1" --events nan && ! "$0" report "$1" --events infinite' "$cli" "$work/a"
record hostile 1000000
check "a report of hundreds of thousands of names takes hundreds of bytes for each" python3 - "$cli" "$work/a" <<'END'
import resource, subprocess, sys
out = subprocess.run([sys.argv[1], "report", sys.argv[2], "--marks", "--limit", "0"], check=True, stdout=subprocess.PIPE).stdout
names = out.count(b"  many")
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
assert names >= 400000 and most < (100 << 20) + 600 * names, (names, most)
END
record broken
check "a program that destroys its rings loses its marks alone" grep -q \
	"wrote invalid marks" "$work/err"

record forks 100
check "a fork, and what it becomes, each have their own" judge --events mark <<'END'
names = [row['fields']['name'] for row in report['rows']]
assert sorted(set(names)) == ['executed', 'forked', 'parent']
assert all(names.count(name) == 100 for name in set(names)), names
assert len({row['pid'] for row in report['rows']}) == 101
END

check "a child in a sandbox without files marks" record sandboxed
check "... and so does its thread" judge --events mark <<'END'
assert sorted(row['fields']['name'] for row in report['rows']) == ['process', 'thread'], report
END

check "a flight recorder has them, too" bash -c '
	"$0" record --source perf -F 100 --last 600 -o "$1" -- "$2" truth 1000 >"$1.out" 2>&1 &&
	"$0" report "$1" --marks --json | grep -c "\"count\": 1000" | grep -q 4' \
	"$cli" "$work/flight" "$workloads/marks"

# Programs that speak to GNOME's profiler.
control()
{
	"$cli" record --marks --source perf -F 100 -o "$work/a" -- tests/cli/control-client.py "$1" \
		>"$work/out" 2>"$work/err"
}
check "marks that come by GNOME's control socket are all there" control known
check "with their durations, their counter and their line" judge --marks <<'END'
marks = {mark['name']: mark for mark in report['marks']}
assert marks['known']['count'] == 5000 and marks['known']['category'] == 'test'
assert marks['known']['sum_ns'] == sum(1000 * i for i in range(5000)), marks
END
check "the counter and the line, too" bash -c '
	"$0" report "$1" --events "test: depth" | grep -q "value: 0 to 4.5" &&
	"$0" report "$1" --events log | grep -q "text=a warning  severity=4  source=test"' \
	"$cli" "$work/a"
check "frames that are none" control hostile
check "cost the rings they are in" bash -c '
	grep -q "wrote invalid marks" "$2" && "$0" report "$1" --marks | grep -q before &&
	! "$0" report "$1" --marks | LC_ALL=C grep -q "[[:cntrl:]]"' "$cli" "$work/a" "$work/err"
check "whoever asks for too many rings is told that there is none" control flood
check "who asks for something else, too" control garbage
if [ -n "$(command -v Xvfb)" ]; then
	check "a program of GTK 4 says when it draws" bash -c '
		Xvfb -displayfd 3 -screen 0 800x600x24 3>"$3/display" 2>/dev/null &
		server=$!
		while ! [ -s "$3/display" ]; do sleep 0.1; done
		DISPLAY=:$(cat "$3/display") GSK_RENDERER=cairo GDK_BACKEND=x11 \
			"$0" record --marks --source perf -F 100 -o "$1" -- timeout 5 "$2" "$4"
		kill $server
		"$0" report "$1" --marks | grep -q "gtk application startup"' \
		"$cli" "$work/gtk" "$PWD/build/sysprof" "$work" "$work/a"
fi

# Counters, lines of logs, and marks from shells.
"$cli" record --source perf -F 100 --counters --counter "uptime=/proc/uptime" --logs -o "$work/a" -- \
	bash -c "echo 'a line' >&2; '$cli' mark begin shell; sleep 2.2; '$cli' mark end shell" \
	2>"$work/err"
check "the command's standard error still goes where it went" grep -qx "a line" "$work/err"
check "and its lines are those of the log" bash -c '
	"$0" report "$1" --logs | grep -q "stderr  *a line"' "$cli" "$work/a"
check "... of the program that wrote them, which was another one until it began" judge --logs <<'END'
line, = [line for line in report['lines'] if line['source'] == 'stderr']
assert line['process'] == 'bash' and line['text'] == 'a line', line
END
check "counters have a value a second" judge --counters <<'END'
counters = {counter['name']: counter for counter in report['counters']}
assert counters['uptime']['count'] >= 2 and counters['memory.used']['least'] > 1 << 20
assert 0.9 < counters['uptime']['last'] - counters['uptime']['least'] < 60, counters['uptime']
assert any(name.startswith('process.') for name in counters), counters
END
# Its first second is not all of the time before it.
"$cli" record --source perf -F 100 --counters -o "$work/late" -- bash -c "sleep 3.3; python3 -c '
import mmap, os, time
open(\"$work/late.pid\", \"w\").write(str(os.getpid()))
end = time.time() + 1.3
while time.time() < end:
    pages = mmap.mmap(-1, 4096); pages[0] = 1; pages.close()
time.sleep(2.4)'" 2>"$work/err"
timed check "a rate of a process that begins later has the mean of its readings" python3 - \
	"process.$(cat "$work/late.pid").minor-faults" <<END
import json, subprocess, sys
def report(*words):
    return json.loads(subprocess.run(["$cli", "report", "--json", *words, "$work/late"],
                                     stdout=subprocess.PIPE, check=True).stdout)
row = next(row for row in report("--counters")["counters"] if row["name"] == sys.argv[1])
events = report("--events", sys.argv[1])
values = [hit["fields"]["value"] for hit in events["rows"]]
assert len(values) >= 2 and row["most"] > 100, row
assert abs(row["mean"] - sum(values) / len(values)) < row["most"] / 10, (row, values)
assert abs(row["mean"] - events["fields"][0]["mean"]) < 1e-6 * row["most"], (row, events["fields"])
END
check "a span of a shell is one, whichever processes begin and end it" judge --marks <<'END'
assert report['marks'][0]['name'] == 'shell' and report['marks'][0]['sum_ns'] > 2e9, report
END
check "a recording begins and ends with marks" bash -c '
	"$0" record --source perf -F 100 --start-at go --stop-at end -o "$1" -- bash -c \
		"$0 mark before; $0 mark go; sleep 1.5; $0 mark within; $0 mark end; sleep 0.2; exit 3"
	[ $? = 3 ] && "$0" report "$1" --marks --json | grep -q within &&
	! "$0" report "$1" --marks --json | grep -q before' "$cli" "$work/begun"
check "or not at all" bash -c '! "$0" record --start-at go -o "$1" -- true && ! [ -e "$1" ]' \
	"$cli" "$work/never"

# What programs say that were built for other profilers: ITT and NVTX.
judge_interfaces()
{
	"$cli" record --source perf -F 100 --marks -o "$work/a" -- "$workloads/interfaces" known \
		>"$work/out" 2>"$work/err" && judge --marks <<'END'
marks = {(mark['category'], mark['name']): mark for mark in report['marks']}
counts = {('known', 'outer'): 50, ('known', 'inner'): 50, ('known', 'region'): 1,
          ('known', 'frame'): 2, ('itt', 'event'): 1, ('known', 'here'): 1, ('nvtx', 'range'): 50,
          ('nvtx', 'started'): 1, ('nvtx', 'marked'): 1, ('parts', 'registered'): 1}
assert {key: mark['count'] for key, mark in marks.items()} == counts, marks
assert marks['known', 'outer']['least_ns'] >= 1000000
assert 500000 <= marks['known', 'inner']['least_ns'] <= marks['known', 'outer']['least_ns']
assert marks['known', 'region']['sum_ns'] >= 10000000
assert marks['nvtx', 'range']['least_ns'] >= 500000
END
}
check "ITT and NVTX: each span with its domain, once" judge_interfaces
check "... and counters" bash -c '"$0" report "$1" --counters | grep -q "42 .*queue"' "$cli" "$work/a"
check "more than there is room for, and what is none: the program goes on" bash -c '
	"$0" record --source perf -F 100 --marks -o "$1" -- "$2" hostile >"$1.out" 2>"$1.err" &&
	grep -qx done "$1.out" && "$0" report "$1" --marks --json --limit 0 | grep -q "\"name 63\""' \
	"$cli" "$work/a" "$workloads/interfaces"
check "a collector that the user has named is left alone" bash -c '
	INTEL_LIBITTNOTIFY64=/none "$0" record --source perf --marks -o "$1" -- \
		printenv INTEL_LIBITTNOTIFY64 2>/dev/null | grep -qx /none' "$cli" "$work/b"
cat >"$work/flow.cc" <<'END'
#include <tbb/flow_graph.h>
int main()
{
	tbb::flow::graph graph;
	tbb::flow::function_node<int, int> node(graph, 2, [](int x) { return x + 1; });
	for (int i = 0; i < 50; i++)
		node.try_put(i);
	graph.wait_for_all();
}
END
check "oneTBB as it is packaged: its flow graph's tasks" bash -c '
	g++ -DTBB_USE_PROFILING_TOOLS=1 -o "$1/flow" "$1/flow.cc" -ltbb &&
	"$0" record --source perf -F 100 --marks -o "$1/a" -- "$1/flow" 2>"$1/err" &&
	"$0" report "$1/a" --marks --json | tr -d " \n" |
		grep -q "\"name\":\"body\",\"category\":\"tbb.flow\",\"count\":50"' "$cli" "$work"

# The recorder is killed while its program marks: the program ends as it would without.
"$cli" record --source perf -F 100 -o "$work/killed" -- bash -c \
	"'$workloads/marks' idle 12; echo \$? >'$work/status'" 2>"$work/err" &
recorder=$!
for _ in $(seq 50); do
	"$cli" report "$work/killed.part" --marks 2>/dev/null | grep -q tick && break
	sleep 0.2
done
kill -KILL $recorder
wait $recorder 2>/dev/null
for _ in $(seq 150); do
	[ -s "$work/status" ] && break
	sleep 0.1
done
check "a recorder that dies costs the program nothing" grep -qx 0 "$work/status"
check "and what it had written has marks" bash -c '
	[ ! -e "$1" ] && "$0" report "$1.part" --marks | grep -q tick' "$cli" "$work/killed"

timed check "where nobody records, a mark is a load and a branch" bash -c '
	"$0" cost 2000000 >"$1" && awk "\$1 != \"loop\" && \$2 > 3 { exit 1 }" "$1"' \
	"$workloads/marks" "$work/cost"

echo "1..$number"
exit $broken

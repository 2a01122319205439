#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Profiles of other programs: what we export comes back with the same stacks and functions, and what
# Callgrind, heaptrack, node and others write has here the numbers that they say themselves.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"
cli=$PWD/build/sysprof-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shows TITLE COMMAND...: the command prints standard input
shows()
{
	cat >"$work/expected"
	"${@:2}" >"$work/out" 2>&1
	result "$1" "$(diff "$work/expected" "$work/out" | head -n 20)"
}

# refuses TITLE WORDS FILE
refuses()
{
	"$cli" report "$3" >"$work/out" 2>"$work/err"
	result "$1" "$([ $? -ne 0 ] && grep -qF -e "$2" "$work/err" || cat "$work/err")"
}

# comes_back NAME FORMAT KIND [OPTION...]: KIND of what is exported is the same of what it becomes
comes_back()
{
	local name=$1 format=$2 kind=$3
	shift 3
	result "$name: $format comes back, $kind $*" "$({
		"$cli" export --format "$format" "$@" -o "$work/there" "$work/$name.capture" &&
			"$cli" export --format "$kind" "$@" "$work/$name.capture" |
			sort >"$work/before" &&
			"$cli" export --format "$kind" "$work/there" | sort >"$work/after"
		[ -s "$work/before" ] || echo "nothing was exported"
		diff "$work/before" "$work/after"
	} 2>&1 | head -n 20)"
}

build/tests/gen-capture "$work/example.capture" &&
	build/tests/gen-samples "$work/many.capture" 20000 2000 &&
	build/tests/gen-waits "$work/waits.capture" || exit 1
for name in example many waits; do
	for format in folded speedscope chrome firefox pprof perfetto syscap; do
		comes_back $name $format folded
	done
	for format in speedscope chrome firefox pprof perfetto; do
		comes_back $name $format text
	done
done
for name in example waits; do
	comes_back $name callgrind text
done
# Another metric becomes CPU time there.
for format in speedscope chrome firefox callgrind perfetto; do
	comes_back waits $format text --metric off-cpu
done

# Periods of no known length are no time in a file that has units.
printf 'a;b 7\na;c 5\na;b;c 3\n' >"$work/counts" &&
	"$cli" import "$work/counts" -o "$work/counts.capture" || exit 1
for format in folded speedscope chrome pprof callgrind perf-script; do
	comes_back counts $format text
done
result 'report --confidence: sums are no samples' "$(
	"$cli" report --confidence "$work/counts.capture" 2>&1 | grep -q 'without times are sums' ||
		echo it is taken)"
shows 'csv: periods are not called nanoseconds' bash -c '"$1" export -f csv "$2" |
	sed -n "1 s/.*,\(weight_[a-z]*\),.*/\1/p"' - "$cli" "$work/counts" <<'END'
weight_periods
END
shows 'jsonl: periods are not called nanoseconds' bash -c '"$1" export -f jsonl "$2" |
	grep -c "\"periods\":[357],\"stack\""' - "$cli" "$work/counts" <<'END'
3
END

# What functions do themselves is exact, however their calls are put together.
selfs()
{
	"$cli" report --json --limit 100000 --all "$1" | python3 -c '
import json, sys
for row in json.load(sys.stdin)["functions"]:
    if row["self"]:
        print(row["self"], row["function"])' | sort
}
"$cli" export --format callgrind -o "$work/many.callgrind" "$work/many.capture"
result 'many: callgrind comes back, self' "$(
	diff <(selfs "$work/many.capture") <(selfs "$work/many.callgrind") | head -n 20)"
"$cli" export --format firefox -o "$work/profile.json" "$work/example.capture"
gzip -k "$work/profile.json" && zstd -q "$work/profile.json"
printf 'p;main;a 1\np;b 3\n' >"$work/packed.folded"
printf 'p 7/7 [000] 1.5: 1000000 cpu-clock:\n\t401000 f (/usr/bin/p)\n\n' >"$work/packed.script"
mkdir "$work/seeds" && build/tests/gen-import "$work/seeds"
cp "$work/seeds/perf.data" "$work/packed.perf"
cp "$work/seeds/callgrind" "$work/packed.callgrind"
for file in "$work"/packed.*; do
	gzip -k "$file" && zstd -q "$file"
	for packed in gz zst; do
		result "${file##*.}, packed as $packed" "$(diff \
			<("$cli" export -f folded "$file" 2>&1) \
			<("$cli" export -f folded "$file.$packed" 2>&1))"
	done
done
for packed in gz zst; do
	result "JSON packed as $packed" "$(
		diff <("$cli" export -f folded "$work/profile.json") \
			<("$cli" export -f folded "$work/profile.json.$packed" 2>&1))"
done

# What other writers do with the same contents: order, marks, ends of lines.

cat >"$work/rewrite.py" <<'END'
"""rewrite.py HOW FILE: prints FILE in another of the ways that its format allows."""
import gzip
import json
import sys


def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return number, at


def field(data, at):
    """The number of the field at a place of a message, and where it ends."""
    tag, end = varint(data, at)
    size, end = varint(data, end)
    return tag >> 3, end + (size if tag & 7 == 2 else 0)


def by_number(data, order):
    fields, at = [], 0
    while at < len(data):
        number, end = field(data, at)
        fields.append((number, data[at:end]))
        at = end
    return b"".join(part for _, part in sorted(fields, key=lambda one: order(one[0])))


how, data = sys.argv[1], open(sys.argv[2], "rb").read()
if how == "crlf":
    data = data.replace(b"\n", b"\r\n")
elif how == "mark":
    data = b"\xef\xbb\xbf" + data
elif how == "blank":
    data = b"\n\n" + data
elif how == "comment":
    data = b' /* of a\n "tool" */ // and\n' + data
elif how == "backwards":
    data = json.dumps(dict(reversed(json.loads(data).items()))).encode()
elif how == "later":
    data = json.dumps({"notes": ["x" * 70000], **json.loads(data)}).encode()
elif how == "declared":
    data = b'<?xml version="1.0"?>\n<!-- saved -->\n' + data
elif how == "last-first":
    data = by_number(gzip.decompress(data), lambda number: -number)
else:  # the number of the field that comes first
    data = by_number(gzip.decompress(data), lambda number: number != int(how))
sys.stdout.buffer.write(data)
END
# rewritten FILE HOW...: is read as FILE is
rewritten()
{
	local file=$1 how
	shift

	"$cli" export -f folded "$file" >"$work/expected" 2>&1
	for how; do
		python3 "$work/rewrite.py" "$how" "$file" >"$work/rewritten"
		result "${file##*/}, $how: is the same" "$({
			grep -q ' [0-9]*$' "$work/expected" || echo "nothing was read"
			diff "$work/expected" <("$cli" export -f folded "$work/rewritten" 2>&1)
		} | head -n 20)"
	done
}
for format in speedscope chrome firefox pprof callgrind folded perf-script; do
	"$cli" export -f $format -o "$work/$format.out" "$work/example.capture" || exit 1
done
build/tests/gen-import "$work" || exit 1
for format in speedscope.out chrome.out firefox.out cpuprofile; do
	rewritten "$work/$format" mark blank comment crlf backwards later
done
for format in callgrind folded perf-script; do
	rewritten "$work/$format.out" mark crlf
done
rewritten "$work/folded.out" blank
rewritten "$work/pprof.out" last-first 2 3 4 5 6 9 10 12
rewritten "$work/xml" mark blank crlf declared

# Files as others write them.

shows 'speedscope: events' "$cli" export -f folded "$work/speedscope-events" <<'END'
a;main 4500
a;main;f 4500
END
shows 'chrome: slices, of which the last ones have no end' "$cli" export -f folded \
	"$work/chrome-slices" <<'END'
process 1;a 50
process 1;a;b 35
process 1;a;b;c 5
END
shows 'chrome: what else is in it' bash -c '"$1" report "$2" | head -n 2' - "$cli" \
	"$work/chrome-slices" <<'END'
90 samples, 0 lost, in 89.0 µs; one period is 1000 ns
1 events of the trace were not read
END
# written KIND: a trace that perfetto-write.py makes
written()
{
	python3 tests/cli/perfetto-write.py "$1" >"$work/$1.pftrace"
	echo "$work/$1.pftrace"
}
shows 'perfetto: slices by clocks, numbers and tracks of sequences' "$cli" export -f folded \
	"$(written slices)" <<'END'
program;outer 200
program;outer;inner 100
END
shows 'perfetto: what else is in it' bash -c '"$1" report "$2" | sed -n 2p' - "$cli" \
	"$work/slices.pftrace" <<'END'
2 events of the trace were not read
END
shows 'perfetto: samples of two sequences, one without a name' "$cli" export -f folded \
	"$(written samples)" <<'END'
process 10;main;0x1234 2
process 10;main;first 2
process 10;main;second 2
END
# by_thread METRIC FILE: how long threads waited
by_thread()
{
	"$cli" report --metric "$1" --by thread "$2" | sed -n '/By thread/,$ p' | sed 1d
}
shows 'perfetto: switches are waits' by_thread off-cpu "$(written switches)" <<'END'
 100.00     7400 ns           2  worker (pid 10, tid 11)
END
shows 'perfetto: what was preempted was not blocked' by_thread blocked "$work/switches.pftrace" <<'END'
 100.00     7000 ns           1  worker (pid 10, tid 11)
END
shows 'perfetto: switches by columns' by_thread off-cpu "$(written compact)" <<'END'
 100.00     7000 ns           1  worker (pid 11, tid 11)
END
"$cli" export -f perfetto -o "$work/waits.pftrace" "$work/waits.capture"
# One of helper's began before the recording.
not_helper()
{
	by_thread off-cpu "$1" | awk '$5 != "helper" { $1 = ""; print }'
}
shows 'perfetto: states of tasks are waits' not_helper "$work/waits.pftrace" \
	< <(not_helper "$work/waits.capture")
head -c 150 "$work/samples.pftrace" >"$work/cut"
refuses 'perfetto: cut off before the first sample' 'it has no samples' "$work/cut"
# Behind what is looked at to know the format.
{ for _ in {1..2000}; do cat "$work/compact.pftrace"; done; printf '\n\003\n\004a'; } >"$work/damaged"
refuses 'perfetto: a packet that is none' 'one of its packets is damaged' "$work/damaged"
shows 'callgrind: calls, also of itself' "$cli" export -f folded "$work/callgrind-calls" <<'END'
a;main 57
a;main;f 200
a;main;f;f 100
END
shows 'V8: samples count until the next one in time' "$cli" export -f folded \
	"$work/cpuprofile" <<'END'
V8;main 1
V8;main;(anonymous) 44
END
shows 'V8: time without work is a wait' "$cli" export -f folded --metric off-cpu \
	"$work/cpuprofile" <<'END'
V8;(idle) 450
END
shows 'V8: in which it slept' bash -c '"$1" report --metric off-cpu --by state "$2" | awk "END { print \$NF }"' - \
	"$cli" "$work/cpuprofile" <<'END'
sleeping
END
printf 'a;b;c 0.25\r\na;b 12\nx y;z 1.500\n;q 3.\n' >"$work/fractions"
shows 'folded: weights with fractions' "$cli" export -f folded "$work/fractions" <<'END'
[unnamed];q 300
a;b 1200
a;b;c 25
x y;z 150
END
printf 'a;b 7' >"$work/one"
shows 'folded: a line without an end' "$cli" export -f folded "$work/one" <<'END'
a;b 7
END
shows 'folded: what they are here' bash -c '"$1" report "$2" | sed -n 2p' - "$cli" \
	"$work/fractions" <<'END'
weights in the file have fractions: 1 there is 100 periods here
END
shows 'folded: times are not made up' bash -c '"$1" report "$2" | head -n 1
	"$1" report "$2" --summary | head -n 1; "$1" info "$2" | grep "^duration"' - "$cli" \
	"$work/one" <<'END'
1 samples, 0 lost, without times; how long a period is is not known
The recording has no times
duration           without times
END
"$cli" bundle "$work/one" --anonymize -o "$work/one-shared" >"$work/out" 2>&1
shows 'folded: and not in what is shared' bash -c '"$1" report "$2" | head -n 1' - "$cli" \
	"$work/one-shared" <<'END'
1 samples, 0 lost, without times; how long a period is is not known
END
shows 'xml' "$cli" export -f folded "$work/xml" <<'END'
[busy];main <int> 3
END
shows 'heaptrack: what was freed, and when' bash -c '"$1" report --metric peak "$2" | grep -E "^(allocated|live)"' \
	- "$cli" "$work/heaptrack" <<'END'
allocated: 216 bytes by 3 calls, 53.7 % of it temporary
live memory: 0 bytes at first, 200 bytes at most after 0.02 s, 100 bytes at last
END
shows 'heaptrack: inlined functions' "$cli" export -f folded --metric live "$work/heaptrack" <<'END'
a;main;main;f 100
END
# The user parts of its stacks come later, after a round, and the last ones first.
for later in perf-later perf-later-pipe; do
	result "perf.data: $later is as if nothing came later" "$(
		diff <("$cli" export -f perf-script "$work/perf.data") \
			<("$cli" export -f perf-script "$work/$later" 2>&1))"
done
result 'perf.data: mappings of before Linux 3.16' "$(
	diff <("$cli" export -f perf-script "$work/perf.data") \
		<("$cli" export -f perf-script "$work/perf-old" 2>&1))"
shows 'perf.data: a user stack that never comes' bash -c \
	'"$1" report "$2" | sed -n "2s/;.*//p"' - "$cli" "$work/perf-never" <<'END'
1 user stacks that were to come later never did
END

printf '{"$schema":"speedscope","profiles":[' >"$work/cut"
refuses 'JSON that is cut off' 'its JSON is damaged' "$work/cut"
printf '<profile>\n<objects>\n' >"$work/cut"
refuses 'XML that is cut off' 'its XML is damaged' "$work/cut"
printf 'v 10400 3\nX a\n+ 0\n' >"$work/cut"
refuses 'heaptrack: a kind that is not there' 'line 3 refers to something that is not there' \
	"$work/cut"
printf '# callgrind format\nevents: Ir\n0 5\n' >"$work/cut"
refuses 'callgrind: a cost of nothing' 'line 3 has a cost of no function' "$work/cut"
printf 'a;b 2\na 0.12345678901\n' >"$work/cut"
refuses 'folded: a fraction that is too fine' \
	'line 2 has a weight with more than nine digits behind the point' "$work/cut"
printf 'a 0.000000001\na;b 4294968\n' >"$work/cut"
refuses 'folded: weights of too many digits' 'line 2 has a weight that is too large' "$work/cut"
printf 'a;b 2\na 1.5e3\n' >"$work/cut"
refuses 'folded: no number' 'line 2 does not end with a blank and a weight' "$work/cut"
# v8 NODES SAMPLES TIMES
v8()
{
	printf '{"nodes":[%s],"startTime":0,"endTime":9,"samples":[%s],"timeDeltas":[%s]}' "$@"
} >"$work/cut"
v8 '{"id":1,"children":[2]},{"id":2,"children":[1]}' 2 1
refuses 'V8: functions that call each other in a circle' 'sample 1 has too many frames' "$work/cut"
v8 '{"id":1}' 1,7 1,2
refuses 'V8: a function that is not there' 'a sample of a function that is not there' "$work/cut"
v8 '{"id":1}' 1,1 1
refuses 'V8: a sample without a time' 'it has not one time for each sample' "$work/cut"
v8 '{"id":1}' 1,1 1,1e300
refuses 'V8: an endless time' 'it has a time that is too large' "$work/cut"
v8 '{"id":1}' '' ''
refuses 'V8: no samples' 'it has no samples' "$work/cut"
printf '{"head":{"callFrame":{},"selfSize":1,"children":[]},"samples":[]}' >"$work/cut"
refuses 'V8: another profile' 'it is a heap profile of V8' "$work/cut"
head -c 1000 "$work/profile.json.gz" >"$work/cut"
refuses 'a packed file that is cut off' 'it is cut off' "$work/cut"
printf '[{"ph":"b","pid":1,"tid":2,"ts":1,"name":"a","id":1}]' >"$work/cut"
refuses 'chrome: neither samples nor slices' 'it has no samples, and no slices of threads' "$work/cut"
printf 'heap profile: 13: 1595680 [47: 25] @ heap/1048576\n1: 524 [3: 15] @ 0x42 0x43\n' >"$work/cut"
result 'a heap of gperftools is no text of perf script' "$(
	"$cli" report "$work/cut" 2>&1 | grep -q 'it is not a capture' || echo it is taken)"
"$cli" export --format perfetto -o "$work/cut" "$work/counts.capture" 2>"$work/err"
result 'a trace of Perfetto is no profile of pprof without samples' "$(
	"$cli" import -o "$work/cut.capture" "$work/cut" 2>&1 && "$cli" info "$work/cut.capture" |
		grep -q '^source  *Perfetto trace$' || echo it is none)"
# A function without a name is called by where it begins; a place in one is dropped.
printf 'a 1/1 [000] 1.000001: 1000000 cpu-clock:\n\t%16s %s\n\t%16s %s\n\t%16s %s\n\n' \
	7eda10 'cc1+0x7ed990 (/usr/lib/cc1)' 1149 'main+0x10 (/tmp/main)' \
	55d000001149 'cc1+0x7ed (/usr/lib/cc1)' >"$work/begins"
shows 'perf script: functions without names stay apart' bash -c '"$1" export -f folded "$2"' \
	- "$cli" "$work/begins" <<'END'
a;cc1;main;cc1+0x7ed990 1
END

# As perf says it of a thread that is past its end.
printf 'some name 12/-1 [000] 1.000001: 1000000 cpu-clock:\n\t%16s end (/tmp/a)\n\n' 1149 >"$work/past"
shows 'perf script: a thread past its end comes back' bash -c '"$1" export -f perf-script "$2" |
	head -n 1' - "$cli" "$work/past" <<'END'
some name 12/-1 [000] 1.000001:    1000000 cpu-clock:
END

# Real ones.

cat >"$work/real.c" <<'END'
#include <stdlib.h>
static void *kept[16];
__attribute__((noinline)) long leaf(long n) { long sum = 0; for (long i = 0; i < n; i++) sum += i * n; return sum; }
__attribute__((noinline)) long middle(long n) { return leaf(n) + leaf(n / 2) + 1; }
__attribute__((noinline)) long deep(long n) { return n > 0 ? deep(n - 1) + leaf(5) : leaf(10); }
__attribute__((noinline)) void *block(size_t n) { return malloc(n); }
int main(void)
{
	long sum = 0;
	for (int i = 0; i < 50; i++)
		sum += middle(1000) + deep(5);
	for (int i = 0; i < 16; i++)
		kept[i] = block(1000);
	for (int i = 0; i < 100; i++)
		free(block(50));
	return sum == 1 && kept[0];
}
END
gcc -g -O1 -fno-optimize-sibling-calls -o "$work/real" "$work/real.c" || exit 1
cat >"$work/compare.py" <<'END'
"""compare.py REPORT ANNOTATED: prints which functions of callgrind_annotate have other costs in our
report, self and total."""
import json
import re
import subprocess
import sys


def annotated(*options):
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", *options, sys.argv[2]],
                          check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  .*?:([^ ]+)(?: \[.*\])?$", text, re.M)
    return {name: int(cost.replace(",", "")) for cost, name in rows}


ours = {row["function"]: row for row in json.load(open(sys.argv[1]))["functions"]}
selfs, totals = annotated(), annotated("--inclusive=yes")
for name in "main", "leaf", "middle", "deep":
    found = ours[name]["self"], ours[name]["total"]
    wanted = selfs[name] + selfs.get(name + "'2", 0), totals[name]
    # Where a function has several callers, what it costs for each is rounded.
    if found[0] != wanted[0] or abs(found[1] - wanted[1]) > 3:
        print(f"{name}: {found} here, {wanted} there")
END
valgrind --tool=callgrind --callgrind-out-file="$work/calls" "$work/real" >"$work/err" 2>&1
"$cli" report --json --limit 100000 --all "$work/calls" >"$work/report" 2>>"$work/err"
result 'callgrind: what callgrind_annotate shows' "$(
	python3 "$work/compare.py" "$work/report" "$work/calls" 2>&1 | tail -n 20)"

cat >"$work/work.js" <<'END'
'use strict';
function leaf(n) {
	let sum = 0;
	for (let i = 0; i < n; i++)
		sum = (sum + i * n) % 1000003;
	return sum;
}
const object = { method(n) { return leaf(n) + [1, 2].map((x) => leaf(n * x)).length; } };
class Work { static run(n) { return object.method(n) + (() => leaf(n))(); } }
let rounds = 0;
function tick() {
	for (let i = 0; i < 100; i++)
		Work.run(2000);
	if (++rounds < 10)
		setTimeout(tick, 20);
}
tick();
END
cat >"$work/v8.py" <<'END'
"""v8.py FILE FOLDED WAITS LINES: prints where what we export and report of FILE has other times
than the file itself."""
import json
import sys
from collections import Counter
from urllib.parse import unquote

path, folded, waits, lines = sys.argv[1:]
file = json.load(open(path))
nodes = {node["id"]: node for node in file["nodes"]}
caller = {child: node["id"] for node in file["nodes"] for child in node.get("children", [])}


def names(node):
    frame = nodes[node]["callFrame"]
    if node not in caller and frame["functionName"] == "(root)":
        return ["V8"]
    return names(caller[node]) + [frame["functionName"] or "(anonymous)"]


def place(node):
    frame = nodes[node]["callFrame"]
    name, file = frame["functionName"] or "(anonymous)", unquote(frame["url"]).split("/")[-1]
    return f"{name} ({file}:{frame['lineNumber'] + 1})" if file else name


times, now = [], 0
for node, delta in zip(file["samples"], file["timeDeltas"]):
    now += delta
    times.append((now, node))
times.sort(key=lambda one: one[0])
stacks, idle, places = Counter(), 0, Counter()
for (begin, node), (end, _) in zip(times, times[1:] + [(file["endTime"] - file["startTime"], 0)]):
    if nodes[node]["callFrame"]["functionName"] == "(idle)":
        idle += max(end - begin, 0)
    else:
        stacks[";".join(names(node))] += max(end - begin, 0)
        places[place(node)] += max(end - begin, 0)


def read_folded(path):
    rows = (line.rstrip("\n").rsplit(" ", 1) for line in open(path))
    return Counter({stack: int(weight) for stack, weight in rows})


report = json.load(open(lines))
period_us = report["period_ns"] // 1000
seen = Counter({stack: n * period_us for stack, n in read_folded(folded).items()})
assert any(";run;method;" in stack and stack.endswith(";leaf") for stack in seen), seen
assert seen == +stacks, (seen - stacks, stacks - seen)
assert read_folded(waits) == Counter({"V8;(idle)": idle}) and idle > 100000, (idle, waits)
seen = Counter()
for row in report["functions"]:
    seen[row["function"]] += row["self"] // 1000
assert +seen == +places and places["leaf (work.js:2)"] > 0, (seen - places, places - seen)
END
mkdir "$work/v8" && node --cpu-prof --cpu-prof-interval 500 --cpu-prof-dir "$work/v8" \
	"$work/work.js" >"$work/err" 2>&1
result 'V8: the times, functions and lines that node has written' "$({
	"$cli" export -f folded -o "$work/folded.v8" "$work"/v8/* &&
		"$cli" export -f folded --metric off-cpu -o "$work/waits.v8" "$work"/v8/* &&
		"$cli" report --lines --json --limit 100000 --all "$work"/v8/* >"$work/lines.v8" &&
		python3 "$work/v8.py" "$work"/v8/* "$work/folded.v8" "$work/waits.v8" \
			"$work/lines.v8"
} 2>&1 | tail -n 20)"

heaptrack -o "$work/heap" "$work/real" >"$work/err" 2>&1
result 'heaptrack: what heaptrack_print shows' "$(
	heaptrack_print "$work"/heap.* 2>&1 | tail -n 8 >"$work/there"
	"$cli" report --json --metric peak "$work"/heap.* >"$work/report" 2>&1
	python3 - "$work/there" "$work/report" <<'END' 2>&1
import json
import re
import sys
there, report = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
peak = float(re.search(r"peak heap memory consumption: ([\d.]+)K", there)[1])
if round(report["sum"] / 1000, 2) != peak:
    print(report["sum"], there)
END
)"
finish

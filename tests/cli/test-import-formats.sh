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
	for format in folded speedscope chrome firefox pprof syscap; do
		comes_back $name $format folded
	done
	for format in speedscope chrome firefox pprof; do
		comes_back $name $format text
	done
done
for name in example waits; do
	comes_back $name callgrind text
done
# Another metric becomes CPU time there.
for format in speedscope chrome firefox callgrind; do
	comes_back waits $format text --metric off-cpu
done

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
for format in speedscope chrome firefox; do
	rewritten "$work/$format.out" mark blank comment crlf backwards later
done
for format in callgrind folded perf-script; do
	rewritten "$work/$format.out" mark crlf
done
rewritten "$work/folded.out" blank
rewritten "$work/pprof.out" last-first 2 3 4 5 6 9 10 12
build/tests/gen-import "$work" || exit 1
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
90 samples, 0 lost, in 89.0 µs on 1 CPU; one period is 1000 ns
1 events of the trace were not read
END
shows 'callgrind: calls, also of itself' "$cli" export -f folded "$work/callgrind-calls" <<'END'
a;main 57
a;main;f 200
a;main;f;f 100
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
head -c 1000 "$work/profile.json.gz" >"$work/cut"
refuses 'a packed file that is cut off' 'it is cut off' "$work/cut"

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

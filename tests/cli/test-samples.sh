#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Formats with a piece of text for each sample: their sums are those of report, for all and for a
# part; names that programs choose break no line and no column; memory does not grow with samples.

# shellcheck source=tests/lint/tap.bash
. tests/lint/tap.bash
cli=$PWD/build/sysprof-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8

check()
{
	python3 - "$cli" "$@" 2>&1 <<'END'
import csv, io, json, re, subprocess, sys
cli, path, *conditions = sys.argv[1:]


def run(*arguments):
    return subprocess.run([cli, *arguments], capture_output=True, check=True, timeout=120).stdout.decode("utf-8")


def export(name):
    return run("export", "--format", name, path, *conditions)


report = json.loads(run("report", "--json", path, *conditions))
unit, total = report["unit"], report["sum"]
functions = {(row["function"], row["object"]): (row["self"], row["total"]) for row in report["functions"]}

seen, selfs, totals = 0, {}, {}
for line in export("jsonl").splitlines():
    row = json.loads(line)
    seen += row[unit]
    frames = [tuple(frame) for frame in row["stack"]]
    if frames:
        selfs[frames[-1]] = selfs.get(frames[-1], 0) + row[unit]
    for frame in set(frames):
        totals[frame] = totals.get(frame, 0) + row[unit]
assert seen == total, (seen, total)
for function, sums in functions.items():
    if function[0] != "[no stack]":
        assert (selfs.get(function, 0), totals.get(function, 0)) == sums, (function, selfs.get(function), totals.get(function), sums)

rows = list(csv.DictReader(io.StringIO(export("csv"))))
assert sum(int(row["weight_" + unit]) for row in rows) == total
assert all(None not in row and len(row) == 10 for row in rows)
assert not any(row["stack"].startswith(tuple("=+-@")) for row in rows)

# As programs that read what perf script prints do: a header, frames, an empty line.
seen = leaves = 0
header = re.compile(r"^(.+?) (\d+)/(\d+)( \[\d{3}\])? (\d+\.\d{6}): +(\d+) (\S+):$")
frame = re.compile(r"^\t *[0-9a-f]+ (.*) \((.*)\)$")
for block in export("perf-script").split("\n\n"):
    first, *rest = block.splitlines() or [""]
    if not first:
        continue
    assert header.match(first), first
    assert all(frame.match(line) for line in rest), rest
    seen += int(header.match(first)[6])
    leaves += bool(rest)
assert seen == total, (seen, total)
assert leaves or not functions
END
}

build/tests/gen-capture "$work/busy"
result "all samples: as report has them" "$(check "$work/busy")"
result "a part of them" "$(check "$work/busy" --thread worker --with hot)"
result "a range of time" "$(check "$work/busy" --time 0.1..0.2)"
build/tests/gen-samples "$work/many" 20000 40 >/dev/null
result "20,000 samples" "$(check "$work/many")"
"$cli" record --waits --memory -o "$work/real" -- bash -c \
	'for i in 1 2 3 4 5 6 7 8; do read -t 0.01 </dev/zero; ls -R /usr/include >/dev/null; done' >/dev/null 2>&1
for metric in cpu blocked allocated; do
	result "a recording of this machine, $metric" "$(check "$work/real" --metric "$metric")"
done
result "--explain names every format" "$("$cli" export --explain >"$work/all"
	"$cli" export --help | grep -o '[a-z-]*: ' | sort -u >"$work/names"
	for name in folded svg text html speedscope pprof firefox chrome perfetto perf-script jsonl csv \
		callgrind order order-first lanes; do
		grep -q "^$name .*x" "$work/all" || echo "not $name"
	done)"
result "--explain of one says what is missing" "$("$cli" export --explain --format csv | grep -q \
	'^Leaves out: .*source lines' || echo not said)"
finish

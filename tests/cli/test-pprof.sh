#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Profiles of pprof beside Go's own pprof: what we export has there the functions, stacks and sums
# of our report, and what Go's run time writes has them here.
#
# PART=files: exports alone.  PART=programs: also a Go program's profiles, which is compiled first.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cli=$PWD/build/sysprof-cli
export HOME=$work PPROF_TMPDIR=$work GOFLAGS=-mod=mod GOTOOLCHAIN=local

cat >"$work/compare.py" <<'END'
"""compare.py CLI RECORDING PROFILE [METRIC [UNIT]]: prints what our reports of RECORDING and Go's
of PROFILE do not have in common."""
import collections
import json
import re
import subprocess
import sys

cli, recording, profile = sys.argv[1:4]
metric, unit = (sys.argv[4:] + ["cpu", "ns"][len(sys.argv) - 4:])[:2]
NUMBER = r"(-?[\d.]+(?:e\+\d+)?)(?:ns|B)?"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def pprof(report):
    return run("go", "tool", "pprof", report, "-unit=" + unit, "-nodecount=1000000",
               "-nodefraction=0", "-edgefraction=0", profile).splitlines()


def plain(name):
    return re.sub(r" \((partial-)?inline\)$", "", name)


def our_functions():
    report = json.loads(run(cli, "report", "--json", "--metric", metric, recording))
    selfs = collections.Counter()
    for function in report["functions"]:
        selfs[function["function"]] += function["self"]
    return report, selfs


def their_functions():
    share = r"\s+[\d.e+-]+%"
    pattern = rf"\s*{NUMBER}{share}{share}\s+{NUMBER}{share}  (.*)$"
    found = filter(None, (re.match(pattern, line) for line in pprof("-top")))
    return collections.Counter({plain(row[3]): int(float(row[1])) for row in found})


def our_stacks(worth):
    stacks = collections.Counter()
    for line in run(cli, "export", "--format", "folded", "--metric", metric,
                    recording).splitlines():
        names, weight = line.rsplit(" ", 1)
        stacks[names.split(";", 1)[1]] += int(weight) * worth
    return stacks


def their_stacks():
    stacks = collections.Counter()
    for block in re.split(r"^-+\+-+$", "\n".join(pprof("-traces")), flags=re.M)[1:]:
        lines = [line for line in block.splitlines() if line.strip()]
        first = [i for i, line in enumerate(lines) if re.match(rf"\s*{NUMBER}   \S", line)]
        if not first:
            continue
        head = re.match(rf"\s*{NUMBER}   (.*)$", lines[first[0]])
        names = [head[2]] + [line.strip() for line in lines[first[0] + 1:]]
        stacks[";".join(plain(name).replace(";", ":") for name in reversed(names))] += \
            int(float(head[1]))
    return stacks


def tell(what, ours, theirs):
    if not sum(ours.values()):
        print("no", what)
    for key in sorted(set(ours) | set(theirs)):
        if ours[key] != theirs[key]:
            print(f"{what}: {key}: {ours[key]} here, {theirs[key]} there")


ours, functions = our_functions()
tell("function", functions, their_functions())
# Folded stacks have times in microseconds, but CPU time in periods.
if metric == "cpu":
    tell("stack", our_stacks(ours["period_ns"]), their_stacks())
END

# same TITLE RECORDING [METRIC UNIT]
same()
{
	local metric=${3:-cpu}

	result "$1" "$({
		"$cli" export --format pprof --metric "$metric" -o "$work/out.pb.gz" "$2" &&
			python3 "$work/compare.py" "$cli" "$2" "$work/out.pb.gz" "$metric" \
				"${4:-ns}"
	} 2>&1 | head -n 20)"
}

# comes_back TITLE RECORDING
comes_back()
{
	local format

	for format in folded text; do
		"$cli" export --format $format "$2" >"$work/before.$format" &&
			"$cli" export --format $format "$work/out.pb.gz" >"$work/after.$format"
	done
	result "$1" "$({
		[ -s "$work/before.folded" ] || echo "nothing was exported"
		diff "$work/before.folded" "$work/after.folded"
		# Those of equal weight may be in another order.
		diff <(sort "$work/before.text") <(sort "$work/after.text")
	} 2>&1 | head -n 20)"
}

build/tests/gen-capture "$work/example.capture" &&
	build/tests/gen-capture --bundled "$work/bundled.capture" &&
	build/tests/gen-samples "$work/many.capture" 20000 2000 &&
	build/tests/gen-waits "$work/waits.capture" || exit 1
for name in example bundled many waits; do
	same "$name: functions and stacks are those of pprof" "$work/$name.capture"
	comes_back "$name: what was exported comes back" "$work/$name.capture"
done
same 'waits: off-cpu' "$work/waits.capture" off-cpu
result 'labels are there' "$(
	"$cli" export --format pprof -o "$work/out.pb.gz" "$work/example.capture"
	go tool pprof -tags "$work/out.pb.gz" 2>&1 >"$work/tags"
	for label in process:.*busy thread:.*worker cpu:.*1 pid:.*100 tid:.*101; do
		tr -s '\n ' ' ' <"$work/tags" | grep -q "$label" ||
			echo "no $label in: $(cat "$work/tags")"
	done
)"
result 'a profile does not grow with its samples' "$(
	build/tests/gen-samples "$work/more.capture" 400000 2000 || exit
	for name in many more; do
		"$cli" export --format pprof -o "$work/$name.pb.gz" "$work/$name.capture"
		stat -c %s "$work/$name.pb.gz"
	done | {
		read -r small
		read -r large
		[ "$large" -lt $((2 * small)) ] ||
			echo "$small bytes, and $large of 20 times the samples"
	}
)"

go_program()
{
	cat <<'END'
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

var kept [][]byte
var sum int

//go:noinline
func hot(n int) {
	for i := 0; i < n; i++ {
		sum += i % 7
	}
}

//go:noinline
func holds(n int) {
	for i := 0; i < n; i++ {
		kept = append(kept, make([]byte, 1<<20))
	}
}

func main() {
	runtime.MemProfileRate = 1
	cpu, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(cpu)
	for i := 0; i < 300; i++ {
		hot(1000000)
	}
	pprof.StopCPUProfile()
	cpu.Close()
	holds(8)
	heap, _ := os.Create(os.Args[2])
	runtime.GC()
	pprof.WriteHeapProfile(heap)
	heap.Close()
}
END
}

if [ "${PART:-programs}" = programs ]; then
	go_program >"$work/program.go"
	(cd "$work" && GO111MODULE=off go build -o program program.go &&
		./program cpu.pb.gz heap.pb.gz) || exit 1
	for type in cpu:ns live:B; do
		profile=$work/${type%:*}.pb.gz
		[ $type = cpu:ns ] || profile=$work/heap.pb.gz
		result "a Go program's ${profile##*/}: functions and stacks are those of pprof" "$(
			python3 "$work/compare.py" "$cli" "$profile" "$profile" "${type%:*}" \
				"${type#*:}" 2>&1 | head -n 20)"
	done
	result "a Go program: its hot function, and its file" "$(
		"$cli" report "$work/cpu.pb.gz" | grep -q ' [1-9][0-9]*  main\.hot  *program$' ||
			"$cli" report "$work/cpu.pb.gz" 2>&1)"
	result "a Go program: its lines" "$(
		"$cli" report --lines "$work/cpu.pb.gz" | grep -q 'main\.hot (program\.go:1[5-7])' ||
			"$cli" report --lines "$work/cpu.pb.gz" 2>&1)"
	result "a Go program: the metric that its heap has is named" "$(
		"$cli" report "$work/heap.pb.gz" | grep -q 'no CPU time in it; --metric allocated' ||
			"$cli" report "$work/heap.pb.gz" 2>&1)"
fi
finish

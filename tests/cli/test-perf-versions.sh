#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of perf 5.10, 6.1, 6.12 and the newest: each function's self and total are those of the
# newest perf's own report.

set -u

cd "$(dirname "$0")/../.." || exit 1
# Before what follows gives the test a cache of its own, which has none of them.
declare -A perfs
for suite in bullseye bookworm trixie sid; do
	perfs[$suite]=$(tests/bench/newest-perf $suite) || perfs[$suite]=false
done
newest=${perfs[sid]}

# shellcheck source=tests/cli/record.bash
. tests/cli/record.bash

# recorded PERF PROGRAM OPTION...: into $work/data, by a file or by a pipe.
recorded()
{
	local perf=$1 program=$2 to=$work/data

	shift 2
	[[ $* != *pipe* ]] || { to=- && set -- -g; }
	"$perf" record -q -F 499 "$@" -o "$to" -- "$workloads/$program" 0.5 \
		>"$work/out" 2>"$work/perf" ||
		{ cat "$work/perf"; return 1; }
	[ "$to" != - ] || mv "$work/out" "$work/data"
}

# agrees EVENT: our functions and perf's, which rounds to two digits.
agrees()
{
	"$newest" report -i "$work/data" --children --stdio --no-inline -g none -s sym \
		--percent-limit 0 -t '|' -F overhead_children,overhead,sample,sym 2>/dev/null >"$work/theirs" &&
		"$cli" report --json --no-inlines --all --limit 0 "$work/data" >"$work/ours" \
			2>"$work/err" ||
		{ cat "$work/err"; return 1; }
	python3 - "$work/ours" "$work/theirs" "$1" <<'END'
import json, sys

ours = json.load(open(sys.argv[1]))
found = {}
for row in ours["functions"]:
    sums = found.setdefault(row["function"], [0, 0])
    sums[0] += row["self_pct"]
    sums[1] += row["total_pct"]
wanted, samples, is_on = {}, 0, False
for line in open(sys.argv[2]):
    if line.startswith("# Samples:"):
        is_on = sys.argv[3] in line
    if not is_on or not line.strip() or line[0] == "#":
        continue
    total, own, n, name = (part.strip() for part in line.split("|", 3))
    samples += int(n)
    # "[.] name@@VERSION"; of a file that came through a pipe it adds up no totals.
    sums = wanted.setdefault(name[4:].split("@@")[0], [0, 0, total != "N/A"])
    sums[0] += float(own.rstrip("%"))
    sums[1] += float(total.rstrip("%")) if sums[2] else 0
assert ours["samples"] == samples > 100, (ours["samples"], samples)
compared = 0
for name, (own, total, has_total) in wanted.items():
    # Of symbols at one address each program chooses one.
    if name not in found:
        continue
    compared += 1
    assert abs(found[name][0] - own) < 0.02, (name, found[name], own)
    assert not has_total or abs(found[name][1] - total) < 0.02, (name, found[name], total)
assert compared >= 5 and {"burn_fifty", "burn_thirty", "burn_twenty"} <= set(found), (compared, found)
END
}

for suite in bullseye bookworm trixie sid; do
	perf=${perfs[$suite]}
	version=$("$perf" --version)
	for options in -g '--call-graph dwarf' '-g --switch-events' '-g -e page-faults,cpu-clock' \
		pipe '-g -z'; do
		program=shares
		[[ $options != *dwarf* ]] || program=nofp-shares
		# Debian built its 5.10 without zstd.
		[[ $suite$options != bullseye*-z ]] || continue
		# shellcheck disable=SC2086 # these are words
		check "$version record $options" recorded "$perf" $program $options
		check "$version record $options: functions and totals are those of perf report" \
			agrees clock
	done
done

echo "1..$number"
exit $broken

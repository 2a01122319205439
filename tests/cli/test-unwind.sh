#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 20,000 raw stacks of this machine's programs, recorded by perf: ours and libdwfl's frames are the
# same.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
# shellcheck source=tests/bench/stacks.bash
. tests/bench/stacks.bash

bench=$PWD/build/bench/bench-unwind
programs=(gcc git node perl python3 sqlite3 xz)

# holds CONDITION: of what bench-unwind said, as awk's variable v[NAME], the sum of all programs and
# rounds; v[PROGRAM] are its stacks.
holds()
{
	awk '{ v[$1] += $2 } END { exit !('"$1"') }' "$work/counts" ||
		{ awk '{ v[$1] += $2 } END { for (n in v) print n, v[n] }' "$work/counts"; return \
		1; }
}

# As many rounds as it takes: how many stacks there are depends on the machine.
rounds()
{
	local round name

	for round in {1..20}; do
		rm -rf "$work/round"
		mkdir "$work/round"
		record_stacks "$work/round" 4999 10 || { cat "$work"/round/*.err; return 1; }
		for name in "${programs[@]}"; do
			"$bench" --show "$work/round/$name.data" >"$work/said" || return 1
			grep '^#' "$work/said" >>"$work/err"
			grep -v '^#' "$work/said" | tee -a "$work/counts" |
				sed -n "s/^stacks /$name /p" >"$work/stacks"
			cat "$work/stacks" >>"$work/counts"
		done
		! holds 'v["stacks"] >= 20000' >/dev/null || return 0
	done
	return 1
}

[ -x "$bench" ] || { echo "Bail out! $bench is not built; run 'make tests'"; exit 1; }
check 'perf records 20,000 raw stacks, which are unwound' rounds
check 'of every program' holds \
	'v["gcc"] && v["git"] && v["node"] && v["perl"] && v["python3"] && v["sqlite3"] && v["xz"]'
check 'none of them shallow' holds 'v["frames"] >= 8 * v["stacks"]'
# What libdwfl finds no way on from, where ours goes on to the thread's start, is no error, if there
# is a reason; nor is a caller that it misses.
check 'the same frames in 99.5 % of them, or more of them for a reason' holds \
	'v["identical"] + v["longer_taken_back"] + v["longer_by_code"] + v["longer_by_caller"] >= 0.995 * v["stacks"]'
check 'the very same in 99 %' holds 'v["identical"] >= 0.99 * v["stacks"]'
check 'never more of them than is known why' holds 'v["longer"] == 0'
check 'most are whole' holds 'v["end_root"] >= 0.9 * v["stacks"]'
check 'each says why it ends' holds \
	'v["stacks"] == (v["end_root"] + v["end_limit"] + v["end_cut"] + v["end_no_info"] + v["end_bad_memory"] + v["end_unmapped"])'
awk '{ v[$1] += $2 } END { for (name in v) if (name !~ /per_s|tables/) print "# " name, v[name] }' \
	"$work/counts" | sort
echo "1..$number"
exit $broken

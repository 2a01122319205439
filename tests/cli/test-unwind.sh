#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Raw stacks of this machine's programs, recorded by perf: ours and libdwfl's frames are the same.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
# shellcheck source=tests/bench/stacks.bash
. tests/bench/stacks.bash

bench=$PWD/build/bench/bench-unwind

# holds CONDITION: of what bench-unwind said, as awk's variable v[NAME].
holds()
{
	awk '{ v[$1] = $2 } END { exit !('"$1"') }' "$work/counts" || { cat "$work/counts" "$work"/*.err; return 1; }
}

[ -x "$bench" ] || { echo "Bail out! $bench is not built; run 'make tests'"; exit 1; }
check 'perf records raw stacks' record_stacks "$work" 1999 4
check 'all of them are unwound' eval '"$bench" --show "$work"/*.data >"$work/said"'
grep '^#' "$work/said" >"$work/err"
grep -v '^#' "$work/said" >"$work/counts"
check 'there are hundreds' holds 'v["stacks"] >= 400 && v["frames"] >= 5 * v["stacks"]'
# What libdwfl finds no way on from, where ours goes on to the thread's start, is no error, but should be rare.
check 'the same frames in 99.5 % of them' holds 'v["identical"] + v["ours_longer"] >= 0.995 * v["stacks"]'
check 'and seldom more' holds 'v["ours_longer"] <= 0.03 * v["stacks"]'
check 'most are whole' holds 'v["end_root"] >= 0.8 * v["stacks"]'
echo "1..$number"
exit $broken

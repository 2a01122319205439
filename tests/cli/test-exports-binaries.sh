#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Profiles for compilers: llvm-profgen and clang, and llvm-bolt, take what we write of a program.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"
cli=$PWD/build/sysprof-cli
source=$PWD/tests/cli/branches.c
kept=$PWD/tests/gen/version3.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Files of LLVM have a version in their names on Debian.
find_tool()
{
	local version

	for version in '' -14 -15 -16 -17 -18 -19; do
		command -v "$1$version" && return
	done
}

export_to()
{
	local name=$1
	shift
	"$cli" export -o "$name" "$@" branches.capture 2>err || cat err
}

python3 "$kept" samples gone.capture
result 'autofdo: of a program that is not here any more, an error' "$(
	"$cli" export --format autofdo gone.capture 2>&1 >/dev/null |
		grep 'is not here any more' >found || echo "none: $(cat found)")"

if ! command -v clang >/dev/null || ! clang -O2 -g -fdebug-info-for-profiling -Wl,-q -o branches \
	"$source" || ! "$cli" record -o branches.capture -- ./branches 4000 >out 2>err; then
	skip 'profiles for compilers' "clang is not here, or nothing can be recorded: $(cat err)"
	finish
	exit
fi

for format in autofdo fdata; do
	result "$format: one file has to be chosen" "$(
		"$cli" export --format $format branches.capture >out 2>err && echo written
		[ ! -s out ] || echo output
		grep -q -- '--object' err || cat err)"
	result "$format: is written" "$(export_to "branches.$format" --format $format --process \
		branches --object branches
		[ -s "branches.$format" ] || echo nothing)"
done
weight=$("$cli" export --format folded --process branches --object branches branches.capture |
	awk '{ sum += $NF } END { print sum + 0 }')
result 'autofdo: the weight of all samples that ended there' "$(
	awk -F: -v weight="$weight" '{ sum += $2 }
	END { if (sum + 0 != weight + 0 || !sum) print sum, "of", weight }' branches.autofdo)"
result 'autofdo: addresses are those of the program' "$({
		nm -S branches
		# Calls of other libraries have no symbol.
		readelf -SW branches | sed -nE 's/.* (\.plt[^ ]*) +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) .*/\2 \3 t \1/p'
	} >nm
	grep -oE '^[0-9a-f]+-' branches.autofdo | tr -d - | while read -r address; do
		awk -v at=$((0x$address)) 'function number(hex, i, n) {
			for (i = 1; i <= length(hex); i++)
				n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		NF == 4 && number($1) <= at && at < number($1) + number($2) { found = 1 }
		END { exit !found }' nm || echo "$address"
	done)"

profgen=$(find_tool llvm-profgen) profdata=$(find_tool llvm-profdata)
if [ -n "$profgen" ] && [ -n "$profdata" ]; then
	result 'llvm-profgen takes it' "$("$profgen" --binary=branches \
		--unsymbolized-profile=branches.autofdo --use-offset=0 --output=branches.prof \
		>err 2>&1 || cat err)"
	result '... and finds the function' "$("$profdata" show --sample branches.prof >shown 2>&1
		grep -q 'Function: run_code: [1-9]' shown || cat shown)"
	clang -O2 -o without "$source"
	result 'clang takes that' "$(clang -O2 -gline-tables-only -fprofile-sample-use=branches.prof \
		-o with "$source" 2>&1
		[ "$(./with 10)" = "$(./without 10)" ] || echo another result)"
	for name in without with without with without with; do
		/bin/bash -c "TIMEFORMAT=%U; time ./$name 4000" >out 2>>"$name.times"
	done
	ratio=$(paste <(sort -n without.times) <(sort -n with.times) |
		awk 'NR == 1 { printf "%.2f", $2 / $1 }')
	timed result "the program is faster with it: $ratio of the time" "$(
		awk -v ratio="$ratio" 'BEGIN { if (ratio + 0 > 0.95) print ratio }')"
else
	skip 'llvm-profgen' 'llvm-profgen is not here (llvm)'
fi
bolt=$(find_tool llvm-bolt)
if [ -n "$bolt" ]; then
	result 'llvm-bolt takes it' "$("$bolt" branches -o bolted -data branches.fdata \
		-reorder-blocks=ext-tsp -update-debug-sections >out 2>&1 || cat out
		grep -qE ' [1-9][0-9]* out of .* have non-empty execution profile' out || cat out
		[ "$(./bolted 10)" = "$(./branches 10)" ] || echo another result)"
else
	skip 'llvm-bolt' 'llvm-bolt is not here (bolt-16)'
fi
finish

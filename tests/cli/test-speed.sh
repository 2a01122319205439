#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What it costs to open, fold and name a capture, in instructions, which do not depend on what else
# the machine does: between a capture of 20,000 samples and one of 120,000 with the same stacks lies
# what a sample costs, between two of as many samples what a stack costs.  The limits are twice what
# was measured when they were set.

set -u

cd "$(dirname "$0")/../.." || exit 1
cli=${CLI:-$PWD/build/sysprof-cli}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
broken=0

# instructions SAMPLES STACKS
instructions()
{
	build/tests/gen-samples "$work/capture" "$1" "$2" &&
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$cli" report --tree \
		"$work/capture" 2>&1 >"$work/tree" |
		awk '/Collected :/ { print $NF }'
}

# below TEXT NUMBER LIMIT
below()
{
	number=$((number + 1))
	if [ "$2" -gt 0 ] && [ "$2" -lt "$3" ]; then
		echo "ok $number - $1: $2 instructions, below $3"
	else
		echo "not ok $number - $1: $2 instructions, not below $3"
		broken=1
	fi
}

few=$(instructions 20000 10000)
more=$(instructions 120000 10000)
many=$(instructions 120000 60000)
if [ -z "$few" ] || [ -z "$more" ] || [ -z "$many" ]; then
	echo "not ok 1 - valgrind counts instructions"
	echo 1..1
	exit 1
fi
below 'a sample' $(((more - few) / 100000)) 700
below 'a stack' $(((many - more) / 50000)) 2600
echo "1..$number"
exit $broken

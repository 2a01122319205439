#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each test program there is runs somewhere: tests/table and what lies on disk agree.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

listed=$(mktemp)
trap 'rm -f "$listed"' EXIT

# A program that nobody runs: a test by its name which tests/list does not know.
unknown()
{
	tests/list >"$listed"
	sources | grep -E \
		'^tests/(lint|abi|cli)/.*\.sh$|^tests/(viewer|vm)/.*\.test$|^tests/(unit/test|fuzz/fuzz)-.*\.c$' | while read -r file; do
		name=${file#tests/}
		name=${name%.*}
		name=${name/#fuzz\//unit/}
		grep -qE " $name( |\$)" "$listed" || echo "$file is in no list of tests/list"
	done
}

# With a test too many, one too few and one twice, it must say so.
seen()
(
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/tests/vm" "$work/tests/unit"
	cp tests/list "$work/tests"
	cp Makefile "$work"
	printf '%s\n' 'check 1 beside vm/10-there' 'check 1 beside vm/10-there' \
		'check 1 beside vm/20-gone' 'check-all 1 beside vm/10-there' \
		'hand - - no-such-target # why' >"$work/tests/table"
	touch "$work/tests/vm/10-there.test" "$work/tests/vm/30-new.test"
	said=$("$work/tests/list" --faults)
	for words in 'vm/10-there: twice in check' 'vm/20-gone: there is no such test' \
		'vm/30-new: no line' \
		'vm/10-there: why it is not in check is not said' \
		'no-such-target: there is no such target'; do
		grep -q "^$words" <<<"$said" || printf '%s\n' \
			"tests/list does not say '$words' but" "$said"
	done
)

result "tests/table and the tests agree" "$(tests/list --faults)"
result "each test is in a list" "$(unknown)"
result "what is wrong with a table is seen" "$(seen)"
finish

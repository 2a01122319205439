#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tap.bash's cached() remembers: a pass, as long as the files, the programs and the test are
# the same, and never a failure.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stamps=$work/passed
mkdir "$work/bin"
PATH=$work/bin:$PATH
printf '#!/bin/sh\necho "tool 1"\n' >"$work/bin/a-tool"
chmod +x "$work/bin/a-tool"
echo good >"$work/one"
echo good >"$work/two"

# Says what is bad, and that it has looked.
look()
{
	echo looked >>"$work/looks"
	grep -l bad "$work/one" "$work/two"
}

# looks_for SUM: looks once more by cached(), what it prints going to a file; says whether it
# looked as often as SUM, in all.
looks_for()
{
	(number=0 cached "no bad word" a-tool "$work/one
$work/two" look) >"$work/said"
	[ "$(wc -l <"$work/looks")" = "$1" ] || echo "looked $(wc -l \
		<"$work/looks") times and not $1"
}

result "what was never looked at is looked at" "$(looks_for 1)"
result "what has passed is not looked at again" "$(looks_for 1)"
result "... and counts as passed" "$(grep -qx 'ok 1 - no bad word' "$work/said" ||
	cat "$work/said")"
echo bad >"$work/two"
result "another content is looked at" "$(looks_for 2)"
result "... and fails" "$(grep -q '^not ok 1' "$work/said" || cat "$work/said")"
result "what has failed is looked at again" "$(looks_for 3)"
result "... and fails again" "$(grep -q '^not ok 1' "$work/said" || cat "$work/said")"
echo good >"$work/two"
result "the content that has passed is known again" "$(looks_for 3)"
printf '#!/bin/sh\necho "tool 2"\n' >"$work/bin/a-tool"
result "another version of the tool looks again" "$(looks_for 4)"
eval "$(declare -f look | sed 's/bad/worse/')"
result "another test looks again" "$(looks_for 5)"
finish

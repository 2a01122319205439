#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How processes were called is in a recording, wherever that goes, but for who is to know nothing of
# it.  With perf events, on this very machine.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

spin='i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'

record()
{
	timeout 100 "$cli" record --source perf -o "$1" "${@:2}" -- sh -c \
		"sh -c '$spin' telltale 'two words' ''; exec sh -c '$spin' afterwards" 2>"$work/err"
}

# lines FILE: the command lines it has of shells.
lines()
{
	"$cli" info --json "$1" | python3 -c '
import json, sys
for row in json.load(sys.stdin)["command_lines"]:
    if row["process"] == "sh":
        print(row["command_line"])'
}

# Quoted as the shell wants it, so that it differs from two arguments more.
# What a file holds is compressed; none of it, nor of what is reported of it, is an argument.
tells_name_alone()
{
	"$cli" info --json "$1" >"$work/told" && grep -q '"command": *"sh"' "$work/told" &&
		! grep -qE 'telltale|afterwards|two words' "$work/told"
}

has_both()
{
	[ "$(lines "$1" | grep -cF " telltale 'two words' ''")" -ge 1 ] && [ "$(lines "$1" |
		grep -c ' afterwards$')" -ge 1 ]
}

has_none()
{
	[ -z "$("$cli" info --json "$1" | python3 -c 'import json, sys
print(*json.load(sys.stdin)["command_lines"])')" ]
}

is_twice()
{
	[ "$(lines "$1" | grep -c " telltale 'two words' ''$")" = 2 ]
}

check 'recorded' record "$work/a.capture"
check 'an image and the one after it have each its own' has_both "$work/a.capture"
check 'recorded, the last seconds alone' record "$work/b.capture" --last 60
check '... have them, too' has_both "$work/b.capture"
check 'joined' "$cli" merge "$work/a.capture" "$work/b.capture" -o "$work/both.capture"
check '... each has its own' is_twice "$work/both.capture"
cp "$(type -P true)" "$work/we ird;na\$me"
check 'a name with a blank: recorded' timeout 100 "$cli" record --source perf \
	-o "$work/odd.capture" -- "$work/we ird;na\$me"
# shellcheck disable=SC2016
check '... is whole in a report' sh -c '"$0" report "$1" | head -n 1 | grep -qF "we ird;na\$me"' "$cli" \
	"$work/odd.capture"
check 'bundled' "$cli" bundle "$work/a.capture" -o "$work/bundled.capture"
check '... has them' has_both "$work/bundled.capture"
check 'for sharing' "$cli" bundle --anonymize "$work/a.capture" -o "$work/shared.capture"
check '... has none' has_none "$work/shared.capture"
check 'recorded without' record "$work/none.capture" --no-command-lines
check '... has none' has_none "$work/none.capture"
check '... nor the arguments of the command that was run' tells_name_alone "$work/none.capture"
echo "1..$number"
exit $broken

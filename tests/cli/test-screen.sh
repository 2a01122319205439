#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures nothing.
#
# What is printed on a terminal: one screen, colours, a pager; in a pipe none of it.  And what a
# word with a slip of the finger might have meant.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cli=$PWD/build/sysprof-cli
escape=$'\e['
unset NO_COLOR LESS
build/tests/gen-big "$work/big.capture" 3000 || exit 1
build/tests/gen-capture "$work/small.capture" || exit 1
build/tests/gen-names "$work/names.capture" || exit 1
build/tests/gen-names "$work/long.capture" long || exit 1
head -c 1500 "$work/small.capture" >"$work/damaged.capture"

# on_screen COMMAND...: as on a terminal of 80 columns and 24 rows, without a pager.
on_screen()
{
	python3 tests/cli/screen.py 80x24 -- env PAGER=cat "$@"
}

on_screen "$cli" report "$work/big.capture" >"$work/screen"
"$cli" report "$work/big.capture" >"$work/piped"
sed 's/\x1b\[[0-9;]*m//g' "$work/screen" >"$work/plain"
result "a report fits the screen, and no line is longer" "$(
	[ "$(wc -l <"$work/plain")" -lt 24 ] || wc -l "$work/plain"
	grep -E '.{81}' "$work/plain")"
left=$(($(wc -l <"$work/piped") - $(wc -l <"$work/plain") + 1))
result "... and says how many rows are left, and how to see them" "$(
	grep -qx "\.\.\. $(printf "%'d" $left | sed 's/^\(.\)\(...\)$/\1,\2/') more: --limit 0" \
		"$work/plain" || tail -n 2 "$work/plain" | cat - <(echo "left: $left"))"
for command in "report --tree --min 0 $work/big.capture" \
	"diff --min 0 $work/big.capture $work/small.capture"; do
	# shellcheck disable=SC2086
	result "${command%% -*} fits, too, and says how much is left" "$(
		on_screen "$cli" $command | sed 's/\x1b\[[0-9;]*m//g' >"$work/plain"
		[ "$(wc -l <"$work/plain")" -lt 24 ] || wc -l "$work/plain"
		LC_ALL=C.UTF-8 grep -E '.{81}' "$work/plain"
		left=$(($("$cli" $command | wc -l) - $(wc -l <"$work/plain") + 1))
		tail -n 1 "$work/plain" | tr -d , | grep -qx "\.\.\. $left more: --limit 0" ||
			{ tail -n 2 "$work/plain"; echo "left: $left"; })"
done
result "--limit 0 shows all" "$(
	on_screen "$cli" report --limit 0 "$work/big.capture" >"$work/all"
	[ "$(wc -l <"$work/all")" = "$(wc -l <"$work/piped")" ] || wc -l "$work/all" "$work/piped")"
result "a terminal has colours" "$(grep -qF "$escape" "$work/screen" || head -n 5 "$work/screen")"
result "a pipe has none, and all rows" "$(
	grep -F "$escape" "$work/piped"; grep 'more: --limit' "$work/piped")"
result "info has colours, too, and says what was lost in one" "$(
	on_screen "$cli" info "$work/small.capture" >"$work/info"
	grep -qF "lost               ${escape}1;31m" "$work/info" || head -n 5 "$work/info")"
result "NO_COLOR leaves them out" "$(on_screen env NO_COLOR=1 "$cli" report "$work/small.capture" |
	grep -F "$escape")"
result "--color=never does, too" "$(on_screen "$cli" report --color=never "$work/small.capture" |
	grep -F "$escape")"
result "--color=always has them in a pipe, and leaves the text as it is" "$(
	"$cli" report --color=always "$work/small.capture" >"$work/colours"
	grep -qF "$escape" "$work/colours" || cat "$work/colours"
	diff <(sed 's/\x1b\[[0-9;]*m//g' "$work/colours") <("$cli" report "$work/small.capture"))"
result "--color=red is refused" "$("$cli" report --color=red "$work/small.capture" 2>&1 |
	grep -v 'takes auto, always or never')"

# A pager that shows that it was there.
paged()
{
	python3 tests/cli/screen.py 80x24 -- env PAGER='sed s/^/paged:/' "$@"
}
for command in "report $work/small.capture" "info $work/small.capture" \
	"annotate $work/small.capture work" "diff --min 0 $work/small.capture $work/small.capture"; do
	# shellcheck disable=SC2086
	result "${command%% *} goes through the pager" "$(
		paged "$cli" $command >"$work/paged"
		grep -q ^paged: "$work/paged" || head -n 5 "$work/paged"
		paged "$cli" $command --no-pager | grep ^paged:
		PAGER='sed s/^/paged:/' "$cli" $command | grep ^paged:)"
done
result "JSON does not" "$(paged "$cli" report --json "$work/small.capture" | grep ^paged:)"
result "a pager that ends early is no error" "$(
	python3 tests/cli/screen.py 80x24 -- env PAGER='head -n 1' "$cli" report --limit 0 \
		"$work/big.capture" >"$work/short" || echo "status $?"
	[ "$(wc -l <"$work/short")" = 1 ] || head -n 3 "$work/short")"
result "a pager that is not there is done without" "$(
	python3 tests/cli/screen.py 80x24 -- env PAGER=/nowhere/less "$cli" report \
		"$work/small.capture" | grep -q Function || echo "no report")"

recording=big.capture
# The tree on the whole screen: what the last picture shows, cut at where each one begins.
walk()
{
	local options=()

	[ "${1:-}" != --by ] || { options=("$1" "$2"); shift 2; }
	python3 tests/cli/screen.py 80x12 "$@" q -- "$cli" report --tui "${options[@]}" \
		"$work/$recording" |
		python3 -c '
import re, sys
pictures = sys.stdin.read().split("\x1b[H")
print(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", pictures[-1]).replace("\r", ""))'
}
walk >"$work/tree"
result "--tui shows the tree, opened where it is heaviest" "$(
	grep -qE '^ 100.00 +0.00 +- big ' "$work/tree" &&
		grep -qE '^ 100.00 +0.00 +- main ' "$work/tree" || cat "$work/tree")"
result "... in lines and columns as the screen has" "$(
	[ "$(wc -l <"$work/tree")" -le 13 ] || wc -l "$work/tree"; grep -E '.{81}' "$work/tree")"
result "a closed process hides what is below it" "$(
	walk '\r' >"$work/closed"; grep -q ' + big ' "$work/closed" || cat "$work/closed"
	grep ' main ' "$work/closed")"
result "arrow keys open it again" "$(
	walk '\r' '\x1b[C' '\x1b[B' >"$work/opened"
	grep -q ' - main ' "$work/opened" || cat "$work/opened")"
result "/ finds a function wherever it is" "$(
	walk /heaviest '\r' >"$work/found"
	grep -q heaviest "$work/found" || cat "$work/found")"
walk /main '\r' z >"$work/zoomed"
result "z shows what a function calls, u everything again" "$(
	grep -q '^below main: 100.00 % of all$' "$work/zoomed" || cat "$work/zoomed"
	grep ' main ' "$work/zoomed"
	walk /main '\r' z u >"$work/back"
	grep -q ' - main ' "$work/back" || cat "$work/back")"
walk f HEAViest '\r' >"$work/only"
result "f keeps stacks with a text, and u takes it away" "$(
	grep -qE '^only stacks with "heaviest": [0-9.]+ % of all$' "$work/only" || cat "$work/only"
	grep -q ' heaviest' "$work/only" || cat "$work/only"
	grep -vE '^ *100\.00 |^$|^only |samples of|^Total|Enter open' "$work/only"
	walk f heaviest '\r' u | grep 'only stacks')"
result "f with a text that no stack has shows that it is nothing" "$(
	walk f 'no such name' '\r' >"$work/none"
	grep -q '^only stacks with "no such name": 0.00 % of all$' "$work/none" || cat "$work/none")"
walk b thr '\r' >"$work/threads"
result "b puts the tree below groups, and shows those that fit what is typed" "$(
	python3 tests/cli/screen.py 80x12 b thr '\r' q -- "$cli" report --tui \
		"$work/big.capture" >"$work/choices"
	grep -qF 'by: thr   [thread]' "$work/choices" || tail -n 2 "$work/choices"
	grep -q '^by thread: 100.00 % of all$' "$work/threads" || cat "$work/threads"
	grep -qE '^ +[0-9.]+ +0.00 +[-+] big ?\([0-9]+\)' "$work/threads" || cat "$work/threads"
	walk b nowhere '\r' | grep '^by ')"
result "--tui --by begins there" "$(
	walk --by cpu >"$work/cpus"
	grep -q '^by cpu: 100.00 % of all$' "$work/cpus" || cat "$work/cpus"
	grep -q ' CPU [0-9]' "$work/cpus" || cat "$work/cpus")"
build/tests/gen-waits "$work/waits.capture" >/dev/null
recording=waits.capture
walk m off-cpu '\r' >"$work/metric"
result "m shows another metric, and b its groupings" "$(
	grep -q 'metric off-cpu: ' "$work/metric" || cat "$work/metric"
	walk m off-cpu '\r' b state '\r' >"$work/states"
	grep -q '^by state: 100.00 % of all$' "$work/states" || cat "$work/states"
	walk m off-cpu '\r' b state '\r' m cpu '\r' >"$work/cpu"
	grep '^by ' "$work/cpu")"
"$cli" record --source perf -o "$work/command.capture" -- \
	sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done' 2>/dev/null
recording=command.capture
result "whose samples they are is in its head" "$(
	walk >"$work/command"
	grep -qE '^ *[0-9,]+ samples of sh in ' "$work/command" || cat "$work/command")"
recording=big.capture
result "a annotates a function, and Enter goes back to the tree" "$(
	python3 tests/cli/screen.py 80x24 /main '\r' a '\n' q -- env PAGER='sed s/^/paged:/' \
		"$cli" report --tui "$work/big.capture" >"$work/annotated"
	grep -q 'paged:.*main.*: self .*, total 100.00 %' "$work/annotated" ||
		grep paged: "$work/annotated"
	sed '1,/Enter: back to the tree/d' "$work/annotated" | grep -q ' - main ' ||
		echo "no tree behind it")"
result "... and says what takes its time" "$(
	grep -q 'Reading the source and the instructions of main' "$work/annotated" || echo no)"
result "a narrow terminal still shows every key" "$(
	python3 tests/cli/screen.py 40x12 q -- "$cli" report --tui "$work/big.capture" \
		>"$work/narrow"
	grep -qF 'Enter / n z u f a b m  q quit' "$work/narrow" || tail -n 2 "$work/narrow")"
result "the terminal is given back" "$(
	python3 tests/cli/screen.py 80x12 q -- "$cli" report --tui "$work/big.capture" |
		tail -c 8 | grep -q '1049l' || echo no)"
result "without a terminal it says what to do" "$(
	"$cli" report --tui "$work/big.capture" 2>&1 | grep -v -- '--tree prints the same')"

if "$cli" top --source perf --count 1 --interval 100ms >"$work/page" 2>&1; then
	result "q ends top, and the terminal is given back" "$(
		python3 tests/cli/screen.py 80x12 q -- "$cli" top --source perf \
			--interval 300ms >"$work/top" || echo "status $?"
		grep -q 'CPUs busy' "$work/top" && tail -c 8 "$work/top" | grep -q 1049l ||
			tail -c 500 "$work/top")"
	# What the last of its pictures shows, with these options, after these keys.
	walk_top()
	{
		local options=$1

		shift
		# shellcheck disable=SC2086
		python3 tests/cli/screen.py 80x12 "$@" q -- "$cli" top --source perf --interval 300ms \
			$options | python3 -c '
import re, sys
pictures = sys.stdin.read().split("\x1b[H")
print(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", pictures[-1]).replace("\r", ""))'
	}
	build/workloads/shares 600 >"$work/shares" & busy=$!
	walk_top "-p $busy" >"$work/pages"
	result "top lists functions, closed" "$(
		grep -qE '^ +[0-9.]+ +[0-9.]+  \+ [^ ]' "$work/pages" || cat "$work/pages"
		grep -E '.{81}' "$work/pages")"
	result "Enter opens one: who called it; it stays open on later pages" "$(
		walk_top "-p $busy" '\r' '\x1b[A' >"$work/pages"
		sed -n 3p "$work/pages" | grep -qE '^ +[0-9.]+ +[0-9.]+  - ' &&
			sed -n 4p "$work/pages" | grep -qE '^ +[0-9.]+ {12}[+ ] [^ ]' || cat "$work/pages")"
	result "--processes opens to the tree of calls" "$(
		walk_top "-p $busy --processes" '\x1b[C' >"$work/pages"
		sed -n 3p "$work/pages" | grep -qE '^ 100\.00  - shares' &&
			sed -n 4p "$work/pages" | grep -qE '^ +[0-9.]+   [+ ] [^ ]' || cat "$work/pages")"
	result "--total opens to what it called" "$(
		walk_top "-p $busy --total" '\x1b[C' >"$work/pages"
		sed -n 3p "$work/pages" | grep -qE '^ +[0-9.]+ +[0-9.]+  - ' &&
			sed -n 4p "$work/pages" | grep -qE '^ +[0-9.]+ +[0-9.]+   [+ ] [^ ]' || cat "$work/pages")"
	result "b shows groups, which open to the tree of calls" "$(
		walk_top "-p $busy" b thread '\r' '\r' >"$work/pages"
		sed -n 2,3p "$work/pages" | grep -qE '^ 100\.00  - shares \([0-9]+\)' || cat "$work/pages"
		walk_top "-p $busy --by cpu" >"$work/pages"
		grep -qE '^ +[0-9.]+  \+ CPU [0-9]' "$work/pages" || cat "$work/pages"
		walk_top "-p $busy --by cpu" b function '\r' >"$work/pages"
		grep -q '^ Self %' "$work/pages" || cat "$work/pages")"
	result "p holds the page" "$(
		walk_top "-p $busy" p '\x1b[B' '\x1b[B' >"$work/pages"
		grep -q 'go on (held)' "$work/pages" || cat "$work/pages")"
	result "/ finds a function" "$(
		walk_top "-p $busy --processes" '\r' /burn_thirty '\r' >"$work/pages"
		grep -q ' burn_thirty ' "$work/pages" || cat "$work/pages")"
	kill $busy
else
	skip "q ends top" "$(cat "$work/page")"
fi

# In short, for scripts and people.
for capture in names long damaged big small; do
	"$cli" report --summary "$work/$capture.capture" >"$work/summary" 2>"$work/err"
	"$cli" report --summary --json "$work/$capture.capture" >"$work/summary.json" 2>"$work/err"
	result "the summary of the $capture one is at most 2 KiB, as JSON, too" "$(
		[ "$(wc -c <"$work/summary")" -le 2048 ] || cat "$work/summary"
		[ "$(wc -c <"$work/summary.json")" -le 2048 ] || wc -c "$work/summary.json")"
done
for capture in names long big small; do
	"$cli" report --summary "$work/$capture.capture" | sed -n 's/^Next: sysprof-cli //p' |
		grep -v ^annotate >"$work/next"
	result "the next commands of the $capture one work" "$(while read -r command; do
		eval "$cli $command" >"$work/out" 2>&1 || { echo "$command"; cat "$work/out"; }
	done <"$work/next")"
done
result "its functions are those of the report" "$(python3 - "$work/summary.json" \
	<("$cli" report --json --limit 5 "$work/small.capture") <<'END'
import json, sys
summary, report = (json.load(open(name)) for name in sys.argv[1:])
names = [[function["function"] for function in part if function["self_pct"] > 0]
         for part in (summary["top"], report["functions"])]
if names[0] != names[1] or not summary["next"] or not summary["verdict"]:
    print(names, summary)
END
)"

result "diff --fail-above lets pass what did not grow" "$("$cli" diff --fail-above 5% \
	"$work/small.capture" "$work/small.capture" 2>&1 >/dev/null || echo "status $?")"
result "... and else ends with 3, and says what grew" "$(
	seen=$("$cli" diff --fail-above 5% "$work/big.capture" "$work/small.capture" 2>&1 >/dev/null)
	[ $? = 3 ] && grep -q 'points more than before' <<<"$seen" || echo "$? $seen")"
result "... and refuses what is no number" "$("$cli" diff --fail-above much "$work/small.capture" \
	"$work/small.capture" 2>&1 | grep -v 'takes percentage points such as')"

# said WORDS COMMAND...: on stderr.
said()
{
	local words=$1 seen

	shift
	seen=$("$@" 2>&1 >/dev/null)
	grep -qF -- "$words" <<<"$seen" || echo "$seen"
}
# Words of help, without how they are broken into lines.
words_of_help()
{
	"$@" report --help | tr -d '\r' | tr -s ' \n' '\n\n' | sed '/^$/d'
}
result "help fits a screen of 80 columns, and has the same words as in a pipe" "$(
	on_screen "$cli" report --help | tr -d '\r' | LC_ALL=C.UTF-8 grep -E '.{81}'
	diff <(words_of_help on_screen "$cli") <(words_of_help "$cli")
	"$cli" report --help | grep -q '^  --by=KIND .*context' || echo "wrapped in a pipe")"
result "a command: did you mean" "$(said 'did you mean "report"?' "$cli" rport)"
result "an option: did you mean" "$(said 'did you mean --json?' "$cli" report --jsno)"
result "... but not one that is far away" "$(
	"$cli" report --zzzzzzz 2>&1 | grep 'did you mean')"
result "a function: did you mean" "$(said 'did you mean "heaviest"?' "$cli" report \
	--callers heaviset "$work/big.capture")"
result "a process: did you mean" "$(said 'did you mean "big"?' "$cli" report --process bgi \
	"$work/big.capture")"
# A sleep's time has hardly any of the states that come first in the table.
"$cli" record --source perf --waits --only-command -o "$work/asleep.capture" -- sleep 1 2>"$work/err" || cat "$work/err"
result 'a narrow table of states has the largest one' "$(
	python3 tests/cli/screen.py 60x24 -- env PAGER=cat "$cli" report --metric wall --by thread \
		"$work/asleep.capture" >"$work/out"
	grep -qE 'Wall +.*(Sleeping|Other|Not known)' "$work/out" || cat "$work/out")"
finish

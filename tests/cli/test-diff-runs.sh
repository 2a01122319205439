#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# diff --runs: several recordings of each side, from the command line to text and JSON.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"
cli=$PWD/build/sysprof-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# stacks FILE SAMPLES-OF-F SAMPLES-OF-G
stacks()
{
	yes 'p;main;f 1' | head -n "$2"
	yes 'p;main;g 1' | head -n "$3"
} >"$1"

for n in 1 2 3 4 5; do
	stacks "before$n" $((300 + n)) 700
	stacks "same$n" $((302 - n)) 700
	stacks "slower$n" $((430 + n)) 700
done
before=before1,before2,before3,before4,before5

result 'nothing has changed' "$("$cli" diff --runs $before same1,same2,same3,same4,same5 >out 2>&1 ||
	echo failed
	grep -q '^0 of 3 functions changed' out || cat out)"
result 'a function that takes more is found' "$(
	"$cli" diff --runs $before slower1,slower2,slower3,slower4,slower5 >out 2>&1 || echo failed
	grep -qE '^ +\+8\.[0-9]+ +[0-9.]+ +30\.[0-9]+ +38\.[0-9]+  f  ' out || cat out)"
result 'JSON says the same' "$(
	"$cli" diff --runs --json $before slower1,slower2,slower3,slower4,slower5 >out 2>&1
	python3 - <<'END' 2>&1
import json
found = json.load(open('out'))
assert len(found['a']) == 5 and found['unit'] == 'percent', found
rows = {row['function']: row for row in found['functions']}
f, main = rows['f']['self'], rows['main']['total']
assert f['is_sure'] and abs(f['a'] - 100 * 303 / 1003) < 0.1 and abs(f['change'] - 8.0) < 0.2, f
assert f['margin'] < f['change'] and not main['is_sure'] and main['a'] == 100, (f, main)
END
)"
result 'call paths' "$(
	"$cli" diff --runs --path --json $before slower1,slower2,slower3,slower4,slower5 >out 2>&1
	grep -q '"path": *\[' out && tr -d ' \n' <out | grep -q '"path":\["p","main","f"\]' || cat out)"
result 'one run of each is compared by its samples' "$("$cli" diff --runs before1 slower1 >out 2>&1
	grep -q 'a single run' out && grep -q ' f  ' out || cat out)"
build_tests=$OLDPWD/build/tests
# timed FILE F: ten seconds of samples as perf script prints them, F of 100 in f.
timed()
{
	awk -v f="$2" 'BEGIN { for (i = 0; i < 5000; i++) {
		printf "p 10/10 [000] %d.%09d: 1000000 cpu-clock:\n", 100 + i / 500, i % 500 * 2e6
		name = (i * 37) % 100 < f ? "f" : "g"
		printf "\t401000 %s (/usr/bin/p)\n\t402000 main (/usr/bin/p)\n\n", name } }' >"$1"
}
timed even.txt 30
timed odd.txt 30
timed more.txt 33
result 'parts of a recording: nothing has changed' "$(
	"$cli" diff --split 10 even.txt odd.txt >out 2>&1 || echo failed
	grep -q '^0 of 3 functions changed' out && grep -q '^A: 10 parts of even.txt' out || cat out)"
result 'parts of a recording: a function that takes more is found' "$(
	"$cli" diff --split 10 --json even.txt more.txt >out 2>&1 || echo failed
	python3 - <<'END' 2>&1
import json
rows = {row['function']: row['self'] for row in json.load(open('out'))['functions']}
assert rows['f']['is_sure'] and abs(rows['f']['change'] - 3) < 0.2, rows
END
)"
result 'too many parts are refused' "$("$cli" diff --split 65 even.txt odd.txt >out 2>&1
	[ $? -eq 2 ] && grep -q -- '--split takes' out || cat out)"
result 'parts without samples are refused' "$("$cli" diff --split 10 even.txt --time 0..0.005 more.txt \
	>out 2>&1
	[ $? -eq 1 ] && grep -q 'split it into fewer' out || cat out)"
result 'a wrong condition is bad usage' "$("$cli" diff --runs --time 9..1 even.txt odd.txt >out 2>&1
	[ $? -eq 2 ] || cat out)"
result 'events that recordings declare' "$("$build_tests/gen-declared" declared.capture 2>&1 &&
	"$cli" diff --runs --json --metric request.duration declared.capture,declared.capture \
		declared.capture >out 2>&1
	grep -q '"function": *"serve"' out || cat out)"
result 'a file that is missing is named' "$("$cli" diff --runs before1,nothing same1 >out 2>&1 &&
	echo succeeded
	grep -q nothing out || cat out)"
result 'without recordings it says how' "$("$cli" diff --runs >out 2>&1 && echo succeeded
	grep -q -- '--runs' out || cat out)"
if "$cli" record -o one.capture -- sort -R "$cli" >/dev/null 2>&1 &&
	"$cli" record -o two.capture -- sort -R "$cli" >/dev/null 2>&1; then
	result 'of a command the time of a run is compared' "$(
		"$cli" diff --runs one.capture two.capture >out 2>&1
		grep -q 'CPU Time of a run: ' out || cat out)"
else
	skip 'of a command the time of a run is compared' 'nothing can be recorded here'
fi
finish

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/run itself, on tests made for it: what it counts, shows, repeats, leaves out and refuses.  A
# runner that overlooked a failure would let everything pass.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TESTS LOGS LIMIT UNTIL ROTATE AGAIN SYSPROF_VM
mkdir -p "$work/tests"/{lint,cli,unit}
cp tests/run tests/list "$work/tests"

# made NAME: a test of that name, a script on stdin.
made()
{
	{ echo '#!/bin/sh'; cat; } >"$work/tests/$1.sh"
	chmod +x "$work/tests/$1.sh"
}

made lint/good <<<'echo "ok 1 - fine"; echo "ok 2 - no tool # SKIP none"; echo 1..2'
made lint/good-too <<<'echo "ok 1 - not asked for"; echo 1..1'
made lint/bad <<<'echo "ok 1 - fine"; echo "not ok 2 - what is wrong"; echo 1..2; exit 1'
made lint/short <<<'echo "ok 1 - fine"; echo 1..2'
made lint/planless <<<'echo "ok 1 - fine"'
made lint/dead <<<'echo "ok 1 - fine"; echo 1..1; exit 3'
made lint/slow <<<'echo "ok 1 - fine"; echo 1..1; sleep 60'
made lint/said <<<'[ "$WORD" = table ] || [ "$WORD" = caller ] && echo "ok 1 - $WORD"; echo 1..1'
# once NAME: a test that fails at its first run alone, with what standard input says.
once()
{
	made "$1" <<END
if [ -e "$work/ran-${1##*/}" ]; then echo "ok 1 - now"; echo 1..1; exit; fi
touch "$work/ran-${1##*/}"
$(cat)
END
}
once cli/chance <<<'echo "ok 1 - fine # timed"; echo "not ok 2 - a share # timed"; echo 1..2; exit 1'
once cli/once <<<'echo "not ok 1 - what is no matter of time"; echo 1..1; exit 1'
once cli/both <<<'echo "not ok 1 - a share # timed"; echo "not ok 2 - all of it"; echo 1..2; exit 1'
once cli/warned <<<'printf "# WARNING: CPU: 0\n# Call Trace:\nnot ok 1 - a share # timed\n1..1\n"; exit 1'
once cli/emulated <<<'printf "# emulator: Call Trace:\nnot ok 1 - a share # timed\n1..1\n"; exit 1'
once cli/ends <<<'echo "not ok 1 - a share # timed"; exit 1'
# Each says when it begins and ends.
for name in one two three four five; do
	made cli/$name \
		<<<"echo begin >>$work/order; sleep 0.5; echo end >>$work/order; echo 'ok 1 - through'; echo 1..1"
done
cat >"$work/tests/table" <<'END'
check 1 beside lint/*
check 1 beside lint/good
check 1 beside lint/said WORD=table
check 1 beside cli/one
check 1 beside cli/two
check 1 alone cli/three
check 1 in-turn cli/four
check 1 in-turn cli/five
check 1 beside cli/chance
check 1 beside cli/wrong
check 1 beside cli/once
check 1 beside cli/both
check 1 beside cli/warned
check 1 beside cli/emulated
check 1 beside cli/ends
check-all 1 beside lint/good LONG=1 # longer
check-all 100 beside lint/said LONG=1 # longer
check-all 2 beside cli/one LONG=1 # longer
END

# run EXPECTED-LAST-LINE EXPECTED-STATUS WHERE...: what tests/run says in the end; all of it is in
# $work/all.
run()
{
	local want=$1 status=$2 seen=0

	shift 2
	"$work/tests/run" "$@" >"$work/all" 2>&1 || seen=$?
	[ "$(tail -n 1 "$work/all")" = "$want" ] && [ $seen = "$status" ] ||
		{ echo "status $seen, and not $status and '$want':"; cat "$work/all"; }
}

# all REGEX...: each is in what was said.
all()
{
	local regex

	for regex; do
		grep -qE -- "$regex" "$work/all" ||
			{ echo "nothing like '$regex' in:"; cat "$work/all"; }
	done
}

export TESTS
TESTS=lint/good
result "what passed and what was skipped is counted" "$(run '1 passed, 0 failed, 1 skipped' 0 \
	check)"
result "... with the seconds it took" "$(all '^lint/good +[0-9.]+ s  1 passed, 1 skipped$')"
result "... and CPU time" "$(grep -qE '^[0-9.]+ [0-9.]+ lint/good$' "$work/build/check/times" ||
	cat "$work/build/check/times")"
TESTS=lint/bad
result "a failure is one" "$(run '1 passed, 1 failed, 0 skipped' 1 check)"
result "... and is shown" "$(all 'not ok 2 - what is wrong')"
made lint/crash <<'END'
printf '==7==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 in guilty\n'
echo 'Shadow bytes around the buggy address:'
seq 100 | sed 's/^/  0x/'
printf '==7==ABORTING\nThe input: a file\n'
exit 1
END
TESTS=lint/crash
result "of a sanitizer's report the beginning is shown" "$(run '0 passed, 1 failed, 0 skipped' 1 \
	check; all 'ERROR: AddressSanitizer: heap-buffer' '#0 in guilty' 'The input: a file'
	! grep -n 0x99 "$work/all")"
for name in short planless dead; do
	TESTS=lint/$name
	result "$name: a failure" "$(run '1 passed, 1 failed, 0 skipped' 1 lint)"
done
TESTS=lint/slow
result "the time limit is a failure" "$(LIMIT=1 run '1 passed, 1 failed, 0 skipped' 1 check)"
TESTS=lint/said
result "a setting comes from the table" "$(run '1 passed, 0 failed, 0 skipped' 0 check; grep -q \
	'ok 1 - table' "$work"/build/check/lint-said*.log || echo not set)"
result "... unless the caller has set it" "$(WORD=caller run '1 passed, 0 failed, 0 skipped' 0 \
	check; grep -q 'ok 1 - caller' "$work"/build/check/lint-said*.log || echo lost)"
TESTS=chance
result "what fails by times alone is repeated" "$(run '1 passed, 0 failed, 0 skipped' 0 check)"
result "... and both runs are shown" "$(all '1 of 2 missed; once more in the end' \
	'missed 2 - a share # timed' 'passed when repeated only: cli/chance')"
for name in once both warned ends; do
	TESTS=cli/$name
	result "$name: wrong once is wrong" "$(run "0 passed, $([ $name = once ] || [ $name = warned ] &&
		echo 1 || echo 2) failed, 0 skipped" 1 check; ! grep 'once more' "$work/all")"
done
rm "$work"/ran-*
TESTS="chance emulated once both warned ends"
result "with AGAIN=all everything is repeated" "$(AGAIN=all run '6 passed, 0 failed, 0 skipped' 0 \
	check)"
result "... and what is wrong once is named, before the last line" "$(diff <(tail -n 5 "$work/all" |
	head -n 4 | sort) - <<'END'
WRONG ONCE: cli/both, all of it
WRONG ONCE: cli/ends, no plan
WRONG ONCE: cli/once, what is no matter of time
WRONG ONCE: cli/warned, WARNING: CPU: 0
END
)"
made cli/wrong <<<'echo "not ok 1 - a share, always # timed"; echo 1..1; exit 1'
TESTS="cli/wrong cli/four"
result "what fails by times three times has failed" "$(run '1 passed, 1 failed, 0 skipped' 1 check
	all '1 of 1 missed a second time' '0 passed, 1 FAILED')"
result "... after all others" "$(sed -n '/^cli/p' "$work/all" | tail -n 1 |
	grep '^cli/wrong.*FAILED' >/dev/null || cat "$work/all")"
rm "$work/order"
TESTS="cli/one cli/two cli/three"
result "two run beside each other" "$(run '3 passed, 0 failed, 0 skipped' 0 check)"
result "... and what measures alone" "$([ "$(tr '\n' ' ' <"$work/order")" = \
	'begin begin end end begin end ' ] || cat "$work/order")"
rm "$work/order"
TESTS="cli/four cli/five"
result "what shares a machine runs in turn" "$(run '2 passed, 0 failed, 0 skipped' 0 check; [ "$(tr \
	'\n' ' ' <"$work/order")" = 'begin end begin end ' ] || cat "$work/order")"
TESTS=nothing
result "that nothing is selected is an error" "$(run \
	"tests/run: no test of 'check' has 'nothing' in its name; tests/list prints them all" 2 \
	check)"
TESTS=
result "what does not end in time is not begun" "$(UNTIL=$(($(date +%s) + 20)) run \
	'2 passed, 0 failed, 1 skipped' 0 check-all)"
result "... and is named" "$(all '^left out, for lack of time: lint/said LONG=1$')"
result "when the time is over nothing is begun" "$(UNTIL=1 run '0 passed, 0 failed, 0 skipped' 0 \
	check-all)"
firsts=$(for commit in a b c d e f g h; do UNTIL=1 ROTATE=$commit "$work/tests/run" check-all |
	head -n 1; done | sort -u | wc -l)
result "it begins elsewhere for each commit" "$([ "$firsts" = 3 ] ||
	echo "$firsts of 3 beginnings")"
result "a program by its path" "$(run '1 passed, 0 failed, 1 skipped' 0 tests/lint/good.sh)"
finish

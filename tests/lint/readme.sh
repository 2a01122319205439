#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the README shows is so: examples print what stands there, commands are understood, targets of
# make exist.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
cli=$PWD/build/sysprof-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8

# The command lines of indented blocks, without the comments behind them.
commands()
{
	sed -n 's/^    \([a-z].*\)/\1/p' README.md | sed 's/  *#.*//' | grep -E "^($1) "
}

# With --help at the end of its options a command reads them, and does nothing.
understood()
{
	commands sysprof-cli | sed 's/ -- .*//' | while read -r line; do
		sh -c "\"\$0\" ${line#sysprof-cli } --help" "$cli" >/dev/null 2>"$work/err" || {
			echo "$line:"
			cat "$work/err"
		}
	done
}

# What reads recordings does so; my.capture, before.capture and the others are one and the same
# here, in which no git runs.
run()
{
	commands 'sysprof-cli (report|info|diff|export|merge)' | grep -v 'process git' |
		while read -r line; do
		(cd "$work" && sh -c "\"\$0\" ${line#sysprof-cli }" "$cli" >out 2>err &&
			[ -n "$(find out my.svg both.capture -size +0 2>/dev/null)" ]) || {
			echo "$line:"
			cat "$work/err"
		}
	done
}

# Targets in blocks and in the text.
targets()
{
	make -pn help 2>/dev/null | sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' >"$work/known"
	grep -oE '(^    |`|sudo )make [a-z-]+' README.md | sed 's/.*make //' | sort -u |
		while read -r target; do
		grep -qx -- "$target" "$work/known" || echo "There is no make $target"
	done
}

build/tests/gen-capture "$work/busy.capture"
for name in my before after a b; do
	cp "$work/busy.capture" "$work/$name.capture"
done
echo 'allocation: malloc' >"$work/RULES"
build/tests/gen-import "$work"
result "commands are there to be read" "$([ "$(commands sysprof-cli | wc -l)" -ge 12 ] ||
	commands sysprof-cli)"
result "sysprof-cli understands its command lines" "$(understood)"
result "what reads recordings does what stands there" "$(run)"
result "the targets of make exist" "$(targets)"
result "numbers are those that benches are compared with" "$(tests/bench/judge --documents 2>&1)"
result "a number that is a tenth off fails its bench" "$(
	for factor in 1.08 1.12 0.88; do
		number=$(awk -v factor=$factor '/^[a-z]/ { gsub(",", "", $2); print $1, $2 * factor; exit }' tests/bench/numbers)
		BENCH_WORK=one tests/bench/judge echo "number: $number" >"$work/out" 2>"$work/err"
		echo "$factor $? $(wc -c <"$work/out") $(wc -l <"$work/err")"
	done | diff - <(printf '1.08 0 0 0\n1.12 1 0 1\n0.88 1 0 1\n'))"
result "examples print what stands there" "$(python3 - "$cli" "$work" 2>&1 <<'END'
import re, subprocess, sys
blocks = re.findall(r'^    \$ sysprof-cli ([^\n]*)\n((?:    (?!\$ )[^\n]*\n|\n(?=    (?!\$ )))*)', open('README.md', encoding='utf-8').read(), re.M)
assert len(blocks) >= 2, blocks
for arguments, expected in blocks:
    seen = subprocess.run(['sh', '-c', f'"$0" {arguments}', sys.argv[1]], cwd=sys.argv[2], capture_output=True, text=True,
                          encoding='utf-8', timeout=60)
    wanted = re.sub(r'^    ', '', expected, flags=re.M)
    if seen.stdout != wanted or seen.stderr:
        print(f'sysprof-cli {arguments} says', seen.stdout + seen.stderr, 'and not', wanted, sep='\n')
END
)"
finish

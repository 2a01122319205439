#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of perf: what report shows of them is what perf says of them itself.

set -u

cd "$(dirname "$0")/../.." || exit 1
cli=${CLI:-$PWD/build/sysprof-cli}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
broken=0

# check TEXT COMMAND...: ok if the command succeeds, else what was seen.
check()
{
	local text=$1

	shift
	number=$((number + 1))
	if "$@" >"$work/check" 2>&1; then
		echo "ok $number - $text"
	else
		broken=1
		echo "not ok $number - $text"
		head -n 20 "$work/check" | sed 's/^/# /'
	fi
}

# prints TEXT COMMAND...: the command prints standard input.
prints()
{
	local text=$1

	shift
	cat >"$work/expected"
	check "$text" bash -c '"${@:2}" >"$1/out" 2>&1; diff "$1/expected" "$1/out"' - "$work" "$@"
}

# refuses TEXT WORDS COMMAND...: it fails, and says this.
refuses()
{
	check "$1" bash -c '! "${@:2}" >/dev/null 2>"$0" && cat "$0" && grep -qF -e "$1" "$0"' \
		"$work/err" "${@:2}"
}

# The text of perf script.

cat >"$work/script" <<'END'
# captured on    : Fri Nov 27 2026
#
a (b;c) 12 d   100/101   [003]     1.000001:    1000000 cpu-clock:ppp:
	    55aa operator()(int, (x)y)+0x1f (/tmp/a (deleted))
	    55ab inl<a, b>::f (inlined)
	    55ac main+0x2 (/tmp/my prog)
  main.c:12
	ffffffff81000000 do_x+0x3 ([kernel.kallsyms])

a (b;c) 12 d   100/101   [003]     2.500001:    2000000 cpu-clock:ppp:
	    7f00 [unknown] ([unknown])
	    55ac main+0x2 (/tmp/my prog)

x     7 [001]     2.6: sched:sched_switch: prev_comm=x prev_pid=7 ==> next_comm=y
	    55ac main+0x2 (/tmp/my prog)

END
prints 'perf script: stacks, with inlined functions and strange names' "$cli" export -f folded \
	"$work/script" <<'END'
a (b:c) 12 d;do_x;main;inl<a, b>::f;operator()(int, (x)y) 1
a (b:c) 12 d;main;[unresolved] 2
END
prints 'perf script: one event is imported, and periods of a clock count' \
	bash -c '"$1" report "$2" | head -n 2' - "$cli" "$work/script" <<'END'
2 samples, 0 lost, in 1.50 s on 4 CPUs; one period is 1.00 ms
of several events only cpu-clock:ppp was imported; 1 samples of others were skipped
END
prints 'perf script: threads, CPUs and times' bash -c '"$1" report --by thread --cpu 3 \
	--time 1.4.. "$2" | grep pid' - "$cli" "$work/script" <<'END'
 100.00           2           1  a (b;c) 12 d (pid 100, tid 101)
END
cat >"$work/script" <<'END'
            perf 30449 [000]     5.351623:    1001001 cycles:P:  ffffffff815fa26d unmap_page_range+0x51d ([kernel.kallsyms])
             a b 30450     5.451623:    1001001 cycles:P:            d4ad7 __GI___execve+0x7 (/usr/lib/libc.so.6)
             a b 30450       cycles:P:            d4ad7 __GI___execve+0x7 (/usr/lib/libc.so.6)
             a b 30450 [002]    77777 cycles:P:            d4ad8 [unknown] (/usr/lib/libc.so.6)
END
prints 'perf script: one line a sample, with and without CPU, time and period' "$cli" export \
	-f folded "$work/script" <<'END'
a b;__GI___execve 2
a b;libc.so.6+0xd4ad8 1
perf;unmap_page_range 1
END
prints 'perf script: the length of a period is not always known' bash -c '"$1" report "$2" |
	head -n 1' - "$cli" "$work/script" <<'END'
4 samples, 0 lost, in 5.45 s on 3 CPUs; how long a period is is not known
END
echo 'not this' >>"$work/script"
refuses 'perf script: another line' 'line 5 is not as perf script writes it' "$cli" report \
	"$work/script"
printf 'x 7 1.0: 1 cycles:\n\t1 a (b)\n\ny\0 8 1.1: 1 cycles:\n' >"$work/script"
refuses 'perf script: a nul' 'line 4 has a byte that is no text' "$cli" report "$work/script"
printf 'p;a 1\np;a\0;b 1\n' >"$work/folded"
refuses 'folded: a nul' 'line 2 has a byte that is no text' "$cli" report "$work/folded"

echo "1..$number"
exit $broken

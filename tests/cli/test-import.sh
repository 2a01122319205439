#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of perf: what report shows of them is what perf says of them itself.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

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
sed 's/:$/: /' >"$work/few" <<'END'
a b 12 cpu-clock:
	    55ab f+0x1 (/tmp/a)

c            7 cpu-clock:
	    55ac g (/tmp/a)

c [002] cpu-clock:
	    55ac g
	    55ad

d [001]     1.5:          1 cpu-clock:
	    55ad h (/tmp/a)

    1.6: cpu-clock:
	    55ae i (/tmp/a)

END
prints 'perf script: names without a pid, and hardly anything else' "$cli" export -f folded \
	"$work/few" <<'END'
[unknown];i 1
a b;f 1
c;[unresolved];g 1
c;g 1
d;h 1
END
printf 'sh \n\t    55ab f (/tmp/a)\n\n' >"$work/few"
refuses 'perf script: no event' 'line 1 is not as perf script writes it with -F comm,event,ip,sym' \
	"$cli" report "$work/few"
echo 'not this' >>"$work/script"
refuses 'perf script: another line' 'line 5 is not as perf script writes it' "$cli" report \
	"$work/script"
printf 'x 7 1.0: 1 cycles:\n\t1 a (b)\n\ny\0 8 1.1: 1 cycles:\n' >"$work/script"
refuses 'perf script: a nul' 'line 4 has a byte that is no text' "$cli" report "$work/script"
printf 'p;a 1\np;a\0;b 1\n' >"$work/folded"
refuses 'folded: a nul' 'line 2 has a byte that is no text' "$cli" report "$work/folded"

# Files of perf record: as many samples and the same functions as perf script shows of them.  What
# is there of inlined functions and aliases is another matter, so only known functions count.

workloads=build/workloads

# recorded NAME OPTION...: the work at 499 Hz.
recorded()
{
	perf record -F 499 "${@:2}" -o "$work/$1.data" -- "$workloads/${program:-shares}" 0.5 \
		>"$work/perf" 2>&1 || { cat "$work/perf"; return 1; }
}

# agrees NAME [EVENT] [EXCEPT]: with perf script on the samples, and each function's self and total,
# but for one that other programs of the machine have, too, whose files may be gone by now.
agrees()
{
	perf script --no-inline -i "$work/$1.data" -F comm,event,ip,sym 2>/dev/null \
		>"$work/script" && "$cli" report --json --no-inlines "$work/$1.data" \
		>"$work/json" 2>"$work/err" || { cat "$work/err"; return 1; }
	python3 - "$work/script" "$work/json" "${2:-}" "${3:-}" <<'END'
import json, sys

ours = json.load(open(sys.argv[2]))
known = {"main", "burn_fifty", "burn_thirty", "burn_twenty", "spin"} - {sys.argv[4]}
samples, self_, total = 0, {}, {}
for block in open(sys.argv[1]).read().split("\n\n"):
    lines = block.strip("\n").split("\n")
    if not lines[0].strip() or sys.argv[3] not in lines[0]:
        continue
    samples += 1
    names = [line.split(maxsplit=1)[1] if len(line.split(maxsplit=1)) > 1 else "" for line in lines[1:]]
    if names:
        self_[names[0]] = self_.get(names[0], 0) + 1
    for name in set(names):
        total[name] = total.get(name, 0) + 1
assert ours["samples"] == samples > 100, (ours["samples"], samples)
unit = ours["sum"] / ours["periods"]
found = {}
for row in ours["functions"]:
    counts = found.setdefault(row["function"], [0, 0])
    counts[0] += round(row["self"] / unit)
    counts[1] += round(row["total"] / unit)
for name in known & set(total):
    theirs = [self_.get(name, 0), total[name]]
    assert found[name] == theirs, (name, found[name], theirs)
assert len(known & set(total)) >= 3, known & set(total)
END
}

for options in -g '-g -z' '--call-graph dwarf' '--call-graph dwarf,4096 -z' '-g --switch-events' \
	'-g --buildid-mmap' '-g -a' '-g --per-thread'; do
	program=shares
	[[ $options != *dwarf* ]] || program=nofp-shares
	# shellcheck disable=SC2086 # these are words
	check "perf record $options" recorded one $options
	check "perf record $options: what perf shows of it" agrees one '' \
		"$([ "$options" != '-g -a' ] || echo main)"
	cp "$work/one.data" "$work/${options//[^a-z]/}.data"
done
check 'perf.data: switches are waits' bash -c '
	"$1" info "$2" | grep -q "^waits  *spans"' - "$cli" "$work/gswitchevents.data"

# Waits by context-switches: a shell's sleeps, some of which another CPU's records may hide.
sleeps='for i in 1 2 3 4 5 6; do sleep 0.1; done'
# is_partial FILE: what perf shows of it lacks switches: more than one in 16 is of the thread that was
# the last one to leave that CPU.  So it is where a busy CPU has no events while it is idle (see
# seen_cpu).
is_partial()
{
	perf script -f -i "$1" -F tid,cpu,event 2>/dev/null | tr -d '[]' | awk '
		/cs|context-switches/ { n++; twice += last[$2 + 0] == $1; last[$2 + 0] = $1 }
		END { exit twice <= n / 16 }'
}
slept()
{
	local name=$1 cpu

	shift
	for _ in 1 2 3 4; do
		cpu=$(seen_cpu)
		perf record -q -g "$@" -o "$work/$name.data" -- taskset -c "$cpu" sh -c "$sleeps" \
			>"$work/perf" 2>&1 || return
		[ "$1" = -a ] && is_partial "$work/$name.data" || break
	done
	"$cli" report --json --all --metric blocked "$work/$name.data" >"$work/json" 2>"$work/err"
	if [ "$1" = -a ] && is_partial "$work/$name.data"; then
		echo 'no CPU was idle where perf says so: switches are no waits'
		"$cli" report --all "$work/$name.data" 2>&1 |
			grep 'context switches are no waits, as only -a -c 1 or --switch-events say'
		return
	fi
	python3 - "$work/json" <<'END'
import json, sys
found = [row["total"] for row in json.load(open(sys.argv[1]))["functions"]
         if "nanosleep" in row["function"]]
assert found and max(found) >= 100_000_000, found
END
}
check 'perf.data: context-switches of all CPUs are waits' slept each -a -c 1 -e context-switches
check 'perf.data: context-switches beside records of switches are stacks of waits' slept records \
	--switch-events -e context-switches
check 'perf.data: context-switches of all CPUs, beside a clock' slept beside -a -c 1 \
	-e cpu-clock/period=1000000/ -e cs/period=1/
perf record -q -g -e context-switches -o "$work/some.data" -- sh -c "$sleeps" >"$work/perf" 2>&1
check 'perf.data: some context-switches of a program are no waits' bash -c '"$1" report --all "$2" |
	grep "context switches are no waits, as only -a -c 1 or --switch-events say"' - "$cli" \
	"$work/some.data"
# What runs may not have been in the kernel at any of few ticks: dd is there most of the time.
perf record -q -F 499 -g -o "$work/kernel.data" -- dd if=/dev/zero of=/dev/null bs=64k count=30000 \
	>"$work/perf" 2>&1
check 'perf.data: kernel functions have names' bash -c '
	"$1" report --limit 1000 "$2" >"$4" && "$1" report --limit 1000 "$3" >>"$4" &&
	grep -q "\[kernel\]$" "$4" && ! grep "unknown kernel" "$4"' - "$cli" "$work/ga.data" \
	"$work/kernel.data" "$work/report"
# What the kernel had compiled is unloaded with the process.
check 'perf.data: a program of BPF has its name' bash -c '
	perf record -q -F 997 -g -o "$1/bpf.data" -- build/workloads/bpf 0.5 >"$1/perf" 2>&1 &&
	"$2" report "$1/bpf.data" >"$1/report" && grep -q " bpf_prog_[0-9a-f]*_bpf_work  *\[bpf\]$" "$1/report"' \
	- "$work" "$cli"
check 'perf.data: CPUs, threads and the machine' bash -c '
	"$1" report --by thread "$2" | grep -q "shares (pid [0-9]*, tid [0-9]*)" &&
	"$1" info "$2" | grep -q "^kernel  *$(uname -r)$"' - "$cli" "$work/ga.data"
check 'perf.data: a path of its own for unwinding' bash -c '
	cp build/workloads/nofp-shares "$1/moved" &&
	perf record -F 499 --call-graph dwarf -o "$1/moved.data" -- "$1/moved" 0.5 >/dev/null 2>&1 &&
	rm "$1/moved" && "$2" report "$1/moved.data" >"$1/report" &&
	grep "files on stacks are not on this machine" "$1/report" &&
	grep "copied stacks could not be followed to their end" "$1/report"' - "$work" "$cli"

check 'perf record into a pipe' bash -c 'perf record -F 499 -g -o - -- "$1/shares" 0.5 2>"$2" >"$3"' \
	- "$workloads" "$work/perf" "$work/pipe.data"
check 'perf record into a pipe: what perf shows of it' agrees pipe
# What found no room is in the records of a ring, and in what perf counted of each event: these
# have five that no record followed.
lost()
{
	{
		cat "$work/pipe.data"
		python3 -c 'import struct, sys
out = sys.stdout.buffer
who = struct.pack("<IIQ", 0, 0, 0)
for n in 20, 10:
    out.write(struct.pack("<IHHQQ", 2, 0, 40, 1, n) + who)
for n in 30, 5:
    out.write(struct.pack("<IHHQ", 13, 0, 32, n) + who)'
	} >"$work/lost.data"
	"$cli" report "$work/lost.data" 2>&1 | grep -E '^[0-9,]+ samples, 35 lost, ' ||
		{ "$cli" report "$work/lost.data" | head -n 3; return 1; }
}
check 'perf record into a pipe: what was lost, once' lost
check 'perf record -z into a pipe' bash -c \
	'perf record -z -F 499 -g -o - -- "$1/shares" 0.5 2>"$2" >"$3"' \
	- "$workloads" "$work/perf" "$work/packed.data"
check 'perf record -z into a pipe: what perf shows of it' agrees packed
check 'perf record of several events' bash -c '
	perf record -e page-faults,task-clock,context-switches -g -o "$3" -- "$1/shares" 0.5 >"$2" 2>&1' \
	- "$workloads" "$work/perf" "$work/events.data"
check 'perf record of several events: the clock' agrees events task-clock
check 'perf record of several events: the rest is counted' bash -c '
	"$1" report "$2" | grep "^of several events only task-clock was imported; [0-9]* samples"' - \
	"$cli" "$work/events.data"

# Trace points, with their fields, beside a clock and alone.
check 'perf record of trace points' bash -c '
	perf record -q -g -a -e cpu-clock -e sched:sched_process_exec -e sched:sched_process_exit -o "$1" -- \
		sh -c "for i in 1 2 3 4 5; do /bin/true; done" >"$2" 2>&1 &&
	perf record -q -a -e sched:sched_process_exec -o "$1.alone" -- sh -c "/bin/true; /bin/true" >"$2" 2>&1' \
	- "$work/points.data" "$work/perf"
points_agree()
{
	local file=$1

	"$cli" import "$file" -o "$work/points.capture" >/dev/null &&
		"$cli" report --json --limit 0 --events sched:sched_process_exec "$work/points.capture" \
			>"$work/points.json" &&
		perf script -i "$file" --ns 2>/dev/null | grep sched_process_exec: >"$work/points.txt" &&
		python3 - "$work/points.json" "$work/points.txt" <<'END'
import json, re, sys
rows = [(r["fields"]["filename"], int(r["fields"]["pid"]), r["tid"])
        for r in json.load(open(sys.argv[1]))["rows"]]
lines = []
for line in open(sys.argv[2]):
    found = re.search(r" (\d+) \[\d+\] .*filename=(\S+) pid=(\d+)", line)
    lines.append((found[2], int(found[3]), int(found[1])))
assert len(lines) >= 2 and rows == lines, (rows, lines)
END
}
check 'perf record of trace points: each hit, with the fields that perf shows' points_agree \
	"$work/points.data"
check 'perf record of trace points: stacks and the clock are there, too' bash -c '
	"$1" report --all --metric sched:sched_process_exec "$2" | grep -q "exec" &&
	"$1" report --all "$2" | grep -q " samples, 0 lost"' - "$cli" "$work/points.capture"
check 'perf record of trace points alone' points_agree "$work/points.data.alone"
check 'perf record of trace points alone: the report says what is there' bash -c '
	"$1" report "$2" | grep -q "there is no CPU time in it; --metric sched:sched_process_exec"' - \
	"$cli" "$work/points.data.alone"

check 'perf record of trace points into a pipe' bash -c '
	perf record -q -a -e sched:sched_process_exec -o - -- sh -c "/bin/true; /bin/true" >"$1" 2>"$2"' \
	- "$work/points.pipe" "$work/perf"
check 'perf record of trace points into a pipe: their fields' points_agree "$work/points.pipe"

head -c 3000 "$work/g.data" >"$work/cut.data"
check 'perf.data: what is there of a file that was cut off' bash -c '
	"$1" report "$2" >"$3" 2>&1 || grep -q "it has no samples" "$3"' - "$cli" \
	"$work/cut.data" "$work/report"
{ printf 2ELIFREP; tail -c +9 "$work/g.data"; } >"$work/swapped.data"
refuses 'perf.data: the other byte order' 'it is from a machine of the other byte order' "$cli" \
	report "$work/swapped.data"
{ head -c 16 "$work/g.data"; head -c 3000 /dev/zero; } >"$work/zero.data"
refuses 'perf.data: a damaged header' 'its header is damaged' "$cli" report "$work/zero.data"
echo before >"$work/kept.capture"
refuses 'perf.data: import says the same' 'its header is damaged' "$cli" import \
	"$work/zero.data" -o "$work/kept.capture"
check 'a file that is refused replaces nothing' bash -c '
	[ "$(cat "$1")" = before ] && [ ! -e "$1.part" ]' - "$work/kept.capture"

echo "1..$number"
exit $broken

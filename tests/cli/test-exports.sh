#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What goes to callgrind_annotate, GNOME Sysprof and a linker: exports-tools.py reads the files
# without our code, the programs read them if they are here.

# shellcheck source=tests/cli/exports.bash
. "$(dirname "$0")/exports.bash"
judge=tests/cli/exports-tools.py

same 'totals of a report' callgrind "$work/busy.capture"
same 'totals of many stacks' callgrind "$work/many.capture"
same 'with conditions' callgrind "$work/many.capture" --time 1..3 --cpu 1,2
same 'another metric' callgrind "$work/waits.capture" --metric wall
same 'events' callgrind "$work/waits.capture" --metric lock

# sysprof WHAT CAPTURE OPTION...: GNOME Sysprof's own library finds the stacks of folded
sysprof()
{
	local what=$1 capture=$2
	shift 2
	"$cli" export --format syscap "$@" "$capture" >"$work/out" 2>"$work/err" &&
		"$cli" export --format folded "$@" "$capture" >"$work/folded" 2>>"$work/err" &&
		"$work/syscap-read" "$work/out" >"$work/read" 2>>"$work/err" &&
		python3 tests/cli/exports-tools.py syscap "$work/read" "$work/folded" \
			>>"$work/err" 2>&1
	result "syscap: $what" "$([ $? -eq 0 ] || tail -20 "$work/err")"
}

# shellcheck disable=SC2046
if gcc -o "$work/syscap-read" tests/cli/syscap-read.c \
	$(pkg-config --cflags --libs sysprof-capture-4 2>/dev/null) 2>"$work/err"; then
	sysprof 'stacks of ticks' "$work/busy.capture"
	sysprof 'many stacks' "$work/many.capture"
	sysprof 'with conditions' "$work/many.capture" --time 1..3 --cpu 1,2
	"$cli" record --memory -o "$work/memory.capture" -- sort -R "$0" >/dev/null 2>"$work/err" ||
		cat "$work/err"
	sysprof 'memory' "$work/memory.capture" --metric allocated
	result 'syscap: what its own library writes is read' "$(
		gcc -o "$work/syscap-write" tests/cli/syscap-write.c \
			$(pkg-config --cflags --libs sysprof-capture-4) 2>&1 &&
			"$work/syscap-write" "$work/gnome" && "$cli" export --all --format folded \
			"$work/gnome" 2>&1 | diff - <(printf '%s\n' \
			'server;script;libc.so.6+0x1123 2' \
			'server;script;libc.so.6+0x1123;[unknown kernel] 1') &&
			"$cli" export --all --format folded --metric live "$work/gnome" 2>&1 |
			diff - <(echo 'server;script 100')
		"$cli" export --all --format folded --metric allocated "$work/gnome" 2>&1 |
			diff - <(echo 'server;script 4196')
		"$cli" report --marks --json "$work/gnome" 2>&1 | grep -q '"name": "mark"' ||
			echo 'no mark')"
	result 'syscap: ... marks, counters and lines, too' "$(
		"$cli" report --events mark --json "$work/gnome" | python3 -c 'import json, sys
found = {row["fields"]["name"]: row for row in json.load(sys.stdin)["rows"]}
assert found["mark"]["duration_ns"] == 5 and found["mark"]["fields"]["message"] == "message", found
# From the begin of the capture on.
assert 0 < found["mapped"]["duration_ns"] < 1e9, found' 2>&1
		"$cli" report --counters "$work/gnome" 2>&1 | grep -q " -3  *depth: whole$" &&
			"$cli" report --counters "$work/gnome" | grep -q " 2.5  *depth: part$" ||
			"$cli" report --counters "$work/gnome"
		"$cli" report --events log "$work/gnome" 2>&1 |
			grep -q "text=a warning  severity=4  source=domain" || echo 'no line')"
	"$cli" export --all --format syscap "$work/gnome" >"$work/out"
	result 'syscap: what programs say comes back' "$({
		"$work/syscap-read" "$work/out" >"$work/read"
		grep -qx 'mark 7 5 group mark' "$work/read" || cat "$work/read"
		grep -qx 'log 7 16 domain a warning' "$work/read" || cat "$work/read"
		# Times count from the first sample on.
		for what in "marks  mark" "counters depth" "logs warning"; do
			for file in gnome out; do
				"$cli" report --${what% *} "$work/$file" | grep -- "${what#* }" |
					sed 's/0\.0000[0-9]*//' >"$work/said.$file"
			done
			[ -s "$work/said.gnome" ] && diff "$work/said.gnome" "$work/said.out" || echo "no $what"
		done
	} 2>&1)"
	"$cli" export --format syscap "$work/waits.capture" >"$work/out"
	result 'syscap: waits and events are marks' "$("$work/syscap-read" "$work/out" >"$work/read"
		grep -qx 'mark 200 90000000 Waits wait' "$work/read" &&
			grep -qx 'mark 200 20000000 Events locks' "$work/read" || cat "$work/read")"
else
	skip 'syscap' 'libsysprof-capture is not here (libsysprof-4-dev)'
fi
result 'speedscope: no functions but those on its stacks' "$(
	"$cli" export --format speedscope --metric off-cpu --process beat "$work/waits.capture" |
		python3 -c 'import json, sys
names = [frame["name"] for frame in json.load(sys.stdin)["shared"]["frames"]]
assert sorted(names) == ["beat", "main", "wait_for_work"], names' 2>&1)"
# What restricts a report restricts what is written, or is refused in a sentence.
for format in folded svg text html speedscope pprof otlp firefox chrome perfetto syscap perf-script \
	jsonl csv callgrind order order-first autofdo fdata lanes; do
	result "$format: no restriction is ignored" "$(
		"$cli" export --all --format "$format" "$work/busy.capture" >"$work/plain" 2>"$work/err"
		while read -r option; do
			# The order of functions is the same without some of their samples.
			[[ $format$option == order*--[tcu]* ]] && continue
			# shellcheck disable=SC2086
			"$cli" export --all --format "$format" $option "$work/busy.capture" >"$work/out" \
				2>"$work/err" && cmp -s "$work/plain" "$work/out" &&
				echo "$option is ignored"
			[ "$(wc -l <"$work/err")" -le 1 ] || cat "$work/err"
		done <<'END'
--hide hot
--merge hot|do_*
--root-at work
--time 0.1..0.2
--cpu 0
--with do_syscall
--where do_syscall
--kernel
--user
--object none
--process nobody
--thread nobody
--metric off-cpu
END
	)"
done
result 'syscap: other metrics are refused' "$(
	"$cli" export --format syscap --metric blocked "$work/waits.capture" 2>&1 >"$work/out" |
		grep -q 'has CPU time and memory' && [ ! -s "$work/out" ] || echo 'no clause')"

# A program of C++ with inlined and recursive functions, and lines.
cat >"$work/deep.cc" <<'END'
volatile long sink;
static inline __attribute__((always_inline)) void spin(long n)
{
	for (int i = 0; i < 3000; i++)
		sink = sink + i * n;
}
__attribute__((noinline)) void odd(int n);
__attribute__((noinline)) void even(int n)
{
	spin(n);
	if (n > 0)
		odd(n - 1);
	sink = sink + 1;
}
__attribute__((noinline)) void odd(int n)
{
	spin(n + 1);
	if (n > 0)
		even(n - 1);
	sink = sink - 1;
}
namespace shapes {
struct Box {
	/* As much as the others, to be found for sure. */
	__attribute__((noinline)) void fill()
	{
		for (int i = 0; i < 9; i++)
			spin(i);
		sink = sink + 2;
	}
};
}
int main()
{
	shapes::Box box;
	for (int i = 0; i < 4000; i++) {
		even(8);
		box.fill();
	}
}
END
if ! command -v g++ >/dev/null || ! g++ -O1 -g -ffunction-sections -o "$work/deep" \
	"$work/deep.cc" || ! "$cli" record -o "$work/deep.capture" -- "$work/deep" \
	>/dev/null 2>"$work/err"; then
	skip 'a recording of a recursive program' 'nothing can be compiled or recorded here'
	finish
	exit
fi
same 'a recording of a recursive program' callgrind "$work/deep.capture" --process deep
result 'callgrind: lines, inlined and repeated functions' "$(
	for wanted in 'fn=([0-9]*) even(int)$' "fn=([0-9]*) even(int)'2$" 'fn=([0-9]*) spin$' \
		'fl=([0-9]*) .*/deep\.cc$' '^5 [0-9]*$' 'ob=([0-9]*) .*/deep$'; do
		grep -q "$wanted" "$work/out" || echo "no $wanted"
	done)"
if command -v callgrind_annotate >/dev/null; then
	# It takes the directory that it is in from names of files, and of some of them only.
	(cd / && callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$work/out") \
		>"$work/annotated" 2>"$work/err"
	result 'callgrind_annotate --inclusive: totals of a report' "$(
		python3 tests/cli/exports-tools.py annotated "$work/annotated" "$work/report" 2>&1
		cat "$work/err")"
else
	skip 'callgrind_annotate --inclusive: totals of a report' 'callgrind_annotate is not here'
fi

for format in order order-first; do
	"$cli" export --format $format --process deep --object deep "$work/deep.capture" \
		>"$work/$format"
	result "$format: names of the symbol table" "$(nm "$work/deep" >"$work/nm"
		grep -v '^#' "$work/$format" | while read -r name; do
			grep -q " [TtWw] $name\$" "$work/nm" || echo "$name"
		done
		for name in _Z4eveni _Z3oddi _ZN6shapes3Box4fillEv; do
			grep -qx "$name" "$work/$format" || echo "no $name"
		done)"
done
result 'order-first: a caller is before what it calls' "$(
	[ "$(grep -nx main "$work/order-first" | cut -d: -f1)" -lt \
		"$(grep -nx _Z4eveni "$work/order-first" | cut -d: -f1)" ] || cat "$work/order-first")"
if command -v ld.lld >/dev/null; then
	result 'ld.lld lays functions out as order says' "$(
		g++ -O1 -ffunction-sections -fuse-ld=lld "-Wl,--symbol-ordering-file=$work/order" \
			-o "$work/ordered" "$work/deep.cc" 2>&1
		diff <(grep -E '^(main|_Z.*)$' "$work/order") \
			<(nm -n "$work/ordered" | awk '$3 ~ /^(main|_Z(4even|3odd|N6shapes).*)$/ {
				print $3 }'))"
else
	skip 'ld.lld lays functions out as order says' 'ld.lld is not here'
fi

# With ten times the samples of the same stacks an export needs no more memory, but for the capture
# itself, whose packed samples are in memory.
build/tests/gen-samples "$work/less" 200000 20000 >/dev/null
build/tests/gen-samples "$work/more" 2000000 20000 >/dev/null
# Rows of other metrics are in several parts of the time: html keeps sums of those by stack.
build/tests/gen-samples "$work/less.latency" 200000 200 >/dev/null
build/tests/gen-samples "$work/more.latency" 2000000 200 >/dev/null
for format in folded svg text html speedscope pprof otlp firefox chrome perfetto syscap perf-script \
	jsonl csv callgrind order order-first lanes "html --metric latency"; do
	case $format in *latency) files=.latency ;; *) files= ;; esac
	result "$format: memory for ten times the samples" "$(
		python3 - "$cli" "$format" "$work/less$files" "$work/more$files" <<'END' 2>&1
import os, subprocess, sys
cli, format, *captures = sys.argv[1:]
peaks = []
for capture in captures:
    child = subprocess.Popen([cli, "export", "--format", *format.split(), capture],
                             stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, status
    peaks.append(used.ru_maxrss * 1024 - os.path.getsize(capture))
each = (peaks[1] - peaks[0]) / 1_800_000
if each > 10:
    print(f"{each:.1f} bytes for each more sample: {peaks}")
END
)"
done
finish

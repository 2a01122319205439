#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --memory, with perf events on this very machine: programs that allocate known amounts, and
# programs that do not know.  Of both the library's form for tests counts each call in the process
# itself, beside the rings, and compares each stack with that of libgcc's unwinder.  CHECKED=trap: a
# library that traps at undefined behaviour.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root
top=$PWD
# Beside the program is where it looks for the library.
mkdir "$work/bin"
ln "$cli" "$work/bin/sysprof-cli" 2>/dev/null || cp "$cli" "$work/bin/sysprof-cli"
cp "build/tests/libspt-memory-${CHECKED:-check}.so" "$work/bin/libspt-memory.so"
cp "$top/build/sysprof-helper" "$work/bin/"
export SPT_MEMORY_COUNTS=$work/counts SPT_MEMORY_STACKS=1
python=/usr/bin/python3
allocates=$workloads/allocates

# record NAME OPTION COMMAND...: leaves NAME.capture, and the sums of the processes in NAME.counts
record()
{
	local name=$1 option=$2

	shift 2
	truncate -s 0 "$work/counts"
	truncate -s 4096 "$work/counts"
	timeout 100 "$work/bin/sysprof-cli" record --source perf "$option" \
		-o "$work/$name.capture" -- "$@" >"$work/$name.out" 2>"$work/err" || return
	mv "$work/counts" "$work/$name.counts"
}

# judge NAME PYTHON: with info (host facts), calls, bytes, frees, stacks, different as the process
# counted them, and report(metric, option...) at hand; asserts
judge()
{
	python3 - "$cli" "$work/$1" <<END
import functools, json, struct, subprocess, sys
cli, path = sys.argv[1:]
calls, bytes_, frees, stacks, different, frames, incomplete = struct.unpack("7Q", open(path + ".counts", "rb").read(56))
@functools.cache
def run(*words):
    return json.loads(subprocess.run([cli, *words], capture_output=True, check=True).stdout)
info = run("info", "--json", path + ".capture")
host = {key: int(value) for key, value in info["host"].items() if key.startswith("memory_")}
def report(metric, *options):
    return run("report", path + ".capture", "--json", "--all", f"--metric={metric}", *options)
def total(metric, *options):
    return report(metric, *options)["sum"]
def of(metric, function):
    return sum(row["self"] for row in report(metric)["functions"] if row["function"] == function)
$2
END
}

# What every recording of every call has to hold.
exact='
assert (host["memory_calls"], host["memory_bytes"], host["memory_frees"]) == (calls, bytes_, frees), (host, calls, bytes_, frees)
assert calls > 100 and host["memory_lost"] == 0, host
assert total("allocated") == bytes_ and total("allocations") == calls
assert total("allocated") == total("freed") + total("live")
assert total("peak") <= total("allocated") and total("peak") >= total("live")
assert stacks > 0 and different == 0, (stacks, different)'

check 'known amounts: recorded' record known --memory "$allocates" known
check '... each call, byte and stack' judge known "$exact"
check '... leaks, temporary blocks, the peak and sizes to the byte' judge known '
assert of("live", "leak") == 100 * 1000, of("live", "leak")
assert of("temporary", "churn") == of("allocated", "churn") == 5000 * 64
assert of("allocations", "churn") == 5000
assert of("peak", "top") == 200 * 10000 and of("peak", "leak") == 100000
assert of("allocated", "resize") == 5500 and of("live", "resize") == 0
assert of("freed", "top") == 2000000
sizes = {row["name"]: row["weight"] for row in report("allocated", "--by", "size")["groups"]}
assert sizes["8 to 16 KiB"] == 2000000, sizes
lives = {row["name"]: row["weight"] for row in report("allocated", "--by", "lifetime")["groups"]}
assert lives["1 to 10 s"] == 2000000 and lives["not freed"] >= 100000, lives'
check '... the sums of it in info and report' judge known '
heap = info["heap"]
assert heap["bytes"] == bytes_ and heap["calls"] == calls, heap
assert heap["freed"] == total("freed") and heap["temporary"] == total("temporary"), heap
assert heap["most"] == total("peak") and heap["last"] == total("live"), heap
assert report("live")["heap"] == heap and "heap" not in report("cpu")
begin = int(info["host"]["start_time"])
assert begin < heap["most_time_ns"] < begin + info["duration_ns"], heap'
check 'resident memory: recorded' record resident --memory "$allocates" resident
timed check '... at first, at most and at last' judge resident '
MiB = 1 << 20
resident = info["resident"]
assert 0 < resident["first"] < 16 * MiB and 64 * MiB <= resident["most"] < 80 * MiB, resident
assert 0 < resident["last"] < 16 * MiB and report("cpu")["resident"] == resident, resident
assert total("peak", "--with", "touch") == 64 * MiB and info["heap"]["most"] >= 64 * MiB
text = subprocess.run([cli, "report", path + ".capture", "--metric", "live"], capture_output=True, text=True).stdout
assert "\nresident memory: " in text and "\nlive memory: 0 bytes at first, 64." in text, text'
plain_resident()
{
	"$cli" record --source perf -o "$work/plain.capture" -- "$allocates" resident 2>"$work/err" &&
		"$cli" info --json "$work/plain.capture" | python3 -c 'import json, sys
info = json.load(sys.stdin)
assert 64 << 20 <= info["resident"]["most"] < 80 << 20 and "heap" not in info, info["resident"]'
}
timed check 'resident memory without the library' plain_resident
check 'stacks that free are not recorded without being asked for' judge known '
assert subprocess.run([cli, "report", path + ".capture", "--metric=freed-here"], capture_output=True).returncode'
free_stacks()
{
	truncate -s 0 "$work/counts"
	truncate -s 4096 "$work/counts"
	"$work/bin/sysprof-cli" record --source perf --memory --free-stacks -o \
		"$work/freeing.capture" -- "$allocates" known 2>"$work/err" || return
	mv "$work/counts" "$work/freeing.counts"
}
check 'stacks that free: recorded' free_stacks
check '... each call, byte and stack' judge freeing "$exact"
check '... by who frees and who allocates' judge freeing '
assert of("freed", "top") == of("freed-here", "release") == 2000000, report("freed-here")["functions"]
assert of("freed-here", "top") == 0 and of("freed", "release") == 0
assert of("freed-here", "churn") == 5000 * 64 and of("freed-here", "resize") == 5500
assert total("freed-here") == total("freed")'
mappings()
{
	truncate -s 0 "$work/counts"
	truncate -s 4096 "$work/counts"
	"$work/bin/sysprof-cli" record --source perf --memory --mappings -o \
		"$work/maps.capture" -- "$allocates" maps 2>"$work/err" || return
	mv "$work/counts" "$work/maps.counts"
}
check 'mappings: recorded' mappings
check '... to the byte: parts, what grows, what is replaced, and what fails' judge maps '
MiB, page = 1 << 20, 4096
mapped = {"map_keep": 10 * MiB, "map_part": 16 * page, "map_grow": 5 * MiB, "map_over": 10 * page, "map_fail": page}
live = {"map_keep": 3 * MiB, "map_part": 12 * page, "map_grow": 0, "map_over": 0, "map_fail": page}
for function in mapped:
    assert of("mapped", function) == mapped[function], (function, of("mapped", function))
    assert of("mapped-live", function) == live[function], (function, of("mapped-live", function))
host = {key: int(value) for key, value in info["host"].items() if key.startswith("memory_")}
assert host["memory_mapped_bytes"] == total("mapped") == sum(mapped.values()), host
assert host["memory_mapped_bytes"] - host["memory_unmapped_bytes"] == total("mapped-live"), host
assert host["memory_mappings"] == 10 + 1 + 2 + 2 + 1, host
assert of("mapped-peak", "map_grow") == 4 * MiB
assert subprocess.run([cli, "report", path + ".capture", "--metric=allocated"], capture_output=True).returncode or total("allocated") == bytes_'
check 'mappings are not recorded without being asked for' judge known '
assert subprocess.run([cli, "report", path + ".capture", "--metric=mapped"], capture_output=True).returncode
assert "memory_mappings" not in info["host"]'
check '32 threads that free each other'"'"'s: recorded' record threads --memory \
	"$allocates" threads
check '... each call, byte and stack' judge threads "$exact"
check 'forks, vforks and execs: recorded' record tree --memory "$allocates" tree
check '... each call, byte and stack' judge tree "$exact"
check '... of 22 processes' judge tree '
groups = report("allocated", "--by", "process")["groups"]
assert len(groups) == 22 and all(row["weight"] >= 5000 * 64 for row in groups), groups'
check 'destructors of threads: recorded' record exits --memory "$allocates" exits
check '... each call, byte and stack' judge exits "$exact"
check 'signal handlers: recorded' record signals --memory "$allocates" signals
check '... each call, byte and stack' judge signals "$exact"
check 'a program cannot cut the rings short' record cut --memory python3 -c '
import os, sys
rings = os.open(os.environ["SPT_RINGS"], os.O_RDWR)
try:
    os.ftruncate(rings, 0)
except PermissionError:
    sys.exit(0)
sys.exit(1)'
check 'a deep recursion: recorded' record deep --memory "$allocates" deep
check '... each call and byte, and most stacks' judge deep '
assert (host["memory_calls"], host["memory_bytes"], host["memory_frees"]) == (calls, bytes_, frees), (host, calls, bytes_, frees)
assert calls > 200 and host["memory_lost"] == 0 and stacks > 0, host
assert 0 < different == incomplete < stacks / 2, (stacks, different, incomplete)'
check 'a call that a signal handler leaves: recorded' record left --memory "$allocates" left
# The one that was left may not have been recorded yet, and then it is not lost.
check '... and all calls after it' judge left '
assert 300000 <= host["memory_calls"] <= calls <= host["memory_calls"] + 1, (host, calls)
assert host["memory_lost"] <= 1, host'
check 'frame pointers into memory that goes: recorded' record guess --memory "$allocates" guess
check '... and all calls' judge guess 'assert host["memory_calls"] == calls >= 3, (host, calls)'
check 'requests of more than there is, by bytes: recorded' record refused --memory=64K \
	"$allocates" refused
check '... and as many others as usual' judge refused '
assert 180e6 < total("allocated") < 220e6, total("allocated")'
# nothing_temporary NAME: neither the metric, which says what has it, nor a part of the sums.
nothing_temporary()
{
	local file=$work/$1.capture

	"$cli" report --metric temporary "$file" >"$work/temporary" 2>&1 && return 1
	grep -q 'has no metric "temporary"; record with --memory=all' "$work/temporary" || return
	{ "$cli" info "$file"; "$cli" info --json "$file"; "$cli" report --metric live "$file"
	"$cli" report --metric live --json "$file"; } >"$work/temporary" || return
	grep -q '^allocated: .* by .* calls$' "$work/temporary" && ! grep temporary "$work/temporary"
}

# What LD_PRELOAD takes: long lists, and no blanks or colons in the library's own path.
long_preload()
{
	local libm list= i

	libm=$(ldconfig -p | sed -n '/x86-64\|AArch64/s/.*libm\.so\.6 .*=> //p' | head -n 1)
	for ((i = 0; i < 8000; i += ${#libm} + 1)); do list=$list:$libm; done
	LD_PRELOAD=${list#:} "$work/bin/sysprof-cli" record --source perf --memory \
		-o "$work/long.capture" -- "$allocates" known >"$work/out" 2>"$work/err" &&
		grep -q '^Allocations: [5-9],' "$work/err"
}
in_directory()
{
	local home="$work/a$1b"

	rm -rf "$home"
	cp -r "$work/bin" "$home"
	"$home/sysprof-cli" record --source perf --memory -o "$work/odd.capture" -- \
		"$allocates" known >"$work/out" 2>"$work/err" && return 1
	[ "$(wc -l <"$work/err")" = 1 ] && grep -q 'has a blank, a colon' "$work/err" &&
		[ ! -e "$work/odd.capture.part" ]
}
check 'a long LD_PRELOAD is kept' long_preload
check 'a directory with a blank is refused' in_directory ' '
check 'one with a colon is' in_directory ':'

# Blocks in use have a budget of their own, which is as large as that of the rest.
too_many()
{
	"$work/bin/sysprof-cli" record --source perf --memory --memory-limit 100M \
		-o "$work/too-many.capture" -- "$allocates" many >"$work/out" 2>"$work/err" && return 1
	grep -q 'needs 1[0-9]* MiB for the blocks that programs have in use, and may have 100 MiB' \
		"$work/err" && "$cli" info "$work/too-many.capture.part" | grep -q '^allocated .* calls'
}
few_enough()
{
	"$work/bin/sysprof-cli" record --source perf --memory --memory-limit 200M \
		-o "$work/many.capture" -- "$allocates" many >"$work/out" 2>"$work/err" &&
		grep -q '^Allocations: 3,000,0.* 0 lost' "$work/err"
}
check 'millions of blocks in use' few_enough
check '... more than the recorder may have memory for are named' too_many

check 'blocks in turn: recorded' record fifo --memory "$allocates" fifo
check '... none is temporary' judge fifo 'assert total("temporary") < 10000, total("temporary")'
check '... by bytes: recorded' record fifo-some --memory=64K "$allocates" fifo
check '... which does not know what is temporary, and says so' nothing_temporary fifo-some
"$cli" merge -o "$work/fifo-both.capture" "$work/fifo.capture" "$work/fifo-some.capture" >/dev/null
check '... nor does a recording that they are merged to' nothing_temporary fifo-both
for i in 1 2; do
	printf '#include <stdlib.h>\nvoid *allocate(void) { void *p = malloc(%d); %s return p; }\n' \
		$((i * 100)) '__asm__ volatile("");' >"$work/lib$i.c"
	gcc -O2 -fno-builtin -fPIC -shared -o "$work/lib$i.so" "$work/lib$i.c"
done
# The source does not know its file.  One thread waits for that, the others do not.
cp "$work/lib1.so" "$work/deleted.so"
check 'a library that is deleted once it is loaded: recorded' record deleted --memory \
	"$allocates" gone "$work/deleted.so"
check '... and waited for once' judge deleted '
assert host["memory_calls"] >= 1600000 and host["memory_waited_ns"] < 3.5e9, host'
check 'other code at the same addresses: recorded' record reloads --memory \
	"$allocates" reloads "$work/lib1.so" "$work/lib2.so"
check '... each call, byte and stack' judge reloads "$exact"
check '... both files' judge reloads '
objects = {row["object"].split("/")[-1]: row["self"] for row in report("allocated")["functions"] if row["function"] == "allocate"}
assert objects == {"lib1.so": 20 * 100, "lib2.so": 20 * 200}, objects'
cat >"$work/work.py" <<'END'
d = {}
for r in range(3):
    for i in range(8000):
        d[str(i)] = [i, str(i * 3), {"a": i}]
END
check 'python: recorded' env PYTHONMALLOC=malloc bash -c "$(declare -f record); cd '$top'
	work=$work; record python --memory $python -S $work/work.py"
check '... each call, byte and stack' judge python "$exact"
cc1=$(gcc -print-prog-name=cc1)
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(""); return 0; }\n' |
	gcc -E -o "$work/in.i" -xc -
check 'a compiler: recorded' record cc1 --memory "$cc1" -quiet -O2 -g "$work/in.i" -o /dev/null
check '... each call, byte and stack' judge cc1 "$exact"

# The recorder stands still in between: the threads fill their rings, which hold 128 Ki events at
# most, and wait.
stopped()
{
	local recorder before=-2 now=-1

	truncate -s 0 "$work/counts"
	truncate -s 4096 "$work/counts"
	"$work/bin/sysprof-cli" record --source perf --memory -o "$work/stopped.capture" -- \
		"$allocates" threads 90000 >/dev/null 2>"$work/err" &
	recorder=$!
	until [ "$(od -An -tu8 -N8 "$work/counts")" -gt 1000 ] || ! kill -0 $recorder; do :; done
	kill -STOP $recorder
	until [ "$now" = "$before" ]; do
		before=$now
		sleep 0.5
		now=$(od -An -tu8 -N8 "$work/counts")
	done
	kill -CONT $recorder
	wait $recorder || return
	mv "$work/counts" "$work/stopped.counts"
}
check 'a recorder that is stopped for a while: recorded' stopped
check '... each call, byte and stack' judge stopped "$exact"
timed check '... and threads waited' judge stopped 'assert host["memory_waits"] > 0, host'

# A recorder that is killed: what it had until then can be read, and the program goes on.
killed()
{
	local recorder program=

	"$work/bin/sysprof-cli" record --source perf --memory -o "$work/killed.capture" -- \
		"$allocates" kept >/dev/null 2>"$work/err" &
	recorder=$!
	until "$cli" report --json --metric live "$work/killed.capture.part" \
		>"$work/live.json" 2>/dev/null; do
		kill -0 $recorder || return
	done
	program=$(pgrep -P $recorder -x allocates)
	kill -KILL $recorder
	wait $recorder
	kill "$program" || return
	"$cli" report --json --metric live "$work/killed.capture.part" >"$work/live.json" &&
		python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))["functions"]
assert sum(row["self"] for row in rows if row["function"] == "leak") == 100000, rows' \
			"$work/live.json"
}
check 'a recorder that is killed: what was not freed is in its file' killed

# The same library in programs of musl, whose libc has no unwind information: stacks end there.
musl-gcc -O2 -g -D_GNU_SOURCE -pthread -Wl,--eh-frame-hdr -o "$work/allocates" \
	"$top/tests/vm/workloads/allocates.c" || echo "# there is no musl-gcc"
musl='
assert (host["memory_calls"], host["memory_bytes"], host["memory_frees"]) == (calls, bytes_, frees), (host, calls, bytes_, frees)
assert calls > 100 and host["memory_lost"] == 0, host
assert total("allocated") == bytes_ and total("allocations") == calls'
for how in known threads tree exits signals; do
	check "musl, $how: recorded" record musl-$how --memory "$work/allocates" $how
	check '... each call and byte' judge musl-$how "$musl"
done
check '... with names and stacks' judge musl-known '
assert of("live", "leak") == 100 * 1000 and of("temporary", "churn") == 5000 * 64
rows = {row["function"]: row["total"] for row in report("allocated")["functions"]}
assert rows["main"] > .99 * bytes_ - 5000 and rows["main"] >= rows["known"] == total("allocated", "--with", "known"), rows'

# The address sanitizer's own malloc() is a shared allocator: what it gives is recorded.
sanitized()
{
	gcc -D_GNU_SOURCE -O1 -g -fno-builtin -fsanitize=address -pthread -o "$work/sanitized" \
		"$top/tests/vm/workloads/allocates.c" &&
		ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
			record sanitized --memory "$work/sanitized" known
}
check 'with the address sanitizer: recorded' sanitized
check '... leaks, temporary blocks and the peak to the byte' judge sanitized '
assert of("temporary", "churn") == of("allocated", "churn") == 5000 * 64
assert sum(row["total"] for row in report("live")["functions"] if row["function"] == "leak") == 100 * 1000
assert host["memory_lost"] == 0 and total("allocated") == host["memory_bytes"]'

# Picked by bytes: what is picked represents the rest.
unset SPT_MEMORY_STACKS
check 'by bytes: recorded' record picked --memory=16K env PYTHONMALLOC=malloc \
	$python -S "$work/work.py"
check '... which is said of the numbers' grep -q \
	'^Allocations picked, one for each 16.0 KiB: .*; reports estimate all of them' "$work/err"
timed check '... and right on average' judge picked '
assert 0 < host["memory_calls"] < calls / 10
for metric, truth in ("allocated", bytes_), ("allocations", calls):
    got = total(metric)
    assert abs(got - truth) < truth * .25, (metric, got, truth)'

# The program's own malloc() is found first, by libc as well.
cat >"$work/own.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
static char area[1 << 20];
static size_t used;
void *malloc(size_t bytes) { used += (bytes + 31) & ~15ul; return area + used - ((bytes + 15) & ~15ul); }
void *calloc(size_t n, size_t bytes) { return malloc(n * bytes); }
void *realloc(void *old, size_t bytes) { return old ? NULL : malloc(bytes); }
void free(void *block) { (void)block; }
int main(void) { return !malloc(100); }
END
gcc -rdynamic -o "$work/own" "$work/own.c"
names_own()
{
	record own --memory bash -c "$work/own; $work/own" && cat "$work/err" &&
		grep -q "^Note: $work/own has an allocator of its own inside" "$work/err" &&
		grep -q '2 times in all' "$work/err" &&
		"$cli" info --json "$work/own.capture" | grep -q "\"memory_own_program\": \"$work/own\""
}
check 'a program with an allocator of its own inside is named' names_own

refused()
{
	local said=$1

	shift
	! "$work/bin/sysprof-cli" record --source perf -o "$work/refused.capture" "$@" \
		2>"$work/err" && grep -qF -- "$said" "$work/err"
}
check 'a static program is refused' refused 'linked statically' --memory -- \
	"$top/build/static/sysprof-cli" --version
check 'a size of nothing is refused' refused '--memory=0 is not possible' --memory=0 -- true
check '--last with it is refused' refused 'give one of them' --memory --last 5 -- true
echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --memory, --memory=64K and --waits=calls of programs that do what few others do: see
# tests/vm/workloads/odd-*.c.  Each counts its own calls.  It has to behave as it does without
# being recorded, and to end; and a recording that does not have all calls has to say so.
#
# PART=forks, spaces, sandboxes, threads, stacks, libraries or calls: only these.  ONLY=part of a name: only
# cases with that in their names.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root
top=$PWD
part=${PART:-}
export ODD_COUNTS=$work/counts
chmod 755 "$work"
# A program with fewer rights has to write its counts, too.
umask 022

# run STATUS-FILE COMMAND...: with counts from zero on; 124 is what did not end.
run()
{
	local file=$1

	shift
	rm -f "$ODD_COUNTS"
	truncate -s 4096 "$ODD_COUNTS"
	chmod 666 "$ODD_COUNTS"
	timeout -k 5 "${PATIENCE:-60}" "${as[@]}" "$@"
	echo $? >"$file"
}

# record MODE COMMAND...: leaves x.capture, x.out, x.status, x.counts and err
record()
{
	local mode=$1

	shift
	rm -rf "$work"/x.* "$work"/nobody/*
	run "$work/x.status" "$cli" record --source perf "$mode" -o "$place/x.capture" -- "$@" \
		>"$work/x.out" 2>"$work/err" </dev/null
	[ "$place" = "$work" ] || mv "$place/x.capture" "$work/" 2>>"$work/err"
	mv "$ODD_COUNTS" "$work/x.counts"
}

# The same status and output as without a recorder.
same()
{
	local status plain

	status=$(cat "$work/x.status")
	plain=$(cat "$work/plain.status")
	[ "$plain" = 0 ] || {
		echo "without a recorder it ends with $plain"
		return 1
	}
	[ "$status" = 0 ] || echo "it ends with status $status, and with 0 without a recorder"
	diff "$work/plain.out" "$work/x.out" && [ "$status" = 0 ]
}

# all MODE exact|noted|beside|maybe: whether the recording has the calls that the program has
# counted.  If something may be missing (noted), it has to say so, and only then.  beside: other
# things are.  maybe: calls that are not counted may be missing, and named.
all()
{
	[ -e "$work/x.capture" ] || {
		echo "there is no recording"
		return 1
	}
	python3 - "$cli" "$work" "$places" "$@" <<'END'
import json, re, struct, subprocess, sys
cli, work, places, mode, wanted = sys.argv[1:]
path = work + "/x.capture"
said = open(work + "/err", errors="replace").read()
counts = struct.unpack("13Q", open(work + "/x.counts", "rb").read(104))
allocations, allocated, frees, freed, waits, unsure, *flags = counts[:10]
sure = dict(zip(("allocations", "allocated", "freed"), counts[10:]))
def shown(metric, *options):
    done = subprocess.run([cli, "report", path, "--json", "--metric", metric, *options], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"functions": [], "samples": 0}
def of(metric, *options):
    return sum(row["self"] for row in shown(metric, *options)["functions"] if row["function"].startswith("counted_"))
# The first line is about samples.
lost = sum(int(n.replace(",", "")) for line in said.splitlines() if not line.startswith("Recorded ")
           for n in re.findall(r"([\d,]+) (?:waits |calls )?(?:were )?lost", line))
# Records of mappings may be among what the source lost, on a busy host: then functions have no names.
samples_lost = [int(n.replace(",", "")) for n in re.findall(r"^Recorded .*, ([\d,]+) lost", said, re.M)]
# Those that any recording may have are about none of its programs.
notes = [line for line in said.splitlines() if line.startswith("Note: ")
         and re.search("not seen|unseen|not recorded|cannot be (seen|recorded)|could not|did not|invalid records", line)
         and not re.match("Note: (waits are those in calls|no allocation was seen)", line)]
broken = [line for line in notes if "invalid records" in line]
is_measured = True
if mode == "--waits=calls":
    truth = {"waits": waits}
    # A virtual machine may stand still while a thread begins to sleep: the time is over then before the
    # thread has left its CPU (1 of 40,000 sleeps on two busy CPUs, by ru_nvcsw of getrusage(2)).
    unsure += 1 + waits // 10000
    got = {"waits": sum(shown("blocked", "--with", function).get("samples", 0) for function in ("counted_wait", "counted_read"))}
elif mode == "--memory":
    truth = {"allocations": allocations, "allocated": allocated, "freed": freed}
    got = {metric: of(metric) for metric in truth}
else:
    truth = {"allocated": allocated}
    got = {"allocated": of("allocated")}
    # By chance; few are no measure.
    is_measured = allocated > 16 << 20
    if not is_measured or abs(got["allocated"] - allocated) < .3 * allocated:
        got = truth
if samples_lost != [0] and mode == "--memory" and got != truth:
    sums = {metric: shown(metric).get("sum", 0) for metric in truth}
    print(f"{got} have names, {samples_lost} records lost; in all {sums}")
    got = {metric: min(sums[metric], truth[metric]) for metric in truth}
print(f"{got} of {truth}, {lost} lost; {flags[:2]} {notes} {broken}")
if flags[1] < int(places):
    sys.exit(1)
# Calls that are recorded whatever else is missing.
if mode == "--memory" and sure["allocations"]:
    seen = {metric: of(metric, "--with", "sure_allocate") for metric in sure}
    print(f"of these surely: {seen} of {sure}")
    if seen != sure:
        sys.exit(1)
right = not (lost and (is_measured or wanted == "exact")) and not broken and all(abs(got[key] - truth[key]) <= unsure * (1 if key in ("allocations", "waits") else 100) for key in truth)
if right and notes and is_measured:
    right = wanted in ("beside", "maybe")
elif wanted in ("noted", "maybe") and not right:
    right = all(got[key] <= truth[key] for key in truth) and bool(lost or notes) and not broken
sys.exit(0 if right else 1)
END
}

# How often a program has to say in flags[1] that what it tests came about.
places=0
modes=${MODES:---memory --memory=64K --waits=calls}

# odd PART exact|noted|beside|maybe NAME COMMAND...: in all modes.  At $patience s a program hangs.
odd()
{
	local its_part=$1 wanted=$2 name=$3 mode

	shift 3
	[[ -z $part || $part = "$its_part" ]] && [[ $name = *"${ONLY:-}"* ]] || return 0
	run "$work/plain.status" "$@" >"$work/plain.out" 2>"$work/plain.err" </dev/null
	for mode in $modes; do
		record "$mode" "$@"
		check "$name, $mode: as ever" same
		check "... what is recorded" all "$mode" "$wanted"
	done
}

as=()
place=$work
# What follows is by an ordinary user.
by_nobody()
{
	mkdir -p "$work/nobody"
	chown nobody "$work/nobody"
	as=(setpriv --reuid=nobody --regid=nogroup --clear-groups env "XDG_CACHE_HOME=$work/nobody")
	place=$work/nobody
}

by_root()
{
	as=()
	place=$work
}

# Programs that are compiled here.

# Two libraries of one name.
mkdir "$work/one" "$work/two"
cat >"$work/x.c" <<'END'
#include <stdlib.h>
#include <string.h>
void *counted_in_library(size_t bytes)
{
	void *block = malloc(bytes *= TIMES);
	memcpy(block, &bytes, sizeof(bytes));
	__asm__ volatile("" ::: "memory");
	return block;
}
void *through_library(void *(*function)(size_t))
{
	void *block = function(64);
	__asm__ volatile("" ::: "memory");
	return block;
}
void release(void *block) { free(block); }
END
gcc -DTIMES=1 -O2 -g -fno-builtin -fPIC -shared -o "$work/one/x.so" "$work/x.c"
gcc -DTIMES=3 -O2 -g -fno-builtin -fPIC -shared -o "$work/two/x.so" "$work/x.c"
library=$work/one/x.so
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(malloc(9) ? "small" : ""); return 0; }\n' |
	gcc -m32 -fno-builtin -xc -o "$work/small" - || echo "# there is no 32-bit compiler"
# Both count, and cannot be seen.
gcc -static -D_GNU_SOURCE -O1 -g -fno-builtin -pthread -o "$work/static" \
	"$top/tests/vm/workloads/odd-threads.c"
printf '#!/bin/sh\nexec env -i ODD_COUNTS=%s %s plain\n' "$ODD_COUNTS" "$workloads/odd-threads" \
	>"$work/bare"
chmod 755 "$work/bare"
cat >"$work/new.cc" <<'END'
#include "odd.h"
COUNTED static char *counted_new(size_t bytes) { return (char *)odd_count(new char[bytes], bytes); }
COUNTED static void counted_delete(char *block) { odd_count_free(block); delete[] block; }
static void *work(void *data)
{
	for (unsigned i = 0; i < 2000; i++)
		counted_delete(counted_new(16 + i % 100));
	odd_allocate(1000);
	counted_wait();
	return data;
}
int main()
{
	pthread_t threads[4];
	odd_begin();
	for (pthread_t &thread : threads)
		odd_start(&thread, work, NULL);
	for (pthread_t &thread : threads)
		pthread_join(thread, NULL);
	puts("new: done");
}
END

# with_allocator LIBRARY: new.cc with it, as $work/new-LIBRARY
with_allocator()
{
	local file

	file=$(ldconfig -p | awk -v name="$1.so" 'index($1, name) == 1 { print $NF; exit }')
	[ -n "$file" ] || {
		echo "$1 is not installed"
		return 1
	}
	g++ -O2 -g -fno-builtin -I"$top/tests/vm/workloads" -D_GNU_SOURCE -pthread \
		-o "$work/new-$1" "$work/new.cc" -Wl,--no-as-needed "$file"
}

# A sanitizer replaces malloc(), too: such a program is recorded, or refused in one sentence.
sanitized()
{
	local kind=$1 program=$work/$1 mode

	[[ -z $part || $part = libraries ]] && [[ $kind = *"${ONLY:-}"* ]] || return 0
	gcc -D_GNU_SOURCE -O1 -g -fno-builtin "-fsanitize=$kind" -pthread -o "$program" \
		"$top/tests/vm/workloads/odd-threads.c" || return
	run "$work/plain.status" "$program" plain >"$work/plain.out" 2>"$work/plain.err"
	for mode in $modes; do
		record "$mode" "$program" plain
		check "-fsanitize=$kind, $mode: recorded, or refused" same_or_refused "$mode"
	done
}

same_or_refused()
{
	if [ ! -e "$work/x.capture" ] && [ "$(wc -l <"$work/err")" = 1 ]; then
		grep -q 'sanitizer' "$work/err"
	else
		same && all "$1" beside
	fi
}

forks=$workloads/odd-forks
odd forks exact 'forks of a program with threads' "$forks" forks 3000
odd forks exact 'forks whose children only wait' "$forks" quiet 3000
odd forks exact 'a thread before the first one' "$forks" behind 30
odd forks exact 'a lock in a callback of dl_iterate_phdr()' "$forks" callback
odd forks exact 'vfork' "$forks" vfork 300
odd forks exact 'vfork by threads' "$forks" vforks 300
odd forks exact 'posix_spawn' "$forks" spawn 200
odd forks exact 'a daemon' "$forks" daemon
odd forks noted 'killed children' "$forks" killed 20
odd forks beside 'a 32-bit child' "$forks" run "$work/small"
odd forks noted 'a static child' "$forks" run "$work/static"
odd forks noted 'a child without environment' "$forks" run "$work/bare"
says_small()
{
	record --memory "$forks" run "$work/small"
	grep -q "^Note: small was not seen" "$work/err"
}
[[ -n $part && $part != forks || -n ${ONLY:-} ]] ||
	check 'a 32-bit child is named as not seen' says_small

spaces=$workloads/odd-spaces
odd spaces exact 'threads' "$spaces" work
odd spaces exact 'a PID namespace' "$spaces" pid
odd spaces exact 'a PID namespace, and pauses' "$spaces" idle
odd spaces exact 'unshare -fp' unshare -fp "$spaces" work
odd spaces noted 'unshare -fp --mount-proc' unshare -fp --mount-proc "$spaces" work
odd spaces exact 'a user namespace' "$spaces" user
# The recorder cannot ask for such threads, and takes their rings for others.
odd spaces exact 'threads without numbers that rest' "$spaces" rest "$work/one"
odd spaces noted 'unshare -Urfp' unshare -Urfp "$spaces" work
odd spaces noted 'bwrap' bwrap --bind / / --proc /proc --dev /dev --unshare-all "$spaces" work
odd spaces exact 'a user drops rights' "$spaces" drop
odd spaces exact 'a group drops rights' "$spaces" groups
odd spaces exact 'chroot' "$spaces" chroot "$work/one"
odd spaces exact 'closed descriptors' "$spaces" closed
odd spaces exact 'another program without descriptors' "$spaces" execs
odd spaces noted 'a program of another user' setpriv --reuid=nobody --regid=nogroup --clear-groups \
	"$workloads/odd-threads" plain
odd spaces exact 'little address space' bash -c "ulimit -v 1500000; exec '$workloads/odd-threads' plain"
by_nobody
odd spaces exact 'threads of nobody' "$spaces" work
odd spaces exact 'a user namespace of nobody' "$spaces" user
odd spaces noted 'bwrap of nobody' bwrap --bind / / --proc /proc --dev /dev --unshare-all \
	"$spaces" work
# What such a recorder has in /proc is not shown to others of its user.
mkdir "$work/capable"
cp "$cli" "$top/build/sysprof-helper" "$top"/build/libspt-*.so "$work/capable/"
setcap cap_perfmon,cap_ipc_lock=ep "$work/capable/sysprof-cli"
plain_cli=$cli
cli=$work/capable/sysprof-cli
odd spaces exact 'a recorder with file capabilities' "$workloads/odd-threads" plain
cli=$plain_cli
by_root

sandbox=$workloads/odd-sandbox
odd sandboxes noted 'SECCOMP_MODE_STRICT' "$sandbox" strict
odd sandboxes noted 'a filter of nine calls' "$sandbox" nine
odd sandboxes noted 'a filter of twenty calls' "$sandbox" twenty
odd sandboxes noted 'a filter with which libraries load' "$sandbox" loose "$library"
odd sandboxes noted 'no time stamp counter' "$sandbox" tsc
odd sandboxes noted 'a program that begins with a filter' "$sandbox" execs

threads=$workloads/odd-threads
odd threads maybe '2,100 threads' "$threads" many 2100
odd threads maybe '5,000 threads' "$threads" many 5000
odd threads maybe 'one of 2,101 threads' "$threads" beyond 2100
# picoseconds FILE: of the thread in it for which no ring was left.
picoseconds()
{
	echo $(($(od -An -tu8 -j56 -N8 "$1")))
}

# Such a thread does not look for a ring at each call.
beyond_is_cheap()
{
	local mode=$1 plain recorded

	run "$work/plain.status" "$threads" beyond 2100 >"$work/plain.out" 2>"$work/plain.err" </dev/null
	plain=$(picoseconds "$ODD_COUNTS")
	record "$mode" "$threads" beyond 2100
	recorded=$(picoseconds "$work/x.counts")
	echo "an allocation and its free take $recorded ps, $plain without the recorder"
	((recorded > 0 && plain > 0 && recorded < 20 * plain))
}

if [[ -z $part || $part = threads ]] && [[ 'beyond is cheap' = *"${ONLY:-}"* ]]; then
	timed check 'a thread without a ring is cheap, --memory' beyond_is_cheap --memory
	timed check 'a thread without a ring is cheap, --memory=64K' beyond_is_cheap --memory=64K
fi
odd threads exact '3,000 threads in turn' "$threads" serial 3000
odd threads exact 'forks of nine processes with 300 threads' "$threads" forks 300
odd threads noted 'no address space' "$threads" full
odd threads exact 'a small signal stack' "$threads" small
odd threads exact 'mlockall' "$threads" lock
odd threads noted 'mlockall by another user' "$threads" lockable
odd threads noted 'mlockall by the child of another user' "$threads" daemon
odd threads exact 'mlockall on fault' "$threads" fault

stacks=$workloads/odd-stacks
odd stacks exact 'stacks that end with a mapping' "$stacks" edge
odd stacks exact 'stacks of contexts' "$stacks" contexts
odd stacks maybe 'contexts that a signal handler switches' "$stacks" preempt
odd stacks exact 'calls left by siglongjmp()' "$stacks" leave
odd stacks exact 'cancelled threads' "$stacks" cancel
odd stacks maybe 'two processes with one thread'"'"'s variables' "$stacks" shared
odd stacks exact 'calls of destructors' "$stacks" exits

loader=$workloads/odd-loader
odd libraries maybe 'dlmopen' "$loader" another "$library"
odd libraries noted 'RTLD_DEEPBIND' "$loader" deep "$library"
odd libraries exact 'libraries by relative paths' "$loader" relative "$work/one" "$work/two"
# Other code gets the places of theirs.
places=1
odd libraries exact 'modules of iconv' "$loader" iconv ISO-2022-JP EUC-JP "$library"
odd libraries exact 'modules of files with a coding' "$loader" stdio ISO-2022-JP EUC-JP "$library"
places=0
odd libraries exact 'a deleted library' "$loader" deleted "$library"
odd libraries noted 'an allocator inside' "$workloads/odd-allocator"
if [[ -z $part || $part = libraries ]]; then
	for allocator in libjemalloc libtcmalloc_minimal libmimalloc; do
		check "$allocator: there is one" with_allocator $allocator
		odd libraries noted "$allocator" "$work/new-$allocator"
	done
	sanitized address
	sanitized thread
fi

odd calls exact 'functions of files' "$workloads/odd-files"
odd calls exact 'functions of sockets and waits' "$workloads/odd-talks"
# Each function that the library replaces is called.
calls_all()
{
	grep -oE '\bX\([a-zA-Z_0-9, ]+\)' userspace/preload/io-calls.h | sed 's/X(//; s/[,)]//g' |
		tr ' ' '\n' | grep -vx X | sort -u >"$work/listed"
	[ "$(wc -l <"$work/listed")" -gt 150 ] &&
		{ timeout 50 "$workloads/odd-files" && timeout 50 "$workloads/odd-talks"; } | sed 's/:.*//' | sort -u |
		comm -23 "$work/listed" - >"$work/uncalled" && ! grep . "$work/uncalled"
}
[[ -n $part && $part != calls || -n ${ONLY:-} ]] ||
	check 'every function of the library is called' calls_all
echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --memory=SIZE --pid: programs that wait for recorders of their memory, which come and go
# while they run; that a recording by bytes is as large as what was allocated, whichever way the
# recorder before it has ended; forks, namespaces of PIDs; and who is refused.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root
library=$PWD/build/libspt-memory.so

# wait_for FILE
wait_for()
{
	for _ in $(seq 300); do [ -s "$work/$1" ] && return; sleep 0.05; done
	return 1
}

# begin NAME [COMMAND...]: a program that waits, its number in $program.
begin()
{
	rm -f "$work/done" "$work/child"
	SPT_RINGS=wait LD_PRELOAD=$library "${@:2}" "$workloads/awaits" "$work" 4 \
		${forks:+forks} &
	program=$!
	wait_for done
}

# round GO DONE: lets the program allocate.
round()
{
	rm -f "$work/$2"
	touch "$work/$1"
	wait_for "$2"
}

# attach NAME PID [OPTION...]: begins a recording of it, its number in $recorder, and waits until
# that has begun.
attach()
{
	"$cli" record --source perf -F 50 --no-embed "--memory=${size:-16K}" --pid "$2" "${@:3}" \
		-o "$work/$1" >"$work/out" 2>"$work/err" &
	recorder=$!
	wait_for "$1.part" && sleep 0.3
}

stop()
{
	kill -INT "$recorder"
	wait "$recorder"
}

# judge NAME: 64 MB were allocated by 4 threads, 4 MB of that are live; by bytes, so within what a
# Poisson process of 4000 picks differs, and less the 64 KiB after which threads look.
judge()
{
	"$cli" report --json --metric allocated "$work/$1" >"$work/allocated" &&
		"$cli" report --json --metric live "$work/$1" >"$work/live" &&
		"$cli" info --json "$work/$1" >"$work/info" || return
	python3 - "$work" "$program" <<'END'
import json, sys
work, program = sys.argv[1:]
allocated, live, info = (json.load(open(f"{work}/{name}")) for name in ("allocated", "live", "info"))
def of(report, function):
    return sum(row["self"] for row in report["functions"] if row["function"] == function)
assert abs(of(allocated, "passes") / 64e6 - 1) < .09, of(allocated, "passes")
assert abs(of(allocated, "stays") / 4e6 - 1) < .33, of(allocated, "stays")
assert of(live, "passes") == 0 and of(live, "stays") == of(allocated, "stays"), live
assert info["host"]["memory_attached"] == program, info["host"]
assert info["host"]["memory_lost"] == "0", info["host"]
END
}

begin
attached()
{
	attach a "$program" && round go done && stop && judge a
}
check 'a program that runs is recorded by bytes' attached
check '... and again, by another distance' eval 'size=8K attached'
says()
{
	"$cli" report --metric live "$work/a" | grep -q '^live memory, without what the process had before: '
}
check '... live memory counts from then on, and the report says so' says
nothing_between()
{
	round go done && attach b "$program" && sleep 0.5 && stop
	grep -q 'no allocation was seen' "$work/err"
}
check 'what is allocated between recordings is in none' nothing_between
killed()
{
	# The round before has left its end there.
	rm -f "$work/done"
	attach c "$program" && touch "$work/go" && sleep 0.02
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null
	# Its rings are full now, or will be.
	wait_for done && round go done && attached
}
check 'a recorder that was killed leaves nothing to the next one' eval 'size=64 killed'
second()
{
	attach d "$program" || return
	! "$cli" record --source perf --memory=16K --pid "$program" -o "$work/e" 2>"$work/out"
	grep -q "Another recording of the memory of process $program is under way" "$work/out" &&
		stop
}
check 'a second recorder is refused' second
of_others()
{
	cp "$cli" "$work/sysprof-cli" && chmod 755 "$work" && chmod 755 "$work/sysprof-cli" &&
		! setpriv --reuid=65534 --regid=65534 --clear-groups "$work/sysprof-cli" record \
			--source perf --memory=16K --pid "$program" -o /tmp/x 2>"$work/err" &&
		grep -qE "run the recorder as its user, or as root|perf" "$work/err"
}
check 'other users are refused' of_others
kill "$program"
wait "$program" 2>/dev/null

forked()
{
	local parent=$program

	wait_for child && program=$(<"$work/child") && attach f "$program" && round go done &&
		round child-go child && stop && judge f && program=$parent &&
		attach g "$program" && round child-go child && round go done && stop &&
		"$cli" report --json --metric allocated --by process "$work/g" |
		python3 -c 'import json, sys
groups = json.load(sys.stdin)["groups"]
assert len(groups) == 2 and all(55e6 < row["weight"] < 80e6 for row in groups), groups'
}
forks=1
begin
check 'of a fork its own memory, of its parent that of both' forked
kill "$program" "$(<"$work/child")"
wait "$program" 2>/dev/null
forks=

begin 'in a namespace' unshare --pid --fork --mount-proc
inside()
{
	program=$(pgrep -P "$program" -x awaits) && attached
}
check 'a program in another PID namespace' inside
kill -KILL "$program"

# refused SENTENCE PYTHON: a program that makes something that looks like such memory.
refused()
{
	python3 -c "import fcntl, os, time
$2
open('$work/pretends', 'w').write('1')
time.sleep(60)" &
	local pretender=$!
	wait_for pretends
	! timeout 10 "$cli" record --source perf --memory=16K --pid $pretender -o "$work/h" \
		2>"$work/err"
	kill $pretender
	rm -f "$work/pretends"
	grep -q "$1" "$work/err"
}
waits_not='does not wait for a recorder of its memory'
bytes=$((4 * 4096 + 2048 * 128 + 2048 * 1048576))
check 'refused: a program that does not wait' refused "$waits_not" ''
check '... memory that its program could make shorter' refused "$waits_not" "
fd = os.memfd_create('sysprof-memory-waits', os.MFD_ALLOW_SEALING)
os.ftruncate(fd, $bytes)"
check '... too little of it' refused "$waits_not" "
fd = os.memfd_create('sysprof-memory-waits', os.MFD_ALLOW_SEALING)
os.ftruncate(fd, 4096)
fcntl.fcntl(fd, 1033, 7)"
check '... of another version' refused 'another version' "
fd = os.memfd_create('sysprof-memory-waits', os.MFD_ALLOW_SEALING)
os.ftruncate(fd, $bytes)
fcntl.fcntl(fd, 1033, 7)"
# A program that says of all its rings that they are of processes of a namespace, each another one's:
# who they are is looked for in all of /proc.
strange()
{
	local begin

	python3 -c "import fcntl, mmap, os, struct, time
fd = os.memfd_create('sysprof-memory-waits', os.MFD_ALLOW_SEALING)
os.ftruncate(fd, $bytes)
fcntl.fcntl(fd, 1033, 7)
rings = mmap.mmap(fd, $bytes)
rings[:24] = struct.pack('=QIIII', 0x315253474e525453, 8, 2048, 131072, 0)
rings[4096:4108] = struct.pack('=III', 2049, 2048, 2048)
for i in range(2048):
    at = 4 * 4096 + 128 * i
    rings[at:at + 24] = struct.pack('=IIIIII', 0, 0, 4100000 + i, 4100000 + i, i + 1, 1)
for _ in range(300):
    if not os.fork():
        time.sleep(60)
        os._exit(0)
open('$work/pretends', 'w').write('1')
time.sleep(60)" &
	local pretender=$!
	wait_for pretends
	begin=$SECONDS
	"$cli" record --source perf -F 50 --no-embed --memory=16K --pid $pretender --duration 1 \
		-o "$work/h" 2>"$work/err"
	echo "$((SECONDS - begin)) s"
	pkill -KILL -P $pretender
	kill $pretender
	rm -f "$work/pretends"
	[ $((SECONDS - begin)) -lt 9 ]
}
timed check 'a program that has all of /proc looked at for each ring is waited for a little' strange
# With one page in the pool, which it has taken: a look at any other would end the recorder.
pool=/proc/sys/vm/nr_hugepages
of_huge_pages()
{
	refused "$waits_not" "
fd = os.memfd_create('sysprof-memory-waits', os.MFD_ALLOW_SEALING | os.MFD_HUGETLB)
os.posix_fallocate(fd, $bytes - 1, 1)
fcntl.fcntl(fd, 1033, 7)"
}
before=$(cat $pool 2>/dev/null)
if [ "$before" = 0 ] && echo 1 2>/dev/null >$pool && [ "$(<$pool)" = 1 ]; then
	check '... of huge pages, of which none is left' of_huge_pages
	echo 0 >$pool
else
	number=$((number + 1))
	echo "ok $number - ... of huge pages, of which none is left # SKIP the pool is not this test's"
fi
wrong()
{
	! "$cli" record --memory "$@" -o "$work/i" 2>"$work/err" && grep -qe "$sentence" "$work/err"
}
sentence='--memory of a process that runs already takes one process'
check '... every allocation of a process that runs' wrong --pid 1
check '... of two processes' wrong --memory=4K --pid 1,2
sentence='--mappings is for what a command maps'
check '... their mappings' wrong --memory=4K --pid 1 --mappings

echo "1..$number"
exit $broken

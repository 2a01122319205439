#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events by name, on this very machine: counts and fields of programs that do a thing a known number
# of times, conditions, who may ask, and what is left behind.

set -u

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root
here=$PWD
cd "$work" || exit 1

# record NAME OPTIONS...: with small records, so that none are lost.
record()
{
	local name=$1

	shift
	timeout 100 "$cli" record --source perf --stacks fp -F 97 -o "$name.capture" "$@" \
		>"$name.out" 2>err
}

# refuses STATUS WORDS ARGUMENTS...: one line that has them.
refuses()
{
	local expected=$1 words=$2 said status=0

	shift 2
	said=$(timeout 60 "$cli" "$@" 2>&1 >/dev/null </dev/null) || status=$?
	[ $status = "$expected" ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -qF -- "$words" <<<"$said" ||
		{ echo "status $status: $said"; return 1; }
}

# groups NAME METRIC BY: "WEIGHT NAME" lines of the recording.
groups()
{
	"$cli" report --all --json --metric "$2" --by "$3" "$1.capture" |
		python3 -c 'import json, sys
for row in json.load(sys.stdin)["groups"]: print(row["weight"], row["name"])'
}

# counted NAME EVENT: how often it came, and how many rows there are.
counted()
{
	"$cli" info --json "$1.capture" | python3 -c 'import json, sys
for kind in json.load(sys.stdin)["declared"]:
    if kind["name"] == sys.argv[1]: print(kind["counted"], kind["count"])' "$2"
}

# accounted NAME EVENT LEAST: what was recorded and what was lost is what was counted.
accounted()
{
	local lost

	lost=$(sed -n 's/^Events: [0-9,]*, \([0-9,]*\) lost$/\1/p' err | tr -d ,)
	counted "$1" "$2" | {
		read -r counted rows
		echo "$counted counted, $rows recorded, $lost lost"
		[ $((rows + lost)) = "$counted" ] && [ "$counted" -ge "$3" ]
	}
}

# What is switched on, and events of recorders that have ended; other tests have theirs meanwhile.
left()
{
	cat /sys/kernel/tracing/set_event /sys/kernel/tracing/events/enable
	sed -n 's|^[a-z0-9]*:\(sysprof_\([0-9]*\)_[^ ]*\) .*|\2 \1|p' /sys/kernel/tracing/dynamic_events |
		while read -r pid event; do
			kill -0 "$pid" 2>/dev/null || echo "$event"
		done
}

# Names.

check 'events: trace points with their fields' sh -c \
	'"$0" events sched:sched_process_exec | grep -q "filename, pid, old_pid"' "$cli"
check 'events: software and hardware events' sh -c \
	'"$0" events | grep -q "^page-faults " && "$0" events --names "cyc*" | grep -qx cycles' "$cli"
check 'events: nothing matches' refuses 1 'No event of this machine matches "scheduled:"' events scheduled:
check 'what is misspelt' refuses 2 'did you mean "sched:sched_switch"' \
	record -e sched:sched_swich -- true
check 'a condition on no field' refuses 2 'its fields are: filename, pid, old_pid' \
	record -e sched:sched_process_exec --filter 'name == 1' -- true
check 'a text without quotes' refuses 2 'a text has quotes around it' \
	record -e 'sched:sched_process_exec if filename == /bin/true' -- true
check 'a condition that does not end' refuses 2 'a ")" is missing' \
	record -e sched:sched_process_exec --filter '(pid == 1' -- true
check 'a condition on what has no fields' refuses 2 'has no fields to set a condition on' \
	record -e 'page-faults if pid == 1' -- true
check 'the module does not have them' sh -c \
	'"$0" record --source module -e page-faults -- true 2>&1 | grep -qE "The module does not report all of these|module is not loaded"' "$cli"

# Trace points.

left >before
cp /bin/true "$work/known" || exit 1
check 'execs: recorded' record execs -e sched:sched_process_exec,sched:sched_process_exit -- \
	sh -c "for i in \$(seq 300); do $work/known; done"
check '... all 300, by the field' grep -qx "300 $work/known" <(groups execs sched:sched_process_exec filename)
check '... and by a condition afterwards' sh -c "'$cli' report --all --json --metric sched:sched_process_exec \
	--field 'filename = $work/known' execs.capture | grep -q '\"sum\": *300\\b'"
check '... with stacks of the kernel' sh -c "'$cli' report --all --metric sched:sched_process_exec \
	--field 'filename = $work/known' execs.capture | grep -q execve"
check '... and counts are those of the rows' sh -c "[ \$1 = \$2 ]" - $(counted execs sched:sched_process_exec)
check '... and nothing was lost' grep -q '^Events: [0-9,]*, 0 lost' err

python3 - >opens.py <<'END'
print("import os")
print("for i in range(1234): os.close(os.open('/dev/null', os.O_RDONLY))")
print("for i in range(55): os.close(os.open('/dev/zero', os.O_RDONLY))")
print("for n in (100, 5000) * 40: os.write(os.open('/dev/null', os.O_WRONLY), bytes(n))")
END
check 'opens: recorded' record opens -e syscalls:sys_enter_openat \
	-e 'syscalls:sys_enter_write if count == 5000' --only-command -- python3 opens.py
# The name is read from the program's memory, where the field has only its address.
check '... a condition that the kernel tests' sh -c "[ \$1 = 40 ] && [ \$2 = 40 ]" - \
	$(counted opens syscalls:sys_enter_write)
check '... and a field that adds up' sh -c \
	"'$cli' report --all --json --metric syscalls:sys_enter_write.count opens.capture | grep -q '\"sum\": *200000\\b'"
check '... and the others, all of them' python3 - "$(groups opens syscalls:sys_enter_openat process)" <<'END'
import sys
counts = {name: int(n) for n, name in (line.split(None, 1) for line in sys.argv[1].splitlines())}
found = sum(n for name, n in counts.items() if name.startswith("python3"))
assert 1234 + 55 + 80 <= found < 1234 + 55 + 80 + 1000, counts
END
check 'a glob' record glob -e 'sched:sched_process_*' -- true
check '... is all of its names' sh -c \
	"'$cli' info --json glob.capture | grep -c '\"event sched:sched_process_' | grep -qx $("$cli" events --names 'sched:sched_process_*' | wc -l)"

# What comes too often is counted, and the machine goes on.

check 'a hot trace point: recorded' record hot -e syscalls:sys_enter_read,sched:sched_process_exec -- \
	sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=3000000 2>/dev/null; exec true'
timed check '... it is said that it was only counted' grep -q \
	'were only counted: syscalls:sys_enter_read from [0-9.]* s on' err
timed check '... and is not recorded' sh -c "[ \$2 -lt 3000000 ]" - \
	$(counted hot syscalls:sys_enter_read)
check '... counted to the last' sh -c "echo \$1; [ \$1 -ge 3000000 ]" - \
	$(counted hot syscalls:sys_enter_read)
timed check '... and the other one has its rows' sh -c "[ \$1 = \$2 ] && [ \$1 -ge 3 ]" - \
	$(counted hot sched:sched_process_exec)

# Software events.

cat >pages.c <<'END'
#include <sys/mman.h>
int main(void)
{
	char *at = mmap(0, 5000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(at, 5000 * 4096L, MADV_NOHUGEPAGE);
	for (int i = 0; i < 5000; i++)
		at[i * 4096L] = 1;
	return 0;
}
END
gcc -O1 -g -fno-omit-frame-pointer -o pages pages.c || exit 1
check 'page faults: recorded' record pages -e page-faults,context-switches,cpu-clock -- ./pages
check '... 5,000, at their function' python3 - <<END
import json, subprocess
found = json.loads(subprocess.run(["$cli", "report", "--json", "--metric", "page-faults", "pages.capture"],
                                  stdout=subprocess.PIPE, check=True).stdout)["functions"]
main = [row["total"] for row in found if (row["function"], row["object"]) == ("main", "pages")]
assert main and 5000 <= main[0] <= 5010, (main, found[:5])
END
check '... and of a clock each row has its period' sh -c \
	"'$cli' report --events cpu-clock pages.capture --limit 1 | grep -q 'count=1000000'"
# Only counts.

check 'only counts: recorded' record count --only-count \
	-e 'syscalls:sys_enter_getppid,sched:sched_process_exec' -- python3 -c '
import os, time
for i in range(1000000): os.getppid()
time.sleep(1.3)'
check '... a million calls, to the last' python3 - "$(counted count syscalls:sys_enter_getppid)" <<'END'
import sys
counted, rows = map(int, sys.argv[1].split())
assert 1000000 <= counted < 1001000, (counted, rows)
assert 2 <= rows <= 30, (counted, rows)
END
check '... said at the end' grep -qE '^Counted: +1,00[0-9],[0-9]{3}  syscalls:sys_enter_getppid \(' err
check '... counters that add up to it' python3 - <<END
import json, subprocess
rows = json.loads(subprocess.run(["$cli", "report", "--json", "--counters", "count.capture"],
                                 stdout=subprocess.PIPE, check=True).stdout)["counters"]
row = next(row for row in rows if row["name"] == "syscalls:sys_enter_getppid")
assert row["unit"] == "/s" and row["most"] > row["least"] >= 0 and row["most"] >= row["mean"], row
# The last second is no whole one: the mean is of time, and not of readings.
facts = json.loads(subprocess.run(["$cli", "info", "--json", "count.capture"], stdout=subprocess.PIPE,
                                  check=True).stdout)
kind = next(kind for kind in facts["declared"] if kind["name"] == row["name"])
times = [hit["time_ns"] for hit in json.loads(subprocess.run(
    ["$cli", "report", "--json", "--events", row["name"], "count.capture"], stdout=subprocess.PIPE,
    check=True).stdout)["rows"]]
seconds = (max(times) - int(facts["host"]["start_time"])) / 1e9
assert abs(row["mean"] * seconds - kind["counted"]) <= kind["counted"] / 100, (row, seconds, kind)
END
timed check '... and the last reading is of when they were stopped' python3 - <<END
import json, os, subprocess
facts = json.loads(subprocess.run(["$cli", "info", "--json", "count.capture"], stdout=subprocess.PIPE,
                                  check=True).stdout)
kind = next(kind for kind in facts["declared"] if kind["name"] == "syscalls:sys_enter_getppid")
times = [hit["time_ns"] for hit in json.loads(subprocess.run(
    ["$cli", "report", "--json", "--events", kind["name"], "count.capture"], stdout=subprocess.PIPE,
    check=True).stdout)["rows"]]
counted_ns = kind["enabled_ns"] / os.cpu_count()
said_ns = max(times) - int(facts["host"]["start_time"])
assert abs(said_ns - counted_ns) < 1000000, (said_ns, counted_ns)
END
check '... and a rare one beside them' sh -c '[ "$1" -ge 1 ] && [ "$1" -le 100000 ]' - \
	$(counted count sched:sched_process_exec)
check '... for a condition' record odd --only-count -e syscalls:sys_enter_write \
	--filter 'count == 5000' --only-command -- python3 opens.py
check '... of the command and what it starts' sh -c "[ \$1 = 40 ]" - $(counted odd syscalls:sys_enter_write)
check '... of a function of programs' record count-probe --only-count --probe ./pages:main -- \
	sh -c './pages; ./pages; ./pages'
check '... of all processes' sh -c "[ \$1 = 3 ]" - $(counted count-probe pages:main)
check '... which cannot be restricted' refuses 2 'for all processes: leave out the choice of processes' \
	record --only-count --probe ./pages:main --only-command -- ./pages
check '... nor to a user' refuses 2 'for all users: leave out --uid' \
	record --only-count --source perf -e page-faults --uid root -- true
check '... and has to have a name' refuses 2 '--only-count is for what --event, --function or --probe name' \
	record --only-count -- true

# The recorder sleeps until its rings have been full to the end.
check 'a recorder that comes too late: recorded' record late -e page-faults -- \
	sh -c 'kill -STOP $PPID; for i in $(seq 60); do ./pages; done; kill -CONT $PPID'
check '... and each that it missed is counted as lost' accounted late page-faults 300000
check '... which reports of these events say' sh -c "for report in --metric --events; do
	'$cli' report \$report page-faults late.capture | grep -q ' events were lost' || exit 1
done; '$cli' info late.capture | grep -q -- '--event: [0-9,]* of [0-9,]* events'"
check '... and no way to select some, as these have no fields' sh -c \
	'grep -q "came faster than they could be recorded; --stacks fp" err'
check '... which it says' grep -q 'came faster than they could be recorded' err

check 'a hardware event, or why there is none' sh -c \
	"'$cli' record --source perf -e cycles -o cycles.capture -- true 2>err || grep -q 'This machine does not count cycles' err"

# Functions and lines of programs.

cat >calls.c <<'END'
#include <stdlib.h>
#include <time.h>
#define FUNCTION __attribute__((noinline, noclone))
FUNCTION int wait_a_while(int n)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 500000);
	return n * 2;
}
FUNCTION int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 200; i++)
		sum += wait_a_while(i);		/* the line */
	return sum + fibonacci(12) == 0;
}
END
line=$(grep -n 'the line' calls.c | cut -d: -f1)
cat >marks.S <<'END'
	.text
	.globl marked
	.type marked, @function
marked:
	endbr64
	sub $24, %rsp
	mov %rsi, 8(%rsp)
	mov %rdx, 16(%rsp)
990:	nop
	add $24, %rsp
	ret
	.size marked, . - marked
	.pushsection .note.stapsdt, "", "note"
	.balign 4
	.4byte 992f - 991f, 994f - 993f, 3
991:	.asciz "stapsdt"
992:	.balign 4
993:	.8byte 990b
	.8byte _.stapsdt.base
	.8byte counter
	.asciz "test"
	.asciz "passed"
	.asciz "-4@%edi 8@8(%rsp) 8@$77 1@nowhere(%rip) 8@%rdx 8@16(%rsp)"
994:	.balign 4
	.popsection
	.pushsection .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base: .space 1
	.popsection
	.section .probes, "aw"
	.globl counter
counter: .2byte 0
	.section .note.GNU-stack, "", @progbits
END
cat >marked.c <<'END'
#include <stdio.h>
void marked(int n, long bytes, const char *text);
extern volatile unsigned short counter;
int main(void)
{
	int on = 0;

	for (int i = 0; i < 40; i++) {
		on += counter > 0;
		marked(-i, i * 1000L, i % 2 ? "odd" : "even");
	}
	printf("%d\n", on);
	return 0;
}
END
gcc -O1 -g -o calls calls.c || exit 1
# Three pages for each mapping here, and one for two there.
cat >ratios.c <<'END'
#include <sys/mman.h>
#define MAP(n) mmap(0, (n) * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
__attribute__((noinline, noclone)) void three(void)
{
	for (int i = 0; i < 1000; i++) {
		volatile char *pages = MAP(3);
		pages[0] = pages[4096] = pages[8192] = 1;
		munmap((void *)pages, 3 * 4096);
	}
}
__attribute__((noinline, noclone)) void half(void)
{
	for (int i = 0; i < 1000; i++) {
		volatile char *pages = MAP(1);
		if (i % 2)
			pages[0] = 1;
		munmap((void *)pages, 4096);
	}
}
int main(void) { three(); half(); return 0; }
END
gcc -O1 -o ratios ratios.c || exit 1
# Of the command alone: what others do at the time could fill the rings.
check 'two events: recorded' "$cli" record --source perf -F 97 --only-command \
	-e page-faults,syscalls:sys_enter_munmap -o ratios.capture -- ./ratios
check '... one divided by the other, of each function' python3 - <<END
import json, subprocess
report = json.loads(subprocess.run(["$cli", "report", "--json", "--metric", "page-faults",
                                    "--per", "syscalls:sys_enter_munmap", "ratios.capture"],
                                   stdout=subprocess.PIPE, check=True).stdout)
of = {function["function"]: function for function in report["functions"]}
assert of["three"]["total_ratio"] == 3 and of["half"]["total_ratio"] == 0.5, (of["three"], of["half"])
assert of["three"]["per_total"] == of["half"]["per_total"] == 1000 and "self_ratio" not in of["half"]
assert abs(report["ratio"] - report["sum"] / report["per_sum"]) < 1e-9
END
check '... as text' sh -c "'$cli' report --metric page-faults --per syscalls:sys_enter_munmap ratios.capture |
	grep -qE '^ +- +3 +3000 +0  three +ratios$'"
check '... by what the recording does not have' refuses 1 'has no metric "nothing"' \
	report --metric page-faults --per nothing ratios.capture
# What people ask who know perf or bpftrace is done, or answered by what helps.
check 'faults of programs alone: recorded' "$cli" record --source perf -F 97 --only-command -e page-faults:u -o mine.capture -- ./ratios
check '... as an event of that name' sh -c "
	'$cli' report --json --metric page-faults:u mine.capture | grep -q '\"three\"'"
asks()
{
	refuses 2 "$1" record "${@:2}" -- true
}
check 'letters behind a trace point' asks 'letters such as :u and :k are for events that are counted; did you mean "sched:sched_switch"' -e sched:sched_switch:k
check 'a name without its group' asks 'did you mean "syscalls:sys_enter_openat"' -e openat
check 'a group of events' asks '"{page-faults,cs}:S" on this machine; groups are not made' -e '{page-faults,cs}:S'
check 'an event of a unit' asks 'is r01a8' -e cpu/event=0xa8,umask=0x1/
check "bpftrace's words" asks 'write a trace point as GROUP:NAME' -e tracepoint:sched:sched_switch
check '... of functions' asks '--function NAME records calls' -e kprobe:vfs_read
check '... of programs' asks '--probe FILE:NAME records calls' -e uprobe:./calls:fibonacci
check 'a name is missing' asks 'a name is missing' -e page-faults,,cs
check 'a condition on no trace point' asks 'event names none' -e page-faults --filter 'pid == 1'
check 'no such process' asks 'There is no process 4194304' -p 4194304 -e page-faults
check 'an argument below 0: recorded' record minus -e syscalls:sys_enter_openat --filter 'dfd == -100' -- cat /dev/null
check '... is of the directory at hand' sh -c "
	'$cli' report --events syscalls:sys_enter_openat --limit 1000 --json minus.capture |
		python3 -c 'import json, sys; assert all(row[\"fields\"][\"dfd\"] & 0xffffffff == 2**32 - 100 for row in json.load(sys.stdin)[\"rows\"])'"
check 'what an address leads to: recorded' record behind -e syscalls:sys_enter_openat \
	--filter 'filename.ustring == "/nowhere/at/all"' -- sh -c 'cat /nowhere/at/all 2>/dev/null; true'
check '... only that' sh -c "'$cli' report --events syscalls:sys_enter_openat behind.capture | grep -q '^syscalls:sys_enter_openat: 1 event'"
check '... with a version' asks 'names are written without a version; did you mean "fibonacci"' --probe ./calls:fibonacci@V1
check '... its return' asks 'calls are recorded with their returns' --probe ./calls:fibonacci%return
check '... a bracket is missing' asks 'a bracket is missing' --probe './calls:fibonacci(n'
check 'a line without code' asks 'no code begins with that line' --probe ./calls:calls.c:9999
check "a probe in bpftrace's words: recorded" record words --probe uretprobe:./calls:wait_a_while -- ./calls
check '... is the same' sh -c "[ \$1 = 200 ] && [ \$2 = 200 ]" - $(counted words calls:wait_a_while)
check 'a part of a name lists all with it' sh -c "'$cli' events --names sched | grep -qx sched:sched_switch"
check 'what never came: recorded' record none -e 'sched:sched_process_exec if filename == "/nowhere"' -- true
check '... is none, in words' sh -c "
	'$cli' report --events sched:sched_process_exec none.capture | grep -qx 'sched:sched_process_exec: 0 events' &&
	'$cli' report --metric sched:sched_process_exec --by filename none.capture | grep -q 'number of events: 0$' &&
	'$cli' report --metric sched:sched_process_exec --json none.capture | grep -q 'there is none\.' &&
	'$cli' merge -o merged.capture none.capture none.capture &&
	'$cli' report --events sched:sched_process_exec merged.capture | grep -qx 'sched:sched_process_exec: 0 events'"
check 'calls: recorded' record calls --probe ./calls:wait_a_while --probe ./calls:fibonacci \
	--probe "./calls:calls.c:$line" -- ./calls
check '... each of 200 and 465' python3 - <<END
import json, subprocess
def cli(*words):
    return json.loads(subprocess.run(["$cli", *words, "--json", "calls.capture"], stdout=subprocess.PIPE, check=True).stdout)
kinds = {kind["name"]: kind for kind in cli("info")["declared"]}
for name, n in (("calls:wait_a_while", 200), ("calls:fibonacci", 465)):
    assert kinds[name]["count"] == kinds[name]["counted"] == n, kinds
lines = [kind["count"] for name, kind in kinds.items() if name.startswith("calls:calls.c:$line")]
assert lines and max(lines) == 200, kinds
rows = cli("report", "--events", "calls:wait_a_while", "--limit", "1000")["rows"]
assert [row["fields"]["return"] for row in rows] == [2 * i for i in range(200)]
assert all(row["duration_ns"] >= 500000 for row in rows), min(row["duration_ns"] for row in rows)
rows = cli("report", "--events", "calls:fibonacci", "--limit", "1000")["rows"]
whole = [row["duration_ns"] for row in rows if row["fields"]["return"] == 144]
assert len(whole) == 1 and sum(row["fields"]["own"] for row in rows) == whole[0], whole
assert cli("report", "--metric", "calls")["sum"] == 665
END
check '... and stacks that returns are taken from are whole' sh -c \
	"'$cli' record --source perf -F 97 --probe ./calls:fibonacci -o deep.capture -- ./calls 2>err &&
	'$cli' report --json --metric calls deep.capture | python3 -c '
import json, sys
found = {row[\"function\"]: row[\"total\"] for row in json.load(sys.stdin)[\"functions\"]}
assert found[\"main\"] == found[\"fibonacci\"] == 465 and \"[stack incomplete]\" not in found, found'"
if [ "$(uname -m)" = x86_64 ] && gcc -o marked marked.c marks.S; then
	check 'a mark: recorded' record marks --probe ./marked:test:passed -- ./marked
	check '... the program sees that it is on' grep -qx 40 marks.out
	check '... with its arguments' python3 - <<END
import json, subprocess
rows = json.loads(subprocess.run(["$cli", "report", "--events", "test:passed", "--limit", "99", "--json", "marks.capture"],
                                 stdout=subprocess.PIPE, check=True).stdout)["rows"]
assert [row["fields"]["arg1"] for row in rows] == [-i for i in range(40)], rows[:3]
assert {row["fields"]["arg3"] for row in rows} == {77} and "arg4" not in rows[0]["fields"], rows[0]
END
	check '... those of the stack where it is copied' sh -c \
		"'$cli' record --source perf -F 97 --probe ./marked:test:passed -o deep.capture -- ./marked 2>err >out &&
		'$cli' report --json --metric test:passed.arg2 deep.capture | grep -q '\"sum\": *780000\b'"
	check '... texts, in a register and on the stack: recorded' record texts \
		--probe './marked:test:passed(arg5:text,arg6:text)' -- ./marked
	check '... the program sees that it is on' grep -qx 40 texts.out
	check '... each as it is, beside the numbers' python3 - <<END
import json, subprocess
rows = json.loads(subprocess.run(["$cli", "report", "--events", "test:passed", "--limit", "99", "--json", "texts.capture"],
                                 stdout=subprocess.PIPE, check=True).stdout)["rows"]
assert [[row["fields"][name] for name in ("arg1", "arg2", "arg3", "arg5", "arg6")] for row in rows] == \
    [[-i, i * 1000, 77] + 2 * ["odd" if i % 2 else "even"] for i in range(40)], rows[:2]
END
	check '... of what is no address of one' refuses 2 'has no argument "arg1" that may be the address of a text' \
		record --probe './marked:test:passed(arg1:text)' -- true
fi
# Arguments, by debug information: in registers and on the stack, with and without optimisation.
cat >passing.cc <<'END'
#include <string>
struct pair { long a, b; };
enum kind : short { FIRST = 1, LAST = -5 };
#define KEPT __attribute__((noinline, noclone))
extern "C" KEPT int take(int n, const char *text, double ratio, unsigned char c, long a5, long a6, long a7, short a8)
{
	__asm__ volatile("" ::: "memory");
	return n + (text ? text[0] : 0) + (int)ratio + c + (int)(a5 + a6 + a7 + a8);
}
extern "C" KEPT struct pair both(struct pair p, int n) { p.a += n; return p; }
struct thing {
	int value;
	KEPT int get(kind k, bool yes) const { __asm__ volatile("" ::: "memory"); return value + k + yes; }
	KEPT std::string name(int n) { __asm__ volatile("" ::: "memory"); return std::string(n, 'x'); }
};
template <class T> KEPT T plus(T a, T b) { __asm__ volatile("" ::: "memory"); return a + b; }
int main()
{
	thing it = { 3 };
	long sum = 0;
	for (int i = 0; i < 100; i++)
		sum += take(-i, i == 50 ? nullptr : i % 2 ? "odd, with a \"quote\"" : "even", 1.5, i, 1000 + i, 6, 7000 + i, -i) + both({ i, 2 }, i).a +
		       it.get(LAST, i & 1) + it.name(i).size() + plus<int>(i, 2) + plus<long>(i, 70);
	return sum == 1;
}
END
for optimised in -O0 -O1 -O2; do
	g++ -g $optimised -o passing passing.cc || exit 1
	check "arguments, $optimised: recorded" "$cli" record --source perf -F 97 -o passing.capture \
		--probe './passing:take(n, text, c, a5, a6, a7, a8)' --probe './passing:thing::get(k,yes,this)' \
		--probe './passing:plus*(b)' --probe ./passing:thing::name -- ./passing
	check '... each call has its own' python3 - <<END
import json, subprocess
def fields(name):
    rows = json.loads(subprocess.run(["$cli", "report", "--events", name, "--limit", "1000", "--json", "passing.capture"],
                                     stdout=subprocess.PIPE, check=True).stdout)["rows"]
    return [row["fields"] for row in rows]
taken = fields("passing:take")
assert [row["text"] for row in taken if row["n"] != -50] == \
    ["odd, with a \"quote\"" if i % 2 else "even" for i in range(100) if i != 50], taken[:2]
assert [[row[name] for name in ("n", "c", "a5", "a6", "a7", "a8")] for row in taken] == \
    [[-i, i, 1000 + i, 6, 7000 + i, -i] for i in range(100)], taken[:2]
assert [(row["k"], row["yes"]) for row in fields("passing:thing::get")] == [(-5, i & 1) for i in range(100)]
assert {row["b"] for row in fields("passing:plus<int>")} == {2} and {row["b"] for row in fields("passing:plus<long>")} == {70}
assert len(fields("passing:thing::name")) == 100
END
	check '... a number beside what is passed otherwise is none' refuses 2 \
		'has no argument "ratio" that is a number or an address where it begins; those are: n,text,c,a5,a6,a7,a8' \
		record --probe './passing:take(ratio)' -- true
done
# What arguments lead to: members, those of base classes, unions and structures without a name.
cat >paths.cc <<'END'
#include <string.h>
struct base { long id; };
struct client : base { const char *name; char host[16]; struct { int port; unsigned flag : 3; }; union { int a; float f; } u; };
struct request { int kind; const client *from; request *next; short parts[4]; client inside; };
extern "C" __attribute__((noinline, noclone)) long handle(const request *r, request &ref, int n)
{
	__asm__ volatile("" ::: "memory");
	return r->kind + ref.kind + n;
}
int main()
{
	static client c = {};
	static request r = {}, next = {};
	long sum = 0;
	c.name = "alice"; strcpy(c.host, "h.example"); c.port = 80; c.u.a = 5;
	r.from = &c; r.next = &next; next.from = &c; next.inside.id = 77;
	for (int i = 0; i < 50; i++) {
		r.kind = -i; c.id = 1000 + i;
		__asm__ volatile("" : : "r"(&c), "r"(&r), "r"(&next) : "memory");
		sum += handle(&r, next, i);
	}
	return sum == 3;
}
END
for optimised in -O0 -O2; do
	g++ -g $optimised -o paths paths.cc || exit 1
	check "behind addresses, $optimised: recorded" "$cli" record --source perf -F 97 -o paths.capture --probe \
		'./paths:handle(n, r.kind, r.from.id, r.from.name, r.next.from.host, r.from.port, ref.inside.id, r.from.u.a)' -- ./paths
	check '... each call has its own' python3 - <<END
import json, subprocess
rows = json.loads(subprocess.run(["$cli", "report", "--events", "paths:handle", "--limit", "99", "--json", "paths.capture"],
                                 stdout=subprocess.PIPE, check=True).stdout)["rows"]
names = "n", "kind", "id", "name", "host", "port", "ref.inside.id", "a"
assert [[row["fields"][name] for name in names] for row in rows] == \
    [[i, -i, 1000 + i, "alice", "h.example", 80, 77, 5] for i in range(50)], rows[:2]
END
done
check '... which are said where there is no such' refuses 2 \
	'those are: r.from.id,r.from.name,r.from.host,r.from.port,r.from.u' record --probe './paths:handle(r.from.nam)' -- true
check '... bits and arrays are none' refuses 2 'has no argument "r.from.flag"' record --probe './paths:handle(r.from.flag)' -- true
check '... and nine are too many' refuses 2 'with 8 arguments at most' record --probe './paths:handle(n,n,n,n,n,n,n,n,n)' -- true
g++ -g -O0 -o passing passing.cc || exit 1
check 'a function without its class' asks 'did you mean "thing::get"' --probe ./passing:get
check 'an argument behind a structure is not guessed' refuses 2 'those are: none' \
	record --probe './passing:both(n)' -- true
# In a copy of the function for one value of an argument that is passed nowhere.
cat >copied.c <<'END'
#include <stdio.h>
static __attribute__((noinline)) int scaled(int by, int n) { return printf("%d\n", by * n) + by; }
int main(int argc, char **argv) { return scaled(5, argc) + scaled(5, argc + 1) == 1 && argv; }
END
gcc -g -O2 -o copied copied.c || exit 1
check 'an argument that is not passed is not guessed' refuses 2 'has no argument "by" that is a number or an address where it begins; those are: n' \
	record --probe './copied:scaled*(by)' -- true
if [ "$(uname -m)" = x86_64 ]; then
	printf '%s\n' '__attribute__((noinline, noclone)) int take(int n) { return n; }' \
		'void _start(void) { for (;;) take(1); }' >narrow.c
	gcc -m32 -g -O1 -nostdlib -static -fno-pie -no-pie -o narrow narrow.c || exit 1
	check '... nor one of a program of 32 bits' refuses 2 'has no argument "n" that is a number or an address where it begins; those are: none' \
		record --probe './narrow:take(n)' -- true
fi
strip passing
check 'arguments without debug information' refuses 2 'has no function, line or mark' \
	record --probe './passing:take(n)' -- true
gcc -o calls-plain calls.c || exit 1
check '... of a function that has a name' refuses 2 'there is no debug information of it' \
	record --probe './calls-plain:fibonacci(n)' -- true
# A file that has a path in another mount namespace alone, as those of containers have.
unshare -m sh -c 'mount -t tmpfs nodev /mnt && cp calls /mnt/inside && touch ready &&
	until [ -e go ]; do sleep 0.05; done; exec /mnt/inside' &
container=$!
until [ -e ready ] || ! kill -0 $container 2>/dev/null; do sleep 0.05; done
check 'a file of a container: recorded' record inside \
	--probe "/proc/$container/root/mnt/inside:wait_a_while" -- sh -c "touch go; tail --pid=$container -f /dev/null"
check '... each of 200' sh -c "[ \$1 = 200 ] && [ \$2 = 200 ]" - $(counted inside inside:wait_a_while)
wait $container
check 'no such function' refuses 2 'has no function, line or mark "nothing"' \
	record --probe ./calls:nothing -- true
check 'no such file' refuses 2 'there is no library or program "nosuchfile"' \
	record --probe nosuchfile:main -- true
check 'no ELF file' refuses 2 'cannot be read as an ELF file' record --probe ./calls.c:main -- true
# Killed, with a program below its probes that goes on.
cat >endless.c <<'END'
__attribute__((noinline, noclone)) int step(int n) { __asm__ volatile("" ::: "memory"); return n + 1; }
int main(void) { for (volatile int i = 0; i < 2000000000; i = step(i)); return 0; }
END
gcc -O1 -o endless endless.c || exit 1
./endless &
endless=$!
{ timeout -s KILL 1 "$cli" record --source perf -F 97 --probe ./endless:step \
	-o killed.capture || :; } >/dev/null 2>&1
check 'the recorder is killed: the program goes on' sh -c \
	"sleep 0.3; kill -0 $endless && ! grep -q uprobes /proc/$endless/maps || kill -0 $endless"
kill $endless

# What the killed one had is removed once the kernel has waited for its end.
for _ in $(seq 100); do
	left >after
	cmp -s before after && break
	sleep 0.1
done
check 'nothing is left in tracefs' cmp before after

# Another user.

if id nobody >/dev/null 2>&1; then
	mkdir -m 777 "$work/his"
	chmod 711 "$work"
	cp "$cli" "$(dirname "$cli")"/libspt-*.so "$work/his"
	as_nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=$work/his XDG_CACHE_HOME=$work/his"
	check 'another user may not record trace points' sh -c \
		"$as_nobody $work/his/sysprof-cli record -e sched:sched_switch -o $work/his/a -- true 2>$work/err; \
		[ \$? != 0 ] && grep -q 'closed to this user' $work/err"
	check '... and is told so in his list' sh -c \
		"$as_nobody $work/his/sysprof-cli events 'sched:*' 2>&1 | grep -q 'closed to this user'"
	check '... but software events of his own' sh -c \
		"[ \$(cat /proc/sys/kernel/perf_event_paranoid) -gt 2 ] || {
		$as_nobody $work/his/sysprof-cli record --stacks fp -e page-faults -o $work/his/a -- $work/pages 2>$work/err &&
		mv $work/his/a $work/his.capture; }"
	[ ! -e "$work/his.capture" ] ||
		check '... each of which is recorded or lost' accounted "$work/his" page-faults 5000
fi
cd "$here" || exit 1
echo "1..$number"
exit $broken

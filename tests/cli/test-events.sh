#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events by name, on this very machine: counts and fields of programs that do a thing a known number
# of times, conditions, who may ask, and what is left behind.

set -u

# A mount of tracefs that nobody else sees, where there is none.
if [ "$(id -u)" = 0 ] && [ ! -d /sys/kernel/tracing/events ] && [ -z "${WITH_TRACEFS-}" ]; then
	WITH_TRACEFS=1 exec unshare -m sh -c \
		'mount -t tracefs nodev /sys/kernel/tracing; exec bash "$0"' "$0"
fi

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

left()
{
	cat /sys/kernel/tracing/dynamic_events /sys/kernel/tracing/set_event
	cat /sys/kernel/tracing/events/enable
}

# Names.

check 'events: trace points with their fields' sh -c \
	'"$0" events sched:sched_process_exec | grep -q "filename, pid, old_pid"' "$cli"
check 'events: software and hardware events' sh -c \
	'"$0" events | grep -q "^page-faults " && "$0" events --names "cyc*" | grep -qx cycles' "$cli"
check 'events: nothing matches' refuses 1 'No event of this machine matches "sched"' events sched
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
	'"$0" record --source module -e page-faults -- true 2>&1 | grep -qE "Events by name|module is not loaded"' "$cli"

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
check 'a hardware event, or why there is none' sh -c \
	"'$cli' record --source perf -e cycles -o cycles.capture -- true 2>err || grep -q 'This machine does not count cycles' err"
left >after
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
		"[ \$(cat /proc/sys/kernel/perf_event_paranoid) -gt 2 ] ||
		$as_nobody $work/his/sysprof-cli record --stacks fp -e page-faults -o $work/his/a -- $work/pages 2>$work/err &&
		$cli info $work/his/a | grep -E '^page-faults +instant +5[0-9]{3} '"
fi
cd "$here" || exit 1
echo "1..$number"
exit $broken

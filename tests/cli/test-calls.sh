#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --waits=calls: waits in calls of the C library, on this very machine.  A program that waits
# in known ways holds each against what it measured itself, and checks that calls behave as ever.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root
top=$PWD
blocks=$workloads/blocks

# record NAME STATUS OPTION... -- COMMAND...: leaves NAME.capture, and what the command prints in NAME.out
record()
{
	local name=$1 status=$2

	shift 2
	timeout 100 "$cli" record --source perf -o "$work/$name.capture" "$@" >"$work/$name.out" \
		2>"$work/err"
	[ $? = "$status" ]
}

# judge NAME PYTHON: with out (lines), truth {function: (least ns, most ns)}, shown(metric, option...)
# and below(function) at hand; asserts
judge()
{
	python3 - "$cli" "$work/$1" <<END
$timed_python
import functools, json, subprocess, sys
cli, path = sys.argv[1:]
@functools.cache
def shown(metric, *options):
    return json.loads(subprocess.run([cli, "report", path + ".capture", "--json", f"--metric={metric}", *options], capture_output=True, check=True).stdout)
def below(function):
    return sum(row["total"] for row in shown("blocked")["functions"] if row["function"] == function)
out = open(path + ".out").read().splitlines()
truth = {words[1]: (int(words[2]), int(words[3])) for words in map(str.split, out) if words[:1] == ["truth"]}
$2
END
}

# No call waits shorter than it asked to.  Between reading a clock and the call the thread may leave
# its CPU, too, on a busy machine for long: that is no wait of the call.
lengths='
asked = {"polls": 80, "sleeps": 120, "selects": 50, "watches": 40, "receives": 30, "waits_by_futex": 70, "child_sleeps": 70}
assert out[-1] == "all as it should be", out
assert len(truth) == 11, truth
for function, (least, most) in truth.items():
    assert asked.get(function, 0) * 1e6 - 1e6 <= below(function) <= most, (function, below(function), least, most)
timed(sum(map(below, truth)) >= .5 * sum(least for least, most in truth.values()), truth)
callers = {"reads": "read", "polls": "poll", "sleeps": "nanosleep", "selects": "select", "watches": "epoll_wait",
           "receives": "recv", "syncs": "fsync", "waits_by_futex": "syscall", "locks": "pthread_mutex_lock"}
for function, call in callers.items():
    inner = {row["function"]: row["self"] for row in shown("blocked", "--with", function)["functions"] if row["self"]}
    assert call in {name.lstrip("_") for name in inner}, (function, inner)
assert below("reads") > 0 and below("locks") > 0 and below("sleeps_in_handler") >= 29e6 and below("sleeps") == below("other_thread")'

check 'known waits: recorded' record known 5 --waits=calls -- "$blocks"
check '... each of its length, and with its stack' judge known "$lengths"
check '... by processes and threads' judge known '
assert len(shown("blocked", "--by", "process")["groups"]) == 2
groups = shown("blocked", "--by", "thread")["groups"]
assert len(groups) == 5, groups'
check '... conditions are as ever' judge known '
part = shown("blocked", "--with", "reads")["sum"]
assert part + shown("blocked", "--without", "reads")["sum"] == shown("blocked")["sum"] > part > 0
assert shown("off-cpu")["sum"] == shown("blocked")["sum"] and shown("blocked")["waits_of"] == "calls"
assert "waits_of" not in shown("cpu")'
says_so()
{
	grep -q '^Note: waits are those in calls of the C library; calls inside of it' "$work/err" &&
		"$cli" report --metric blocked "$work/known.capture" |
			grep -q '^waits are those in calls of the C library; calls inside of it'
}
check '... and recorder and report say what is not seen' says_so
check 'together with its memory: recorded' record both 5 --waits=calls --memory -- "$blocks"
check '... each wait of its length' judge both "$lengths"
check '... and its allocations' judge both 'assert shown("allocated")["sum"] > 0'

cat >"$work/work.py" <<'END'
import subprocess, sys, threading, time
def naps():
    time.sleep(.12)
thread = threading.Thread(target=naps)
thread.start()
thread.join()
done = subprocess.run(["sh", "-c", "sleep 0.1; echo said; exit 3"], capture_output=True, text=True)
print(done.stdout.strip(), done.returncode, len(open("/etc/passwd").read()) > 0)
try:
    open("/nonexistent")
except FileNotFoundError as error:
    print(error)
sys.exit(4)
END
check 'python: recorded' record python 4 --waits=calls -- /usr/bin/python3 "$work/work.py"
check '... says the same, and waits as long as it should' judge python '
assert out == ["said 3 True", "[Errno 2] No such file or directory: '"'/nonexistent'"'"], out
inner = {row["function"].lstrip("_"): row["self"] for row in shown("blocked")["functions"] if row["self"]}
assert inner.get("clock_nanosleep", 0) + inner.get("select", 0) >= 119e6, inner
assert shown("blocked")["sum"] >= 3 * 100e6, inner'

check 'nothing that waits: recorded' record nothing 0 --waits=calls -- true
check '... and nothing is said to be shown' bash -c '"$0" report --metric blocked "$1" | grep -qx "true has nothing of the metric blocked, nor has anything else"' \
	"$cli" "$work/nothing.capture"

# An ordinary user has no stacks of waits where kernel.perf_event_paranoid is 2.
by_nobody()
{
	mkdir -p "$work/nobody" && chmod 755 "$work" && chown nobody "$work/nobody" &&
		(cd "$work/nobody" && XDG_CACHE_HOME=$work/nobody/cache \
			setpriv --reuid=nobody --regid=nogroup --clear-groups \
			timeout 100 "$cli" record --source perf -o here.capture "${@:2}" \
			>"$work/$1.out" 2>"$work/err")
	[ $? = 5 ] && mv "$work/nobody/here.capture" "$work/$1.capture"
}
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	check 'without being asked where the kernel has no stacks: recorded' by_nobody nobody --waits -- "$blocks"
	check '... each wait of its length, and with its stack' judge nobody "$lengths"
	check '... and the threads'"'"' own sums' judge nobody '
rows = shown("wall", "--by", "thread")["threads"]
assert sum(row["blocked_ns"] for row in rows) > 0, rows'
	check 'of at least 65 ms: recorded' by_nobody long --waits=65ms -- "$blocks"
	check '... and no others' judge long '
assert below("polls") >= 79e6 and below("sleeps") == 0 or truth["sleeps"][1] > 125e6, shown("blocked")["functions"]
assert shown("blocked")["sum"] >= 65e6 * shown("blocked")["samples"]'
else
	echo "# kernel.perf_event_paranoid is not 2: stacks of waits come from the kernel"
fi

musl-gcc -O2 -g -D_GNU_SOURCE -pthread -Wl,--eh-frame-hdr -o "$work/blocks" \
	"$top/tests/vm/workloads/blocks.c" || echo "# there is no musl-gcc"
# Musl has no unwind information.
check 'musl: recorded' record musl 5 --waits=calls -- "$work/blocks"
check '... each wait of its length' judge musl '
assert out[-1] == "all as it should be", out
# Nor has it any for the frame of a signal.
for function, (least, most) in truth.items():
    assert below(function) <= most, (function, below(function), least, most)
assert below("polls") >= 79e6 and below("sleeps") >= 119e6 and below("reads") > 0, truth'

refused()
{
	local said=$1

	shift
	! "$cli" record --source perf -o "$work/refused.capture" "$@" 2>"$work/err" &&
		grep -qF -- "$said" "$work/err"
}
check 'a static program is refused' refused 'linked statically' --waits=calls -- \
	"$top/build/static/sysprof-cli" --version
check 'no command: refused' refused 'put it behind' --waits=calls --duration 1
check '--last with it is refused' refused 'give one of them' --waits=calls --last 5 -- true
echo "1..$number"
exit $broken

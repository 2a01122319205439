#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the kernel itself does, recorded without the module: page faults, requests to disks, interrupts
# and waits for locks of known numbers, held against what the kernel and perf count.

set -u

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

if [ "$(id -u)" != 0 ] || [ ! -e /sys/kernel/tracing/events/irq/softirq_entry ]; then
	echo "1..0 # SKIP trace points are for root, and tracefs has to be mounted"
	exit 0
fi

# record NAME OPTIONS...: leaves NAME.capture, the command's output in NAME.out, the recorder's words
# in NAME.err.
record()
{
	local name=$1

	shift
	timeout 100 "$cli" record --source perf --stacks fp -F 97 -o "$work/$name.capture" "$@" \
		>"$work/$name.out" 2>"$work/$name.err" || { cat "$work/$name.err"; return 1; }
}

# judge NAME PYTHON: with rows(METRIC, BY...) -> {name: (weight, events)} and account(SOURCE) at hand.
judge()
{
	python3 - "$cli" "$work/$1" <<END
import json, re, subprocess, sys
cli, of = sys.argv[1:3]
def said(*arguments):
    return json.loads(subprocess.run([cli, *arguments, "--json", of + ".capture"], check=True, stdout=subprocess.PIPE).stdout)
def rows(metric, by, *more):
    table = said("report", "--metric", metric, "--by", by, "--all", *more)
    return {row["name"]: (row["weight"], row["samples"]) for row in table["groups"]}
info = said("info")
def account(name):
    events = {source["name"]: source["events"] for source in info["sources"]}[name]
    assert events["seen"] == sum(n for key, n in events.items() if key != "seen"), (name, events)
    return events
out = open(of + ".out").read()
$2
END
}

cat >"$work/work.py" <<'END'
import mmap, os, resource, sys
what = sys.argv[1]
def faults():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_minflt + use.ru_majflt for use in used)
if what == "faults":
    memory = mmap.mmap(-1, 8000 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    before = faults()
    for i in range(8000):
        memory[i * 4096] = 1
    child = os.fork()
    if not child:
        for i in range(3000):
            memory[i * 4096] = 2
        os._exit(0)
    os.waitpid(child, 0)
    print(faults() - before)
if what == "disk":
    page = mmap.mmap(-1, 65536)
    file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
    for i in range(50):
        os.pwrite(file, page, i * 65536)
    os.fsync(file)
    for i in range(50):
        os.preadv(file, [page], i * 65536)
END

# Others may run python3 meanwhile.
worker=$work/kernel-work
ln -s "$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')" "$worker"
check 'page faults: recorded' record faults --faults -- "$worker" "$work/work.py" faults
check '... as many as the kernel counted, with their kind and time' judge faults '
counted = int(out)
kinds, lost = rows("faults", "fault", "--process", "kernel-work"), account("faults")["lost"]
assert counted >= 11000
# Python itself has some thousands before and after.
recorded = sum(row[1] for row in kinds.values())
assert counted <= recorded + lost and recorded < counted + 9000, (kinds, counted)
assert kinds["copy on write"][1] + lost >= 3000 and kinds["minor"][1] + lost >= 8000, kinds
assert sum(n for n, _ in rows("fault-time", "fault").values()) > 0'
check '... which info says' bash -c '"$1" info "$2" | grep -q "by perf events"' - "$cli" \
	"$work/faults.capture"

disk=$work/file
if python3 - "$disk" 2>/dev/null <<'END' && [ "$(stat -fc %T "$work")" != tmpfs ]
import os, sys
os.close(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600))
END
then
	check 'a disk: recorded' record disk --io -- "$worker" "$work/work.py" disk "$disk"
	check '... each request of 64 KiB, by who submitted it' judge disk '
lost = account("requests")["lost"] + account("requests-done")["lost"]
# Where a CPU that idles has no samples, and the disk interrupts that one, there is no end of any.
some = account("requests-done")["delivered"] > 0
kinds = rows("io-bytes", "device", "--process", "kernel-work") if some else {}
for what in "write", "read":
    found = [row for name, row in kinds.items() if name.split()[-1] == what]
    events, amount = sum(row[1] for row in found), sum(row[0] for row in found)
    assert events + lost >= 50 and amount + lost * 65536 >= 50 * 65536 and events < 90, (what, kinds)
assert not some or all(weight > 0 for weight, _ in rows("io", "device", "--process", "kernel-work").values())'
else
	number=$((number + 1))
	echo "ok $number - a disk # SKIP this directory has no O_DIRECT"
fi

# The kernel's own counters, read at the begin and the end, within the recording.
counts='cat /proc/softirqs /proc/interrupts >"$0.before"; sleep 1; cat /proc/softirqs /proc/interrupts >"$0.after"'
check 'interrupts: recorded' record irq --interrupts -- bash -c "$counts" "$work/irq"
check '... as many as /proc counted meanwhile' judge irq '
def counts(path):
    numbers = {}
    for line in open(path):
        words = line.split()
        values = [int(word) for word in words[1:] if word.isdigit()]
        if words and words[0].endswith(":"):
            numbers[words[0][:-1]] = sum(values)
    return numbers
before, after = counts(of + ".before"), counts(of + ".after")
def between(name):
    return after.get(name, 0) - before.get(name, 0)
soft, hard = rows("softirq", "vector"), rows("irq", "vector")
lost = account("softirqs")["lost"] + account("interrupts")["lost"]
for name in "TIMER", "SCHED", "RCU":
    recorded = soft.get(name, (0, 0))[1]
    assert between(name) - 3 <= recorded + lost, (name, between(name), recorded, lost)
timer = hard.get("local_timer", (0, 0))[1]
assert "LOC" not in after or between("LOC") - 3 <= timer + lost, (between("LOC"), timer)
assert "LOC" not in after or timer < 3 * between("LOC") + 2000, (between("LOC"), timer)'

check '... and what is said of it is true' judge irq '
said = {of["about"]: of["text"] for of in said("report", "--metric", "softirq", "--all")["sentences"]}
assert "kernel" not in said, said
lost = account("softirqs")["lost"]
assert said.get("lost", "0").split()[0] == str(lost), (said, lost)'

if [ -e /sys/kernel/tracing/events/lock/contention_begin ]; then
	check 'locks: recorded' record locks --locks -- "$worker" "$work/work.py" faults
	check '... without their holders, which is said' \
		grep -q 'locks records no stacks of holders' "$work/locks.err"
	check '... with an account' judge locks 'account("locks")'
else
	check 'locks: a kernel without that trace point is named' bash -c \
		'! "$1" record --source perf --locks -o "$2/no" -- true 2>"$2/locks.err" &&
		grep -q "no trace point lock:contention" "$2/locks.err"' - "$cli" "$work"
fi

check 'memory of the kernel: recorded' record kmem --kmem -- ls -lR /usr/share/man
check '... with names of caches, and an account' judge kmem '
assert account("kmem")["seen"] > 100, account("kmem")
assert account("pages")["seen"] > 10 and account("kmem-freed")["seen"] > 100
assert sum(n for n, _ in rows("kmem", "cache").values()) > 0
live, all_of_it = (sum(n for n, _ in rows(metric, "cache").values()) for metric in ("kmem-live", "kmem"))
assert live <= all_of_it, (live, all_of_it)'

if [ ! -e /sys/kernel/tracing/events ]; then
	check 'without trace points each reason is said once' bash -c \
		'"$1" record --source perf --also all -o "$2/all" -- true 2>"$2/all.err"
		[ "$(grep -o "Trace points cannot be read" "$2/all.err" | wc -l)" = 1 ] &&
		grep -q -- "--kmem, --io, --locks record nothing: Trace points" "$2/all.err" &&
		[ "$("$1" doctor | grep -c "cannot be recorded: Trace points")" = 1 ]' - "$cli" "$work"
fi

# All of it for root, page faults of his own for each user.
mkdir -m 777 "$work/own"
cp "$cli" "$work/own"
chmod 755 "$work" "$work/own/sysprof-cli"
ordinary="setpriv --reuid 65534 --regid 65534 --clear-groups"
check 'another user is told who may' bash -c \
	'! said=$('"$ordinary"' "$1/sysprof-cli" record --source perf --interrupts -o "$1/no" -- true 2>&1) &&
	grep -qE "run as root|Trace points|paranoid|perf events" <<<"$said" || { echo "$said"; exit 1; }' \
	- "$work/own"

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Locks of programs, by the futexes that their threads wait for: which lock, how long, and who gave it
# up, without the module.  vm/85-waits has the same by the module.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP perf events tell of switches only to root"
	exit 0
fi

# judge NAME PYTHON: with rows(METRIC, GROUPING, option...) -> {name: weight} and counted {lock: ns}.
judge()
{
	python3 - "$cli" "$work/$1" <<END
$timed_python
import json, re, subprocess, sys
cli, of = sys.argv[1:3]
def report(*options):
    return json.loads(subprocess.run([cli, "report", "--json", "--all", *options, of + ".capture"], check=True, stdout=subprocess.PIPE).stdout)
def rows(metric, by, *options):
    table = report("--metric", metric, "--by", by, "--process", "convoy", *options)
    found = {}
    for row in table.get("groups") or table["threads"]:
        found[row["name"]] = found.get(row["name"], 0) + row["weight"]
    assert sum(found.values()) == table["sum"], (found, table["sum"])
    return found
counted = {line.split()[1]: int(line.split()[2]) for line in open(of + ".out")}
def on_heap(locks):
    return [name for name in locks if re.fullmatch("0x[0-9a-f]+ in heap of [0-9]+", name)]
$2
END
}

check 'a convoy: recorded' bash -c 'timeout 100 "$1" record --source perf --waits=all -F 97 -o "$2/convoy.capture" \
	-- "$3/convoy" 3 >"$2/convoy.out" 2>"$2/convoy.err" || { cat "$2/convoy.err"; exit 1; }' - "$cli" "$work" \
	"$workloads"
check '... its lock has the name that it has in the program' judge convoy '
locks = rows("blocked", "lock")
assert "table_lock" in locks and "queue_filled" in locks, locks
assert not [name for name in locks if "other" in name and locks[name] > locks["table_lock"]], locks'
check '... one on the heap its address' judge convoy '
locks = rows("blocked", "lock")
assert len(on_heap(locks)) == 1, locks'
check '... waits for something else have none' judge convoy '
assert rows("blocked", "lock").get("[no lock known]", 0) > 0'
check '... how long it was waited for, until its thread ran again' judge convoy '
locks = rows("off-cpu", "lock")
for name, of in ("table_lock", "table_lock"), (on_heap(locks)[0], "heap_lock"):
    timed(0.93 * counted[of] <= locks[name] <= 1.02 * counted[of], f"{of}: {locks[name]} of {counted[of]}")'
check '... no lock is a file' judge convoy '
assert not {"table_lock", "queue_filled"} & set(rows("blocked", "file"))'
check '... where in the program, and in which order, is said' judge convoy '
said = {of["about"]: of["text"] for of in report("--metric", "blocked", "--process", "convoy")["sentences"]}
assert "pthread_mutex_lock below take" in said["places"], said
assert "futex" not in said["places"] and "table_lock" not in said["places"], said'
check '... who gave it up' judge convoy '
wakers = rows("blocked", "waker", "--with", "table_lock")
own = sum(weight for name, weight in wakers.items() if "convoy" in name)
assert own > 0.9 * sum(wakers.values()), report("--metric", "blocked", "--by", "waker", "--process", "convoy", "--with", "table_lock")'

check '... of everything, the times are said to be those of the command' judge convoy '
text = subprocess.run([cli, "report", "--all", of + ".capture"], check=True, stdout=subprocess.PIPE, text=True).stdout
assert re.search("^convoy ran ", text, re.M), text[:300]'

# Without copies of stacks perf events have no registers: there is a lock, but nobody knows which.
check 'along frame pointers: recorded' bash -c 'timeout 100 "$1" record --source perf --waits=all --stacks fp -F 97 \
	-o "$2/frames.capture" -- "$3/convoy" 3 >"$2/frames.out" 2>"$2/frames.err" || { cat "$2/frames.err"; exit 1; }' \
	- "$cli" "$work" "$workloads"
check '... that it was a lock is known' judge frames '
locks = rows("blocked", "lock")
assert locks["[lock not known]"] > 0.5 * sum(locks.values()) and "table_lock" not in locks, locks'

# What is said of stacks is of those that are shown, not of samples.
cat >"$work/deep.py" <<'END'
import time
def descend(levels):
    if levels:
        return descend(levels - 1)
    for i in range(50):
        time.sleep(0.002)
sorted([1, 2], key=lambda one: descend(60) or one)
END
check 'a deep stack whose copies are short: recorded' bash -c 'timeout 100 "$1" record --source perf --waits=all -F 97 \
	--stacks dwarf,4096 -o "$2/deep.capture" -- python3 "$2/deep.py" >"$2/deep.out" 2>"$2/deep.err" || { cat "$2/deep.err"; exit 1; }' \
	- "$cli" "$work"
check '... waits are cut off as often as their functions say' judge deep '
table = report("--metric", "off-cpu")
cut = sum(row["total"] for row in table["functions"] if row["function"] in ("[stack cut off]", "[stack incomplete]"))
text = subprocess.run([cli, "report", "--all", "--metric", "off-cpu", of + ".capture"], check=True, stdout=subprocess.PIPE, text=True).stdout
found = re.search(r"Call stacks: (\d+) % complete", text)
stackless = sum(row["total"] for row in table["functions"] if row["function"] == "[no stack]")
pct = 100 - 100 * cut / (table["sum"] - stackless)
assert "Fix: --stacks" not in text, text
assert cut > 0 and (abs(int(found[1]) - pct) <= 1 if pct < 95 else not found), (text[:500], cut, table["sum"])'

check '... with the size that is asked for: recorded' bash -c 'timeout 100 "$1" record --source perf --waits=all -F 97 \
	--stacks dwarf,49152 -o "$2/whole.capture" -- python3 "$2/deep.py" >"$2/whole.out" 2>"$2/whole.err" || { cat "$2/whole.err"; exit 1; }' \
	- "$cli" "$work"
check '... they are whole' judge whole '
table = report("--metric", "off-cpu", "--process", "python3")
cut = sum(row["total"] for row in table["functions"] if row["function"] == "[stack cut off]")
assert table["sum"] > 0 and cut < 0.1 * table["sum"], (cut, table["sum"])'

# A server each hundredth of whose requests waits for a lock that another thread has.
cat >"$work/server.c" <<'END'
#include <pthread.h>
#include <spt/mark.h>

static pthread_mutex_t accounts_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_wanted, has_ended;

static __attribute__((noinline)) void give_accounts_up(void)
{
	pthread_mutex_unlock(&accounts_lock);
	__atomic_store_n(&is_wanted, 0, __ATOMIC_SEQ_CST);
}

static void *tidy(void *unused)
{
	prctl(PR_SET_NAME, "janitor");
	while (!__atomic_load_n(&has_ended, __ATOMIC_SEQ_CST)) {
		usleep(200);
		if (__atomic_load_n(&is_wanted, __ATOMIC_SEQ_CST) != 1)
			continue;
		pthread_mutex_lock(&accounts_lock);
		__atomic_store_n(&is_wanted, 2, __ATOMIC_SEQ_CST);
		usleep(50000);
		give_accounts_up();
	}
	return unused;
}

static __attribute__((noinline)) void answer(void)
{
	pthread_mutex_lock(&accounts_lock);
	pthread_mutex_unlock(&accounts_lock);
}

int main(void)
{
	pthread_t janitor;

	pthread_create(&janitor, NULL, tidy, NULL);
	for (int i = 1; i <= 1000; i++) {
		if (i % 100 == 0)
			__atomic_store_n(&is_wanted, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&is_wanted, __ATOMIC_SEQ_CST) == 1)
			usleep(100);
		spt_mark_begin("http", "request");
		answer();
		spt_mark_end("request");
		while (__atomic_load_n(&is_wanted, __ATOMIC_SEQ_CST))
			usleep(100);
	}
	__atomic_store_n(&has_ended, 1, __ATOMIC_SEQ_CST);
	return pthread_join(janitor, NULL);
}
END
check 'a slow request: recorded' bash -c 'gcc -O1 -g -fno-omit-frame-pointer -pthread -Iuserspace/include \
	"$2/server.c" -o "$2/server" && timeout 100 "$1" record --source perf --waits=all -F 97 \
	-o "$2/server.capture" -- "$2/server" 2>"$2/server.err" || { cat "$2/server.err"; exit 1; }' \
	- "$cli" "$work"
: >"$work/server.out"
check '... leads to the lock and to who had it, in one command' judge server '
text = subprocess.run([cli, "report", "--mark", "request", "--slower-than", "30ms", of + ".capture"], check=True, stdout=subprocess.PIPE, text=True).stdout
found = re.search(r"within (\d+) marks, .*: ran .* blocked (\d+) %.*\nblocked .* pthread_mutex_lock below answer\nfor accounts_lock (\d+) %, woken by janitor \(\d+\) (\d+) %", text)
assert found, text[:800]
assert int(found[1]) >= 10 and int(found[3]) >= 95 and int(found[4]) >= 95, found
timed(int(found[1]) == 10 and int(found[2]) >= 80, found[0])
within = report("--mark", "request", "--slower-than", "30ms")["within"]
assert within["count"] == int(found[1]) and within["waits"][0]["groups"][0]["name"] == "accounts_lock", within
assert within["sum_ns"] == sum(within[part + "_ns"] for part in ("running", "runnable", "blocked", "disk")), within'
# Along frame pointers the caller of a function of the C library can be missing.
check '... who gave it up, in a function of the program' judge server '
text = subprocess.run([cli, "report", "--wakers", "--mark", "request", "--slower-than", "30ms", of + ".capture"], check=True, stdout=subprocess.PIPE, text=True).stdout
assert re.search("by janitor in (give_accounts_up|tidy)$", text, re.M), text[:500]'

echo "1..$number"
exit $broken

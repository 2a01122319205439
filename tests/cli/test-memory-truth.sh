#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --memory against heaptrack, another profiler of memory, and by bytes against the truth: the
# mean of many recordings by bytes has to be what a recording of every call says.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root
allocates=$workloads/allocates
export PYTHONHASHSEED=0 PYTHONMALLOC=malloc

cat >"$work/work.py" <<'END'
d = {}
for r in range(3):
    for i in range(15000):
        d[str(i)] = [i, str(i * 3), {"a": i}]
keep = [bytearray(5000) for i in range(400)]
END
cat >"$work/work.sql" <<'END'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO t SELECT i, 'text ' || i, i * 1.5 FROM n;
SELECT group_concat(b) FROM t GROUP BY a % 100;
END
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(""); return 0; }\n' |
	gcc -E -o "$work/in.i" -xc -

# sums NAME: what a recording says, as JSON
sums()
{
	local metric

	for metric in allocations peak live; do
		"$cli" report --json --metric $metric --all "$work/$1.capture" >"$work/$1.$metric" ||
			return
	done
}

# agree NAME COMMAND...: with heaptrack.  A pool that its own library allocates at the start, 72704
# bytes of libstdc++, counts in its peak alone; leaks that it leaves out by default count as well.
agree()
{
	local name=$1

	shift
	heaptrack -o "$work/$name" "$@" >/dev/null 2>&1 </dev/null
	heaptrack_print --disable-builtin-suppressions -f "$work/$name.zst" >"$work/$name.said" \
		2>/dev/null || return
	"$cli" record --source perf --memory -o "$work/$name.capture" -- "$@" >/dev/null 2>&1 \
		</dev/null
	sums "$name" && python3 - "$work/$name" <<'END'
import json, re, sys
path = sys.argv[1]
text = open(path + ".said").read()
def said(what):
    number, unit = re.search(rf"^{what}: ([\d.]+)([KMG]?)B?", text, re.M).groups()
    return float(number) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[unit]
def ours(metric):
    return json.load(open(f"{path}.{metric}"))["sum"]
pairs = {"calls": (ours("allocations"), said("calls to allocation functions")),
         "peak": (ours("peak"), said("peak heap memory consumption") - 72704),
         "live": (ours("live"), said("total memory leaked"))}
print("#", pairs)
for name, (one, other) in pairs.items():
    assert abs(one - other) <= .01 * other + 100, (name, one, other)
END
}
check 'python: calls, peak and what is left are those of heaptrack' \
	agree python /usr/bin/python3 -S "$work/work.py"
check 'sqlite: the same' agree sqlite sqlite3 -init "$work/work.sql" :memory: .quit
# By chance a compiler takes 32 KiB more or less, one time in two; the others do not.
one_agrees()
{
	local i

	for i in 1 2 3 4 5 6; do
		agree "$@" && return
	done
	return 1
}
check 'a compiler: the same' one_agrees cc1 "$(gcc -print-prog-name=cc1)" -quiet -O2 -g \
	"$work/in.i" -o /dev/null

# Forty recordings by bytes.
record_all()
{
	"$cli" record --source perf --memory -o "$work/all.capture" -- "$allocates" known \
		>/dev/null 2>&1
}
sample()
{
	local i

	for i in $(seq 40); do
		"$cli" record --source perf -F 100 --memory=16K -o "$work/$i.capture" -- \
			"$allocates" known >/dev/null 2>&1 || return
	done
}
judge()
{
	python3 - "$cli" "$work" <<'END'
import json, statistics, subprocess, sys
cli, work = sys.argv[1:]
def total(name, metric):
    return json.loads(subprocess.run([cli, "report", "--json", "--all", "--metric", metric, f"{work}/{name}.capture"],
                                     capture_output=True, check=True).stdout)["sum"]
for metric in "allocated", "live", "allocations":
    truth = total("all", metric)
    got = [total(i, metric) for i in range(1, 41)]
    mean, error = statistics.mean(got), statistics.stdev(got) / len(got) ** .5
    print(f"# {metric}: {mean:.0f} +- {error:.0f}, in truth {truth}")
    assert error > 0 and abs(mean - truth) <= 3 * error, (metric, mean, error, truth)
END
}
check 'every call: recorded' record_all
check 'forty times by bytes: recorded' sample
timed check '... on average what every call says, within three standard errors' judge
echo "1..$number"
exit $broken

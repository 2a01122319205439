#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A report says how much of its time a command, or a process, ran at all: samples alone tell of CPU time.  With perf events.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

cd "$work" || exit 1
# Runs for 0.3 s of CPU time, partly in a child that it waits for, and waits for 1.2 s; tells what it took.
cat >sleepy.py <<'END'
import os, subprocess, sys, time
def burn(until):
    while sum(os.times()[:2]) < until:
        pass
if sys.argv[1:]:
    sys.exit(burn(float(sys.argv[1])))
began = time.monotonic()
burn(0.2)
subprocess.run([sys.executable, sys.argv[0], "0.1"])
time.sleep(1.2)
print(sum(os.times()[:4]), time.monotonic() - began)
END

# judge FILE PYTHON: with ran and wall of the recording, line of the report, and truth, what the program printed.
judge()
{
	"$cli" info --json "$1" >info.json && "$cli" report "$1" >report && python3 - "$2" <<'END'
import json, re, sys
host = json.load(open("info.json"))["host"]
ran, wall = int(host["ran_ns"]) / 1e9, int(host["wall_ns"]) / 1e9
line = open("report").read().split("\n")[1]
truth = [float(word) for word in open("out").read().split()]
exec(sys.argv[1])
END
}

recorded()
{
	timeout 60 "$cli" record --source perf -o sleepy.capture -- python3 sleepy.py >out 2>err
}
check 'a command that waits: recorded' recorded
check '... its CPU time is that of all its processes' judge sleepy.capture 'assert abs(ran - truth[0]) < 0.1, (ran, truth)'
check '... its time is no less than it measured' judge sleepy.capture 'assert 1.2 < truth[1] <= wall, (truth, wall)'
check '... and report says what that comes to' judge sleepy.capture '
share = round(100 * ran / wall)
found = re.fullmatch(r"ran (\d+) %, waited (\d+) % of (\S+) s", line)
assert found and abs(int(found[1]) - share) <= 1 and int(found[1]) + int(found[2]) == 100, (line, share)
assert abs(float(found[3]) - wall) < 0.006, (line, wall)'
check 'of a part it says nothing' bash -c '"$1" report sleepy.capture --process python3 >part && ! grep -q waited part' - "$cli"

# That was there already.

python3 sleepy.py >out &
process=$!
check 'a process that waits: recorded' timeout 60 "$cli" record --source perf -o process.capture -p $process
wait $process
check '... it ran, and waited' judge process.capture 'assert ran <= truth[0] + 0.1 and wall > 0 and "waited" in line, (ran, wall, truth, line)'

# The whole system does not wait, and two recordings joined have no time in common.

"$cli" record --source perf -o whole.capture --duration 200ms 2>err
"$cli" merge sleepy.capture process.capture -o both.capture >merged
for name in whole both; do
	check "$name: nothing is said" bash -c '"$1" report $2.capture >all && [ -s all ] && ! grep -qE "^ran " all' - "$cli" $name
done

echo "1..$number"
exit $broken

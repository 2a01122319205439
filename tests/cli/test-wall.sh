#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A report says how much of its time a command, or a process, ran at all: samples alone show CPU
# time.  With perf events.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

cd "$work" || exit 1
# Runs for 0.3 s of CPU time, partly in a child that it waits for, and waits for 1.2 s; prints what
# it took.
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
line = open("report").read().split("\n")[int(host.get("command_pid") is not None) + 1]
truth = [float(word) for word in open("out").read().split()]
exec(sys.argv[1])
END
}

recorded()
{
	timeout 60 "$cli" record --source perf -o sleepy.capture -- python3 sleepy.py >out 2>err
}
check 'a command that waits: recorded' recorded
timed check '... its CPU time is that of all its processes' judge sleepy.capture 'assert abs(ran - truth[0]) < 0.1, (ran, truth)'
check '... its time is no less than it measured' judge sleepy.capture 'assert 1.2 < truth[1] <= wall, (truth, wall)'
check '... and report says what that comes to' judge sleepy.capture '
share = round(100 * ran / wall)
found = re.fullmatch(r"ran (\d+) %(?:, one of \d+ threads at a time)?, was off the CPUs (\d+) % of (\S+) s; record --waits shows for what", line)
assert found and abs(int(found[1]) - share) <= 1 and int(found[1]) + int(found[2]) == 100, (line, share)
assert abs(float(found[3]) - wall) < 0.006, (line, wall)'
single()
{
	timeout 60 "$cli" record --source perf -o single.capture -- \
		sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exec sleep 0.5' >out 2>err
}
check 'a single thread that waits: recorded' single
timed check '... it was ready for as long as the kernel says, without --waits' judge single.capture '
ready = int(host["ready_ns"]) / 1e9
found = re.fullmatch(r"ran (\d+) %, was ready to run (\d+) %, waited (\d+) % of (\S+) s(; record --waits shows for what)?", line)
assert found and abs(int(found[2]) - 100 * ready / wall) <= 1, (line, ready, wall)
assert int(found[1]) + int(found[2]) + int(found[3]) == 100 and int(found[3]) >= 100 * 0.4 / wall, line'
waited()
{
	timeout 60 "$cli" record --source perf --waits -o waits.capture -- python3 sleepy.py >out 2>err
	"$cli" info --json waits.capture >info.json && "$cli" report waits.capture >report &&
		grep -qE '^ran [0-9]+ %(| on .* at a time|, one of .* at a time), was ready to run [0-9]+ %, waited [0-9]+ % of [0-9.]+ s(; --metric blocked shows for what)?$' report
}
check 'with waits it says how long it waited for a CPU' waited
check 'of a part it says nothing' bash -c '"$1" report sleepy.capture --process python3 >part && ! grep -q "waited\|was off" part' - "$cli"

# Text is led by the command; what scripts read covers everything.
led()
{
	local other

	yes >/dev/null &
	other=$!
	timeout 60 "$cli" record --source perf -o sleepy.capture -- \
		/usr/bin/python3 sleepy.py 0.6 2>err
	kill $other
	"$cli" report sleepy.capture >led &&
		grep -qE '^python3: [0-9.]+ % of all that ran; the rest: --all$' led &&
		"$cli" report --all --by process sleepy.capture >all && ! grep -q 'the rest' all &&
		"$cli" report --by process sleepy.capture >some && grep -q ' python3 (pid ' some &&
		! grep ' yes (pid ' some && grep -q ' yes (pid ' all &&
		"$cli" report --json --all sleepy.capture >whole.json &&
		"$cli" report --json sleepy.capture >command.json &&
		"$cli" export --format folded sleepy.capture >command.folded 2>note &&
		grep -q '^Exported: python3 alone; --all exports everything\.$' note &&
		"$cli" export --format folded --all sleepy.capture >whole.folded 2>note && [ ! -s note ] &&
		"$cli" diff --json sleepy.capture sleepy.capture >diff.json &&
		"$cli" info --json sleepy.capture >info.json && python3 - <<'END'
import json
whole, command = (json.load(open(name + ".json")) for name in ("whole", "command"))
assert whole["periods"] == json.load(open("info.json"))["weight"], whole["periods"]
assert 0 < command["periods"] < whole["periods"], command["periods"]
assert (whole["scope"], command["scope"]) == ("all", "command"), (whole["scope"], command["scope"])
assert json.load(open("diff.json"))["a"]["periods"] == command["periods"]
lines = open("whole.folded").read().splitlines()
assert sum(int(line.split()[-1]) for line in lines) == whole["periods"]
lines = open("command.folded").read().splitlines()
assert not any(line.startswith("yes;") for line in lines)
assert sum(int(line.split()[-1]) for line in lines) == command["periods"]
text = open("led").read()
share = 100 * command["periods"] / whole["periods"]
assert text.startswith("python3: %.*f %% of all" % (share < 10, share)), text
END
}
check 'text, JSON, exports and comparisons are of the command, with --all of everything' led
parts()
{
	python3 - "$cli" <<'END'
import json
import subprocess
import sys
def periods(*conditions):
    run = subprocess.run([sys.argv[1], "report", "--json", *conditions, "sleepy.capture"],
                         capture_output=True, text=True)
    assert not run.returncode or "in the time" in run.stderr and "--all" in run.stderr, run.stderr
    return 0 if run.returncode else json.loads(run.stdout)["periods"]
parts = [periods(f"--time={40 * i}ms..{40 * (i + 1)}ms") for i in range(10)]
parts.append(periods("--time=400ms.."))
assert sum(parts) == periods(), parts
END
}
check '... also a part in which the command did not run: parts add up to the whole' parts
# What ran and how much of it, without the command's process until it executes it: a copy of the
# recorder, which a slow machine may sample once.
rows()
{
	grep '(pid ' "$1" | grep -v " ${cli##*/} (pid " | awk '{ $1 = ""; print }'
}
alone()
{
	timeout 60 "$cli" record --source perf --only-command -o alone.capture -- \
		sh -c 'python3 sleepy.py 0.1; exit 3' 2>err
	[ $? = 3 ] && grep -q '^sh failed with status 3.$' err &&
		"$cli" report --by process alone.capture >some &&
		"$cli" report --all --by process alone.capture >all &&
		grep -q '^sh failed with status 3$' some && [ "$(rows some)" ] &&
		diff <(rows some) <(rows all)
}
check 'record --only-command leaves the rest out; how the command failed is told' alone
check '--only-command of what is no recording of one is an error' bash -c '
	"$1" record --source perf --duration 200ms -o none.capture 2>err
	"$1" report --only-command none.capture 2>&1 | grep -q "is not the recording of a command"' - "$cli"
check '... with the process that it was' bash -c '"$1" info --json sleepy.capture | grep -q "\"command_pid\""' - "$cli"

# That was there already.

python3 sleepy.py >out &
process=$!
timed check 'a process that waits: recorded' timeout 60 "$cli" record --source perf -o process.capture -p $process
wait $process
timed check '... it ran, and waited' judge process.capture 'assert ran <= truth[0] + 0.1 and wall > 0 and "was off" in line, (ran, wall, truth, line)'

# top, of a process that sleeps and of one that does not.

sleep 20 &
process=$!
timed check 'top of a process that waits' bash -c '"$1" top --source perf -p $2 --count 1 --interval 300ms | grep -q "^ran [0-9] %, was off the CPUs 9[0-9]\|^ran 0 %, was off the CPUs 100 % of 0.3[0-9] s; "' - "$cli" $process
kill $process
wait $process 2>killed

# The whole system does not wait, and two recordings joined have no time in common.

"$cli" record --source perf -o whole.capture --duration 200ms 2>err
"$cli" merge sleepy.capture process.capture -o both.capture >merged
for name in whole both; do
	check "$name: nothing is said" bash -c '"$1" report $2.capture >all && [ -s all ] && ! grep -qE "^ran " all' - "$cli" $name
done

echo "1..$number"
exit $broken

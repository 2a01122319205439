#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first ten minutes of three users: a kernel developer, a desktop developer, and somebody who
# never profiled.  The first sentence, the first report and the first picture of each program are
# right: what the programs do is known.  With perf events.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root
# A build that is not done shows no compiler.
export CCACHE_DISABLE=1

cd "$work" || exit 1

# Two threads in libm, 70 % of it below heavy and 30 % below light.
cat >mt.c <<'END_OF_C'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
static double __attribute__((noinline)) heavy(double x)
{
	double sum = 0;
	for (int i = 0; i < 70000; i++)
		sum += sin(x + i);
	return sum;
}
static double __attribute__((noinline)) light(double x)
{
	double sum = 0;
	for (int i = 0; i < 30000; i++)
		sum += sin(x + i);
	return sum;
}
static void *work(void *arg)
{
	double *sum = arg;
	for (int i = 0; i < 600; i++)
		*sum += heavy(i) + light(i);
	return NULL;
}
int main(void)
{
	static double sums[2][64];
	pthread_t other;
	if (pthread_create(&other, NULL, work, sums[0]))
		return 1;
	work(sums[1]);
	pthread_join(other, NULL);
	printf("%g\n", *sums[0] + *sums[1]);
	return 0;
}
END_OF_C
# Computes for 28 ms and waits for 72, again and again; prints what both took.
cat >sleepy.c <<'END_OF_C'
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
static double now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}
static void __attribute__((noinline)) compute(void)
{
	double end = now(CLOCK_THREAD_CPUTIME_ID) + 0.028;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 100000; i++)
			sink += i;
}
int main(void)
{
	double began = now(CLOCK_MONOTONIC);
	for (int i = 0; i < 20; i++) {
		compute();
		usleep(72000);
	}
	printf("%f %f\n", now(CLOCK_THREAD_CPUTIME_ID), now(CLOCK_MONOTONIC) - began);
	return 0;
}
END_OF_C
cat >job.py <<'END_OF_PYTHON'
import json

lines = [json.dumps({"text": "a few words that are counted " * 20, "n": n}) for n in range(2000)]
for _ in range(10):
    words = {}
    for line in lines:
        for word in json.loads(line)["text"].split():
            words[word] = words.get(word, 0) + 1
END_OF_PYTHON
for name in 1 2; do
	printf '#include <map>\n#include <regex>\n#include <string>\nint f%s(const std::string &s)\n{\n\treturn std::regex_match(s, std::regex("a+b"));\n}\n' $name >f$name.cpp
done
cat >job.js <<'END_OF_SCRIPT'
function sum(n) { let s = 0; for (let i = 0; i < 2000; i++) s += Math.sqrt(n + i); return s; }
let all = 0;
for (let n = 0; n < 200000; n++) all += sum(n);
console.log(all);
END_OF_SCRIPT
printf 'all: f1.o f2.o\n%%.o: %%.cpp\n\tg++ -O1 -c $< -o $@\n' >Makefile

built()
{
	gcc -g -O2 -fno-omit-frame-pointer mt.c -o mt -lm -lpthread &&
		gcc -g -O2 -fno-omit-frame-pointer sleepy.c -o sleepy
}
check 'the programs are built' built

# judge FILE PYTHON: with total(FUNCTION) in per cent and lines of the report that is printed first.
judge()
{
	"$cli" report "$1" >report && "$cli" report --only-command --json "$1" >report.json && python3 - "$2" <<'END_OF_PYTHON'
import json, re, sys
lines = open("report").read().splitlines()
document = json.load(open("report.json"))
def total(name):
    found = [f for f in document["functions"] if re.fullmatch(name, f["function"])]
    return 100 * sum(f["total"] for f in found) / document["sum"]
def first(name):
    assert re.match(re.escape(name) + r": [0-9.]+ % of all that ran(; the rest: --all)?$", lines[0]), lines[:4]
first_row = next(line for i, line in enumerate(lines) if i and lines[i - 1].startswith(" Self %"))
exec(sys.argv[1])
END_OF_PYTHON
}

# record NAME OPTION... -- COMMAND...: what each of them types first.
record()
{
	local name=$1

	shift
	timeout 60 "$cli" record --source perf -o "$name.capture" "$@" >"$name.out" 2>err &&
		grep -q '^Recorded .* samples' err
}

# All of them ask first whether they can record.
check 'doctor begins with one line of verdict' bash -c '"$1" doctor | head -n 1 | grep -q "^You can record"' - "$cli"

# The kernel developer: threads, a library, who calls it.
check 'mt: recorded' record mt -- ./mt
timed check '... 70 and 30 % below two functions' judge mt.capture '
first("mt")
assert abs(total("heavy") - 70) < 6 and abs(total("light") - 30) < 6, (total("heavy"), total("light"))
assert "libm" in first_row, first_row'
timed check '... which of them calls the library most' judge mt.capture '
says = next(line for line in lines if line.startswith("Of "))
assert re.match(r"Of \S+, [67]\d % comes from heavy\.$", says), says
said = next(s["text"] for s in document["sentences"] if s["about"] == "caller").replace("\u00a0", " ")
assert said == says, said'
drawn()
{
	"$cli" export mt.capture --only-command --format svg -o mt.svg && python3 - <<'END_OF_PYTHON'
import re
text = open("mt.svg").read()
share = {name: sum(float(one) for one in re.findall(f"<title>{name}[^<]*?([0-9.]+) ?%", text)) for name in ("heavy", "light")}
assert abs(share["heavy"] - 70) < 6 and abs(share["light"] - 30) < 6, share
END_OF_PYTHON
}
timed check '... in the flame graph, too' drawn
whole()
{
	"$cli" record -a -o all.capture -- ./mt >/dev/null && "$cli" report all.capture >all.txt &&
		head -n 1 all.txt | grep -q '^Everything that ran; mt alone: --only-command$' &&
		"$cli" report all.capture --only-command | head -n 1 | grep -q '^mt: ' && return
	head -n 3 all.txt
	return 1
}
check '... the whole system leads with -a, as users of perf mean it' whole
check '... a word that is wrong by a letter is found' bash -c '"$1" report mt.capture --callers heavi 2>&1 | grep -q "did you mean \"heavy\""' - "$cli"
check '... the lines of it' bash -c '"$1" annotate mt.capture heavy | grep -q "sum += sin(x + i);"' - "$cli"

# Who never profiled: a program that waits, and what the report proposes.
waits='
first("sleepy")
ran, wall = [float(word) for word in open(NAME + ".out").read().split()]
line = next(line for line in lines if line.startswith("ran "))
share, of = re.match(r"ran (\d+) %.* of (\S+) s", line).groups()
assert abs(int(share) - 100 * ran / wall) < 5 and float(of) >= wall - 0.01, (line, ran, wall)
assert total("compute.*") > 90, total("compute.*")'
check 'sleepy: recorded' record sleepy -- ./sleepy
timed check '... how much it waits, and how to see for what' judge sleepy.capture \
	"NAME = 'sleepy'$waits
assert line.endswith('; record --waits shows for what'), line"
check '... with its calls that wait' record calls --waits=calls -- ./sleepy
timed check '... is told where the report shows them' judge calls.capture \
	"NAME = 'calls'$waits
assert line.endswith('; --metric off-cpu shows for what'), line"
check '... which does' bash -c '"$1" report calls.capture --metric off-cpu | grep -q " usleep *libc"' - "$cli"

# The desktop developer: what runs on interpreters and compilers.
check 'python: recorded' record python -- /usr/bin/python3 job.py
check '... its interpreter leads' judge python.capture 'first("python3")
assert total("_PyEval_EvalFrameDefault") > 80, total("_PyEval_EvalFrameDefault")
assert [line for line in lines if "is in or below Python\x27s interpreter: " in line], lines[:5]'
check 'node: recorded' record node -- node job.js
check '... is told how its functions get names' judge node.capture 'first("node")
assert [line for line in lines if "node --perf-prof" in line], lines[:5]'
check '... and does that' record named -- node --perf-prof job.js
check '... its function leads' judge named.capture 'first("node")
assert total(r"JS:.*job.js.*") > 50 and "job.js" in first_row, first_row'
check '... or record asks for it' record asked --script-names -- node job.js
check '... its function leads then, too' judge asked.capture 'first("node")
assert total(r"JS:.*job.js.*") > 50 and "job.js" in first_row, first_row'
check 'a C++ build: recorded' record build -- make -s -j2
check '... belongs to make, and is in the compiler' judge build.capture 'first("make")'
by_process()
{
	"$cli" report build.capture --by process >processes && grep -A 1 '^ Time %' processes | grep ' cc1plus (pid ' || {
		cat processes
		return 1
	}
}
check '... by process' by_process

echo "1..$number"
exit $broken

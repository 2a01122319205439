#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --memory of Python: what its functions allocate, as Python's own tracemalloc says it, to the
# byte; in threads, after fork and exec, in a program that loads Python late; and of a program that
# only looks like Python, whose frames are garbage.  The library's form for tests counts each call in
# the process itself, and compares the native part of each stack with libgcc's.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root
mkdir "$work/bin"
cp "$cli" build/sysprof-helper "$work/bin/"
cp build/tests/libspt-memory-check.so "$work/bin/libspt-memory.so"
cp build/libspt-io.so "$work/bin/"
python=/usr/bin/python3
export PYTHONMALLOC=malloc PYTHONHASHSEED=0

# take NAME OPTION COMMAND...: leaves NAME.capture, NAME.out and NAME.counts
take()
{
	local name=$1 option=$2

	shift 2
	truncate -s 0 "$work/counts"
	truncate -s 4096 "$work/counts"
	SPT_MEMORY_COUNTS=$work/counts SPT_MEMORY_STACKS=1 timeout 200 "$work/bin/sysprof-cli" \
		record --source perf "$option" -o "$work/$name.capture" -- "$@" \
		>"$work/$name.out" 2>"$work/err" || return
	mv "$work/counts" "$work/$name.counts"
}

# look NAME PYTHON: with the counts, lines(metric), functions(metric) and stacks(metric) at hand:
# bytes by "file:line" and function of the innermost frame of a script; asserts
look()
{
	python3 - "$cli" "$work/$1" <<END
import collections, re, struct, subprocess, sys
cli, path = sys.argv[1:]
calls, bytes_, frees, stacks, different = struct.unpack("5Q", open(path + ".counts", "rb").read(40))
def folded(metric, *options):
    text = subprocess.run([cli, "export", "--format=folded", "--all", f"--metric={metric}", *options,
                           path + ".capture"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        stack, number = line.rsplit(" ", 1)
        yield stack.split(";"), int(number)
def lines(metric):
    sums = collections.Counter()
    for stack, number in folded(metric, "--lines"):
        found = [match[1] for frame in stack if (match := re.search(r"\(([^ ()]+\.py:\d+)\)$", frame))]
        sums[found[-1] if found else ""] += number
    return sums
def of(metric, function):
    return sum(number for stack, number in folded(metric) if function in stack)
def last(metric):
    return next(iter(subprocess.run(["tail", "-n1", path + ".out"], capture_output=True, text=True).stdout.split()))
$2
END
}

cat >"$work/known.py" <<'END'
import os, sys
if len(sys.argv) > 1:
    import tracemalloc
keep = []
def plain(n):
    for i in range(n):
        keep.append(bytes(700))
def outer(n):
    def inner():
        keep.append(bytearray(30000))
    for i in range(n):
        inner()
class Box:
    def fill(self, n):
        self.items = [bytes(900 + i % 7) for i in range(n)]
def make(n):
    for i in range(n):
        yield bytes(1500)
def use(n):
    for item in make(n):
        keep.append(item)
def key(x):
    keep.append(bytes(2000))
    return x
def sort(n):
    sorted(range(n), key=key)
def deep(n):
    if n:
        deep(n - 1)
    else:
        keep.append(bytes(100000))
def exact(n):
    keep.extend([bytearray(4000 + i) for i in range(n)])
async def coroutine(n):
    keep.append(bytes(n))
def run(n):
    try:
        coroutine(n).send(None)
    except StopIteration:
        pass
class Late:
    def __getattr__(self, name):
        keep.append(bytes(60000))
        return name
def main():
    plain(3000)
    outer(100)
    box = Box()
    box.fill(2000)
    use(1000)
    sort(500)
    deep(300)
    exact(300)
    run(250000)
    Late().value
    keep.append(box)
if len(sys.argv) > 1:
    tracemalloc.start()
main()
if len(sys.argv) > 1:
    shot = tracemalloc.take_snapshot()
    for row in shot.statistics("lineno")[:10]:
        frame = row.traceback[0]
        print(f"{os.path.basename(frame.filename)}:{frame.lineno} {row.size}", flush=True)
os._exit(0)
END

check 'python: recorded' take known --memory "$python" "$work/known.py"
$python "$work/known.py" by-itself >"$work/known.truth"
check "... each call, byte and native stack" look known '
assert calls > 10000 and stacks >= calls - 10 and different == 0, (calls, stacks, different)'
check "... what each line still has is what tracemalloc says, to the byte" look known '
truth = dict(line.split() for line in open(path + ".truth"))
got = lines("live")
assert len(truth) == 10, truth
for line, number in truth.items():
    assert got[line] == int(number), (line, number, got[line])'
check "... functions inside of functions, in their order" look known '
ways = {tuple(frame for frame in stack if frame in ("main", "use", "make", "sort", "key", "outer", "outer.<locals>.inner", "Box.fill"))
        for stack, number in folded("live")}
for way in ("main", "use", "make"), ("main", "sort", "key"), ("main", "outer", "outer.<locals>.inner"), ("main", "Box.fill"):
    assert any(found[:len(way)] == way for found in ways), (way, ways)
assert any(stack.count("deep") == 301 for stack, number in folded("live") if number >= 100000)'
check '... and the function that executes a script is not among them' look known '
loops = [stack for stack, number in folded("live") if "_PyEval_EvalFrameDefault" in stack]
assert not loops, loops[:1]'

cat >"$work/threads.py" <<'END'
import os, threading
keep = []
def one(): [keep.append(bytes(1000)) for i in range(500)]
def two(): [keep.append(bytes(3000)) for i in range(500)]
def three(): [keep.append(bytes(9000)) for i in range(500)]
threads = [threading.Thread(target=function) for function in (one, two, three, one)]
for thread in threads: thread.start()
for thread in threads: thread.join()
def child(): keep.append(bytes(123456))
if os.fork() == 0:
    child()
    os.execv("/usr/bin/python3", ["python3", "-c", """
import os
def image(): return bytes(654321)
kept = image()
os._exit(0)"""])
os.wait()
os._exit(0)
END
check 'threads, a fork, and another program: recorded' take threads --memory \
	"$python" "$work/threads.py"
check '... each thread by its function' look threads '
for function, number in ("one", 2 * 500 * 1033), ("two", 500 * 3033), ("three", 500 * 9033):
    # And what the list takes in which they are.
    assert number <= of("allocated", function) < number * 1.2 + 60000, (function, number, of("allocated", function))
assert different == 0, different'
check '... the child, and what it became' look threads '
assert of("allocated", "child") >= 123456 + 33 and of("allocated", "image") >= 654321 + 33'

gcc -O1 -g -o "$work/embed" tests/cli/embed-python.c
library=$(find /usr/lib -name 'libpython3.*.so.1.0' | head -n 1)
check 'a program that loads Python late: recorded' take late --memory "$work/embed" "$library" '
def late(): return bytes(77777)
kept = [late() for i in range(10)]'
check '... has its functions' look late '
assert of("allocated", "late") == 10 * (77777 + 33), of("allocated", "late")'

check 'calls that wait: recorded' take waits --waits=calls "$python" -c '
import time
def wait(): time.sleep(.05)
for i in range(5): wait()'
waited()
{
	"$cli" export --format folded --metric off-cpu "$work/waits.capture" | grep -q ';wait;.*sleep'
}
check '... by function' waited

gcc -O1 -g -rdynamic -fno-omit-frame-pointer -o "$work/pretend-python" tests/cli/pretend-python.c
check 'garbage that looks like Python: recorded' take pretend --memory \
	"$work/pretend-python" 4000
check '... each call, byte and native stack' look pretend '
assert calls >= 4400 and different == 0 and stacks >= 4400, (calls, stacks, different)
assert last("live") == "4400"'
for what in address thread; do
	gcc -O1 -g -rdynamic -fno-omit-frame-pointer -fsanitize=$what -o "$work/$what-python" \
		tests/cli/pretend-python.c
	check "garbage, with the $what sanitizer" env ASAN_OPTIONS=detect_leaks=0 \
		"$cli" record --source perf --memory -o "$work/$what.capture" -- "$work/$what-python" 500
done
echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What programs write into trace_marker, in systrace's form: all of it by a known writer, whatever
# CPU it is on, beside another reader of tracefs; and texts that are none.

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

tracefs=/sys/kernel/tracing
if [ ! -w "$tracefs/trace_marker" ] || [ ! -e "$tracefs/options/copy_trace_marker" ]; then
	echo "1..0 # SKIP root, tracefs and a kernel that copies trace_marker (option copy_trace_marker) are needed"
	exit 0
fi

record()
{
	"$cli" record --source perf -F 50 --no-embed --trace-marker -o "$work/a" -- "$@" \
		>"$work/out" 2>"$work/err"
}

# judge OPTIONS...: the report, judged by the Python program on the standard input.
judge()
{
	local program

	program=$(cat)
	"$cli" report "$work/a" --json --limit 0 "$@" >"$work/json" 2>"$work/err2" && python3 -c "import json
report = json.load(open('$work/json'))
out = open('$work/out').read().split()
$program"
}

cat >"$work/known.py" <<'END'
import os, threading, time
marker = os.open('/sys/kernel/tracing/trace_marker', os.O_WRONLY)
cpus = sorted(os.sched_getaffinity(0))
say = lambda text: os.write(marker, text.encode())
pid = os.getpid()

def spans(name):
    for i in range(300):
        os.sched_setaffinity(0, {cpus[i % len(cpus)]})
        say(f'B|{pid}|{name}|outer')
        say(f'B|{pid}|{name}|inner')
        os.sched_setaffinity(0, {cpus[(i + 1) % len(cpus)]})
        if i == 0:
            time.sleep(0.02)
        say(f'E|{pid}\n')
        say('E')
        time.sleep(0.001)

threads = [threading.Thread(target=spans, args=(f't{i}',)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for i in range(10):
    say(f'C|{pid}|depth|{i}\n')
say(f'S|{pid}|fetch|7'); say(f'S|{pid}|fetch|8')
say(f'G|{pid}|track|on it|1')
time.sleep(0.01)
say(f'F|{pid}|fetch|8'); say(f'F|{pid}|fetch|7'); say(f'H|{pid}|track|1')
say(f'I|{pid}|here'); say(f'N|{pid}|track|there')
say('a line of no form')
say(f'B|{pid}|open')
time.sleep(0.3)
print(pid)
END
(timeout 60 cat "$tracefs/trace_pipe" >"$work/pipe") &
reader=$!
check 'what is written is recorded' record python3 "$work/known.py"
kill $reader 2>/dev/null
check '... each span in its thread, whichever CPU it was on' judge --events mark <<'END'
rows = {}
for row in report['rows']:
    rows.setdefault(row['fields']['name'], []).append(row)
pid = int(out[0])
for i in range(3):
    inner, outer = rows[f't{i}|inner'], rows[f't{i}|outer']
    assert len(inner) == len(outer) == 300, (i, len(inner), len(outer))
    assert len({row['tid'] for row in inner + outer}) == 1
    assert {row['pid'] for row in inner + outer} == {pid}
    for one, other in zip(*(sorted(of, key=lambda row: row['time_ns']) for of in (inner, outer))):
        assert other['time_ns'] <= one['time_ns']
        assert one['time_ns'] + one['duration_ns'] <= other['time_ns'] + other['duration_ns']
    assert max(row['duration_ns'] for row in inner) >= 20000000
fetch = rows['fetch']
assert len(fetch) == 2 and all(row['duration_ns'] >= 10000000 for row in fetch), fetch
assert rows['on it'][0]['duration_ns'] >= 10000000 and rows['on it'][0]['fields']['category'] == 'track'
assert rows['here'][0]['duration_ns'] == 0 and rows['there'][0]['fields']['category'] == 'track'
assert rows['open'][0]['fields']['message'] == '[not ended]' and len(rows['open']) == 1
END
check 'counters are counters' judge --counters <<'END'
counter, = [counter for counter in report['counters'] if counter['name'] == 'depth']
assert counter['count'] == 10 and counter['last'] == 9, counter
END
check 'another text is a line of the log' bash -c '
	"$0" report "$1" --logs | grep -q "trace_marker  *a line of no form"' "$cli" "$work/a"
check 'nothing was lost' grep -q '^Marks: .*, 0 lost$' "$work/err"
check 'another reader of tracefs has it, too' grep -q 'B|[0-9]*|t2|inner' "$work/pipe"
check 'no trace of ours is left' bash -c '! ls -d "$0"/instances/sysprof-marks-* 2>/dev/null' "$tracefs"

cat >"$work/hostile.py" <<'END'
import os, random
random.seed(47)
marker = os.open('/sys/kernel/tracing/trace_marker', os.O_WRONLY)
for text in (b'E', b'B', b'B|', b'C|1|x', b'C|1|x|y', b'C|1|x|nan', b'S|1', b'F|1|never|1', b'G|1|t|1',
             b'\x1b[31mred\x07', b'B|1|\x1b]0;title\x07', b'E|1|\x1b', b'|' * 900, b'B|1|' + b'n' * 3000,
             b'I|1|\xff\xfe', b'N|1|a'):
    os.write(marker, text)
for _ in range(3000):
    text = random.choice([b'B|', b'E|', b'S|', b'F|', b'C|', b'H|', b'']) + random.randbytes(40)
    os.write(marker, text)
for i in range(20000):
    os.write(marker, b'B|1|deep')
END
check 'texts of any kind' record python3 "$work/hostile.py"
check '... reach no terminal' bash -c '
	for what in --marks "--events mark" --logs; do
		"$0" report "$1" --limit 0 $what | LC_ALL=C grep -q "[[:cntrl:]]" && exit 1
	done
	"$0" report "$1" --marks | grep -q .' "$cli" "$work/a"
"$cli" record --source perf --trace-marker -o "$work/k" -- sleep 20 2>"$work/err" &
recorder=$!
for _ in $(seq 100); do [ -d "$tracefs/instances/sysprof-marks-$recorder" ] && break; sleep 0.1; done
kill -KILL $recorder
wait $recorder 2>/dev/null
check 'what a recorder that was killed has left is removed by the next one' bash -c '
	[ -d "$1-$2" ] && "$0" record --source perf --trace-marker -o "$3" -- true 2>"$3.err" &&
	! [ -d "$1-$2" ]' "$cli" "$tracefs/instances/sysprof-marks" "$recorder" "$work/k"

echo "1..$number"
exit $broken

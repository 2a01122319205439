#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Flows from thread to thread; marks in exports; slow marks: their histogram, what their threads did,
# how they differ from fast ones, and what led to one.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

record()
{
	"$cli" record --source perf -F "${rate:-100}" --no-embed -o "$work/a" "${@:2}" -- \
		"$workloads/marks" $1 >"$work/out" 2>"$work/err"
}

# judge COMMAND...: what it writes as JSON, judged by the Python program on the standard input.
judge()
{
	local program

	program=$(cat)
	"$@" >"$work/json" 2>"$work/err" && python3 -c "import json
report = json.load(open('$work/json'))
$program"
}

check 'flows are recorded' record 'flows 500'
check '... each with both ends, in two threads, and those without an end are bounded' \
	judge "$cli" report "$work/a" --json --limit 0 --events flow <<'END'
ends = {}
for row in report['rows']:
    if row['fields']['name'] == 'job':
        ends.setdefault(row['fields']['id'], []).append(row)
assert len(ends) == 500, len(ends)
for begin, end in (sorted(rows, key=lambda row: row['fields']['side']) for rows in ends.values()):
    assert begin['fields']['side'] == 'begin' and end['fields']['side'] == 'end', (begin, end)
    # Two CPUs' clocks may be some nanoseconds apart.
    assert begin['time_ns'] < end['time_ns'] + 1000, (begin, end)
    assert begin['tid'] != end['tid'] and begin['pid'] == end['pid'], (begin, end)
lonely = [row for row in report['rows'] if row['fields']['name'] == 'never ends']
assert 60000 < len(lonely) < 65536, len(lonely)
END
dropped()
{
	grep -q 'marks were dropped' "$work/err2"
}
record 'flows 500'
cp "$work/err" "$work/err2"
check '... and those beyond the bound are counted' dropped
plain()
{
	"$cli" report "$work/a" --limit 0 --events flow >"$work/text" && grep -q stray "$work/text" &&
		! LC_ALL=C grep -q $'\e' "$work/text"
}
check 'names of flows do not reach the terminal as they are' plain

record 'flows 500'
check 'chrome has arrows, from slice to slice' judge "$cli" export "$work/a" --format chrome -o - <<'END'
events = report['traceEvents']
begins = {e['id']: e for e in events if e['ph'] == 's' and e['name'] == 'job'}
ends = {e['id']: e for e in events if e['ph'] == 'f' and e['name'] == 'job'}
assert len(begins) == 500 and begins.keys() == ends.keys()
slices = {(e['tid'], e['ts']) for e in events if e['ph'] == 'X' and e['name'] == 'job'}
for id, begin in begins.items():
    end = ends[id]
    assert begin['tid'] != end['tid'] and begin['ts'] <= end['ts'] + 1 and end['bp'] == 'e'
    assert (begin['tid'], begin['ts']) in slices and (end['tid'], end['ts']) in slices
assert sum(e['ph'] == 'X' and e['name'] == 'make' for e in events) == 500
END
check 'firefox has markers' judge "$cli" export "$work/a" --format firefox -o - <<'END'
strings = report['shared']['stringArray']
n = {}
for thread in report['threads']:
    markers = thread['markers']
    columns = [markers[key] for key in ('name', 'startTime', 'endTime', 'phase', 'category', 'data')]
    assert all(len(column) == markers['length'] for column in columns)
    for name, start, end, phase, category, data in zip(*columns):
        assert data['type'] in {schema['name'] for schema in report['meta']['markerSchema']}
        assert category < len(report['meta']['categories'])
        if data['type'] == 'said':
            n[strings[name]] = n.get(strings[name], 0) + 1
assert n['make'] == 500 and n['job'] == 1000, n
END

record crossing
check 'slices of a thread do not cross in chrome' judge "$cli" export --all "$work/a" --format chrome -o - <<'END'
events = {}
for e in report['traceEvents']:
    events.setdefault(e['name'], []).append(e)
assert [e['ph'] for e in events['first']] == ['X'] and [e['ph'] for e in events['second']] == ['b', 'e']
assert [e['ph'] for e in events['of none']] == ['b', 'e']
assert 'says <\"x\">' in events['first'][0]['args']['text']
begin, end = events['second']
assert begin['id'] == end['id'] and 1900 < end['ts'] - begin['ts'] < 1e6, events['second']
END
perfetto()
{
	"$cli" export --all "$work/a" --format perfetto -o "$work/trace" 2>"$work/err" &&
		grep -qa 'of none' "$work/trace" && grep -qa 'says <' "$work/trace"
}
check 'perfetto has them' perfetto

rate=2000 timed check 'frames' record 'frames 5' --waits=all
check 'the histogram has the fast and the slow ones, and what they did' \
	judge "$cli" report "$work/a" --json --histogram frame <<'END'
assert report['count'] == 55 and sum(step['count'] for step in report['steps']) == 55, report
slow = [step for step in report['steps'] if step['from_ns'] >= 20000000]
assert sum(step['count'] for step in slow) >= 5, report
if 'running_ns' in report:
    for step in report['steps'] + [report]:
        assert step['running_ns'] + step['runnable_ns'] + step['blocked_ns'] + step['disk_ns'] == \
            step['sum_ns'], step
    assert report['blocked_ns'] + report['runnable_ns'] > 100000000, report
END
histogram()
{
	"$cli" report "$work/a" --histogram 'fra*' >"$work/text" 2>"$work/err" && cat "$work/text" &&
		grep -q '^ *1.00 ms .*###' "$work/text" && grep -q '^ *all  *55 ' "$work/text"
}
check '... as text' histogram
check 'a mark that is not there' bash -c '! "$0" report "$1" --histogram nothing 2>"$2" &&
	[ "$(wc -l <"$2")" = 1 ]' "$cli" "$work/a" "$work/err"
timed check 'diff of one recording compares its fast marks with its slow ones' \
	judge "$cli" diff "$work/a" --json --mark frame --slower-than 20ms <<'END'
assert report['a']['file'] == report['b']['file']
assert report['a']['samples'] and report['b']['samples'], report

END
for options in "--mark frame --slower-than 1h" "--mark frame --slower-than 1ns" "--mark frame" \
	"--slower-than 1ms"; do
	# shellcheck disable=SC2086
	check "refused in a sentence: diff $options" bash -c '! "$@" 2>"$0" >"$0.out" &&
		[ "$(wc -l <"$0")" = 1 ] && ! [ -s "$0.out" ]' "$work/said" \
		"$cli" diff "$work/a" $options
done

record 'frames 60' --last 5 --when-mark 'frame > 20ms'
led()
{
	cat "$work/err" && grep -q ': the last seconds, because a mark "frame" took more than 20.00 ms' \
		"$work/err"
}
check 'a slow mark makes the flight recorder write' led
check '... the mark is in the file' judge "$cli" report "$work/a" --marks --json <<'END'
mark, = [mark for mark in report['marks'] if mark['name'] == 'frame']
assert mark['most_ns'] > 20000000, mark
END
record 'frames 1' --last 5 --when-mark 'frame > 1h'
not_led()
{
	! grep -q 'because' "$work/err"
}
check 'one that is not so slow does not' not_led
for options in "--when-mark frame --last 5" "--when-mark frame>16ms" "--last 5 --when-mark >1ms" \
	"--last 5 --when-mark frame>soon"; do
	# shellcheck disable=SC2086
	check "refused in a sentence: record $options" bash -c '! "$@" 2>"$0" &&
		[ "$(wc -l <"$0")" = 1 ]' "$work/said" \
		"$cli" record --source perf -o "$work/x" $options -- true
done
"$cli" merge "$work/a" "$work/a" -o "$work/merged" 2>"$work/err"
check 'bundle and merge keep marks' bash -c '"$0" report --marks "$1" | grep -q frame' "$cli" \
	"$work/merged"

echo "1..$number"
exit $broken

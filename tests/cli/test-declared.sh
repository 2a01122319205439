#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events of kinds that a recording declares itself: listed, filtered, weighed, grouped, exported and
# merged, and what is refused.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
cli=$PWD/build/sysprof-cli
tests=$PWD/tests/cli
build/tests/gen-declared "$work/a" && build/tests/gen-declared --other "$work/b" &&
	build/tests/gen-declared --quoted "$work/quoted" &&
	build/tests/gen-declared --moments "$work/moments" || exit 1
cd "$work" || exit 1

# prints TEXT OPTIONS: what the program prints is the standard input.
prints()
{
	local text=$1

	shift
	result "$text" "$(diff - <("$cli" "$@" 2>&1))"
}

# refuses TEXT STATUS PATTERN OPTIONS: it ends with STATUS and one sentence that matches.
refuses()
{
	local text=$1 status=$2 pattern=$3 said got

	shift 3
	said=$("$cli" "$@" 2>&1 >/dev/null)
	got=$?
	result "$text" "$([ "$got" = "$status" ] && grep -qE "$pattern" <<<"$said" ||
		echo "status $got: $said")"
}

prints "the events of a kind" report a --events request --limit 3 <<'END'
Requests: 300 events
duration: 1000 ns to 300.0 µs, mean 150.5 µs, sum 45.15 ms
duration: half of them up to 150.0 µs, 99 % up to 297.0 µs
sent: 0 bytes to 3.0 KiB, mean 1.5 KiB, sum 450.0 KiB
queries: 0 queries to 299 queries, mean 149.5 queries, sum 44850 queries

       Time    Duration  Thread                    Fields
   0.000000     1000 ns  server (100)              path=/  sent=0 bytes  queries=0 queries
   0.001000     2000 ns  server (101)              path=/index.html  sent=1.0 KiB  queries=1 queries
   0.002000     3000 ns  server (100)              path=/a b=c  sent=2.0 KiB  queries=2 queries
END
prints "a counter has levels, and no sum" report a --events load --limit 1 --time 0.1.. <<'END'
Load: 6 events
level: 30 % to 67.5 %, mean 48.75 %
balance: -260 to -110, mean -185

       Time  Thread                    Fields
   0.120000                            level=30 %  balance=-110
END
prints "a mark of a moment has no duration" report moments --marks <<'END'
     Count      Total      Least       Mean     Median       99 %       Most  Mark
         1    5.00 ms    5.00 ms    5.00 ms    5.00 ms    5.00 ms    5.00 ms  saved
        10          -          -          -          -          -          -  clicked
END
prints "a process's counter has the name of its program" report moments --counters <<'END'
         Least            Mean            Most            Last  Counter
       0 bytes         4.0 KiB         8.0 KiB         8.0 KiB  server (100): resident
END
result "marks alone last until the last one ends" "$(
	"$cli" info --json moments | grep -q '"duration_ns": *95000000\b' || "$cli" info moments)"
prints "a text cannot write on the terminal" \
	report a --events server.log --field 'severity <= 3' --field 'text = served 2*' --limit 1 <<'END'
Log: 6 events

       Time  Thread                    Fields
   0.020001  server (100)              severity=3  text=served 20?[31m
END
prints "... and may have quotes around it, as with record --filter" \
	report a --events server.log --field 'severity <= 3' --field 'text ~ "served 2*"' --limit 1 <<'END'
Log: 6 events

       Time  Thread                    Fields
   0.020001  server (100)              severity=3  text=served 20?[31m
END
prints "a metric counts them by their stacks" report a --metric request <<'END'
300 samples, 0 lost, in 299.00 ms on 1 CPU; one period is 1.00 ms
metric request, number of events: 300

 Self %  Total %      Events  Function   Object
  50.00   100.00         150  serve      [anon]
  50.00    50.00         150  send_page  [anon]
   0.00   100.00           0  main       [anon]
END
prints "durations, as a tree" report a --metric request.duration --tree <<'END'
300 samples, 0 lost, in 299.00 ms on 1 CPU; one period is 1.00 ms
metric request.duration, sum of duration: 45.15 ms

Total %   Self %   Function  Object
 100.00     0.00   server  (process)
 100.00     0.00   └─ main  [anon]
 100.00    49.83      serve  [anon]
  50.17    50.17      send_page  [anon]
END
prints "a field, by another field, of some events" \
	report a --metric request.queries --by path --field 'sent != 0' <<'END'
300 samples, 0 lost, in 299.00 ms on 1 CPU; one period is 1.00 ms
metric request.queries, sum of queries: 33750

  Sum %         Sum     Samples  By path
  33.33       11250          75  /
  33.33       11250          75  /a b=c
  33.33       11250          75  /index.html
END
prints "a field of --by names the metric" \
	report a --by request.sent --limit 2 --thread worker <<'END'
300 samples, 0 lost, in 299.00 ms on 1 CPU; one period is 1.00 ms
metric request, number of events: 150

Events %      Events     Samples  By request.sent
   50.00          75          75  1024 bytes
   50.00          75          75  3072 bytes
END
prints "events without a stack are of their process" export a --metric server.log -f folded <<'END'
server;[no stack] 30
END
prints "a sum as folded stacks, in its own unit" \
	export a --metric request.sent -f folded --field 'path = /index.html' --time ..0.1 <<'END'
server;main;serve 16384
server;main;serve;send_page 33792
END
result "info lists the kinds and their fields" "$(
	diff <("$cli" info a | grep -A3 '^Declared') - <<'END'
Declared events    Shape           Events  Fields
request            interval           300  path (text), sent (bytes), queries (u64)
server.log         instant             30  severity (id), text (text)
load               counter             10  level (f64), balance (i64)
END
)"
result "a change is seen by diff" \
	"$("$cli" diff a b --metric request --total | grep -q send_page || echo no)"
"$cli" merge -o merged a b >/dev/null
result "merged recordings have each kind once, and one with other fields by itself" "$(
	diff <("$cli" info merged | grep -A4 '^Declared') - <<'END'
Declared events    Shape           Events  Fields
request            interval           301  path (text), sent (bytes), queries (u64)
server.log         instant             30  severity (id), text (text)
load               counter             10  level (f64), balance (i64)
request~5          interval             1  path (text)
END
)"
result "a bundle keeps them" "$("$cli" bundle merged -o bundled >/dev/null 2>&1 &&
	diff <("$cli" report merged --events request) <("$cli" report bundled --events request))"

# Each format writes each metric of declared kinds, or says in a sentence why it cannot.
every_format()
{
	local metric format status

	while read -r format; do
		for metric in request request.duration request.sent request.queries server.log; do
			"$cli" export a --metric "$metric" -f "$format" -o out >/dev/null 2>err
			status=$?
			[ $status = 0 ] || { [ $status = 1 ] && grep -q '^sysprof-cli: ' err; } ||
				echo "$metric as $format: status $status"
		done
	done < <("$cli" export --help | sed -nE 's/^ *-f, --format=FORMAT +//p' | tr ';' '\n' |
		sed -nE 's/^ *([a-z-]+): .*/\1/p' | tee formats)
	[ "$(wc -l <formats)" -gt 15 ] || echo "the formats of --help were not found"
}

result "each format has each metric of a declared kind" "$(every_format)"
result "texts and ids are labels of samples: pprof, OTLP, lines of JSON" \
	"$("$tests/declared-labels.py" "$cli" a quoted 2>&1)"

# As many as there were, with their texts and durations; lines of logs are those again.
as_marks()
{
	"$cli" export a -f syscap -o marks.syscap && "$cli" import marks.syscap -o marks || return
	"$cli" info marks | grep '^mark *interval' | tr -s ' ' >said
	"$cli" report marks --events mark --limit 1 | sed -n 's/.*  name=/name=/p' >>said
	"$cli" report marks --logs | sed -n '2s/^ *[0-9.-]* *//p' >>said
	"$cli" report marks --json --metric mark.duration | grep -o '"sum": *[0-9]*' >>said
	diff said - <<'END'
mark interval 300 name (text), category (text), message (text)
name=/  category=Requests  message=sent=0 bytes, queries=0 queries
error                        served 0?[31m
"sum": 45150000
END
}

result "what programs say is a mark of GNOME Sysprof, and is when that is imported" "$(as_marks)"

refuses "an unknown metric, with those of the table" 2 'Unknown --metric "requests".*cpu' \
	report a --metric requests
refuses "a field that cannot be added up" 2 'Unknown --metric' report a --metric request.path
refuses "a metric of a counter" 2 'is a counter' report a --metric load
refuses "a kind that is not there" 2 'no kind of events "nothing"; it has request' \
	report a --events nothing
result "an interval's duration is like a field" "$(
	"$cli" report a --json --metric request --field 'duration > 290us' | grep -q '"sum": *10\b' ||
		echo "not 10 of them")"
refuses "... but no instant has one" 2 'no field "duration"' report a --events server.log \
	--field 'duration > 1'
refuses "a field that is not there" 2 'no field "size"; their fields: path, sent and queries' \
	report a --metric request --field 'size > 1'
refuses "a field to group by that is not there" 2 'no field "size"' \
	report a --metric request --by size
refuses "a condition without an operator" 2 'takes a condition' \
	report a --metric request --field sent
refuses "a value of another type" 2 'cannot be compared' \
	report a --metric request --field 'sent > many'
refuses "an order of texts" 2 'cannot be compared' report a --metric request --field 'path > a'
refuses "a condition on no declared events" 2 'goes with events' report a --field 'sent > 1'
refuses "no events" 1 'no events "request"' report a --events request --field 'queries > 1000'
refuses "a metric that the other recording lacks" 1 'has no metric' diff a b --metric server.log
refuses "a grouping by what is no field of anything" 1 "by takes" report a --by nothing.sent
finish

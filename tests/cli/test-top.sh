#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysprof-cli top with perf events on this very machine: into a pipe, on a terminal, and how it
# ends.

set -u

cd "$(dirname "$0")/../.." || exit 1
cli=${CLI:-$PWD/build/sysprof-cli}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export TMPDIR=$work/tmp
number=0
broken=0

# check TEXT COMMAND...: ok if the command succeeds, else what was seen.
check()
{
	local text=$1

	shift
	number=$((number + 1))
	if "$@" >"$work/check" 2>&1; then
		echo "ok $number - $text${mark:-}"
	else
		broken=1
		echo "not ok $number - $text${mark:-}"
		cat "$work/check" "$work/out" "$work/err" 2>/dev/null | head -n 20 | sed 's/^/# /'
	fi
}

# timed COMMAND...: what its checks compare are rates, and they say so (see tests/run).
timed()
{
	local mark=' # timed'

	"$@"
}

# refuses STATUS REGEX ARGUMENTS...
refuses()
{
	local wanted=$1 regex=$2 status=0

	shift 2
	timeout 20 "$cli" top "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	[ $status = "$wanted" ] && [ ! -s "$work/out" ] &&
		grep -qE -- "^sysprof-cli: .*$regex" "$work/err"
}

helps()
{
	"$cli" top --help | grep -q '^  sysprof-cli top'
}

check '--help' helps
check 'an operand' refuses 2 'takes no "fly"' fly
check 'an impossible interval' refuses 2 'interval takes .*, not "0"' --interval 0
check 'an impossible rate' refuses 2 'F must be 1 to 50000, not 0' -F 0
check 'an unknown source' refuses 2 'source takes auto, module, perf or system, not "moon"' --source moon
check 'a metric that is none' refuses 2 'Unknown --metric "moon"' --metric moon
check 'a metric that perf events have not' refuses 1 'no metric "delay"' --metric delay --source perf \
	--count 1 --interval 100ms
check 'no expression' refuses 2 'no expression' --where 'foo and ('
check 'no list of CPUs' refuses 2 'cpu takes CPU numbers and ranges' --cpu a
check 'a count below 0' refuses 2 'not negative' --count -1

"$cli" top --source perf --count 1 --interval 0.1 >/dev/null 2>"$work/err"
if [ $? != 0 ]; then
	echo "ok $((number + 1)) - pages # SKIP no perf events here: $(head -n 1 "$work/err")"
	echo "1..$((number + 1))"
	exit $broken
fi

# Something that is sure to be on the page.
python3 -c 'while True: pass' &
busy=$!
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT

pages()
{
	timeout 60 "$cli" top --source perf --count 2 --interval 0.3 --limit 5 >"$work/out" \
		2>"$work/err" &&
		[ "$(grep -cE \
		'^[0-9.]+ of [0-9]+ CPUs busy; [0-9,]+ samples, 0 lost, in .* \(source: perf\)$' \
		"$work/out")" = 2 ] &&
		[ "$(grep -cE '^ +[0-9]+\.[0-9]{2} +[0-9]+\.[0-9]{2}  [^ ]' "$work/out")" -le 10 ] \
		&&
		! grep -q $'\033' "$work/out" && [ ! -s "$work/err" ]
}

only_busy()
{
	timeout 60 "$cli" top --source perf --count 1 --interval 0.5 --processes -p $busy \
		>"$work/out" 2>"$work/err" &&
		grep -qE '^ +100\.00  python3' "$work/out"
}

# Shares are of what the conditions leave, which is printed; the CPUs are busy with all of it.
conditions()
{
	timeout 60 "$cli" top --source perf --count 1 --interval 0.5 --processes --process python3 \
		--user --without 'no?such*' >"$work/out" 2>"$work/err" &&
		grep -qE '^[0-9.]+ of [0-9]+ CPUs busy; [0-9,]+ of [0-9,]+ samples, ' "$work/out" &&
		[ "$(tail -n +4 "$work/out" | grep .)" = ' 100.00  python3' ]
}

nothing_holds()
{
	timeout 60 "$cli" top --source perf --count 1 --interval 0.2 --with 'no?such*' >"$work/out" \
		2>"$work/err" &&
		grep -qE 'CPUs busy; 0 of [0-9,]+ samples' "$work/out" &&
		[ "$(grep -c . "$work/out")" = 2 ]
}

screen()
{
	timeout 60 python3 - "$cli" <<'END' >"$work/out" 2>&1
import os, pty, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "top", "--source", "perf", "--interval", "0.3"])
seen = b""
while seen.count(b"CPUs busy") < 2:
    seen += os.read(fd, 65536)
os.kill(pid, signal.SIGINT)
try:
    while True:
        more = os.read(fd, 65536)
        if not more:
            break
        seen += more
except OSError:
    pass
_, status = os.waitpid(pid, 0)
assert status == 0, status
assert seen.startswith(b"\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H"), seen[:40]
assert seen.endswith(b"\x1b[?25h\x1b[?1049l"), seen[-40:]
assert seen.count(b"\x1b[2J") == 1 and seen.count(b"\x1b[H") >= 2, "pages replace each other in place"
END
}

# Who sleeps is on no CPU, and on that page.
asleep()
{
	[ "$(id -u)" = 0 ] || return 0
	(while :; do sleep 0.1; done) & local pid=$!
	timeout 60 "$cli" top --source perf --count 2 --interval 0.5 --waits=all --processes --limit 1000 \
		>"$work/out" 2>"$work/err"
	local status=$?
	kill "$pid"
	wait "$pid" 2>"$work/wait"
	[ $status = 0 ] && [ "$(grep -c 'metric off-cpu: ' "$work/out")" = 2 ] &&
		[ "$(grep -cE '^ *[0-9.]+ +sleep' "$work/out")" -ge 2 ]
}

# A metric brings its source.
by_metric()
{
	[ "$(id -u)" = 0 ] || return 0
	timeout 60 "$cli" top --source perf --count 1 --interval 0.5 --metric off-cpu >"$work/out" \
		2>"$work/err" && grep -q 'metric off-cpu: ' "$work/out"
}

nothing_left()
{
	[ -z "$(ls -A "$TMPDIR")" ]
}

gone()
{
	timeout 60 "$cli" top --source perf --count 1 -p 4194304 >"$work/out" 2>"$work/err"
	[ $? = 1 ] && grep -q 'no process 4194304' "$work/err"
}

full_disk()
{
	local status=0

	timeout 60 "$cli" top --source perf --count 5 --interval 0.2 >/dev/full 2>"$work/err" ||
		status=$?
	[ $status = 1 ] && grep -q 'Cannot write the output' "$work/err"
}

# As for head: who has read enough hears of no error, and the recorder ends.
closed_pipe()
{
	timeout 60 "$cli" top --source perf --interval 0.2 2>"$work/err" | head -n 1 >/dev/null &&
		! [ -s "$work/err" ]
}

timed check 'into a pipe: pages one behind the other' pages
check 'into a pipe that is closed' closed_pipe
check 'only one process' only_busy
check 'with conditions' conditions
check '... that hold nowhere' nothing_holds
timed check 'waits' asleep
check 'a metric brings its source' by_metric
check '... which take what record takes' refuses 2 '--waits=some' --waits=some
check 'on a terminal: in place, until Ctrl-C' screen
check 'a process that is not there' gone
check 'stdout on a full disk' full_disk
check 'nothing is left behind' nothing_left

echo "1..$number"
exit $broken

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of the recorder begin with, sourced: the checkout as directory, $cli, $workloads, $work for scratch, and check.

cd "$(dirname "$0")/../.." || exit 1
cli=${CLI:-$PWD/build/sysprof-cli}
workloads=${WORKLOADS:-$PWD/build/workloads}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
number=0
broken=0

# timed COMMAND...: what its checks compare are times, rates or shares, which a busy machine or
# chance may spoil, and they say so (see tests/run).
timed()
{
	local mark=' # timed'

	"$@"
}

# For judges in Python that assert other things as well: timed(good, what) ends them by a status that
# says as much to check.
timed_python='
import sys
def timed(good, what=""):
    if not good:
        print(what)
        sys.exit(75)
'

# check TEXT COMMAND...: ok if the command succeeds, else what it and, in $work/err, the recorder said.
check()
{
	local text=$1 seen mark=${mark:-}

	shift
	number=$((number + 1))
	if seen=$("$@" 2>&1); then
		echo "ok $number - $text$mark"
		sed 's/^/# /' <<<"$seen" | grep -v '^# $'
	else
		[ $? != 75 ] || mark=' # timed'
		broken=1
		echo "not ok $number - $text$mark"
		{ printf '%s\n' "$seen"; cat "$work/err" 2>/dev/null; } | head -n 20 | sed 's/^/# /'
	fi
}

# works DIRECTORY EXCUSE COMMAND-LINE: sysprof-cli does there what a page shows, quotes and all, and
# prints or writes something.  Where the module is not loaded, it may say in words like EXCUSE that
# it needs it.
works()
{
	touch -d '1 second ago' "$work/marker"
	(cd "$1" && PATH=$PWD:$PATH timeout 60 bash -c '"$0" '"$3" "$cli" >"$work/out" \
		2>"$work/err") || {
		[ ! -e /dev/sysprof-trace ] && grep -qE "$2" "$work/err"
		return
	}
	[ -s "$work/out" ] || [ -n "$(find "$1" -name '*.*' -newer "$work/marker" -size +0)" ]
}

# A CPU of which perf reports that it is idle no longer as often as that it is, to run on.  On some
# virtual machines one of them has no events of perf while it is idle, and then nothing says when a
# thread came from there: that kernel's files lack what a test may look for.
seen_cpu()
{
	perf record -qB -a -e sched:sched_switch -o "$work/idle.data" sleep 1 >/dev/null 2>&1
	perf script -f -i "$work/idle.data" -F cpu,trace 2>/dev/null | tr -d '[]' | awk '
		/prev_comm=swapper/ { ended[$1 + 0]++ }
		/next_comm=swapper/ { began[$1 + 0]++ }
		{ cpus[$1 + 0] = 1 }
		END {
			for (cpu in cpus)
				if (began[cpu] - ended[cpu] <= 1 && (best == "" || began[cpu] > began[best]))
					best = cpu
			print best
		}'
}

# Ends the test as skipped for others than root, who may not record all processes.
for_root()
{
	[ "$(id -u)" != 0 ] || return 0
	echo "1..0 # SKIP perf events of all processes are for root"
	exit 0
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An agent with a budget, by perf events on this machine: its rate falls while it costs too much, and
# what a program is said to have taken stays what the kernel says.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
# shellcheck source=tests/cli/agent.bash
. "$(dirname "$0")/agent.bash"
: >"$work/pids"
# shellcheck disable=SC2046,SC2154 # pids are words; number and broken are record.bash's
trap 'kill $(cat "$work/pids") 2>/dev/null; sleep 0.5; rm -rf "$work"' EXIT

cat >"$work/busy.c" <<'END'
#include <unistd.h>
static volatile unsigned long x;
__attribute__((noinline)) void budget_busy(void) { for (long i = 0; i < 1000000; i++) x += i; }
int main(void) { alarm(300); for (;;) budget_busy(); }
END
gcc -O1 -fno-omit-frame-pointer -o "$work/busy" "$work/busy.c" || exit 1
"$work/busy" &
busy=$!
echo $busy >>"$work/pids"

slower() { metric "$1" rate_hertz | awk -v most="$2" '{exit !($1 > 0 && $1 <= most)}'; }

# The CPU time of the program so far, in ticks of 10 ms.
ran() { awk '{print $14 + $15}' "/proc/$busy/stat"; }

# Far less than 2,000 samples a second of a busy machine cost.
lowered()
{
	local before

	agent low --to pprof=0 --rate 2000 --budget 0.2% --every 1s --keep "$work/kept" || return
	wait_for 90 slower low 500 || { cat "$work/low.err"; return 1; }
	rm -f "$work"/kept/*
	before=$(ran)
	sleep 8
	end_agent "$agent_pid" || return
	echo $(($(ran) - before)) >"$work/ran"
	grep -q 'Recording [0-9.]* times a second from now on: it took .* of a budget of 0.2 %' \
		"$work/low.err"
}
check "a rate that costs too much is halved, and that is said" lowered

true_weights()
{
	local kept

	for kept in "$work"/kept/*.capture; do
		"$cli" report --all --by process --json "$kept" || return
		echo ,
	done >"$work/reports"
	python3 - "$work" <<END
$timed_python
import json, sys
reports = json.loads("[" + open(sys.argv[1] + "/reports").read().rstrip().rstrip(",") + "]")
said = sum(group["weight"] for report in reports for group in report["groups"]
           if group["name"] == "busy")
ran = float(open(sys.argv[1] + "/ran").read()) * 1e7
assert said > 0 and len(reports) >= 5, reports[:1]
timed(0.8 < said / ran < 1.25, (said / 1e9, ran / 1e9))
END
}
check "what a program took is still what the kernel says" true_weights

# Enough for what it does.
kept_up()
{
	agent high --to pprof=0 --rate 50 --budget 90% --every 1s || return
	sleep 12
	! slower high 48 && [ "$(metric high over_budget)" = 0 ] || return
	end_agent "$agent_pid" || return
	! grep -q 'from now on' "$work/high.err"
}
check "within its budget a rate stays" kept_up

refuses()
{
	"$cli" agent --to pprof=0 --budget "$1" 2>"$work/err"
	[ $? = 2 ] && grep -qF -- '--budget takes a percentage' "$work/err"
}
check "a budget that is none" refuses much
check "nothing as a budget" refuses 0%

echo "1..$number"
exit $broken

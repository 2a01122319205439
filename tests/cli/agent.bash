# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154 # work and cli are record.bash's
#
# Agents of tests, sourced after record.bash: their processes are in $work/pids.

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for()
{
	local until=$((SECONDS + $1))

	shift
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $until ] || { echo "not in time: $*"; return 1; }
		sleep 0.2
	done
}

# agent NAME OPTION...: with its words in $work/NAME.err.
agent()
{
	local name=$1

	shift
	# What one of the same name said before is no answer.
	: >"$work/$name.err"
	"$cli" agent --source perf --spool "$work/$name.spool" "$@" >"$work/$name.out" \
		2>"$work/$name.err" &
	agent_pid=$!
	echo $! >>"$work/pids"
	wait_for 20 grep -q '^Recording' "$work/$name.err"
}

door_of() { sed -n 's/.*profiles at port \([0-9]*\).*/\1/p' "$work/$1.err"; }

metric() { curl -s "http://127.0.0.1:$(door_of "$1")/metrics" | sed -n "s/^sysprof_agent_$2 //p"; }

end_agent() { kill -TERM "$1"; wait "$1"; }

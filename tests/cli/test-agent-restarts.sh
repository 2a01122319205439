#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An agent and its engine, each ended twenty times, every other time by SIGKILL: what was recorded
# comes, each window once or with the same id and content.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
# shellcheck source=tests/cli/agent.bash
. "$(dirname "$0")/agent.bash"
: >"$work/pids"
# shellcheck disable=SC2046,SC2154 # pids are words; number and broken are record.bash's
trap 'kill $(cat "$work/pids") 2>/dev/null; sleep 0.5; rm -rf "$work"' EXIT

rounds=20
mkdir -p "$work/engine"

# The port is that of the first time.
begin_engine()
{
	rm -f "$work/engine/port"
	python3 tests/cli/agent-receiver.py "$work/engine" "$@" >/dev/null 2>"$work/engine/err" &
	engine_pid=$!
	echo $! >>"$work/pids"
	wait_for 60 test -s "$work/engine/port"
}

begin_agent()
{
	agent often --to otlp="http://127.0.0.1:$port" --to pprof=0 --every 1s --rate 200 \
		--keep "$work/kept"
}

# ended PID ROUND
ended()
{
	local signal=TERM

	[ $(($2 % 2)) = 0 ] || signal=KILL
	kill -$signal "$1"
	wait "$1" 2>/dev/null || [ $signal = KILL ]
}

drained() { [ "$(metric often 'spool_requests{to="otlp-1"}')" = 0 ]; }
restarts()
{
	local round port

	begin_engine || return
	port=$(cat "$work/engine/port")
	begin_agent || return
	for round in $(seq $rounds); do
		sleep 0.$((RANDOM % 10))
		ended "$agent_pid" "$round" || return
		begin_agent || return
		sleep 1.$((RANDOM % 10))
		kill -KILL "$engine_pid"
		wait "$engine_pid" 2>/dev/null
		sleep 0.$((RANDOM % 10))
		begin_engine "$port" || return
	done
	wait_for 150 drained || return
	ended "$agent_pid" 0 || return
	# What the last one sent at its end.
	begin_agent && wait_for 60 drained && ended "$agent_pid" 0
}
check "an agent and its engine are restarted $rounds times each" restarts

infos()
{
	local kept

	for kept in "$work"/kept/*.capture; do
		"$cli" info --json "$kept" || return
		echo ,
	done >"$work/infos"
}
check "what stays can be read" infos
check "nothing is lost, and nothing counts twice" python3 - "$work" <<'END'
import collections, json, os, sys
work = sys.argv[1]
ids, times = {}, []
with open(os.path.join(work, "engine", "log"), encoding="utf-8") as log:
    for line in log:
        # Of an engine that was killed a line may be cut; then the request comes again.
        try:
            request = json.loads(line[max(line.rfind('{"path"'), 0):])
        except ValueError:
            continue
        assert "problem" not in request, request["problem"]
        for profile in request["profiles"] if request["status"] == 200 else []:
            before = ids.setdefault(profile["id"], profile)
            assert before["stacks"] == profile["stacks"], profile["id"]
            times.append(profile["time"])
assert times == sorted(times), "order"
sent = {}
for profile in ids.values():
    sent[profile["time"]] = sent.get(profile["time"], 0) + sum(profile["stacks"].values())
infos = json.loads("[" + open(os.path.join(work, "infos")).read().rstrip().rstrip(",") + "]")
sums, kept = (collections.Counter(numbers) for numbers in
              (sent.values(), (info["samples"] for info in infos if info["samples"])))
assert kept.total() >= 20 and not kept - sums, (kept - sums, sums - kept)
# An agent that is killed may have sent a window that it does not keep any more.
assert (sums - kept).total() <= 12, sums - kept
END

echo "1..$number"
exit $broken

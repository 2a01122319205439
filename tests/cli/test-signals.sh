#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Signals to the recorder alone, as kill, systemd and containers send them: the recording ends at
# once and is whole, and so does the command.  And recordings that end before their command does, or
# are killed: reports still know the command.  And what people call an output, or a process.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root
cd "$work" || exit 1

# begin NAME ...: a recording of the command in the background, in $recorder, which has samples.
begin()
{
	local name=$1

	shift
	"$cli" record --source perf -F 500 -o "$name" "$@" >/dev/null 2>err &
	recorder=$!
	for _ in $(seq 100); do
		"$cli" info --json "$name.part" 2>/dev/null |
			grep -q '"samples": *[1-9]' && return
		sleep 0.1
	done
	return 1
}

# whole NAME: the file is finished, and has the command's samples.
whole()
{
	[ -e "$1" ] && [ ! -e "$1.part" ] &&
		"$cli" info --json "$1" | python3 -c 'import json, sys
info = json.load(sys.stdin)
assert info["finished"] and info["samples"] > 0, info
assert int(info["host"]["command_pid"]) > 0'
}

# ended SIGNAL STATUS COMMAND...: of one that would last for a minute.
ended()
{
	local signal=$1 wanted=$2 status=0 begun

	shift 2
	rm -f sent*
	begin sent -- "$@" || { cat err; return 1; }
	begun=$SECONDS
	kill -"$signal" $recorder
	wait $recorder || status=$?
	[ $((SECONDS - begun)) -lt 30 ] && [ $status = "$wanted" ] && whole sent || { echo "status $status"; cat err; return 1; }
}

burn='i=0; while :; do i=$((i + 1)); done'
check 'SIGTERM ends a recording of a command' ended TERM 143 bash -c "$burn"
check 'SIGHUP does' ended HUP 129 bash -c "$burn"
check 'a command that ends in its own way has its own status' ended TERM 7 \
	bash -c "trap 'exit 7' TERM; $burn"

# The command does not end: the recording does, and the second signal ends the recorder.
stubborn()
{
	local status=0 pid

	begin stubborn -- bash -c "trap '' TERM; echo \$\$ >pid; $burn" || return
	pid=$(cat pid)
	kill -TERM $recorder
	for _ in $(seq 100); do [ -e stubborn ] && break; sleep 0.1; done
	whole stubborn && kill -0 $recorder && kill -0 "$pid" || { kill -KILL "$pid"; return 1; }
	kill -TERM $recorder
	wait $recorder || status=$?
	kill -KILL "$pid" && [ $status = 143 ]
}
check 'a command that ignores it holds up nothing' stubborn

# nohup: the recording survives the end of its terminal.
kept_on()
{
	(trap '' HUP; exec "$cli" record --source perf -F 500 -o kept -- bash -c \
		'end=$((SECONDS + 3)); while [ $SECONDS -lt $end ]; do :; done' >/dev/null 2>err) &
	recorder=$!
	for _ in $(seq 100); do [ -s kept.part ] && break; sleep 0.1; done
	kill -HUP $recorder
	sleep 1
	kill -0 $recorder && wait $recorder && whole kept
}
check 'SIGHUP that is ignored stays ignored' kept_on

# About the command: report shows what of all is the command's.

cat >burns <<'END'
#!/bin/bash
touch begun
end=$((SECONDS + ${1:-6})); while [ $SECONDS -lt $end ]; do :; done
END
chmod +x burns
(end=$((SECONDS + 60)); while [ $SECONDS -lt $end ]; do :; done) &
other=$!
# The command has begun, and was flushed once.
is_burning()
{
	for _ in $(seq 100); do [ -e begun ] && break; sleep 0.1; done
	sleep 2
	rm -f begun
}
of_command()
{
	"$cli" report --by process "$1" >report 2>&1 && grep -q burns report &&
		! grep -q 'has no samples' report || { cat report; return 1; }
}
"$cli" record --source perf -F 500 -o early --duration 3 -- ./burns >/dev/null 2>err
rm -f begun
check 'a recording that ends before its command is about the command' of_command early
"$cli" record --source perf -F 500 -o last --last 10 -- ./burns >/dev/null 2>err &
recorder=$!
is_burning
kill -USR1 $recorder
for _ in $(seq 100); do [ -e last ] && break; sleep 0.1; done
check '... so are the last seconds' of_command last
wait $recorder
begin killed -- ./burns 60
is_burning
kill -KILL $recorder
wait $recorder 2>/dev/null
pkill -x burns
check '... and what is left of one that was killed' of_command killed.part
kill $other

# "-" is the standard output for text; a recording cannot go there.
no_file()
{
	mkdir -p none && cd none || return
	"$cli" "$@" -o - >../out 2>../err && return 1
	[ $(wc -l <../err) = 1 ] && grep -q 'cannot be written to the standard output' ../err &&
		[ ! -s ../out ] && [ -z "$(ls)" ]
}
check 'record -o -' no_file record --source perf --duration 0.2
check 'merge -o -' no_file merge ../early ../last
check 'bundle -o -' no_file bundle ../early
check 'receive -o -' no_file receive --listen 127.0.0.1:0 --timeout 1
check 'export -o - is the standard output' bash -c \
	'"$1" export --format folded -o - early | grep -q burns && [ ! -e ./- ]' - "$cli"

# A process is found by its program, too, whatever its main thread calls itself.
cat >renames.c <<'END'
#include <sys/prctl.h>
int main(void)
{
	prctl(PR_SET_NAME, "other-name");
	for (volatile long i = 0; i < 1000000000; i++)
		;
	return 0;
}
END
gcc -O1 -o renames renames.c
"$cli" record --source perf -F 500 -o program -- ./renames >/dev/null 2>err
"$cli" record --source perf -F 500 -o bare --no-command-lines -- ./renames >/dev/null 2>err
for file in program bare; do
	for name in other-name renames; do
		check "$file: --process $name" bash -c \
			'"$1" report --process "$2" "$3" | grep -q " main  *renames" &&
			"$1" export --format folded --process "$2" "$3" | grep -q ";main " &&
			"$1" info --maps --process "$2" "$3" | grep -q /renames' - "$cli" $name $file
	done
	check "$file: another name is none" bash -c \
		'! "$1" report --process rename "$2" >out 2>&1 && grep -q "no samples of a process" out' \
		- "$cli" $file
done

echo "1..$number"
exit $broken

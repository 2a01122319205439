#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What holds the recorder in bounds, and what it withstands: killed at any instant, a full disk,
# little memory, the last seconds only, a recording sent to another place.  With perf events, on
# this very machine.  KILLS (16): how many recorders are killed.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

# judge FILE PYTHON: with info, functions {name: self} and near() at hand; asserts.
judge()
{
	"$cli" info --json "$1" >"$work/info.json" &&
		"$cli" report --json --all --no-inlines "$1" >"$work/report.json" &&
	python3 - "$work/info.json" "$work/report.json" <<END
$timed_python
import json, sys
info, report = (json.load(open(path)) for path in sys.argv[1:3])
seconds = info["duration_ns"] / 1e9
functions = {}
for f in report["functions"]:
    functions[f["function"]] = functions.get(f["function"], 0) + f["self"] // info["period_ns"]
def sound(is_cut=False):
    assert not info["damage"] and info["samples"] > 0, info["damage"]
    assert info["cpus"] and all(c["residue"] == 0 for c in info["cpus"]), info["cpus"]
    # Where a virtual CPU stood still samples come late: the next account would have had them.
    assert all(-c["pending"] * is_cut <= c["missing"] <= 0 for c in info["cpus"]), info["cpus"]
$2
END
}

# refused WORDS OPTIONS...: record says why it does not.
refused()
{
	local words=$1 said

	shift
	said=$("$cli" record -o "$work/refused" "$@" 2>&1)
	[ $? = 2 ] && grep -qF -- "$words" <<<"$said" && [ ! -e "$work/refused.part" ] ||
		{ echo "$said"; return 1; }
}

recorded=${GENERATORS:-$PWD/build/tests}/gen-recorded
[ -x "$recorded" ] || { echo "Bail out! $recorded is not built; run 'make tests'"; exit 1; }
for name in shares maze recursion; do
	[ -x "$workloads/$name" ] || { echo \
		"Bail out! $workloads/$name is not built; run 'make tests'"; exit 1; }
done

# Outer frames that come once.

# outer_is_whole METRIC [waits]: the same stacks come as a whole, and with references to their
# outer frames.
outer_is_whole()
{
	local form metric=$1

	shift
	for form in frames outer; do
		"$recorded" "$work/$form.capture" paced 1 2000 $form "$@" >/dev/null &&
			"$cli" export --format folded --metric "$metric" \
				-o "$work/$form.folded" "$work/$form.capture" || return 1
		sort -o "$work/$form.folded" "$work/$form.folded"
		rm "$work/$form.capture"
	done
	[ -s "$work/frames.folded" ] && cmp "$work/frames.folded" "$work/outer.folded"
}

check 'stacks that refer to outer frames are those that come as a whole' outer_is_whole cpu
check '... also of waits' outer_is_whole off-cpu waits

# Killed.

check 'killed at random instants' tests/cli/killed.py "${KILLS:-16}"

# Only the last seconds.

"$workloads/shares" 60 >/dev/null &
burner=$!
"$cli" record --source perf -F 500 --last 2 -o "$work/last.capture" 2>"$work/last.err" &
recorder=$!
sleep 4
kill -USR1 $recorder
for _ in $(seq 100); do [ -e "$work/last.capture" ] && break; sleep 0.1; done
check 'asked for the last seconds, it writes them and goes on' bash -c \
	'[ -e "$1/last.capture" ] && kill -0 $2' - "$work" $recorder
sleep 2
kill -INT $recorder
wait $recorder
check '... and writes them at the end, to another file' [ $? = 0 -a -e "$work/last-2.capture" -a ! \
	-e "$work/last-2.capture.part" ]
check '... and says so' grep -q 'last.capture: the last seconds, as asked' "$work/last.err"
for file in last last-2; do
	check "$file: sound, of about the time that was asked for" judge "$work/$file.capture" '
sound()
assert info["finished"]
timed(1.5 <= seconds <= 4.5, seconds)
for cpu in info["cpus"]:
    timed(abs(cpu["grid"] * info["period_ns"] / 1e9 - seconds) < 1.5, (cpu, seconds))'
	timed check "$file: named" judge "$work/$file.capture" \
		'assert functions["burn_fifty"] > functions["burn_twenty"] > 0'
done
check 'the second one begins later' bash -c '
	start() { "$1" info --json "$2" | python3 -c "import json, sys; print(json.load(sys.stdin)[\"host\"][\"start_time\"])"; }
	[ "$(start "$1" "$2/last.capture")" -lt "$(start "$1" "$2/last-2.capture")" ]' - "$cli" "$work"
kill $burner
wait $burner 2>/dev/null
check 'a late tick is the module'"'"'s to tell' refused '--when-late needs the module' --source \
	perf --last 2 --when-late 5ms
check '--when-late without --last' refused 'give both' --when-late 5ms
check 'no time' refused 'takes at least a second' --last 0.1

# Memory.

# most FILE OPTIONS...: records the maze; the most memory that the recorder had, in KiB, is put into
# FILE.most.
most()
{
	local file=$1

	shift
	"$cli" record --source perf -F 4000 -o "$file" "$@" -- "$workloads/maze" 4 2>"$work/err" &
	python3 - $! >"$file.most" <<'END'
import sys, time
most = 0
while True:
    try:
        pages = [int(word) for word in open(f"/proc/{sys.argv[1]}/statm").read().split()]
    except OSError:
        break
    if not pages[0]:
        break
    most = max(most, 4 * (pages[1] - pages[2]))
    time.sleep(0.02)
print(most)
END
	wait $! || { cat "$work/err"; return 1; }
}

check 'stacks without end: recorded' most "$work/free.capture" --stacks fp
check 'stacks without end, with little memory: recorded' most "$work/small.capture" --stacks fp \
	--memory-limit 30M
check 'it kept to its memory' bash -c 'read -r small <"$1/small.capture.most"
	echo "at most $small KiB"; [ "$small" -le 30720 ]' - "$work"
timed check '... which is less than it had without a limit' bash -c \
	'read -r free <"$1/free.capture.most"; echo "at most $free KiB"; [ "$free" -gt 30720 ]' - "$work"
check '... and recorded as much' judge "$work/small.capture" '
sound()
assert info["finished"]
maze = functions["left"] + functions["right"]
timed(abs(maze * info["period_ns"] / 1e9 - 4) < 0.6 + info["lost"] * info["period_ns"] / 1e9, (maze, info["lost"]))'
# Unwind tables and copies of stacks need some of it, too.
check 'copies of stacks without end: recorded' most "$work/copies.capture" --memory-limit 64M
check 'it kept to its memory' bash -c 'read -r most <"$1/copies.capture.most"
	echo "at most $most KiB"; [ "$most" -le 65536 ]' - "$work"

# bounded KIND: 60,000 new stacks at once, a multiple of what there is memory for.
bounded()
{
	local most

	most=$("$recorded" "$work/$1.capture" "$1" 60000 32) && echo "at most $most KiB" &&
		[ "$most" -gt 1024 ] && [ "$most" -le 32768 ]
}

check 'a flood between two looks at the rings: it keeps to its memory' bounded flood
check '... and records all of it, named' judge "$work/flood.capture" '
sound()
assert info["finished"] and info["samples"] == 60000, info["samples"]
assert all(name.startswith("made_") for name in functions if functions[name])'
check 'a flood of which the last is kept: it keeps to its memory' bounded last
check '... and has the last' judge "$work/last.capture" 'sound()
assert info["finished"] and 500 < info["samples"] < 60000, info["samples"]'
check 'too little' refused 'takes at least 16M' --memory-limit 1M

# A full disk.

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir "$work/small"
	check 'a full disk ends the recording, not the command' unshare -m bash -c '
		mount -t tmpfs -o size=96k none "$3" || exit 1
		"$1" record --source perf -F 2000 -o "$3/full.capture" -- sh -c "\"$2/maze\" 6; echo through" >"$3/../out" 2>"$3/../err"
		[ $? = 1 ] && grep -qx through "$3/../out" && cp "$3/full.capture.part" "$3/.."' - "$cli" "$workloads" "$work/small"
else
	check 'a full disk ends the recording, not the command' bash -c '
		(ulimit -f 96; "$1" record --source perf -F 2000 -o "$3/full.capture" -- sh -c "\"$2/maze\" 6; echo through" \
			>"$3/out" 2>"$3/err")
		[ $? = 1 ] && grep -qx through "$3/out"' - "$cli" "$workloads" "$work"
fi
check '... with a word on why' grep -qE 'full.capture.part failed: (No space left|File too large)' \
	"$work/err"
check '... and on what there is' grep -q 'samples, is in .*full.capture.part' "$work/err"
# On a busy machine, stacks of others may fill it first.
check '... which is sound' judge "$work/full.capture.part" 'sound()
timed(functions.get("left", 0) > 0, functions)'

# To another place.

# receiver NAME [OPTION...]: listens at any port, which is put into $port.
receiver()
{
	"$cli" receive --listen 127.0.0.1:0 -o "$work/$1.capture" "${@:2}" 2>"$work/$1.err" &
	receiver=$!
	for _ in $(seq 100); do grep -q Listening "$work/$1.err" && break; sleep 0.1; done
	port=$(grep -oE '[0-9]+$' "$work/$1.err" | head -n 1)
}

cp "$workloads/shares" "$work/sent-program"
receiver sent
check 'sent: recorded' "$cli" record --source perf -F 500 --to "127.0.0.1:$port" -- \
	"$work/sent-program" 2
wait $receiver
check 'sent: received' [ $? = 0 -a ! -e "$work/sent.capture.part" ]
rm "$work/sent-program"
check 'sent: sound' judge "$work/sent.capture" 'sound()
assert info["finished"]'
timed check 'sent: named without the program' judge "$work/sent.capture" \
	'assert functions["burn_fifty"] > functions["burn_twenty"] > 0'
receiver cut
"$cli" record --no-embed --source perf -F 500 --to "127.0.0.1:$port" --duration 60 2>/dev/null &
sender=$!
for _ in $(seq 300); do [ "$(stat -c %s "$work/cut.capture.part" 2>/dev/null ||
	echo 0)" -gt 30000 ] && break; sleep 0.1; done
kill -KILL $sender
wait $sender 2>/dev/null
wait $receiver
check 'cut off: the receiver says so' bash -c \
	'[ $1 = 1 ] && grep -q "was cut off" "$2/cut.err" && [ ! -e "$2/cut.capture" ]' - $? "$work"
check 'cut off: what came is sound' judge "$work/cut.capture.part" 'sound(is_cut=True)'
# Anybody who can reach it may say nothing, or everything.
receiver silent --timeout 0.3
exec 3<>"/dev/tcp/127.0.0.1/$port"
wait $receiver
check 'a sender that is silent is not waited for' bash -c \
	'[ $1 = 1 ] && grep -q "nothing came for as long as --timeout allows" "$2/silent.err"' - \
	$? "$work"
exec 3>&-
receiver large --max-size 100K
python3 -c '
import socket, sys
to = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
to.sendall(open(sys.argv[2], "rb").read(16))
try:
    while True:
        to.sendall(bytes(1 << 16))
except OSError:
    pass' "$port" "$work/sent.capture"
wait $receiver
check 'a recording that does not end is not taken' bash -c \
	'[ $1 = 1 ] && grep -q "larger than --max-size allows" "$2/large.err" &&
	[ "$(stat -c %s "$2/large.capture.part")" -le 102400 ]' - $? "$work"
receiver junk
python3 -c \
	'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1]))).sendall(b"GET / HTTP/1.1\r\n")' "$port"
wait $receiver
check 'what is no capture is not taken' bash -c \
	'[ $1 = 1 ] && grep -q "not a recording of Sysprof" "$2/junk.err"' - $? "$work"
check 'nobody listens' bash -c \
	'"$1" record --source perf --to 127.0.0.1:$2 2>&1 | grep -q "sysprof-cli receive"' - \
	"$cli" "$port"

# The units that record a boot and a login.

# verify NAME MANAGER: as they are installed, with this program in place of the installed one.
verify()
{
	local said

	sed "s|@prefix@/bin/sysprof-cli|$cli|; s|@prefix@|/usr|" "packaging/systemd/$1.service" \
		>"$work/$1.service" &&
	said=$(XDG_RUNTIME_DIR=$work systemd-analyze "--$2" --man=no verify "$work/$1.service" \
	2>&1) && ! grep "$1.service" <<<"$said"
}

if command -v systemd-analyze >/dev/null; then
	check 'the boot unit is right' verify sysprof-boot system
	check 'the login unit is right' verify sysprof-login user
else
	number=$((number + 1))
	echo "ok $number - the units are right # SKIP systemd-analyze is not here"
fi

echo "1..$number"
exit $broken

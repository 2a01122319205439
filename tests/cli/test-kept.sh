#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No mistake costs a recording: what is there stays until another one with samples is whole, and is
# NAME.old from then on.  With perf events, on this very machine; vm/60-errors has it with the
# module (SOURCE=module).

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

[ -x "$workloads/shares" ] || { echo "Bail out! $workloads/shares is not built; run 'make tests'"; \
	exit 1; }
cd "$work" || exit 1
source=${SOURCE:-perf}

# kept STATUS WORDS OPTIONS...: record ends so, with one line that has these words; the former
# recordings are as they were.
kept()
{
	local wanted=$1 words=$2 status=0 said

	shift 2
	echo former >sysprof.capture
	echo older >sysprof.capture.old
	said=$(timeout 60 "$cli" record --source "$source" "$@" 2>&1 >/dev/null) || status=$?
	[ $status = "$wanted" ] && [ "$(wc -l <<<"$said")" = 1 ] &&
		grep -qF -- "$words" <<<"$said" &&
	[ "$(cat sysprof.capture)" = former ] && [ "$(cat sysprof.capture.old)" = older ] &&
	[ ! -e sysprof.capture.part ] ||
		{ echo "status $status: $said"; ls -l; return 1; }
}

printf '#!/no/such/interpreter\n' >broken
chmod +x broken
echo text >text
present=$(cat /sys/devices/system/cpu/present)
sleep 0 &
ended=$!
wait $ended
sleep 60 &
sleeper=$!
check 'a command that is not in PATH' kept 127 'Cannot run nosuchcmd: there is no such program' -- \
	nosuchcmd
check 'a command by its path, that is not there' kept 127 'Cannot run ./nosuchcmd: No such file' \
	-- ./nosuchcmd
check 'a command without permission' kept 127 'Cannot run ./text: Permission denied' -- ./text
check 'a directory' kept 127 'Cannot run /usr/bin' -- /usr/bin
check 'no name at all' kept 127 'Cannot run' -- ''
check 'a script without its interpreter' kept 127 'Cannot run ./broken' -- ./broken
check 'a CPU that is not there' kept 2 "There is no CPU 60000 (--cpu): this machine has $present" \
	--cpus 0,60000 --duration 0.2
check 'a process that is not there' kept 2 "There is no process $ended" -p $ended --duration 0.2
check 'no command behind --' kept 2 'There is no command behind "--"' --
check 'no time at all' kept 2 '--duration takes a time such as 10, 10s or 500ms, not "0"' --duration 0
check 'an option that there is not' kept 2 'Unknown option --nosuch' --nosuch -- true
check 'a rate that is not possible' kept 2 '-F must be 1 to 50000, not 0' -F 0 -- true
check "the recorder's memory by its former name" kept 2 '--memory-limit SIZE bounds' --memory 256M \
	-- true
check 'memory of no command' kept 2 '--memory-limit SIZE bounds' --memory --duration 0.2
check 'a program without its name' kept 2 '"true" is no option; put "--" in front' true
check 'what needs the module points to doctor' kept 1 'need the module of this release' \
	--source perf --stacks table --duration 0.2
check 'no samples' kept 1 'no sample was taken' -p $sleeper --user-only --duration 0.2
check '... in the last seconds' kept 1 'no sample was taken' -p $sleeper --user-only --last 1 \
	--duration 0.2
kill $sleeper
wait $sleeper 2>/dev/null

# What replaces it.

rm -f sysprof.capture*
for round in 1 2 3; do
	"$cli" record --source "$source" -F 500 -- "$workloads/shares" 0.3 >/dev/null 2>err || break
	cp sysprof.capture "round-$round"
done
check 'the last one has the name, the one before is .old' \
	bash -c \
	'cmp round-3 sysprof.capture && cmp round-2 sysprof.capture.old && [ ! -e sysprof.capture.part ]'
cp sysprof.capture.old before
"$cli" record --source "$source" --duration 60 2>err &
recorder=$!
for _ in $(seq 100); do [ -s sysprof.capture.part ] && break; sleep 0.1; done
kill -KILL $recorder
wait $recorder 2>/dev/null
check 'one that is killed replaces neither' bash -c \
	'cmp round-3 sysprof.capture && cmp before sysprof.capture.old && [ -s sysprof.capture.part ]'
check 'a command that fails has run, and is recorded' bash -c \
	'"$1" record --source "$3" -F 500 -- sh -c "\"$2/shares\" 0.2; exit 127" \
	>/dev/null 2>&1; [ $? = 127 ] && cmp round-3 sysprof.capture.old' - "$cli" "$workloads" \
	"$source"

# Two of one name.

# names_of DIRECTORY: what is in it, in a line.
names_of()
{
	find "$1" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' '
}

# running DIRECTORY OPTIONS...: begins a recording there, and returns once it has a file.
running()
{
	local directory=$1

	shift
	rm -rf "$directory"
	mkdir -p "$directory"
	(cd "$directory" && exec "$cli" record --source "$source" "$@" 2>err >/dev/null) &
	recorder=$!
	for _ in $(seq 100); do [ -s "$directory/sysprof.capture.part" ] && return; sleep 0.1; done
	return 1
}

# The second one is refused in one line, and the first is whole.
second_is_refused()
{
	local status=0 said

	running two -F 500 -- "$workloads/shares" 3 || return 1
	said=$(cd two && timeout 60 "$cli" record --source "$source" -- true 2>&1) || status=$?
	wait $recorder || { cat two/err; return 1; }
	[ $status = 1 ] && [ "$(wc -l <<<"$said")" = 1 ] &&
		grep -q 'a recording that has not ended writes sysprof.capture.part' <<<"$said" &&
		[ "$(names_of two)" = "err sysprof.capture " ] &&
		"$cli" report two/sysprof.capture | grep -q burn_fifty ||
		{ echo "status $status: $said"; cat two/err; ls -l two; return 1; }
}

# What else writes a file of that name is refused, too; the last seconds get the next name.
others_are_refused()
{
	running two -F 500 -- "$workloads/shares" 4 || return 1
	"$cli" merge -o two/sysprof.capture round-1 round-2 2>two-err && return 1
	grep -q 'a recording that has not ended' two-err || { cat two-err; return 1; }
	(cd two && timeout 60 "$cli" receive --listen 127.0.0.1:0 2>&1) |
		grep -q 'a recording that has not ended' || return 1
	(cd two && timeout 60 "$cli" record --source "$source" -F 500 --last 5 -- \
		"$workloads/shares" 0.3 >/dev/null 2>&1) || return 1
	wait $recorder || { cat two/err; return 1; }
	[ "$(names_of two)" = "err sysprof-2.capture sysprof.capture " ] || { ls -l two; return 1; }
}

# Somebody removes the file, or puts another in its place: an error, and nothing is taken for it.
stolen()
{
	local status=0

	running two -F 500 -- "$workloads/shares" 2 || return 1
	rm two/sysprof.capture.part
	[ $1 = gone ] || cp round-1 two/sysprof.capture.part
	wait $recorder || status=$?
	[ $status = 1 ] && grep -q 'is no longer the file that was written' two/err &&
		[ ! -e two/sysprof.capture ] ||
		{ echo "status $status"; cat two/err; ls -l two; return 1; }
}

# Begun together: one of them records, the others are refused.
at_once()
{
	local whole=0 refused=0 i

	rm -rf two
	mkdir two
	for i in 1 2 3 4 5 6; do
		(cd two && "$cli" record --source "$source" -F 500 -- "$workloads/shares" 1 \
			>/dev/null 2>"err-$i"; echo $? >"status-$i") &
	done
	wait
	for i in 1 2 3 4 5 6; do
		[ "$(cat two/status-$i)" = 0 ] && whole=$((whole + 1))
		grep -q 'a recording that has not ended' two/err-$i && refused=$((refused + 1))
	done
	[ $((whole + refused)) = 6 ] && [ $whole -ge 1 ] &&
		[ "$(find two -name 'sysprof.capture*' | wc -l)" = $((whole < 2 ? 1 : 2)) ] ||
		{ head two/err-*; ls -l two; return 1; }
}

check 'a second recording of that name is refused, and the first is whole' second_is_refused
check '... so is what else writes it, and the last seconds get another name' others_are_refused
check '... of several at once, one records' at_once
check 'a file that was removed meanwhile is not reported as written' stolen gone
check '... nor one that another took the place of' stolen replaced

# Processes that end.

"$workloads/shares" 1 >/dev/null &
burner=$!
timed check 'a process that ends ends its recording, and has one thread' bash -o pipefail -c \
	'timeout 60 "$1" record --source "$2" -F 500 -p "$3" 2>&1 | grep " samples of 1 thread in "' - \
	"$cli" "$source" $burner
# Behind its header comes what is recorded.
sh -c 'until [ "$(stat -c %s family.capture.part 2>/dev/null || echo 0)" -gt 16 ]; do sleep 0.1; done
	("$1" 1 >/dev/null; touch through) & exec sleep 0.1' - "$workloads/shares" &
parent=$!
check '... once what it started has ended, too' timeout 60 "$cli" record --source "$source" -F 500 -o \
	family.capture -p $parent
check '... which was waited for' [ -e through ]
check '... and is in it' bash -c \
	'"$1" report --by process family.capture | grep -q " shares (pid"' - "$cli"

echo "1..$number"
exit $broken

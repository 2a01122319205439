#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files that are embedded in a recording: the system's, and those that record --embed names; what
# merge, bundle and the flight recorder make of them; and files that nobody should embed.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

record()
{
	"$cli" record --source perf -F 100 "$@" -- sleep 0.1 2>"$work/err"
}

# lists FILE NAME...: exactly these are embedded in FILE.
lists()
{
	"$cli" info --json "$1" 2>"$work/err" | python3 -c 'import json, sys
names = [file["name"] for file in json.load(sys.stdin)["files"]]
assert sorted(names) == sorted(sys.argv[1:]), names' "${@:2}"
}

# same FILE NAME ORIGINAL: the embedded file has the bytes of the original.
same()
{
	"$cli" info --file "$2" "$1" >"$work/got" 2>"$work/err" && cmp "$work/got" "$3" &&
		"$cli" info --file "$2" -o "$work/saved" "$1" 2>"$work/err" && cmp "$work/saved" "$3"
}

# refused TEXT COMMAND...: it fails, and says so in one sentence with TEXT.
refused()
{
	local text=$1

	shift
	! "$@" >"$work/out" 2>"$work/err" && grep -q "$text" "$work/err" &&
		[ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ]
}

# plain COMMAND...: what it prints has no character that a terminal would obey.
plain()
{
	"$@" 2>"$work/err" | tr -d '\r' >"$work/out" && [ -s "$work/out" ] &&
		! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$work/out"
}

random=$work/random settings=$work/settings.ini odd=$work/odd$'\e[31m\n'name empty=$work/empty
head -c 300000 /dev/urandom >"$random"
printf 'a = 1\n\0\e]0;title\a\nb = 2\n' >"$settings"
echo odd >"$odd"
: >"$empty"

check 'a recording has what describes the system' record -o "$work/system"
system()
{
	"$cli" info --files "$work/system" >"$work/out" && cat "$work/out" &&
		grep -q ' /etc/os-release$' "$work/out" && grep -q ' /proc/cpuinfo$' "$work/out" &&
		grep -q ' /proc/meminfo$' "$work/out" &&
		grep -q ' /proc/self/mounts$' "$work/out" && grep -q ' topology$' "$work/out"
}
check '... and info lists it' system
check 'it is as it was' same "$work/system" os-release /etc/os-release
topology()
{
	"$cli" info --file topology "$work/system" >"$work/out" &&
		grep -qx "/sys/devices/system/cpu/online: $(cat /sys/devices/system/cpu/online)" \
			"$work/out" &&
		grep -q '^/sys/devices/system/cpu/cpu0/topology/core_id: [0-9]' "$work/out"
}
check 'the topology is that of this machine' topology
check 'without them on request' record --no-embed -o "$work/bare"
check '... nothing is embedded' lists "$work/bare"
check '... and info says so' refused 'record --embed FILE' "$cli" info --files "$work/bare"

check 'files of one'"'"'s own' record --no-embed --embed "$random" --embed "$settings" \
	--embed "$odd" --embed "$empty" -o "$work/own"
check '... are all there' lists "$work/own" "$random" "$settings" "$odd" "$empty"
check '... byte by byte' same "$work/own" random "$random"
check '... also with zeros and escapes' same "$work/own" "$settings" "$settings"
check '... also an empty one' same "$work/own" empty "$empty"
check 'a name with escapes does not reach the terminal' plain "$cli" info --files "$work/own"
check '... nor does a file' plain script -qec "$cli --no-pager info --file settings.ini $work/own" /dev/null
check 'a name that is not there is refused' refused 'no embedded file' "$cli" info --file nothing \
	"$work/own"
check '... and -o without --file' refused 'give both' "$cli" info -o "$work/x" "$work/own"

mkfifo "$work/pipe"
check 'a pipe is refused' refused 'not a regular file' "$cli" record --source perf \
	--embed "$work/pipe" -o "$work/x" -- true
check 'a directory is refused' refused 'Cannot embed' "$cli" record --source perf --embed "$work" \
	-o "$work/x" -- true
check 'a file that is not there is refused' refused 'No such file' "$cli" record --source perf \
	--embed "$work/nothing" -o "$work/x" -- true
truncate -s 17M "$work/large"
truncate -s 12M "$work/part"
check 'a file beyond 16 MiB is refused' refused '16 MiB' "$cli" record --source perf \
	--embed "$work/large" -o "$work/x" -- true
check '32 MiB of all are the most' refused '32' "$cli" record --source perf \
	--embed "$work/part" --embed "$work/part" --embed "$work/part" -o "$work/x" -- true
many=()
for ((i = 0; i < 65; i++)); do many+=(--embed "$empty"); done
check '64 files are the most' refused '65 files' "$cli" record --source perf "${many[@]}" \
	-o "$work/x" -- true

check 'the last seconds have them' record --last 5 --no-embed --embed "$settings" -o "$work/last"
check '... whole' same "$work/last" "$settings" "$settings"
"$cli" merge -o "$work/both" "$work/own" "$work/last" 2>"$work/err"
check 'a merged recording has those of both' lists "$work/both" "$random" "$settings" "$odd" \
	"$empty" "$settings"
check '... whole' same "$work/both" random "$random"
for way in "" --no-files --strip-paths --anonymize; do
	# shellcheck disable=SC2086
	"$cli" bundle $way -o "$work/bundled" "$work/own" 2>"$work/err"
	if [ "$way" ]; then
		check "bundle $way drops them" lists "$work/bundled"
		check '... also the text' bash -c '! LC_ALL=C grep -q "settings.ini" "$0" ||
			[ "$1" = --no-files ]' "$work/bundled" "$way"
	else
		check 'bundle keeps them' same "$work/bundled" random "$random"
	fi
done

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perf events of the whole system for an ordinary user (record --source system), by root's opener:
# in a namespace of mounts that has it at its place, and a pkexec that asks nobody.  A stranger asks
# it for more than it gives.

set -u

if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP root, namespaces of mounts and python3 are needed"
	exit 0
fi
[ "${WITH_OPENER-}" ] || WITH_OPENER=1 exec unshare -m "$0"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

mount -t tmpfs none /usr/libexec && mount -t tmpfs none /run && mkdir /usr/libexec/pretend || exit 1
gcc -O1 -o /usr/libexec/pretend/pkexec tests/cli/pretend-pkexec.c || exit 1
chmod 4755 /usr/libexec/pretend/pkexec
opener=/usr/libexec/sysprof-trace-perf-opener
install -m 755 build/sysprof-perf-opener "$opener"
chmod 755 "$work" /usr/libexec /usr/libexec/pretend
install -m 755 -D -t "$work/bin" "$cli" build/sysprof-helper "$workloads/shares"
cp tests/cli/opener-stranger.py "$work"
chmod 644 "$work/opener-stranger.py"
mkdir -m 777 "$work/own"
export PATH=/usr/libexec/pretend:$PATH
# One whose limit for locked memory no other test uses.
user=61234
ordinary=(setpriv --reuid "$user" --regid "$user" --clear-groups env HOME="$work/own"
	XDG_CACHE_HOME="$work/own/cache")

# record NAME ARGUMENTS...: by the ordinary user.
record()
{
	timeout 100 "${ordinary[@]}" "$work/bin/sysprof-cli" record --source system -F 997 -o \
		"$work/own/$1.capture" "${@:2}" >"$work/out" 2>"$work/err"
}

# refused REGEX ARGUMENTS...: with one sentence like that, and nothing recorded.
refused()
{
	! record no "${@:2}" && [ "$(wc -l <"$work/err")" = 1 ] && grep -qE -- "$1" "$work/err" &&
		[ ! -e "$work/own/no.capture" ]
}

stranger()
{
	local said

	said=$("${ordinary[@]}" timeout 100 python3 "$work/opener-stranger.py" "$1" $$ 2>&1) && [ -z "$said" ] ||
		{ echo "$said"; return 1; }
}

# Waits until no opener is left.
nobody_left()
{
	for _ in $(seq 100); do
		pgrep -xf "$opener" >/dev/null || return 0
		sleep 0.1
	done
	pgrep -af "$opener"
	return 1
}

check 'a stranger gets no more than the protocol says' stranger ask
check 'nor by another kind of socket' stranger stdin
check 'nor does who was handed a socket' stranger hand
check '... and no opener is left' nobody_left
"${ordinary[@]}" timeout 100 python3 "$work/opener-stranger.py" exit $$ >"$work/out" 2>"$work/err"
check 'an opener ends with its caller, whoever has the socket' bash -c \
	'[ "$(wc -l <"$1")" = 1 ] || exit 1
	for i in $(seq 100); do [ -d "/proc/$(cat "$1")" ] || exit 0; sleep 0.1; done; exit 1' - \
	"$work/out"
check 'without pkexec the opener serves nobody' bash -c '! "$1" </dev/null' - "$opener"

if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 1 ]; then
	number=$((number + 1))
	echo "ok $number - recordings # SKIP perf events are open to all here"
	echo "1..$number"
	exit $broken
fi

"$work/bin/shares" 100 >/dev/null &
burner=$!
check 'everything is recorded' record all --waits --duration 2
kill $burner
wait $burner 2>/dev/null
report()
{
	"$cli" report "$work/own/all.capture" "$@"
}
check '... root'"'"'s programs with the names of their functions' bash -c \
	'grep -q burn_fifty <<<"$1"' - "$(report --process shares 2>&1)"
report --object '[kernel]' >"$work/kernel" 2>&1
check '... the kernel, with names' grep -qE ' [a-z_]{4,}[a-z0-9_.]* +\[kernel\]' "$work/kernel"
check '... all of it, which info says' bash -c \
	'grep -qE "^sides +both" <<<"$1" && grep -qE "^whose +all" <<<"$1" && grep -q "polkit allows" <<<"$1"' - \
	"$("$cli" info "$work/own/all.capture" 2>&1)"
check '... with waits, their states and wakers' bash -c \
	'grep -qE "sleep|disk|blocked" <<<"$1" && ! grep -q "report neither" "$2"' - \
	"$(report --metric off-cpu --by state 2>&1)" "$work/err"
check '... and no opener is left' nobody_left
check 'a command is recorded with what it starts' record command -- sh -c "'$work/bin/shares' 0.3"
check '... as a process of its own' bash -c 'grep -q burn_fifty <<<"$1"' - \
	"$("$cli" report "$work/own/command.capture" --process shares 2>&1)"
check 'within the limits for memory' record small --memory-limit 64M --duration 0.5
check 'copies of stacks are refused' refused 'memory of others' --stacks dwarf --duration 0.2
check 'other events are refused' refused 'need root, or the module' --locks --duration 0.2
check 'a ring beyond what may be locked is refused' refused 'perf_event_mlock_kb' --ring-bytes 1G \
	--duration 0.2
if cgroup=$(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs -path '*perf_event*' | head -n 1) &&
	[ -n "$cgroup" ]; then
	check 'a control group alone' record group --cgroup "${cgroup%/*}" --duration 0.3
fi

touch /usr/libexec/pretend/refuse
check 'whom polkit refuses hears so in one sentence' refused 'polkit does not let you' --duration 0.2
rm /usr/libexec/pretend/refuse
touch /usr/libexec/pretend/close
check 'who closes the dialog hears so' refused 'You did not authenticate' --duration 0.2
rm /usr/libexec/pretend/close

recorders=()
for i in 1 2 3 4; do
	"${ordinary[@]}" "$work/bin/sysprof-cli" record --source system -F 100 -o "$work/own/$i.capture" \
		-- sh -c "touch '$work/own/$i.runs'; until [ -e '$work/own/stop' ]; do sleep 0.1; done" >/dev/null 2>"$work/own/$i.err" &
	recorders+=($!)
done
opened()
{
	for _ in $(seq 300); do
		[ ! -e "$work/own/1.runs" ] || [ ! -e "$work/own/2.runs" ] ||
			[ ! -e "$work/own/3.runs" ] || [ ! -e "$work/own/4.runs" ] || return 0
		sleep 0.1
	done
	return 1
}
check 'four recordings of a user run' opened
check '... and no fifth' refused '4 recordings of the whole system' --duration 0.2
check 'doctor --revoke ends them' bash -c \
	'"$1" doctor --revoke "$2" | grep -qx "4 recordings of the whole system by perf events of $2 ended."' - \
	"$cli" $user
check '... and no opener is left' nobody_left
touch "$work/own/stop"
statuses=
for recorder in "${recorders[@]}"; do
	wait "$recorder"
	statuses+=" $?"
done
check '... which their recorders say, and end' bash -c \
	'cat "$2"/?.err; [ "$1" = " 1 1 1 1" ] && [ "$(grep -l "ended from outside" "$2"/?.err | wc -l)" = 4 ]' - \
	"$statuses" "$work/own"
check 'doctor names the way' bash -c '"$@" | grep -q -- "record --source system asks polkit"' - \
	"${ordinary[@]}" "$work/bin/sysprof-cli" doctor
rm "$opener"
check 'without the opener its package is named' refused 'sysprof-trace-polkit' --duration 0.2

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Marks of running programs of several users in a recording of root's: of a user who has logged in,
# of a service, whose user has no directory in /run/user, and of root.  No user sees the memory, or
# takes the room, of another, or says that his marks are another's.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root

# A /run that nobody else sees.
if [ -z "${WITH_RUN-}" ]; then
	WITH_RUN=1 exec unshare -m bash -c 'mount -t tmpfs -o mode=755 nodev /run && exec bash "$0"' "$0"
fi
unset XDG_RUNTIME_DIR
user=12345 service=12346
mkdir -p /run/user/0 /run/sysprof
chmod 700 /run/user/0
install -d -m 700 -o $user /run/user/$user
# As systemd-tmpfiles makes it.
printf '\0' >/run/sysprof/sysprof-marks
chmod 711 "$work"
install -d -m 777 "$work/all"
cp "$workloads/marks" "$work/all"

# run UID WAY NUMBER: a program that marks until end NUMBER.
run()
{
	(cd "$work/all" && setpriv --reuid="$1" --regid="$1" --clear-groups ./marks "$2" "$3" \
		>"$work/all/said.$3" 2>"$work/all/err.$3"; echo $? >"$work/all/status.$3") &
}

end()
{
	touch "$work/all/$1.stop"
	for _ in $(seq 300); do [ -s "$work/all/status.$1" ] && break; sleep 0.1; done
	grep -qx 0 "$work/all/status.$1"
}

# answered RECORDER: the processes that have its memory.
answered()
{
	local numbers

	numbers=$(stat -L -c '%i %n' /proc/"$1"/fd/* 2>/dev/null | while read -r inode path; do
		[[ $(readlink "$path") != *memfd:sysprof-marks* ]] || echo "$inode"
	done)
	[ -z "$numbers" ] || grep -lE " ($(paste -sd'|' <<<"$numbers")) +/memfd:sysprof-marks" /proc/[0-9]*/maps 2>/dev/null |
		grep -v "/$1/"
}

# watch N: a recording of all, until N processes have had time to mark.
watch()
{
	local recorder=

	rm -f "$work/a" "$work/a.part"
	# shellcheck disable=SC2086 # several words
	"$cli" record --source perf -F 50 --no-embed --marks ${options-} -o "$work/a" >"$work/out" 2>"$work/err" &
	recorder=$!
	for _ in $(seq 200); do
		[ "$(answered $recorder | wc -l)" -lt "$1" ] || break
		sleep 0.1
		kill -0 $recorder 2>/dev/null || break
	done
	sleep 1
	kill -INT $recorder
	wait $recorder
}

# marking FILE: "PID NAMES" of each process whose marks it has.
marking()
{
	"$cli" report "$1" --json --limit 0 --events mark | python3 -c '
import collections, json, sys
found = collections.defaultdict(set)
for row in json.load(sys.stdin)["rows"]:
    found[row["pid"]].add(row["fields"]["name"])
for pid, names in sorted(found.items()):
    print(pid, *sorted(names))'
}

pids_of()
{
	pgrep -u "$1" -x marks | sort
}

found()
{
	marking "$work/a" >"$work/marking"
	cat "$work/marking"
	for uid in "$@"; do
		for pid in $(pids_of "$uid"); do
			grep -q "^$pid " "$work/marking" || return 1
		done
	done
}

run $user running 1
run $service running 2
run 0 running 3
for _ in $(seq 100); do [ -s /run/user/$user/sysprof-marks ] && [ -s /run/user/0/sysprof-marks ] && break; sleep 0.1; done
check 'programs of a user, a service and root are found' watch 6
check '... each process with its marks' found $user $service 0
check '... the system has one bell, which only root writes' \
	[ "$(stat -c '%u %a %s' /run/sysprof/sysprof-marks)" = "0 644 $(stat -c %s /run/user/0/sysprof-marks)" ]
check '... no socket is left' bash -c '! ls /run/sysprof/*.* /run/user/*/*.* 2>/dev/null'
separate()
{
	local pid shared

	for pid in $(pids_of $user) $(pids_of $service) $(pids_of 0); do
		shared=$(awk '/memfd:sysprof-marks/ { print $5; exit }' "/proc/$pid/maps")
		echo "$(awk '/^Uid/ { print $3 }' "/proc/$pid/status") $shared"
	done | sort -u >"$work/shared"
	cat "$work/shared"
	[ "$(wc -l <"$work/shared")" = 3 ] && [ "$(awk '{ print $2 }' "$work/shared" | sort -u | wc -l)" = 3 ]
}
check '... and each user has memory of his own' separate
check 'the next recorder finds them, too' watch 6
check '... each process with its marks' found $user $service 0
options="-p $(pids_of $service | paste -sd,)" check 'a recording of the processes of one user' watch 2
only_his()
{
	found $service && [ "$(wc -l <"$work/marking")" = 2 ]
}
check '... has his marks alone' only_his
not_root()
{
	setpriv --reuid=$user --regid=$user --clear-groups env HOME="$work/all" \
		timeout -s INT 4 "$work/all/sysprof-cli" record --source perf --marks -o "$work/all/b" 2>"$work/err"
	marking "$work/all/b" >"$work/marking"
	cat "$work/marking"
	[ "$(wc -l <"$work/marking")" = 2 ] && for pid in $(pids_of $user); do grep -q "^$pid " "$work/marking" || return 1; done
}
cp "$cli" "$(dirname "$cli")"/sysprof-helper "$work/all"
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] || check 'who is not root has his own' not_root

# Who says in his ring that he is a thread of another.
cat >"$work/all/liar.c" <<'END'
#include <spt/mark.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	for (int i = 0; access("4.stop", F_OK) < 0; i++) {
		spt_mark_instant("lie", "liar", NULL);
		for (unsigned slot = 0; spt_mark_link.marks && slot < SPT_MARKS_SLOTS; slot++) {
			spt_marks_slot(spt_mark_link.marks, slot)->pid = (uint32_t)atoi(argv[1]);
			spt_marks_slot(spt_mark_link.marks, slot)->tid = (uint32_t)atoi(argv[1]);
		}
		/* A new thread's slot is read after it was written. */
		spt_mark_flow_begin("taken", 1);
		spt_mark_counter("counter", i);
		usleep(1000);
	}
	return argc < 2;
}
END
gcc -O1 -I"$PWD/userspace/include" -o "$work/all/liar" "$work/all/liar.c" || exit 1
victim=$(pids_of $service | head -n 1)
(cd "$work/all" && setpriv --reuid=$user --regid=$user --clear-groups ./liar "$victim"; echo $? >"$work/all/status.4") &
check 'beside one that names a process of another user' watch 7
honest()
{
	found $service && ! grep "^$victim .*liar" "$work/marking"
}
check '... nothing is said to be of that' honest
check '... it lives on' end 4

# A user who spoils his own bell.
ln -sf /etc/passwd /run/user/$user/other
spoiled()
{
	for way in "rm -f" "truncate -s 10" "ln -sf /etc/shadow"; do
		$way /run/user/$user/sysprof-marks
		watch 4 && found $service 0 || return 1
	done
	[ ! -s /etc/shadow ] || ! tail -c 4096 /etc/shadow | grep -q $'\x01'
}
check 'a user who spoils his bell spoils his alone' spoiled
for program in 1 2 3; do
	check "they end as they would without ($program)" end $program
done

echo "1..$number"
exit $broken

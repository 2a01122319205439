#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Marks of programs that run before their recorder does: found by the bell in $XDG_RUNTIME_DIR, with
# nothing lost between the first and the last one, by one recorder after the other, whichever way
# these end; and who is not to be found.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for_root

export XDG_RUNTIME_DIR=$work/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
bell=$XDG_RUNTIME_DIR/sysprof-marks

# begin WAY NUMBER: a program that numbers its marks until end NUMBER, which says how many.
begin()
{
	(cd "$work" && "$workloads/marks" "$1" "$2" >"$work/said.$2"; echo $? >"$work/status.$2") &
}

end()
{
	touch "$work/$1.stop"
	for _ in $(seq 300); do [ -s "$work/status.$1" ] && break; sleep 0.1; done
	grep -qx 0 "$work/status.$1"
}

# watch: a recording of everything, until it has some marks of each thread.
watch()
{
	local recorder=

	rm -f "$work/a" "$work/a.part"
	"$cli" record --source perf -F 50 --no-embed --marks -o "$work/a" >"$work/out" 2>"$work/err" &
	recorder=$!
	for _ in $(seq 300); do
		sleep 0.1
		[ ! -s "$work/a.part" ] || {
			[ "$("$cli" report "$work/a.part" --marks --json --limit 0 2>/dev/null |
				grep -cE '"name": "(one|two|three|four)"')" = 4 ] && break
		}
		kill -0 $recorder 2>/dev/null || break
	done
	if [ "${ending:-INT}" = INT ]; then
		kill -INT $recorder
		wait $recorder
		return
	fi
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	mv "$work/a.part" "$work/a"
}

# judge: the marks of the recording, judged by the Python program on the standard input.
judge()
{
	local program

	program=$(cat)
	"$cli" report "$work/a" --json --limit 0 --events mark >"$work/json" 2>"$work/err2" && python3 -c "
import json, re
rows = {}
for row in json.load(open('$work/json'))['rows']:
    rows.setdefault(row['fields']['name'], []).append(row)
err = open('$work/err').read()
$program"
}

without_gaps()
{
	judge <<'END'
assert set(rows) == {'one', 'two', 'three', 'four'}, set(rows)
for name, of in rows.items():
    of.sort(key=lambda row: row['time_ns'])
    numbers = [int(row['fields']['message']) for row in of]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), (name, numbers)
    assert numbers[0] > 0 and len({(row['pid'], row['tid']) for row in of}) == 1
assert len({row['pid'] for of in rows.values() for row in of}) == 2
assert len({row['tid'] for of in rows.values() for row in of}) == 4
END
}

begin running 1
for _ in $(seq 100); do [ -s "$bell" ] && break; sleep 0.1; done
check 'a program hangs up a bell of its user, which nobody else may write' \
	bash -c '[ "$(stat -c "%a %F" "$0")" = "600 regular file" ] && [ -s "$0" ]' "$bell"
check 'a program that runs already is found, with its child' watch
check '... each thread has its marks from the first to the last, without a gap' without_gaps
check '... those from before the answer are counted as lost' \
	grep -qE '^Marks: [1-9][0-9,]*, [1-9][0-9,]* lost$' "$work/err"
check '... and no socket is left' bash -c '! ls "$0".* 2>/dev/null' "$bell"
check 'the next recorder finds it, too' watch
check '... likewise' without_gaps
ending=KILL check 'a recorder that is killed' watch
check '... has had marks' without_gaps
check 'the next recorder finds it all the same' watch
check '... likewise' without_gaps
held()
{
	flock -n "$bell" timeout -s INT 3 "$cli" record --source perf --marks -o "$work/b" 2>"$work/err"
	grep -q '^Note: marks: another recorder takes the marks of running programs$' "$work/err"
}
check 'a second recorder says that there is another' held
others()
{
	sleep 20 &
	timeout -s INT 4 "$cli" record --source perf --counters --marks -p $! -o "$work/a" 2>"$work/err"
	kill $!
	"$cli" report "$work/a" --counters >"$work/out" && ! grep -q ^Marks "$work/err" &&
		! "$cli" report "$work/a" --marks | grep -q one
}
check 'who records another process gets none of its marks' others
check 'the next recorder finds it after that' watch
check 'it ends as it would without' end 1
all_said()
{
	judge <<END
said = dict(line.split() for line in open('$work/said.1'))
assert set(said) == set(rows)
for name, of in rows.items():
    assert max(int(row['fields']['message']) for row in of) < int(said[name])
END
}
check '... and has said more than was recorded' all_said

begin shut 2
check 'a program that has shut itself in is left alone' bash -c '
	timeout -s INT 3 "$0" record --source perf --marks -o "$1" 2>"$2"
	! "$0" report "$1" --marks 2>/dev/null | grep -q shut' "$cli" "$work/c" "$work/err"
check '... and lives on' end 2

# One that restricts itself once it is connected: neither its recorder's end nor the next one
# makes it do what it may not.
begin closed 7
"$cli" record --source perf --marks -o "$work/f" 2>"$work/err" &
recorder=$!
for _ in $(seq 100); do
	grep -q memfd:sysprof-marks /proc/"$(pgrep -nx marks)"/maps 2>/dev/null && break
	sleep 0.1
done
check 'a program that runs is connected' grep -q memfd:sysprof-marks /proc/"$(pgrep -nx marks)"/maps
touch "$work/7.shut"
sleep 1
kill -KILL $recorder
wait $recorder 2>/dev/null
sleep 1
timeout -s INT 3 "$cli" record --source perf --marks -o "$work/f" 2>"$work/err"
check '... shuts itself in, and outlives its recorder, that is killed, and the next one' end 7

# Memory under the path of a recorder that has ended, by who has its number now.
cat >"$work/taken.c" <<'END'
#include <spt/mark.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int fd = memfd_create("sysprof-marks", MFD_ALLOW_SEALING);
	struct spt_marks_header *marks;
	char path[64];

	if (argc > 2)
		return spt_mark_is_recorded() && spt_mark_link.ring == SPT_MARK_STARTED ? 42 : 43;
	if (fd < 0 || ftruncate(fd, (off_t)spt_marks_bytes()) < 0)
		return 1;
	marks = mmap(NULL, SPT_MARKS_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	marks->magic = SPT_MARKS_MAGIC;
	marks->version = SPT_MARKS_VERSION;
	marks->n_slots = SPT_MARKS_SLOTS;
	marks->ring_words = SPT_MARKS_WORDS;
	if (argv[1][0] != 'u' && fcntl(fd, 1033 /* F_ADD_SEALS */, SPT_MARK_SEAL_SHRINK) < 0)
		return 1;
	if (argv[1][0] == 'o' && fchown(fd, 12345, 12345) < 0)
		return 1;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	setenv(SPT_MARKS_VARIABLE, path, 1);
	execl("/proc/self/exe", "taken", argv[1], "again", NULL);
	return 1;
}
END
taken()
{
	"$work/taken" "$1"
	[ $? = "$2" ]
}
gcc -D_GNU_SOURCE -O1 -I"$PWD/userspace/include" -o "$work/taken" "$work/taken.c" || exit 1
check 'memory that can be made shorter is not mapped' taken unsealed 43
check '... nor another user'"'"'s' taken other 43
check '... this user'"'"'s is' taken sealed 42

# Bells that are none.
rm -f "$bell"
truncate -s 100 "$bell"
begin running 3
check 'a bell of another size is none' bash -c '
	timeout -s INT 3 "$0" record --source perf --marks -o "$1" 2>"$2"
	grep -q "^Note: marks: running programs cannot be reached by .*: Operation not permitted$" "$2"' \
	"$cli" "$work/d" "$work/err"
check '... for programs, too' end 3
rm -f "$bell"
mkdir "$bell"
begin running 4
check 'nor is a directory' end 4
rmdir "$bell"
mkfifo "$bell"
begin running 8
check 'nor is a FIFO, for which nobody waits' end 8
check '... and a recorder says so' bash -c '
	timeout -s INT 3 "$0" record --source perf --marks -o "$1" 2>"$2"
	grep -q "^Note: marks: running programs cannot be reached by .*: Operation not permitted$" "$2"' \
	"$cli" "$work/d" "$work/err"
rm -f "$bell"
chmod 777 "$XDG_RUNTIME_DIR"
begin running 9
check 'nor is anything in a directory that others may write' end 9
check '... where nothing is made' [ ! -e "$bell" ]
chmod 700 "$XDG_RUNTIME_DIR"
begin running 5
for _ in $(seq 100); do [ -s "$bell" ] && break; sleep 0.1; done
rm -f "$bell"
check 'a bell that is removed: nobody is found any more' bash -c '
	timeout -s INT 3 "$0" record --source perf --marks -o "$1" 2>"$2"
	! "$0" report "$1" --marks 2>/dev/null | grep -q one' "$cli" "$work/e" "$work/err"
check '... and no harm is done' end 5

# Others of the same user at the socket: who says nothing, asks without end, or asks for nobody.
cat >"$work/crowd.py" <<'END'
import glob, os, socket, sys, time
end = time.monotonic() + 4
held = []
while time.monotonic() < end:
    for path in glob.glob(sys.argv[1] + '.*'):
        one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        one.setblocking(False)
        try:
            one.connect(path)
            one.send(b'x' * 1000)
            held.append(one)
        except OSError:
            pass
    del held[:-200]
    time.sleep(0.001)
END
begin running 6
python3 "$work/crowd.py" "$bell" &
crowd=$!
check 'a crowd at the socket keeps nobody from marking for longer than it stays' watch
wait $crowd
check '... nor from ending' end 6

echo "1..$number"
exit $broken

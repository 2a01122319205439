#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording that was bundled reads the same where none of its files are; one for sharing does not
# name who recorded it.  With perf events, on this very machine.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

# Without locales trees are drawn with other characters.
export LC_ALL=C
static=$PWD/build/static/sysprof-cli
for tool in gcc zstd unshare chroot python3 "$static"; do
	command -v "$tool" >/dev/null || { echo \
		"Bail out! $tool is not here; run packaging/deps check and make static"; exit 1; }
done
# In a user namespace of their own everybody may do these.
own=()
[ "$(id -u)" = 0 ] || own=(unshare --user --map-root-user)
home=$work/telltale-home
mkdir "$home" "$work/bare"
cp "$static" "$work/bare/sysprof-cli"
cat >"$home/telltale-source.c" <<'SOURCE'
#include <stdlib.h>
static int numbers[1 << 16];
static inline __attribute__((always_inline)) unsigned telltale_inlined(unsigned turns)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < turns; i++)
		sum = sum * 31 + i;
	return sum;
}
__attribute__((noipa)) unsigned telltale_function(unsigned turns)
{
	return telltale_inlined(turns) + 1;
}
static int telltale_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	volatile unsigned sum = 0;
	for (unsigned round = 0; round < 60; round++) {
		sum += telltale_function(5000000);
		for (unsigned i = 0; i < 1 << 16; i++)
			numbers[i] = rand() & 0xffffff;
		qsort(numbers, 1 << 16, sizeof(int), telltale_compare);
	}
	return 0;
}
SOURCE
gcc -O2 -g -fno-omit-frame-pointer -o "$home/telltale-program" "$home/telltale-source.c" ||
	{ echo 'Bail out! the program cannot be compiled'; exit 1; }

record()
{
	timeout 100 "$cli" record --source perf -F 500 -o "$work/whole.capture" "$@" -- \
		"$home/telltale-program" 2>"$work/err"
}

# show PROGRAM FILE: what a reader sees of the program (files of others may be replaced meanwhile);
# but lines that nothing was spent on are known by instructions, which are not bundled.
show()
{
	local of=(--process telltale-progra "$2")

	"$1" report "${of[@]}" && "$1" report --tree --lines --min 0 "${of[@]}" &&
		"$1" export --format folded --lines "${of[@]}" &&
		"$1" report --json --callers telltale_inlined "${of[@]}" &&
		"$1" annotate --source "${of[@]}" telltale_function | grep -v '^ *[0-9]*$'
}
# Where nothing is but the program that reads.
bare()
{
	(cd "$work/bare" && "${own[@]}" chroot "$work/bare" /sysprof-cli "$@" 2>/dev/null)
}
# same FILE: as the files of this machine show whole.capture, when they still were here.
same()
{
	rm -f "$work"/bare/*.capture
	cp "$1" "$work/bare/whole.capture"
	show bare whole.capture >"$work/there"
	grep -q telltale_inlined "$work/here" && cmp "$work/here" "$work/there"
}
# Payloads, all of them unpacked.
payloads()
{
	python3 - "$1" <<'END'
import struct
import subprocess
import sys

data, at, packed = open(sys.argv[1], "rb").read(), 16, []
while at < len(data):
    magic, kind, flags, stored = struct.unpack_from("<4sHHI", data, at)
    assert magic == b"SPTB"
    payload = data[at + 24:at + 24 + stored]
    if flags & 1:
        packed.append(payload)
    else:
        sys.stdout.buffer.write(payload + b"\n")
    at += 24 + stored
sys.stdout.flush()
subprocess.run(["zstd", "-dc"], input=b"".join(packed), check=True)
END
}
tells()
{
	payloads "$1" >"$work/payloads" && grep -qaF -e "$2" "$work/payloads"
}
silent()
{
	payloads "$1" >"$work/payloads" && ! grep -aFo -e "$2" "$work/payloads"
}
# functions FILE OBJECT [OPTION...]: what was called so there.
functions()
{
	"$cli" report --json "${@:3}" "$1" | python3 -c 'import json, sys
print(*sorted({row["function"] for row in json.load(sys.stdin)["functions"] if row["object"] == sys.argv[1]}), sep="\n")' "$2"
}
# Of the program's alone: others may have libraries of this name that are not the system's.
same_functions()
{
	functions "$work/bundled.capture" "$1" --process telltale-progra >"$work/functions"
	functions "$work/shared.capture" "$1" >"$work/shared"
	[ -s "$work/functions" ] && ! comm -23 "$work/functions" "$work/shared" | grep .
}
says()
{
	"$cli" info "$1" | grep -q "$2"
}

check 'recorded' record
# Its text is no part of what is bundled.
rm "$home/telltale-source.c"
(cd "$work" && show "$cli" whole.capture) >"$work/here"
check 'bundled' "$cli" bundle -o "$work/bundled.capture" "$work/whole.capture"
check 'without directories' "$cli" bundle --strip-paths -o "$work/stripped.capture" \
	"$work/whole.capture"
check 'for sharing' "$cli" bundle --anonymize -o "$work/shared.capture" "$work/whole.capture"
mv "$home" "$work/gone"
# Its processes have numbers, names or not.
of_commands()
{
	timeout 100 "$cli" record --source perf -o "$work/other.capture" -- python3 -c \
		'sum(range(9000000))' 2>"$work/err" &&
		"$cli" merge "$work/whole.capture" "$work/other.capture" -o "$work/both.capture" &&
		"$cli" bundle --anonymize "$work/both.capture" &&
		"$cli" report --json "$work/both.capture" | grep -q '"scope": *"command"'
}
check '... of two recordings, which stays that of their commands' of_commands
check 'in place' "$cli" bundle "$work/shared.capture"
check 'where no file is, it reads the same' same "$work/bundled.capture"
number=$((number + 1))
if same "$work/whole.capture" >/dev/null; then
	broken=1
	echo "not ok $number - as it was recorded it does not"
else
	echo "ok $number - as it was recorded it does not"
fi
check 'info tells that names were bundled' says "$work/bundled.capture" \
	'names from .* symbols bundled in the capture'
check 'the recording has the path of the program' tells "$work/whole.capture" telltale-home
check 'without directories it has none' silent "$work/stripped.capture" telltale-home
check '... but names' tells "$work/stripped.capture" telltale_inlined
check '... and nothing of where it was' silent "$work/stripped.capture" "$work"
check 'the shared one has no name of program, function or source' silent "$work/shared.capture" \
	telltale
check '... nor of a directory' silent "$work/shared.capture" "$work"
check '... nor the host and the command' says "$work/whole.capture" '^host  *[^ ]'
for key in host command; do
	if says "$work/shared.capture" "^$key "; then broken=1 not='not '; else not=; fi
	number=$((number + 1))
	echo "${not}ok $number - ... no $key"
done
check '... but the functions of the kernel' same_functions '[kernel]'
check '... and of libraries of the system' same_functions libc.so.6


# What is deleted before the recording ends.
mv "$work/gone" "$home"
cp "$home/telltale-program" "$home/telltale-deleted"
timed check 'a program that is deleted while it runs: recorded and bundled' \
	timeout 100 "$cli" record --source perf -F 500 --bundle -o "$work/deleted.capture" -- sh \
	-c '"$1" & sleep 0.2; rm "$1"; wait' sh "$home/telltale-deleted"
lines_of_deleted()
{
	"$cli" export --format folded --lines --process telltale-delete "$work/deleted.capture" \
		>"$work/folded" &&
		grep -q \
		';telltale_function (telltale-source.c:12);telltale_inlined (telltale-source.c:[0-9]*) ' "$work/folded" || { head -n 3 "$work/folded"; return 1; }
}
timed check '... its lines and what is inlined are there' lines_of_deleted

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of what cannot be found by its path, or is none of a file's: a library replaced while it
# ran, programs in a chroot and in a container's overlay, and what node and python make at run time.
# With perf events, on this very machine.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for tool in gcc node python3; do
	command -v $tool >/dev/null || { echo \
		"Bail out! $tool is not here; run packaging/deps check"; exit 1; }
done

# source_of NAME: a function that burns as many turns as its argument says.
source_of()
{
	cat <<SOURCE
static volatile unsigned long sink;
__attribute__((noinline)) void $1(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		sink += i;
}
SOURCE
}
compile=(gcc -O2 -fno-omit-frame-pointer -Wl,--build-id)
source_of old_work >"$work/old.c"
source_of new_work >"$work/new.c"
"${compile[@]}" -shared -fPIC -Wl,-soname,libwork.so -o "$work/libwork.so" "$work/old.c" &&
	"${compile[@]}" -shared -fPIC -Wl,-soname,libwork.so -o "$work/libnew.so" "$work/new.c" &&
	sed 's/old_work/work/g' "$work/old.c" >"$work/burn.c" &&
	cat >>"$work/burn.c" <<'SOURCE' && "${compile[@]}" -static -o "$work/burn" "$work/burn.c" || { echo 'Bail out! the programs cannot be compiled'; exit 1; }
int main(void)
{
	for (unsigned i = 0; i < 200; i++)
		work(2000000);
	return 0;
}
SOURCE
cat >"$work/replaced.c" <<'SOURCE'
#include <stdio.h>
#include <stdlib.h>
void old_work(unsigned turns);
/* Half of the time each. */
int main(int argc, char **argv)
{
	for (unsigned i = 0; i < 400; i++) {
		old_work(2000000);
		if (i == 200 && rename(argv[1], argv[2]) != 0)
			return 1;
	}
	return argc != 3;
}
SOURCE
"${compile[@]}" -o "$work/replaced" "$work/replaced.c" -L"$work" -Wl,-rpath,"$work" -lwork

# record NAME COMMAND...: leaves NAME.capture.
record()
{
	timeout 100 "$cli" record --source perf -F 500 -o "$work/$1.capture" -- "${@:2}" \
		2>"$work/err"
}
# mostly NAME PROCESS PATTERN [NOT]: more than half of the weight of the process, of the command
# alone, is on stacks with a function like that, and none of it on one like NOT.
mostly()
{
	"$cli" export --format folded --only-command --process "$2" "$work/$1.capture" >"$work/folded" &&
		awk -v pattern="$3" -v none="${4:-^$}" '
		{ sum += $NF; on += $0 ~ pattern ? $NF : 0; bad += $0 ~ none ? $NF : 0 }
		END { if (on <= 0.5 * sum || bad) { print on + 0, bad + 0, "of", sum + 0; exit 1 } }' "$work/folded" || { head -n 5 "$work/folded"; return 1; }
}

check 'a library that is replaced while it runs: recorded' record replaced "$work/replaced" \
	"$work/libnew.so" "$work/libwork.so"
check '... what ran is named, never what lies there now' mostly replaced replaced ';old_work' \
	new_work

if [ "$(id -u)" = 0 ]; then
	mkdir -p "$work/jail/bin" "$work/lower/bin" "$work/upper" "$work/scratch" "$work/merged"
	cp "$work/burn" "$work/jail/bin/jailed"
	cp "$work/burn" "$work/lower/bin/contained"
	check 'a program in a chroot: recorded' record jail chroot "$work/jail" /bin/jailed
	check '... named' mostly jail jailed ';work'
	# Names are kept of what is not found any more where it was.
	check 'one that is removed afterwards: recorded' record removed sh -c \
		'chroot "$1" /bin/jailed && rm -r "$1"' - "$work/jail"
	check '... named, too' mostly removed jailed ';work'
	# As containers have it: in a mount namespace of its own the root is an overlay, and the one
	# before is unmounted.
	cat >"$work/container" <<'CONTAINER'
mount --make-rprivate / && mount -t overlay none -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/scratch" "$1/merged" &&
	mkdir "$1/merged/before" && cd "$1/merged" && pivot_root . before && exec "/before$2" /bin/contained
CONTAINER
	"${compile[@]}" -static -o "$work/leave" -x c - <<'SOURCE'
#include <sys/mount.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	return argc != 2 || umount2("/before", MNT_DETACH) != 0 || execv(argv[1], argv + 1) != 0;
}
SOURCE
	check 'a program in a container of an overlay: recorded' record overlay unshare --mount \
		--pid --fork sh "$work/container" "$work" "$work/leave"
	check '... named' mostly overlay contained ';work'
else
	number=$((number + 1))
	echo "ok $number - chroot and overlay # SKIP this is no root"
fi

cat >"$work/burn.js" <<'SCRIPT'
function scriptWork(turns) { let sum = 0; for (let i = 0; i < turns; i++) sum = (sum * 31 + i) % 1000003; return sum; }
let all = 0;
for (let i = 0; i < 150; i++) all += scriptWork(1000000);
if (all < 0) console.log(all);
SCRIPT
check 'node --perf-basic-prof: recorded' record node env -C "$work" node --perf-basic-prof burn.js
check '... its functions by name' mostly node node 'scriptWork'

for python in python3.15 python3.14 python3.13 python3.12 ''; do
	# Its own functions have to have frame pointers, too, for those that it makes to be found
	# below them.
	[ -z "$python" ] || { command -v "$python" && "$python" -X perf -c 'import sys, sysconfig
assert sys.is_stack_trampoline_active() and "no-omit-frame-pointer" in str(sysconfig.get_config_vars())'; } >/dev/null 2>&1 && break
done
if [ -n "$python" ]; then
	cat >"$work/burn.py" <<'SCRIPT'
def script_work(turns):
    total = 0
    for i in range(turns):
        total = (total * 31 + i) % 1000003
    return total

for _ in range(60):
    script_work(200000)
SCRIPT
	check "$python -X perf: recorded" record python "$python" -X perf "$work/burn.py"
	check '... its functions by name' mostly python "$python" 'py::script_work:'
fi

echo "1..$number"
exit $broken

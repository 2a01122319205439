#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --malloc-arenas, beside what malloc_info(3) says: by the C library of Debian's unstable, which
# has the marks and is unpacked for this, once.

set -u

# A mount of tracefs that nobody else sees, where there is none.
if [ "$(id -u)" = 0 ] && [ ! -d /sys/kernel/tracing/events ] && [ -z "${WITH_TRACEFS-}" ]; then
	WITH_TRACEFS=1 exec unshare -m sh -c \
		'mount -t tracefs nodev /sys/kernel/tracing; exec bash "$0"' "$0"
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/sysprof/glibc
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root
if [ "$(uname -m)" != x86_64 ] || [ ! -e /sys/bus/event_source/devices/uprobe ]; then
	echo '1..0 # SKIP this kernel has no probes of programs (uprobes)'
	exit 0
fi

libraries=$cache/usr/lib/x86_64-linux-gnu
if [ ! -e "$libraries/libc.so.6" ]; then
	mkdir -p "$cache" "$work/deb"
	apt=$PWD/tests/vm/apt
	if ! (cd "$work/deb" && XDG_CACHE_HOME=${cache%/sysprof/glibc} "$apt" sid get download libc6 &&
		dpkg-deb -x libc6_*.deb "$cache") >"$work/err" 2>&1; then
		echo "Bail out! The C library of Debian's unstable was not had: $(tail -n 1 "$work/err")"
		exit 1
	fi
fi

cat >"$work/arenas.c" <<'END'
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_barrier_t barrier;
static char *volatile last;

/* Waits with all that it has, then frees it. */
static void *work(void *rounds)
{
	void *kept[200];

	for (long i = 0; i < (long)rounds; i++)
		free(last = malloc(100));
	for (int i = 0; i < 200; i++)
		memset(kept[i] = malloc(20000), 1, 20000);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 200; i++)
		free(kept[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	int n = atoi(argv[1]);
	struct timespec began, ended;

	clock_gettime(CLOCK_MONOTONIC, &began);

	pthread_barrier_init(&barrier, NULL, n + 1);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, (void *)(argc > 2 ? atol(argv[2]) : 0L));
	pthread_barrier_wait(&barrier);
	malloc_info(0, stdout);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	/* The threshold of mmap() follows what is freed. */
	last = malloc(1 << 20);
	free(last);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	printf("<!-- %.4f s -->\n", (double)(ended.tv_sec - began.tv_sec) +
		(double)(ended.tv_nsec - began.tv_nsec) / 1e9);
	return 0;
}
END
gcc -O1 -g -pthread "$work/arenas.c" -o "$work/arenas" || exit 1
loader=$libraries/ld-linux-x86-64.so.2

# arenas NAME ARGUMENT...: records it.
arenas()
{
	local name=$1

	shift
	"$cli" record --source perf -F 97 "--malloc-arenas=$libraries/libc.so.6" -o "$work/$name.capture" -- \
		"$loader" --library-path "$libraries" "$work/arenas" "$@" >"$work/$name.xml" 2>"$work/err"
}

# judge NAME PYTHON: with found, the process's row, and info, what malloc_info() has printed.
judge()
{
	python3 - "$cli" "$work/$1" <<END
import json, subprocess, sys
import xml.etree.ElementTree as tree
cli, of = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, "tests/cli")
import schema
document = json.loads(subprocess.run([cli, "report", "--malloc-arenas", "--json", of + ".capture"],
                                     stdout=subprocess.PIPE, check=True).stdout)
root = json.load(open("userspace/cli/json.schema.json"))
wrong = list(schema.errors(root, document, root["\$defs"]["report_malloc_arenas"]))
assert not wrong, wrong[:3]
rows = document["arenas"]
info = tree.parse(of + ".xml").getroot()
found = next(row for row in rows if row["process"].startswith("ld-linux"))
system = {which.get("type"): int(which.get("size")) for which in info.findall("system")}
$2
END
}

check 'four threads: recorded' arenas four 4
check '... an arena each, as large as malloc_info() says' judge four '
assert found["made"] == found["heaps_made"] == len(info.findall("heap")) - 1 == 4, found
assert found["most_threads"] == 1 and not found["reused"] and not found["retries"], found
assert found["heap_bytes_most"] + found["sbrk_bytes_most"] == system["max"], (found, system)
assert found["heap_bytes"] < found["heap_bytes_most"] / 4, found'
check '... and a threshold that follows what is freed' judge four '
assert found["threshold_changes"] == 1 and found["mmap_threshold"] > 1 << 20, found
assert found["trim_threshold"] == 2 * found["mmap_threshold"], found'
check '... in words' bash -c '"$1" report --malloc-arenas "$2" >"$3" &&
	grep -q "other arenas  made: 4; given to other threads: 0," "$3" &&
	grep -q "thresholds    mmap 1.0 MiB, trim 2.0 MiB; changes: 1" "$3"' - "$cli" \
	"$work/four.capture" "$work/out"
export MALLOC_ARENA_MAX=3
check 'nine threads, three arenas: recorded' arenas nine 9
check '... which are shared' judge nine '
assert found["made"] == len(info.findall("heap")) - 1 == 2, found
assert found["reused"] >= 7 and found["most_threads"] >= 3, found
assert found["heap_bytes_most"] + found["sbrk_bytes_most"] >= system["max"], (found, system)'
unset MALLOC_ARENA_MAX
"$cli" record --source perf -F 97 -o "$work/other.capture" -- true 2>/dev/null
check 'where nothing is of arenas' bash -c '! "$1" report --malloc-arenas "$2" 2>"$3" &&
	grep -q "record --malloc-arenas. records them" "$3"' - "$cli" "$work/other.capture" "$work/err"
# Marks are where an arena changes, not in malloc() itself.
seconds()
{
	sed -n 's|<!-- \(.*\) s -->|\1|p' "$work/$1.xml"
}
"$loader" --library-path "$libraries" "$work/arenas" 16 600000 >"$work/plain.xml"
check 'sixteen threads: recorded' arenas many 16 600000
plain=$(seconds plain) probed=$(seconds many)
timed check "10 M allocations of 16 threads take at most twice as long ($plain s, $probed s)" \
	awk -v a="$plain" -v b="$probed" 'BEGIN { exit !(a > 0 && b < 2 * a + 0.5) }'
check '... with an arena for most' judge many 'assert found["made"] >= 8, found'
if ! readelf -n "$(ldconfig -p | sed -n 's/.*libc.so.6.*x86-64.*=> //p' | head -n 1)" 2>/dev/null |
	grep -q memory_arena_new; then
	check "this machine's library has none, in words" bash -c \
		'! "$1" record --malloc-arenas -o "$2" -- true 2>"$3" && grep -q "built with those for SystemTap" "$3"' - "$cli" \
		"$work/none" "$work/err"
fi

echo "1..$number"
exit $broken

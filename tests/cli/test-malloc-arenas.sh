#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --malloc-arenas, beside what malloc_info(3) says: by the C library of Debian's unstable, which
# has the marks and is unpacked for this, once.

set -u

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/sysprof/glibc
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root
if [ "$(uname -m)" != x86_64 ] || [ ! -e /sys/bus/event_source/devices/uprobe ]; then
	echo '1..0 # SKIP this kernel has no probes of programs (uprobes)'
	exit 0
fi

libraries=$cache/usr/lib/x86_64-linux-gnu
if [ ! -e "$libraries/libc.so.6" ] || [ ! -e "$libraries/libc.a" ]; then
	mkdir -p "$cache" "$work/deb"
	apt=$PWD/tests/vm/apt
	if ! (cd "$work/deb" && XDG_CACHE_HOME=${cache%/sysprof/glibc} "$apt" sid get download libc6 libc6-dev &&
		dpkg-deb -x libc6_*.deb "$cache" && dpkg-deb -x libc6-dev_*.deb "$cache") >"$work/err" 2>&1; then
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
check '... whose arenas are those of their threads' judge four '
each = found["each"]
assert sum(row["bytes"] for row in each) == found["heap_bytes"], found
assert len({row["threads"][0] for row in each}) == 4 and not any(row["is_main"] for row in each), each
assert all(row["bytes_most"] == found["heap_bytes_most"] / 4 for row in each), each'
check '... in words' bash -c '"$1" report --malloc-arenas "$2" >"$3" &&
	grep -q "other arenas  made: 4; given to other threads: 0," "$3" &&
	grep -q "thresholds    mmap 1.0 MiB, trim 2.0 MiB; changes: 1" "$3"' - "$cli" \
	"$work/four.capture" "$work/out"
export MALLOC_ARENA_MAX=3
# counts NAME PYTHON: with counters, by what is behind "malloc.NAME.PID.", beside judge()'s found and info.
counts()
{
	judge "$1" "
counters = {row['name'].split('.')[-1]: row for row in json.loads(subprocess.run([cli, 'report', '--counters', '--json', of + '.capture'],
    stdout=subprocess.PIPE, check=True).stdout)['counters'] if row['name'].startswith('malloc.%s.%d.' % (found['process'], found['pid']))}
$2"
}
check '... over time, as counters' counts four '
assert counters["heaps"]["most"] == found["heap_bytes_most"] and counters["heaps"]["last"] == found["heap_bytes"], counters
assert counters["main"]["most"] + counters["heaps"]["most"] == system["max"], (counters, system)
assert counters["arenas"]["last"] == 4 and counters["threads-in-one"]["most"] == 1, counters
assert counters["mmap-threshold"]["last"] == found["mmap_threshold"] and counters["mmap-threshold"]["unit"] == "bytes", counters
assert "retries" not in counters and "waits" not in counters, counters'
check '... which exports have' bash -c '"$1" export --format chrome -o "$3" "$2" &&
	grep -q "malloc.ld-linux[^\"]*heaps" "$3"' - "$cli" "$work/four.capture" "$work/out"
check 'nine threads, three arenas: recorded' arenas nine 9
check '... which are shared' judge nine '
assert found["made"] == len(info.findall("heap")) - 1 == 2, found
assert found["reused"] >= 7 and found["most_threads"] >= 3, found
assert found["heap_bytes_most"] + found["sbrk_bytes_most"] >= system["max"], (found, system)'
check '... one of them the main one, and each thread has one' judge nine '
given = [thread for row in found["each"] for thread in row["threads"]]
assert len(found["each"]) == 3 and [row["is_main"] for row in found["each"]].count(True) == 1, found["each"]
assert len(set(given)) == 9, given'
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
# A program that has the library in itself.
gcc -O1 -g -static -pthread -B"$libraries/" -L"$libraries" "$work/arenas.c" -o "$work/ld-linux-static" || exit 1
check 'a static program: recorded' bash -c 'GLIBC_TUNABLES=glibc.malloc.tcache_count=20 "$1" record --source perf -F 97 \
	--malloc-arenas -o "$2/static.capture" -- "$2/ld-linux-static" 4 >"$2/static.xml" 2>"$2/err"' - "$cli" "$work"
check '... as one with the library' counts static '
assert found["made"] == len(info.findall("heap")) - 1 == 4 and found["threshold_changes"] == 1, found
# The library aligns the main arena by a second call, which has no mark.
assert abs(found["heap_bytes_most"] + counters["main"]["most"] - system["max"]) < 8192, (found, counters, system)
assert found["tcache_blocks"] == 20, found'
"$work/ld-linux-static" 4 20000000000 >"$work/out" &
static=$!
until [ "$(readlink /proc/$static/exe)" = "$work/ld-linux-static" ]; do sleep 0.05; done
check '... that runs already: recorded' bash -c '"$1" record --source perf -F 97 --malloc-arenas -p "$3" \
	-o "$2/running.capture" --duration 1 2>"$2/err" || { cat "$2/err"; exit 1; }' - "$cli" "$work" $static
kill $static
wait $static 2>/dev/null
gcc -O1 -static -nostdlib -x c -o "$work/bare" - <<<'void _start(void) { for (;;); }' || exit 1
check '... without marks, in words' bash -c \
	'! "$1" record --malloc-arenas -o "$2" -- "$3" 2>"$4" && grep -q "uses no shared glibc, and has no marks" "$4"' - "$cli" \
	"$work/none" "$work/bare" "$work/err"
if ! readelf -n "$(ldconfig -p | sed -n 's/.*libc.so.6.*x86-64.*=> //p' | head -n 1)" 2>/dev/null |
	grep -q memory_arena_new; then
	check "this machine's library has none, in words" bash -c \
		'! "$1" record --malloc-arenas -o "$2" -- true 2>"$3" && grep -q "built with those for SystemTap" "$3"' - "$cli" \
		"$work/none" "$work/err"
fi

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Examples of the man pages, each run as it stands, in its order: reports read what the lines above
# them have recorded.  sysprof-perf(7) has a test of its own, test-perf-page, and the sources of
# sysprof-kernel(7) have theirs in tests/vm.

set -u

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
libraries=$PWD/build
pages='sysprof-cli sysprof-profiling sysprof-memory record report annotate diff export info merge
	bundle tables top'
mkdir -p "$work/here/src/program/build"
export HOME=$work/here

# examples PAGE: its command lines.
examples()
{
	awk '/^\.nf/ { on = 1; next } /^\.fi/ { on = 0 } on' "$PWD/userspace/data/man/$1.man" |
		sed 's/\\-/-/g; s/^\$ //; s/^sudo //; s/ |.*//' | grep '^sysprof-cli '
}

# How long things take and whose PID it is, the pages leave to their readers.
ours()
{
	case $1 in
	top*) sed "s/-p 1234/-p $busy/; s/ --interval 5//; s/ --count 3//
		s/$/ --count 1 --interval 500ms/" <<<"$1" ;;
	*) sed "s/--duration [0-9]*/--duration 1/; s/-p 1234/-p $busy/
		s/\"\$(pidof server)\"/$busy/" <<<"$1" ;;
	esac
}

# shows COMMAND-LINE: it works, and does not say that there is nothing.
shows()
{
	works "$work/here" 'needs the module|--source module' "$(ours "$1")" &&
		! grep -E '^(No |Nothing )' "$work/out"
}

# refuses COMMAND-LINE: says that this kernel cannot probe its functions, which vm/86-functions does.
refuses()
{
	! (cd "$work/here" && bash -c '"$0" '"$1" "$cli" >"$work/out" 2>"$work/err") &&
		grep -q 'was built without CONFIG_KPROBE_EVENTS' "$work/err"
}

# The programs that the pages record, all of them one: it sorts, copies, adds up by zlib, allocates
# and reads a file for a second or as many as its argument says, and has a worker that waits for it.
cat >"$work/here/server.cc" <<'END'
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include <vector>
#define NOINLINE __attribute__((noinline))
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<bool> done;
static char from[1 << 20], to[1 << 20];
static volatile long sum;
static void *kept[20000];
static unsigned long (*crc)(unsigned long, const unsigned char *, unsigned);
static NOINLINE void parse(std::vector<int> &all)
{
	for (unsigned i = 0; i < 20; i++)
		memcpy(to, from + sum % 2, sizeof(to) - 1);
	for (size_t i = 0; i < all.size(); i++)
		all[i] = (int)(i * 2654435761u);
	std::sort(all.begin(), all.end());
	sum = sum + all[7] + (long)crc(0, (const unsigned char *)from, sizeof(from));
}
static NOINLINE void foo()
{
	for (unsigned round = 0; round < 5; round++) {
		for (void *&p : kept)
			p = malloc(100 + sum % 2);
		for (void *p : kept)
			free(p);
	}
}
static void *work(void *)
{
	pthread_setname_np(pthread_self(), "worker");
	std::vector<int> all(20000);
	while (!done) {
		pthread_mutex_lock(&mutex);
		parse(all);
		pthread_mutex_unlock(&mutex);
		usleep(2000);
	}
	return nullptr;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	time_t end = time(nullptr) + (argc > 1 ? atoi(argv[1]) : 1);
	void *leak = malloc(100000);
	std::vector<int> all(20000);
	crc = (decltype(crc))dlsym(dlopen("libz.so.1", RTLD_NOW), "crc32");
	pthread_create(&thread, nullptr, work, nullptr);
	do {
		int fd = open("server.cc", O_RDONLY | O_CLOEXEC);
		pthread_mutex_lock(&mutex);
		parse(all);
		foo();
		usleep(1000);
		pthread_mutex_unlock(&mutex);
		sum = sum + read(fd, from, sizeof(from));
		close(fd);
	} while (time(nullptr) < end);
	done = true;
	return pthread_join(thread, nullptr) + (leak == nullptr);
}
END
g++ -g -O1 -fno-omit-frame-pointer -pthread "$work/here/server.cc" -o "$work/here/server" || exit 1
# What PostgreSQL waits in, and for how long it does not matter.
cat >"$work/here/postgres.cc" <<'END'
#include <time.h>
#include <unistd.h>
static volatile long waits;
__attribute__((noinline)) void XactLockTableWait()
{
	usleep(3000);
	waits = waits + 1;
}
__attribute__((noinline)) void LWLockAcquire()
{
	usleep(1000);
	waits = waits + 1;
}
int main()
{
	for (time_t end = time(nullptr) + 4; time(nullptr) < end;) {
		XactLockTableWait();
		LWLockAcquire();
	}
	return 0;
}
END
g++ -g -O1 -fno-omit-frame-pointer "$work/here/postgres.cc" -o "$work/here/postgres" || exit 1
for name in server-test program git firefox; do
	cp "$work/here/server" "$work/here/$name"
done
cp "$work/here/server" "$work/here/src/program/build"
printf 'all:\n\t./firefox 0\n\t./git 1\n\t./server 2\n' >"$work/here/Makefile"
printf 'sum(i * i for i in range(10000000))\n' >"$work/here/program.py"

# What the examples read, and of what the pages of the module's sources are.
printf '[server]\nworkers = 1\n' >"$work/here/settings.ini"
for name in before after; do
	(cd "$work/here" && "$cli" record -e sched:sched_process_exec --embed settings.ini \
		-o $name.capture -- make) >/dev/null 2>"$work/err" || {
		echo "Bail out! $name.capture was not recorded: $(cat "$work/err")"
		exit 1
	}
done
for name in build monday a1 a2 a3; do
	cp "$work/here/before.capture" "$work/here/$name.capture"
done
for name in tuesday b1 b2 b3; do
	cp "$work/here/after.capture" "$work/here/$name.capture"
done
for page in $pages; do
	examples "$page" >"$work/lines"
	of_functions=
	# Each page has its own, which its lines may replace.
	cp "$work/here/before.capture" "$work/here/my.capture"
	while read -r _ line; do
		busy='' also=''
		case $line in
		record*--function*) of_functions=y ;;
		record*) of_functions= ;;
		esac
		# Where the kernel has no probes, there is no such recording to be read either.
		if [ "$of_functions" ] && [ ! -e /sys/bus/event_source/devices/kprobe ]; then
			case $line in record*) check "$page: $line: refused" refuses "$line" ;; esac
			continue
		fi
		case $line in
		# The source of this kernel, tables of all the system, which take minutes, and marks that
		# this C library need not have (test-malloc-arenas has them).
		*ext4_map_blocks* | tables | *malloc-arenas* | *memory_heap_more*) continue ;;
		*'-p 1234'* | top* | *--duration*)
			(cd "$work/here" && exec ./postgres) & also=$!
			(cd "$work/here" && exec ./server 3) & busy=$! ;;
		*'pidof server'*)
			(cd "$work/here" && SPT_RINGS=wait LD_PRELOAD=$libraries/libspt-memory.so \
				exec ./server 3) & busy=$! ;;
		esac
		# Beside one that runs for three seconds only.
		${busy:+timed} check "$page: $line" shows "$line"
		[ -z "$busy" ] || wait "$busy"
		[ -z "$also" ] || { kill "$also" && wait "$also"; } 2>/dev/null
	done <"$work/lines"
done
check 'there were examples' [ "$number" -ge 10 ]

echo "1..$number"
exit $broken

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first sentence names what the developer of a program has written: of a slow index in C++, whose
# time is in templates of the library; of a program that makes system calls; of one whose main thread
# is slow, while others have nothing to do.  With perf events.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root

cd "$work" || exit 1
cat >index.cpp <<'END_OF_CPP'
#include <string>
#include <unordered_map>
#include <vector>
struct Weak { size_t operator()(const std::string &s) const { return s[0] + s.size(); } };
struct Index {
	std::unordered_map<std::string, std::vector<size_t>, Weak> postings;
	void __attribute__((noinline)) add(const std::string &word, size_t line) { postings[word].push_back(line); }
};
int main()
{
	Index index;
	for (size_t i = 0; i < 12000; i++)
		index.add("word" + std::to_string(i * 7919 % 10000), i);
	return index.postings.empty();
}
END_OF_CPP
cat >chat.c <<'END_OF_C'
#include <unistd.h>
static void __attribute__((noinline)) chat(int *ends)
{
	char byte = 'x';
	for (int i = 0; i < 400000; i++)
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			break;
	asm volatile("");
}
int main(void)
{
	int ends[2];
	if (pipe(ends))
		return 1;
	chat(ends);
	return 0;
}
END_OF_C
cat >loop.c <<'END_OF_C'
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_came = PTHREAD_COND_INITIALIZER;
static volatile unsigned long sink;
static void *serve(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&work_came, &lock);
	return arg;
}
static void __attribute__((noinline)) draw(void)
{
	struct timespec time;
	do {
		for (int i = 0; i < 100000; i++)
			sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	} while (time.tv_sec == 0);
}
static void __attribute__((noinline)) reload_settings(void)
{
	for (int i = 0; i < 5; i++)
		usleep(80000);
	asm volatile("");
}
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, serve, NULL))
			return 1;
	draw();
	reload_settings();
	_exit(0);
}
END_OF_C
cat >locked.c <<'END_OF_C'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static void *update(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&table_lock);
		usleep(10000);
		pthread_mutex_unlock(&table_lock);
	}
	return arg;
}
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, update, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END_OF_C
built()
{
	g++ -O2 -g -fno-omit-frame-pointer index.cpp -o index &&
		gcc -O1 -g -fno-omit-frame-pointer chat.c -o chat &&
		gcc -O1 -g -fno-omit-frame-pointer loop.c -o loop -lpthread &&
		gcc -O1 -g -fno-omit-frame-pointer locked.c -o locked -lpthread
}
check 'the programs are built' built

# said NAME PATTERN REPORT-OPTION...
said()
{
	local name=$1 pattern=$2

	shift 2
	"$cli" report "$@" "$name.capture" >report
	grep -E "$pattern" report >found || { head -n 8 report; return 1; }
}

check 'index: recorded' "$cli" record --source perf -o index.capture -- ./index
check '... what the library does is done for Index::add()' said index \
	'(from|is in) Index::add\(' --summary
columns()
{
	LC_ALL=C SYSPROF_COLUMNS=80 "$cli" report --tree index.capture | sed -n '/^Total/,$p' >tree &&
		grep -q ' std::unordered_map<\.\.\.>::operator\[\]' tree &&
		! grep -E '^.{81}' tree
}
check '... in 80 columns functions end with their own names' columns
check '... and are found by these' bash -c '"$1" report index.capture --callees "std::unordered_map<...>::operator[](...)" | grep -q "^Callees of"' - "$cli"
check 'chat: recorded' "$cli" record --source perf -o chat.capture -- ./chat
check '... its time is in chat(), which makes the calls' said chat \
	'(9[0-9] %|[Aa]ll) (comes from chat|is in chat and what it calls)' --summary
check 'loop: recorded' "$cli" record --source perf --waits -o loop.capture -- ./loop
check '... what idle threads wait for is not what it waited for' said loop \
	'without threads that hardly ran: (9[0-9] %|all) in usleep below reload_settings' \
	--metric blocked --summary
check '... likewise, in the report' said loop \
	'^Of the rest, (9[0-9] %|all) is in usleep below reload_settings' --metric blocked
check 'locked: recorded' "$cli" record --source perf --waits -o locked.capture -- ./locked
check '... the lock has its name' said locked \
	'(%|all) in pthread_mutex_lock( and others)? below update.*% of it waits for table_lock' --metric blocked --summary
check '... likewise, in the report' said locked '% of it waits for table_lock' --metric blocked

echo "1..$number"
exit $broken

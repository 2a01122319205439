#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What sysprof-perf(7) says instead of commands of perf does it: each of its command lines runs as
# it stands, in its order, so that reports read what the rows above them have recorded.

set -u

# shellcheck source=tests/cli/tracefs.bash
. "$(dirname "$0")/tracefs.bash"
# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
page=$PWD/userspace/data/man/sysprof-perf.man

# rows: perf's command, a tab, ours.
rows()
{
	awk '
	/^\.TP$/ {
		getline perf
		getline ours
		if (ours !~ /^\.B sysprof/)
			ours = "nothing"
		sub(/^\\fB/, "", perf)
		sub(/\\fR$/, "", perf)
		sub(/^\.B sysprof\\-cli /, "", ours)
		line = perf "\t" ours
		gsub(/\\-/, "-", line)
		print line
	}' "$page"
}

# How long things take and who PID is, the page leaves to its reader.
ours()
{
	case $1 in
	top) echo "top --count 1 --interval 500ms" ;;
	*) sed "s/--duration 10/--duration 500ms/; s/-p PID/-p $busy/" <<<"$1" ;;
	esac
}

# Works on two threads, one of which waits between.
mkdir "$work/here"
cat >"$work/prog.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile long sum;
static void work(void)
{
	for (long i = 0; i < 2000000; i++)
		sum += i;
}
static void *wait_and_work(void *unused)
{
	for (int i = 0; i < 20; i++) {
		usleep(5000);
		work();
	}
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	pthread_create(&thread, NULL, wait_and_work, NULL);
	do
		work();
	while (time(NULL) < end);
	return pthread_join(thread, NULL);
}
END
gcc -g -O1 -fno-omit-frame-pointer -pthread "$work/prog.c" -o "$work/here/prog" || exit 1
rows >"$work/rows"
check "it has 25 rows at least" [ "$(wc -l <"$work/rows")" -ge 25 ]
while IFS=$'\t' read -r perf command; do
	busy=
	case $command in
	*PID* | top) "$work/here/prog" 5 & busy=$! ;;
	esac
	# Beside one that runs for five seconds only.
	${busy:+timed} check "$perf: $command" works "$work/here" 'needs the module' "$(ours "$command")"
	[ -z "$busy" ] || wait "$busy"
	# What the reports are about.
	[[ $command != 'record --waits'* ]] ||
		cp "$work/here/sysprof.capture" "$work/here/my.capture"
	# This one is of no program.
	[[ $command != 'record --faults'* || ! -e $work/here/my.capture ]] ||
		cp "$work/here/my.capture" "$work/here/sysprof.capture"
done <"$work/rows"

# Formats that the page need not name, and why.
not_of_perf='svg html speedscope pprof otlp firefox chrome perfetto syscap lanes: perf writes none like them
callgrind: what valgrind prints
order order-first autofdo fdata: for compilers and linkers, no listings'

# What the page says of "perf script" may not forget a format that prints single samples.
names_formats()
{
	local format missing=0

	"$cli" export --help | sed -n 's/^ *-f, --format=FORMAT *//p' | grep -oE '(^|; )[a-z-]+:' |
		tr -d ';: ' >"$work/formats"
	[ "$(wc -l <"$work/formats")" -ge 20 ] || {
		echo "the formats of export --help are not found"
		return 1
	}
	while read -r format; do
		sed 's/\\-/-/g' "$page" | grep -qE -- "--format $format( |$)" ||
			sed 's/:.*//' <<<"$not_of_perf" | grep -qE "(^| )$format( |$)" || {
			echo "$format is not named"
			missing=1
		}
	done <"$work/formats"
	return $missing
}
check "each format of export is named, or there is a reason" names_formats

echo "1..$number"
exit $broken

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Somebody else's process: victim DIRECTORY.  It has code mapped from files that others may not
 * reach: in a closed directory, unreadable, deleted, new ones all the time; and it keeps a CPU busy
 * with secret words all over its stack, some where a walk along frame pointers takes them for
 * return addresses.
 */
#include "files.h"
#include "secret.h"

#include <sched.h>
#include <signal.h>

static volatile uint64_t sink;

/*
 * Frames as a walk sees them, with words for return addresses that are none: a secret, a place on
 * the stack, one in the heap.
 */
FUNCTION static void work_among_secrets(uint64_t *heap, unsigned depth)
{
	uint64_t words[256], salt = depth;

	for (unsigned i = 0; i < 256; i++)
		words[i] = secret_word(i + depth * 256U);
	if (depth) {
		work_among_secrets(heap, depth - 1);
	} else {
		for (unsigned kind = 0; kind < 4; kind++) {
			words[8] = 0;
			words[9] = 0;
			words[4] = (uintptr_t)&words[8];
			words[5] = kind == 0 ? secret_word(7) :
				   kind == 1 ? (uintptr_t)words :
				   kind == 2 ? (uintptr_t)heap :
					       0xffff888000001000ULL;
			/* The frame pointer points to words[4] while the loop runs. */
			__asm__ volatile("push %%rbp\n\t"
					 "mov %1, %%rbp\n\t"
					 "mov $300000, %%ecx\n"
					 "1:\tdec %%ecx\n\t"
					 "jnz 1b\n\t"
					 "pop %%rbp"
					 : "+r"(salt) : "r"(&words[4]) : "rcx", "memory", "cc");
		}
	}
	for (unsigned i = 0; i < 256; i++)
		salt ^= words[i];
	sink = salt;
}

int main(int argc, char **argv)
{
	uint64_t *heap = malloc(4096);
	cpu_set_t set;
	char path[256];
	FILE *ready;

	if (argc != 2)
		errx(2, "usage: victim DIRECTORY");
	/* The first CPU is where the scan looks. */
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	signal(SIGHUP, SIG_IGN);
	umask(0);
	if (mkdir(argv[1], 0755) || chdir(argv[1]) || mkdir("closed", 0700))
		err(1, "cannot make %s", argv[1]);
	file_copy_self("closed/readable.so", 0644);
	file_map("closed/readable.so");
	file_copy_self("unreadable.so", 0600);
	file_map("unreadable.so");
	file_copy_self("deleted.so", 0644);
	file_map("deleted.so");
	unlink("deleted.so");
	ready = fopen("pid", "we");
	if (!ready)
		err(1, "cannot write %s/pid", argv[1]);
	fprintf(ready, "%d\n", getpid());
	fclose(ready);
	rename("pid", "ready");
	for (unsigned i = 0;; i++) {
		snprintf(path, sizeof(path), "fresh-%u.so", i);
		file_copy_self(path, 0644);
		file_unmap(file_map(path));
		unlink(path);
		for (unsigned round = 0; round < 50; round++)
			work_among_secrets(heap, 20);
	}
}

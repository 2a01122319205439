// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code made at run time, as engines do it: in areas that are reserved first, its pages writable and
 * executable in turn, growing in both directions, and reported in /tmp/perf-PID.map, which is
 * deleted when it ends.  A child forked half way goes on in what it inherited.  "jit SECONDS
 * no-map" reports nothing of it, "jit SECONDS dump" in a jitdump file instead, in which the
 * functions lay elsewhere at first.  "jit SECONDS replaced-map" and "replaced-dump" have one
 * function after the other at the same place.
 */
#include "workload.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define AREA_PAGES	64
#define FIRST_PAGE	32

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#endif

/* A function that turns until its argument is 0. */
static const uint8_t turning[] = {
#if defined(__x86_64__)
	0x55,				/* push %rbp */
	0x48, 0x89, 0xe5,		/* mov %rsp, %rbp */
	0x48, 0x83, 0xef, 0x01,		/* sub $1, %rdi */
	0x75, 0xfa,			/* jnz -6 */
	0x5d,				/* pop %rbp */
	0xc3,				/* ret */
#elif defined(__aarch64__)
	0xfd, 0x7b, 0xbf, 0xa9,		/* stp x29, x30, [sp, #-16]! */
	0xfd, 0x03, 0x00, 0x91,		/* mov x29, sp */
	0x00, 0x04, 0x00, 0xf1,		/* subs x0, x0, #1 */
	0xe1, 0xff, 0xff, 0x54,		/* b.ne -4 */
	0xfd, 0x7b, 0xc1, 0xa8,		/* ldp x29, x30, [sp], #16 */
	0xc0, 0x03, 0x5f, 0xd6,		/* ret */
#endif
};

typedef void (*turning_function)(uint64_t turns);

static const char *const replaced[] = { "jit_first", "jit_second", "jit_third" };
static const struct {
	const char *name;
	/* In the first area, from FIRST_PAGE on; behind AREA_PAGES: in the second */
	int page;
	unsigned weight;
} functions[] = {
	{ "jit_fifty", 0, 5 },
	{ "jit_thirty", 1, 3 },
	{ "jit_twenty", -1, 2 },
	{ "jit_apart", AREA_PAGES, 4 },
};

#define FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

static size_t page_bytes;
static uint8_t *areas[2];
static uint64_t sums[FUNCTIONS], flips;

static uint8_t *place_of(unsigned i)
{
	int page = FIRST_PAGE + functions[i].page;

	return areas[page >= AREA_PAGES] + page % AREA_PAGES * page_bytes;
}

static void protect(uint8_t *page, int protection)
{
	if (mprotect(page, page_bytes, protection))
		err(1, "cannot change the protection of a page");
	flips++;
}

FUNCTION static void through_jit(turning_function function, uint64_t turns)
{
	function(turns);
	__asm__ volatile("" ::: "memory");
}

/* Writes the function once more and lets it turn. */
static void round_of(unsigned i, uint64_t unit)
{
	uint8_t *page = place_of(i);
	uint64_t begin;

	protect(page, PROT_READ | PROT_WRITE);
	memcpy(page, turning, sizeof(turning));
	protect(page, PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)page, (char *)page + sizeof(turning));
	begin = thread_cpu_ns();
	through_jit((turning_function)(uintptr_t)page, functions[i].weight * unit);
	sums[i] += thread_cpu_ns() - begin;
}

static char told[64];

static FILE *open_told(const char *format)
{
	FILE *file;

	snprintf(told, sizeof(told), format, getpid());
	file = fopen(told, "w+e");
	if (!file)
		err(1, "cannot write %s", told);
	return file;
}

static void tell(void)
{
	FILE *file = open_told("/tmp/perf-%d.map");

	for (unsigned i = 0; i < FUNCTIONS; i++)
		fprintf(file, "%" PRIxPTR " %zx %s\n", (uintptr_t)place_of(i), sizeof(turning),
			functions[i].name);
	fclose(file);
}

/* As the specification in Linux's tools/perf/Documentation has it. */
static FILE *begin_dump(void)
{
	FILE *file = open_told("/tmp/jit-%d.dump");
	const uint32_t header[10] = { 0x4a695444, 1, 40, MACHINE, 0, getpid() };

	fwrite(header, sizeof(header), 1, file);
	fflush(file);
	/* The sign by which it is found. */
	if (mmap(NULL, page_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0) ==
	    MAP_FAILED)
		err(1, "cannot map %s", told);
	return file;
}

struct dump_record {
	uint32_t id, bytes;
	uint64_t time;
	uint32_t ids[2];
};

static void tell_load(FILE *file, uint64_t time, uint64_t place, uint64_t number, const char *name)
{
	uint32_t name_bytes = strlen(name) + 1;
	const struct dump_record load = {
		0, 56 + name_bytes + sizeof(turning), time, { getpid(), getpid() }
	};
	const uint64_t loaded[] = { place, place, sizeof(turning), number };

	fwrite(&load, sizeof(load), 1, file);
	fwrite(loaded, sizeof(loaded), 1, file);
	fwrite(name, name_bytes, 1, file);
	fwrite(turning, sizeof(turning), 1, file);
}

static void tell_dump(void)
{
	FILE *file = begin_dump();

	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		uint64_t place = (uintptr_t)place_of(i), elsewhere = place + page_bytes / 2;
		const struct dump_record move = { 1, 64, i, { getpid(), getpid() } };
		const uint64_t moved[] = { elsewhere, elsewhere, place, sizeof(turning), i };

		tell_load(file, i, elsewhere, i, functions[i].name);
		fwrite(&move, sizeof(move), 1, file);
		fwrite(moved, sizeof(moved), 1, file);
	}
	if (fclose(file))
		err(1, "cannot write %s", told);
}

/* One function after the other, each for as long as the first ones together. */
static void replace(int in_dump, uint64_t budget, uint64_t unit)
{
	FILE *file = in_dump ? begin_dump() : open_told("/tmp/perf-%d.map");
	uint64_t until = 0;

	for (unsigned i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++) {
		uint64_t before = sums[0];
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		if (in_dump)
			tell_load(file, now.tv_sec * 1000000000ull + now.tv_nsec,
				  (uintptr_t)place_of(0), i, replaced[i]);
		else
			fprintf(file, "%" PRIxPTR " %zx %s\n", (uintptr_t)place_of(0),
				sizeof(turning), replaced[i]);
		fflush(file);
		for (until = until ? 2 * until : budget / 4; process_cpu_ns() < until;)
			round_of(0, unit);
		truth(replaced[i], sums[0] - before);
	}
	fclose(file);
	unlink(told);
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 4), unit = turns_for_ns(1000000);
	pid_t child = 0;
	int status;

	page_bytes = sysconf(_SC_PAGESIZE);
	for (int i = 0; i < 2; i++) {
		areas[i] = mmap(NULL, (AREA_PAGES + i) * page_bytes, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (areas[i] == MAP_FAILED)
			err(1, "cannot reserve memory");
	}
	if (argc > 2 && strncmp(argv[2], "replaced-", 9) == 0) {
		replace(strcmp(argv[2] + 9, "dump") == 0, budget, unit);
		return 0;
	}
	if (argc < 3 || strcmp(argv[2], "map") == 0)
		tell();
	else if (strcmp(argv[2], "dump") == 0)
		tell_dump();
	for (unsigned i = 0; process_cpu_ns() < budget; i = (i + 1) % FUNCTIONS) {
		round_of(i, unit);
		if (child || process_cpu_ns() < budget / 2)
			continue;
		fflush(stdout);
		child = fork();
		if (child < 0)
			err(1, "cannot fork");
		if (!child) {
			for (uint64_t begin = process_cpu_ns();
			     process_cpu_ns() - begin < budget / 4;)
				through_jit((turning_function)(uintptr_t)place_of(0), unit);
			_exit(0);
		}
	}
	if (waitpid(child, &status, 0) != child || status)
		errx(1, "the child did not end well");
	if (*told)
		unlink(told);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		truth(functions[i].name, sums[i]);
	truth("flips", flips);
	return 0;
}

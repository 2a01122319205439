/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile files that names come from: fuzz-symbols [--rounds N] FILE..., as tests/fuzz/symbols-seeds makes them.  ELF files with their symbols,
 * stubs, packed symbols and debug information, which are asked for all places; what tells of code made at run time; lines of /proc/PID/maps.
 * Each input goes to all that read its kind of text.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "symbols/debug-info.h"
#include "symbols/jit-code.h"
#include "symbols/symbols.h"
#include "trace/perf-maps.h"

#include "../gen/peak.h"
#include "mutate.h"

#define PLACES 512
#define MOST_MEMORY_BYTES (64u << 20)
#define JIT_BUDGET_BYTES (1u << 20)
/* Processor time of one input, which takes some hundred microseconds. */
#define HANG_S 10

/* Keeps the compiler from leaving look-ups out. */
static volatile uint64_t sum_of_all;
static double slowest_s;

static void look_up(SptObject *object)
{
	static const char *const no_dirs[] = { NULL };
	g_autoptr(SptSymtab) symtab = spt_symtab_new(object, no_dirs);
	g_autoptr(SptDebugInfo) info = spt_debug_info_new(object, no_dirs, true);

	for (uint64_t i = 0; i < PLACES; i++) {
		/* Seeds have their code at the first two pages or so. */
		uint64_t offset = i * 24;
		SptPlace places[SPT_INLINES_MAX];
		SptSymbol symbol;
		unsigned n = info ? spt_debug_info_find(info, offset, places) : 0;

		if (spt_symtab_find(symtab, offset, &symbol))
			sum_of_all += strlen(symbol.name) + symbol.distance;
		while (n-- > 0) {
			sum_of_all += places[n].line + (places[n].function ? strlen(places[n].function) : 0);
			sum_of_all += (places[n].file ? strlen(places[n].file) : 0) + (places[n].directory ? strlen(places[n].directory) : 0);
		}
	}
}

static void read_jit(const uint8_t *data, size_t bytes)
{
	g_autoptr(SptJitCode) code = spt_jit_code_new();
	int fd = memfd_create("jit", MFD_CLOEXEC);
	uint64_t budget = JIT_BUDGET_BYTES, map_at = 0, dump_at = 0;
	SptJitFunction function;

	g_assert(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	spt_jit_read_map(code, fd, &map_at, &budget);
	spt_jit_read_dump(code, fd, &dump_at, &budget);
	g_assert(budget <= JIT_BUDGET_BYTES);
	for (uint64_t at = 0; at < 0x10000; at += 0x100)
		if (spt_jit_code_find(code, at, &function)) {
			g_assert(at - function.start < function.bytes);
			sum_of_all += strlen(function.name);
		}
	close(fd);
}

static void read_maps(const uint8_t *data, size_t bytes)
{
	g_autofree char *text = g_strndup((const char *)data, bytes);
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct spt_perf_map map;

		if (!spt_perf_map_parse(line, &map))
			continue;
		g_assert(map.start < map.end);
		sum_of_all += map.inode + strlen(map.path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct itimerval limit = { .it_value.tv_sec = HANG_S };
	clock_t start = clock();
	size_t begin = peak_begin();
	g_autoptr(GBytes) copy = g_bytes_new(data, bytes);
	SptObject *object;

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	object = spt_object_open_bytes(copy, "fuzz", NULL);
	if (object)
		look_up(object);
	read_jit(data, bytes);
	read_maps(data, bytes);
	g_assert(peak_since(begin) <= 128 * bytes + MOST_MEMORY_BYTES);
	slowest_s = MAX(slowest_s, (double)(clock() - start) / CLOCKS_PER_SEC);
	return 0;
}

#ifndef SPT_LIBFUZZER

int main(int argc, char **argv)
{
	int status;

	peak_watch();
	status = mutate_main(argc, argv, "fuzz-symbols", mutate_bytes);
	printf("the slowest took %.3f s\n", slowest_s);
	return status;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile files that names come from: fuzz-symbols [--rounds N] FILE..., as
 * tests/fuzz/symbols-seeds makes them.  ELF files with their symbols, stubs, packed symbols and
 * debug information, which are asked for all places; the same as files of a kernel; what describes
 * code made at run time; lines of /proc/PID/maps and /proc/kallsyms.  Each input goes to all that
 * read its kind of text.  One that another file is read with, as is a split unit, is changed in its
 * place, and that other one read.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "symbols/dwarf/debug-info.h"
#include "symbols/jit-code.h"
#include "symbols/kernel-answer.h"
#include "symbols/kernel-code.h"
#include "symbols/place-table.h"
#include "symbols/places.h"
#include "symbols/symbols.h"
#include "symbols/unnamed.h"
#include "trace/kallsyms.h"
#include "trace/perf/maps.h"

#include "../gen/peak.h"
#include "mutate.h"
#include "symbols/demangle.h"

#define PLACES 512
#define MOST_MEMORY_BYTES (64u << 20)
#define JIT_BUDGET_BYTES (1u << 20)
#define JIT_CALL_BYTES (16u << 10)
/* Processor time of one input, which takes some hundred microseconds. */
#define HANG_S 10
/* And of one reading of a jitdump, which takes some ten. */
#define JIT_CALL_S 1

/* Keeps the compiler from removing look-ups. */
static volatile uint64_t sum_of_all;
static double slowest_s, slowest_call_s;
static uint64_t n_found, n_calls;

static void demangle(const char *name)
{
	g_autofree char *demangled = spt_demangle(name),
			*shortened = spt_shorten_templates(demangled);

	sum_of_all += strlen(shortened);
}

static void look_up_functions(const SptObject *object, const SptSymtab *symtab)
{
	g_autoptr(SptFunctions) functions = spt_functions_new();

	for (uint64_t offset = 0; offset < PLACES * 24; offset += 7) {
		SptSymbol symbol;

		if (!spt_unnamed_find(symtab, functions, object, offset, &symbol))
			continue;
		g_assert(symbol.distance < symbol.bytes && symbol.distance <= offset);
		sum_of_all += symbol.bytes;
	}
}

/* Lines are libdw's to read. */
static void look_up_places(const SptObject *object, const char *const *debug_dirs)
{
	static const char *const queries[] = { "function *m*", "function *(n,argc)", "mark *" };

	for (unsigned i = 0; i < G_N_ELEMENTS(queries); i++) {
		g_autoptr(GByteArray) answer = spt_places_answer(object, debug_dirs, queries[i]);

		g_assert_cmpuint(answer->len, <=, SPT_PLACES_ANSWER_MAX_BYTES);
		sum_of_all += answer->len;
	}
}

/* Each of @debug_dirs may be a debug file. */
static void look_up(SptObject *object, const char *const *debug_dirs)
{
	g_autoptr(SptSymtab) symtab = spt_symtab_new(object, debug_dirs);
	g_autoptr(SptDebugInfo) info = NULL;

	look_up_functions(object, symtab);
	look_up_places(object, debug_dirs);
	info = spt_debug_info_new(object, debug_dirs, true);
	for (uint64_t i = 0; i < PLACES; i++) {
		/* Seeds have their code at the first two pages or so. */
		uint64_t offset = i * 24;
		SptPlace places[SPT_INLINES_MAX];
		SptSymbol symbol;
		unsigned n = info ? spt_debug_info_find(info, offset, places) : 0;

		n_found += n > 0;
		if (spt_symtab_find(symtab, offset, &symbol)) {
			sum_of_all += symbol.distance;
			demangle(symbol.name);
		}
		while (n-- > 0) {
			sum_of_all += places[n].line +
				      (places[n].function ? strlen(places[n].function) : 0);
			sum_of_all += (places[n].file ? strlen(places[n].file) : 0) +
				      (places[n].directory ? strlen(places[n].directory) : 0);
		}
	}
}

/* One file for all, since to make and to free one takes as long as to read it. */
static int in_memory(const uint8_t *data, size_t bytes)
{
	static int file = -1;
	int fd;

	if (file < 0)
		file = memfd_create("fuzz", MFD_CLOEXEC);
	g_assert(ftruncate(file, (off_t)bytes) == 0 &&
		 pwrite(file, data, bytes, 0) == (ssize_t)bytes);
	fd = fcntl(file, F_DUPFD_CLOEXEC, 0);
	g_assert(fd >= 0);
	return fd;
}

/* For a recording that knows a function of all seeds. */
static void read_kernel(const uint8_t *data, size_t bytes)
{
	const SptNameRow row = { .offset = 0x100, .symbol = "outer" }, *names[] = { &row };
	g_autoptr(GByteArray) packed = spt_kernel_pack_names(names, 1, (const uint8_t *)"", 0);
	g_autoptr(SptPlaceTable) table = NULL;
	g_autoptr(SptKernelCode) code = NULL;
	uint64_t offsets[PLACES], address;
	const char *problem;

	for (uint64_t i = 0; i < PLACES; i++)
		offsets[i] = 0x100 + i * 3;
	table = spt_place_table_new(spt_kernel_answer(in_memory(data, bytes), "fuzz", packed->data,
						      packed->len, offsets, PLACES),
				    offsets, PLACES);
	g_assert(table);
	for (uint32_t i = 0; i < PLACES; i++) {
		SptPlace places[SPT_INLINES_MAX];

		n_found += spt_place_table_places(table, i, places) > 0;
	}
	code = spt_kernel_code_new(in_memory(data, bytes), "fuzz", SPT_KERNEL_INSTRUCTIONS, names,
				   1, NULL, 0, &problem);
	for (uint64_t i = 0; code && i < PLACES; i += 8)
		if (spt_kernel_code_address(code, &row, offsets[i], &address)) {
			SptCode *read = spt_kernel_code_read(code, address, 64);
			g_autofree char *name = spt_kernel_code_name(code, address);

			sum_of_all += name ? strlen(name) : 0;
			if (read)
				spt_code_free(read);
		}
}

static void read_jit(const uint8_t *data, size_t bytes)
{
	g_autoptr(SptJitCode) code = spt_jit_code_new(0);
	int fd = in_memory(data, bytes);
	uint64_t budget = JIT_BUDGET_BYTES, map_at = 0, dump_at = 0, at = UINT64_MAX;
	SptJitFunction function;

	spt_jit_read_map(code, fd, 1, &map_at, &budget);
	g_assert(budget <= JIT_BUDGET_BYTES);
	/* Each call takes no more than it is allowed, for any records. */
	while (dump_at != at) {
		size_t live = peak_live;
		clock_t start = clock();
		double took_s;

		at = dump_at;
		budget = JIT_CALL_BYTES;
		spt_jit_read_dump(code, fd, &dump_at, &budget);
		g_assert(budget <= JIT_CALL_BYTES);
		g_assert(peak_live <= live + 3 * JIT_CALL_BYTES);
		took_s = (double)(clock() - start) / CLOCKS_PER_SEC;
		g_assert(took_s < JIT_CALL_S);
		slowest_call_s = MAX(slowest_call_s, took_s);
		n_calls++;
	}
	for (at = 0; at < 0x10000; at += 0x100)
		for (uint32_t generation = spt_jit_code_generation(code, at, UINT64_MAX) + 1;
		     generation-- > 0;)
			if (spt_jit_code_find_generation(code, at, generation, &function)) {
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

static void read_kallsyms(const uint8_t *data, size_t bytes)
{
	int fd = in_memory(data, bytes);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
	g_autoptr(SptKallsyms) kallsyms = spt_kallsyms_new(path);

	spt_kallsyms_load(kallsyms);
	for (uint64_t i = 0; i < PLACES; i++) {
		struct sysprof_name name = {
			.frame = spt_kallsyms_frame(kallsyms, 0xffffffff81000000 + i * 0x800)
		};

		spt_kallsyms_name(kallsyms, &name);
		sum_of_all += strlen(name.symbol) + strlen(name.module);
	}
	close(fd);
}

/*
 * A file's, that is read with it, or that file itself if it has to lie somewhere to be read with
 * others; NULL: neither.
 */
static SptObject *open_reader(const uint8_t *data, size_t bytes)
{
	static const char *const parts[] = { ".dwo", ".dwp", ".alt", ".debug", ".linked" };
	const char *dot = mutated_path ? strrchr(mutated_path, '.') : NULL;
	g_autofree char *reader = NULL;
	bool is_part = false;
	int fd;

	for (unsigned i = 0; dot && i < G_N_ELEMENTS(parts); i++)
		is_part |= strcmp(dot, parts[i]) == 0;
	if (!is_part)
		return NULL;
	fd = open(mutated_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	g_assert(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	close(fd);
	reader = strcmp(dot, ".linked") == 0 ? g_canonicalize_filename(mutated_path, NULL) :
					       g_strndup(mutated_path, dot - mutated_path);
	return spt_object_open(reader, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct itimerval limit = { .it_value.tv_sec = HANG_S };
	clock_t start = clock();
	size_t begin = peak_begin();
	const char *const debug_dirs[] = {
		mutated_path && g_str_has_suffix(mutated_path, ".debug") ? mutated_path : NULL, NULL
	};
	bool is_elf = bytes > EI_NIDENT && memcmp(data, ELFMAG, SELFMAG) == 0;
	g_autoptr(GBytes) copy = g_bytes_new(data, bytes);
	SptObject *reader, *object;

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	reader = open_reader(data, bytes);
	object = reader ? reader : spt_object_open_bytes(copy, "fuzz", NULL);
	if (object)
		look_up(object, debug_dirs);
	if (!is_elf) {
		read_jit(data, bytes);
		read_maps(data, bytes);
		read_kallsyms(data, bytes);
	/* Programs were checked as far as possible. */
	} else if (!reader && data[EI_NIDENT] != ET_DYN) {
		read_kernel(data, bytes);
	}
	g_assert(peak_since(begin) <= 128 * bytes + MOST_MEMORY_BYTES);
	slowest_s = MAX(slowest_s, (double)(clock() - start) / CLOCKS_PER_SEC);
	return 0;
}

#ifndef SPT_LIBFUZZER

/* Restores the file that was changed in its place. */
static void mutate_input(const uint8_t *data, size_t bytes, unsigned long rounds)
{
	mutate_bytes(data, bytes, rounds);
	LLVMFuzzerTestOneInput(data, bytes);
}

int main(int argc, char **argv)
{
	int status;

	peak_watch();
	status = mutate_main(argc, argv, "fuzz-symbols", mutate_input);
	printf("the slowest took %.3f s, %" PRIu64 " places had lines\n", slowest_s, n_found);
	printf("of %" PRIu64 " readings of jitdumps the slowest took %.4f s\n", n_calls,
	       slowest_call_s);
	return status;
}

#endif

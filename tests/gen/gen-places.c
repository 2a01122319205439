/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-places FILE <ADDRESSES: functions and lines of addresses (hexadecimal, one a line), as
 * llvm-symbolizer prints them, from a process that reads the file for others.
 * gen-places --pick N FILE: N random addresses of its .text, the same each time.
 * gen-places --rate FILE <ADDRESSES: how many look-ups a second of processor time once everything
 * was read: in ascending order, as who reads files is asked, and in the order of the addresses.
 */
#include <gelf.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/heap.h"
#include "symbols/dwarf/debug-info.h"
#include "symbols/dwarf/elf-parts.h"
#include "symbols/helpers.h"
#include "symbols/symbols.h"

static SptObject *open_object(const char *path)
{
	g_autoptr(GError) error = NULL;
	SptObject *object = spt_object_open(path, &error);

	if (object)
		return object;
	fprintf(stderr, "gen-places: %s\n", error->message);
	exit(1);
}

static int pick(const char *path, unsigned n)
{
	g_autoptr(SptObject) object = open_object(path);
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	GElf_Shdr text;

	if (!spt_elf_section(object, ".text", &text) || text.sh_size < n) {
		fprintf(stderr, "gen-places: %s has too little code to pick %u places from\n", path,
			n);
		return 1;
	}
	while (n-- > 0)
		printf("0x%" G_GINT64_MODIFIER "x\n",
		       text.sh_addr + g_rand_int(random) % text.sh_size);
	return 0;
}

/* The same as symbols.c makes of an object. */
struct namer {
	SptObject *image;
	SptSymtab *symtab;
	SptDebugInfo *info;
};

static unsigned find(const struct namer *namer, uint64_t address, SptPlace places[SPT_INLINES_MAX])
{
	SptSymbol symbol;
	uint64_t offset;
	unsigned n;

	if (!spt_object_address_to_offset(namer->image, address, &offset))
		return 0;
	places[0] = (SptPlace){ 0 };
	n = namer->info ? spt_debug_info_find(namer->info, offset, places) : 0;
	n = MAX(n, 1);
	if (spt_symtab_find(namer->symtab, offset, &symbol))
		places[n - 1].function = symbol.name;
	return n;
}

static void print(SptPlaceTable *table, uint32_t row)
{
	SptPlace places[SPT_INLINES_MAX] = { 0 };
	unsigned n = row == UINT32_MAX ? 0 : spt_place_table_places(table, row, places);
	SptSymbol symbol;

	n = row == UINT32_MAX ? 0 : MAX(n, 1);
	if (n > 0 && spt_place_table_symbol(table, row, &symbol))
		places[n - 1].function = symbol.name;
	for (unsigned i = 0; i < n; i++) {
		const char *file = places[i].file, *directory = places[i].directory;
		bool is_relative = file && directory && *file != '/';

		printf("%s\n%s%s%s:%u\n", places[i].function ? places[i].function : "??",
		       is_relative ? directory : "", is_relative ? "/" : "", file ? file : "??",
		       places[i].line);
	}
	if (n == 0)
		printf("??\n??:0\n");
	printf("\n");
}

/* All at once, as a report requests them. */
static int print_all(const char *path, const GArray *addresses)
{
	g_autoptr(SptHelpers) helpers = spt_helpers_new(NULL, 1, 100000, NULL);
	g_autoptr(SptObject) image = open_object(path);
	g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(SptPlaceTable) table = NULL;
	g_autofree char *whole = realpath(path, NULL);
	uint64_t offset;
	uint32_t tag;

	for (unsigned i = 0; i < addresses->len; i++)
		if (spt_object_address_to_offset(image, g_array_index(addresses, uint64_t, i),
						 &offset))
			g_array_append_val(offsets, offset);
	spt_helper_sort(offsets);
	spt_helpers_begin(helpers, 0,
			  &(SptReadRequest){
				  .fd = spt_object_fd(image),
				  .path = whole,
				  .offsets = (const uint64_t *)(const void *)offsets->data,
				  .n = offsets->len,
				  .depth = SPT_READ_LINES,
			  });
	table = spt_helpers_wait(helpers, &tag);
	if (spt_place_table_problem(table)) {
		fprintf(stderr, "gen-places: %s %s\n", path, spt_place_table_problem(table));
		return 1;
	}
	for (unsigned i = 0; i < addresses->len; i++)
		print(table, spt_object_address_to_offset(
				     image, g_array_index(addresses, uint64_t, i), &offset) ?
				     spt_place_table_find(table, offset) :
				     UINT32_MAX);
	return 0;
}

/* Look-ups a second. */
static double measure(const struct namer *namer, const uint64_t *addresses, unsigned n)
{
	SptPlace places[SPT_INLINES_MAX];
	clock_t start = 0;
	uint64_t found = 0;
	unsigned rounds = 0;

	/* The first round reads. */
	for (; rounds < 2 || clock() - start < CLOCKS_PER_SEC; rounds++) {
		for (unsigned i = 0; i < n; i++)
			found += find(namer, addresses[i], places) > 0;
		if (rounds == 0)
			start = clock();
	}
	if (found == 0)
		exit(1);
	return (rounds - 1.0) * n * CLOCKS_PER_SEC / (double)(clock() - start);
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void print_rates(const char *path, const GArray *addresses)
{
	g_autofree uint64_t *ascending =
		g_memdup2(addresses->data, addresses->len * sizeof(uint64_t));
	struct namer namer;

	/* As a helper reads files. */
	spt_heap_in_large_pages();
	namer.image = open_object(path);
	namer.symtab = spt_symtab_new(namer.image, NULL);
	namer.info = spt_debug_info_new(open_object(path), NULL, true);
	qsort(ascending, addresses->len, sizeof(uint64_t), compare_addresses);
	printf("%.0f ", measure(&namer, ascending, addresses->len));
	printf("%.0f\n", measure(&namer, (const uint64_t *)(const void *)addresses->data,
				 addresses->len));
	spt_debug_info_free(namer.info);
	spt_symtab_free(namer.symtab);
	spt_object_free(namer.image);
}

int main(int argc, char **argv)
{
	bool is_rate = argc == 3 && strcmp(argv[1], "--rate") == 0;
	g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	char line[64];

	if (argc == 4 && strcmp(argv[1], "--pick") == 0)
		return pick(argv[3], atoi(argv[2]));
	if (argc != 2 && !is_rate) {
		fprintf(stderr, "Usage: gen-places [--pick N | --rate] FILE <ADDRESSES\n");
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t address = g_ascii_strtoull(line, NULL, 16);

		g_array_append_val(addresses, address);
	}
	if (!is_rate)
		return print_all(argv[1], addresses);
	print_rates(argv[2], addresses);
	return 0;
}

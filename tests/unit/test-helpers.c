/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files read by helpers: what these say, and what becomes of a file whose helper crashes, hangs,
 * babbles or is not there.
 */
#include "symbols/helpers.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "elf-files.h"
#include "symbols/helpers-private.h"

#define TEXT_OFFSET 0x1080
/* For those that answer: more than a machine can be busy. */
#define PATIENCE_MS 100000

static const uint64_t offsets[] = { TEXT_OFFSET + 4, TEXT_OFFSET + 0x90, TEXT_OFFSET + 0x110 };
static const char *const no_dirs[] = { "/nonexistent", NULL };

static void begin(SptHelpers *helpers, const char *name, uint32_t tag, const SptObjectRow *row)
{
	g_autofree char *path = elf_file(name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	g_assert_cmpint(fd, >=, 0);
	spt_helpers_begin(helpers, tag,
			  &(SptReadRequest){
				  .fd = fd,
				  .path = path,
				  .row = row,
				  .offsets = offsets,
				  .n = G_N_ELEMENTS(offsets),
				  .depth = SPT_READ_LINES,
				  .download = true,
			  });
	close(fd);
}

static SptPlaceTable *wait_for(SptHelpers *helpers, uint32_t tag)
{
	uint32_t which;
	SptPlaceTable *table = spt_helpers_wait(helpers, &which);

	g_assert_nonnull(table);
	g_assert_cmpuint(which, ==, tag);
	return table;
}

static void expect_names(SptPlaceTable *table)
{
	SptSymbol symbol;
	SptPlace places[SPT_INLINES_MAX];

	g_assert_cmpstr(spt_place_table_problem(table), ==, NULL);
	g_assert_cmpuint(spt_place_table_find(table, offsets[2]), ==, 2);
	g_assert_cmpuint(spt_place_table_find(table, offsets[0]), ==, 0);
	g_assert_cmpuint(spt_place_table_find(table, offsets[0] + 1), ==, UINT32_MAX);
	g_assert_true(spt_place_table_symbol(table, 0, &symbol));
	g_assert_cmpstr(symbol.name, ==, "main");
	g_assert_cmpuint(symbol.distance, ==, 4);
	g_assert_cmpuint(symbol.bytes, ==, 0x80);
	/* Between two symbols. */
	g_assert_true(spt_place_table_symbol(table, 1, &symbol));
	g_assert_null(symbol.name);
	g_assert_cmpuint(symbol.distance, <, symbol.bytes);
	g_assert_true(spt_place_table_symbol(table, 2, &symbol));
	g_assert_cmpstr(symbol.name, ==, "_global_a");
	g_assert_cmpuint(spt_place_table_places(table, 0, places), ==, 0);
}

static void test_reads(void)
{
	g_autoptr(SptHelpers) helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, no_dirs);

	for (unsigned round = 0; round < 3; round++) {
		g_autoptr(SptPlaceTable) table = NULL;

		g_assert_true(spt_helpers_has_room(helpers));
		begin(helpers, "whole", round, NULL);
		g_assert_false(spt_helpers_has_room(helpers));
		table = wait_for(helpers, round);
		expect_names(table);
	}
	g_assert_null(spt_helpers_wait(helpers, &(uint32_t){ 0 }));
}

static void test_side_by_side(void)
{
	g_autoptr(SptHelpers) helpers = spt_helpers_new(NULL, 3, PATIENCE_MS, no_dirs);
	unsigned seen = 0;

	for (unsigned i = 0; i < 3; i++)
		begin(helpers, "whole", i, NULL);
	g_assert_false(spt_helpers_has_room(helpers));
	for (unsigned i = 0; i < 3; i++) {
		uint32_t which;
		g_autoptr(SptPlaceTable) table = spt_helpers_wait(helpers, &which);

		expect_names(table);
		seen |= 1u << which;
	}
	g_assert_cmpuint(seen, ==, 7);
}

static void expect_problem(SptHelpers *helpers, const char *name, const SptObjectRow *row,
			   const char *words)
{
	g_autoptr(SptPlaceTable) table = NULL;
	SptSymbol symbol;

	begin(helpers, name, 5, row);
	table = wait_for(helpers, 5);
	g_assert_nonnull(spt_place_table_problem(table));
	g_test_message("%s", spt_place_table_problem(table));
	g_assert_nonnull(strstr(spt_place_table_problem(table), words));
	g_assert_false(
		spt_place_table_symbol(table, spt_place_table_find(table, offsets[1]), &symbol) &&
		symbol.name);
}

static void test_problems_of_files(void)
{
	g_autoptr(SptHelpers) helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, no_dirs);
	SptObjectRow row = { .build_id_bytes = 20, .build_id = { 1 } };

	expect_problem(helpers, "whole", &row, "its build-id differs");
	row.build_id_bytes = 0;
	expect_problem(helpers, "whole", &row, "cannot be identified");
	row.mtime_ns = 1;
	expect_problem(helpers, "whole", &row, "its size differs");
	expect_problem(helpers, "bare", NULL, "has no symbols");
	expect_problem(helpers, "text", NULL, "does not begin like one");
}

/* A helper of a few words. */
static char *script(const char *text)
{
	static unsigned number;
	g_autofree char *name = g_strdup_printf("helper-%u", number++),
			*whole = g_strdup_printf("#!/bin/sh\n%s\n", text);
	char *path = elf_file(name);

	g_assert_true(
		g_file_set_contents_full(path, whole, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
	return path;
}

static void test_problems_of_helpers(void)
{
	static const struct {
		const char *text, *words;
		unsigned patience_ms;
	} bad[] = {
		{ "kill -SEGV $$", "crashed (Segmentation fault)", PATIENCE_MS },
		{ "kill -XCPU $$", "took too long", PATIENCE_MS },
		{ "exit 3", "gave up (status 3)", PATIENCE_MS },
		{ "exec sleep 1000", "took too long", 300 },
		/* Never a whole answer. */
		{ "while printf spt; do :; done >&0", "cannot be read", PATIENCE_MS },
		{ "head -c 100000 /dev/zero >&0; exec sleep 1000", "cannot be read", PATIENCE_MS },
	};
	g_autoptr(SptHelpers) none =
		spt_helpers_new("/nonexistent/helper", 1, PATIENCE_MS, no_dirs);

	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *program = script(bad[i].text);
		g_autoptr(SptHelpers) helpers =
			spt_helpers_new(program, 1, bad[i].patience_ms, no_dirs);

		expect_problem(helpers, "whole", NULL, bad[i].words);
		expect_problem(helpers, "whole", NULL, bad[i].words);
	}
	expect_problem(none, "whole", NULL,
		       "/nonexistent/helper, which reads files, cannot be run: No such file");
}

/* Who waits for a while gets it later. */
static void test_late(void)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL),
			*home = g_path_get_dirname(program);
	g_autofree char *flag = elf_file("may-begin");
	g_autofree char *text =
		g_strdup_printf("while ! [ -e %s ]; do sleep 0.1; done; exec %s/../sysprof-helper",
				flag, home);
	g_autofree char *path = script(text);
	g_autoptr(SptHelpers) helpers = spt_helpers_new(path, 1, PATIENCE_MS, no_dirs);
	g_autoptr(SptPlaceTable) table = NULL;
	uint32_t which;

	begin(helpers, "whole", 8, NULL);
	g_assert_null(spt_helpers_wait_for(helpers, 0, &which));
	g_assert_null(spt_helpers_wait_for(helpers, 50, &which));
	g_assert_true(g_file_set_contents(flag, "", 0, NULL));
	table = wait_for(helpers, 8);
	expect_names(table);
}

/* Symbols that are kept are the file's. */
static void test_kept(void)
{
	static const char *const files[] = { "whole", "mini", "whole", "bare", "mini" };
	g_autoptr(SptHelpers) helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, no_dirs);

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = elf_file(files[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		g_autoptr(SptPlaceTable) table = NULL;

		spt_helpers_begin(helpers, i,
				  &(SptReadRequest){
					  .fd = fd,
					  .path = path,
					  .offsets = offsets,
					  .n = G_N_ELEMENTS(offsets),
					  .depth = SPT_READ_SYMBOLS,
					  .keep = true,
				  });
		close(fd);
		table = wait_for(helpers, i);
		if (strcmp(files[i], "bare") == 0)
			g_assert_cmpstr(spt_place_table_problem(table), ==, "has no symbols");
		else
			expect_names(table);
	}
}

/* One file costs one helper. */
static void test_next_file(void)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL),
			*home = g_path_get_dirname(program);
	g_autofree char *flag = elf_file("was-here");
	g_autofree char *text =
		g_strdup_printf("[ -e %s ] && exec %s/../sysprof-helper; touch %s; kill -SEGV $$",
				flag, home, flag);
	g_autofree char *path = script(text);
	g_autoptr(SptHelpers) helpers = spt_helpers_new(path, 1, PATIENCE_MS, no_dirs);
	g_autoptr(SptPlaceTable) table = NULL;

	expect_problem(helpers, "whole", NULL, "crashed");
	begin(helpers, "whole", 6, NULL);
	table = wait_for(helpers, 6);
	expect_names(table);
}

static SptObject *open_elf_file(const char *name)
{
	g_autofree char *path = elf_file(name);

	return spt_object_open(path, NULL);
}

/* Tables to unwind by between questions of another kind: as they are made here. */
static void test_unwind_tables(void)
{
	g_autoptr(SptHelpers) helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, no_dirs);
	g_autoptr(SptObject) self = spt_object_open("/proc/self/exe", NULL),
			     none = open_elf_file("bare");
	g_autoptr(SptUnwindTable) right = spt_unwind_table_new(self, NULL);

	for (unsigned i = 0; i < 3; i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(SptPlaceTable) places = NULL;
		bool has_debug = true;
		g_autoptr(SptUnwindTable) table =
			spt_helpers_unwind_table(helpers, self, NULL, &has_debug, &error);

		g_assert_no_error(error);
		g_assert_false(has_debug);
		g_assert_true(g_bytes_equal(spt_unwind_table_bytes(table),
					    spt_unwind_table_bytes(right)));
		begin(helpers, "whole", i, NULL);
		places = wait_for(helpers, i);
		expect_names(places);
		g_assert_null(spt_helpers_unwind_table(helpers, none, NULL, &has_debug, &error));
		g_assert_error(error, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_NO_INFO);
	}
}

static bool give_up(uint32_t tag, uint64_t done_bytes, uint64_t total_bytes, void *data)
{
	g_assert_cmpuint(tag, ==, 5);
	g_assert_cmpuint(done_bytes, ==, 'A');
	g_assert_cmpuint(total_bytes, ==, 'B');
	++*(unsigned *)data;
	return false;
}

/*
 * A helper that wants the debug file of a build-id of 20 letters a, waits for the reply to that
 * and then gives up.  Who is to download begins to, and hears that it should not.
 */
static void expect_fetches(const SptObjectRow *row, unsigned n)
{
	g_autofree char *path = elf_file("whole");
	size_t bytes = sizeof(struct spt_helper_request) + strlen(path) + sizeof("/nonexistent") +
		       sizeof(offsets) + sizeof(struct spt_helper_reply);
	static const char zeros[] = "\\0\\0\\0\\0\\0\\0\\0\\0";
	g_autofree char *text = g_strdup_printf(
		"if [ \"$1\" = --fetch ]; then printf 'A%sB%s%s' >&0; exec sleep 1000; fi\n"
		"printf 'sppf%s\\024%s%s%s%s' >&0; head -c %zu >/dev/null; exit 7",
		zeros + 2, zeros + 2, zeros, zeros + 8, zeros + 2, zeros, zeros,
		"aaaaaaaaaaaaaaaaaaaa", bytes);
	g_autofree char *program = script(text);
	g_autoptr(SptHelpers) helpers = spt_helpers_new(program, 1, PATIENCE_MS, no_dirs);
	unsigned told = 0;

	spt_helpers_set_progress(helpers, give_up, &told);
	expect_problem(helpers, "whole", row, "gave up (status 7)");
	g_assert_cmpuint(told, ==, n);
}

static void test_download_given_up(void)
{
	SptObjectRow row = { .build_id_bytes = 20 };

	memset(row.build_id, 'a', 20);
	expect_fetches(&row, 1);
	/* The device cuts long ones. */
	row.build_id_bytes = 16;
	expect_fetches(&row, 1);
}

/* Servers hear of nothing that was not recorded. */
static void test_download_of_another(void)
{
	SptObjectRow row = { .build_id_bytes = 20 };

	memset(row.build_id, 'b', 20);
	expect_fetches(&row, 0);
	expect_fetches(NULL, 0);
}

/* Whatever a helper says, nothing beyond it is looked at. */
static void test_damaged_tables(void)
{
	g_autofree char *path = elf_file("whole");
	g_autoptr(GByteArray) sound =
		spt_place_table_write(spt_object_open(path, NULL), no_dirs, offsets,
				      G_N_ELEMENTS(offsets), SPT_READ_SYMBOLS);
	unsigned taken = 0;

	for (unsigned round = 0; round < 20000; round++) {
		GByteArray *bytes =
			g_byte_array_append(g_byte_array_new(), sound->data, sound->len);
		g_autoptr(SptPlaceTable) table = NULL;

		for (unsigned i = 0; i < round % 4; i++)
			bytes->data[g_test_rand_int_range(0, bytes->len)] = g_test_rand_int();
		if (round % 5 == 4)
			g_byte_array_set_size(bytes, g_test_rand_int_range(0, bytes->len));
		table = spt_place_table_new(bytes, offsets, G_N_ELEMENTS(offsets));
		for (unsigned i = 0; table && i < G_N_ELEMENTS(offsets); i++) {
			SptPlace places[SPT_INLINES_MAX];
			SptSymbol symbol;

			taken++;
			if (spt_place_table_symbol(table, i, &symbol) && symbol.name)
				g_assert_cmpuint(strlen(symbol.name), <, sound->len);
			for (unsigned n = spt_place_table_places(table, i, places); n-- > 0;)
				if (places[n].function)
					g_assert_cmpuint(strlen(places[n].function), <, sound->len);
		}
	}
	g_assert_cmpuint(taken, >, 1000);
}

int main(int argc, char **argv)
{
	g_autofree char *text = NULL;
	int status;

	g_test_init(&argc, &argv, NULL);
	make_elf_files(argv[0]);
	text = elf_file("text");
	g_assert_true(g_file_set_contents(
		text, "no ELF file, but long enough to be one: it is text.........", -1, NULL));
	g_test_add_func("/helpers/reads", test_reads);
	g_test_add_func("/helpers/side-by-side", test_side_by_side);
	g_test_add_func("/helpers/problems-of-files", test_problems_of_files);
	g_test_add_func("/helpers/problems-of-helpers", test_problems_of_helpers);
	g_test_add_func("/helpers/late", test_late);
	g_test_add_func("/helpers/kept", test_kept);
	g_test_add_func("/helpers/next-file", test_next_file);
	g_test_add_func("/helpers/unwind-tables", test_unwind_tables);
	g_test_add_func("/helpers/download-given-up", test_download_given_up);
	g_test_add_func("/helpers/download-of-another", test_download_of_another);
	g_test_add_func("/helpers/damaged-tables", test_damaged_tables);
	status = g_test_run();
	remove_elf_files();
	return status;
}

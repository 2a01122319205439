/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finders of names: each kind of object has its own, the first that knows a place names it, and
 * their counts are what one place after the other says.
 */
#include "profile/finder-counts.h"

#include <string.h>

#include "elf-files.h"
#include "stash/stash.h"

#define TEXT_OFFSET 0x1080
#define STRANGE_KIND 4000000000u	/* of a later version, or a hostile file */

enum { KERNEL = 1, MODULES, ANON, VDSO, SOURCE, WHOLE, GONE, STRANGE, OBJECTS };

static struct {
	uint32_t object;
	uint64_t offset;
	const SptSymbolFinder *finder;
	const char *name;		/* NULL: bounds only, or nothing */
	SptSource source;
} expected[] = {
	{ KERNEL, 0x40, &spt_finder_kernel, "do_syscall_64", SPT_SOURCE_CAPTURE },
	{ KERNEL, 0x44, NULL, NULL, SPT_SOURCE_NONE },
	{ MODULES, 0x40, &spt_finder_kernel, "ext4_read", SPT_SOURCE_CAPTURE },
	{ ANON, 0x40, &spt_finder_run_time, "compiled", SPT_SOURCE_CAPTURE },
	{ ANON, 0x41, NULL, NULL, SPT_SOURCE_NONE },
	{ VDSO, 0x40, &spt_finder_vdso, "__vdso_time", SPT_SOURCE_CAPTURE },
	{ SOURCE, 0x40, &spt_finder_scripts, "handler", SPT_SOURCE_CAPTURE },
	/* What was bundled comes before what was recorded, and both before the file. */
	{ WHOLE, TEXT_OFFSET, &spt_finder_bundled, "bundled", SPT_SOURCE_BUNDLE },
	{ WHOLE, TEXT_OFFSET + 1, &spt_finder_recorded, "recorded", SPT_SOURCE_CAPTURE },
	{ WHOLE, TEXT_OFFSET + 4, &spt_finder_file, "main", SPT_SOURCE_SYMTAB },
	/* No symbol, but unwind information has its function. */
	{ WHOLE, TEXT_OFFSET + 0x80, &spt_finder_file, NULL, SPT_SOURCE_NONE },
	/* A file may have the name of a function of which only the bounds were recorded. */
	{ WHOLE, TEXT_OFFSET + 0x410, &spt_finder_file, "chosen", SPT_SOURCE_SYMTAB },
	{ GONE, 0x99, &spt_finder_recorded, "kept", SPT_SOURCE_CAPTURE },
	{ GONE, 0x210, &spt_finder_extents, NULL, SPT_SOURCE_NONE },
	{ STRANGE, 0x40, &spt_finder_recorded, "later", SPT_SOURCE_CAPTURE },
	{ STRANGE, 0x41, NULL, NULL, SPT_SOURCE_NONE },
	{ 0, 0x40, NULL, NULL, SPT_SOURCE_NONE },
	/* The last one is in no capture: no reader lets it through. */
	{ OBJECTS + 5, 0x40, NULL, NULL, SPT_SOURCE_NONE },
};

#define PLACES (G_N_ELEMENTS(expected) - 1)

struct fixture {
	SptCapture capture;
	SptObjectRow objects[OBJECTS];
	SptStash *stash;
	SptNode *nodes;
	char *path;
	SptLeafRow leaves[2 * PLACES];
};

static SptNameRow names[] = {
	{ .object = KERNEL, .offset = 0x40, .symbol = "do_syscall_64", .module = "" },
	{ .object = MODULES, .offset = 0x40, .symbol = "ext4_read", .module = "ext4" },
	{ .object = ANON, .offset = 0x40, .symbol = "compiled", .module = "" },
	{ .object = VDSO, .offset = 0x40, .symbol = "__vdso_time", .module = "" },
	{ .object = SOURCE, .offset = 0x40, .symbol = "handler", .module = "" },
	{ .object = WHOLE, .offset = TEXT_OFFSET, .symbol = "recorded", .module = "" },
	{ .object = WHOLE, .offset = TEXT_OFFSET + 1, .symbol = "recorded", .module = "" },
	{ .object = WHOLE, .offset = TEXT_OFFSET + 0x400, .symbol = "", .module = "",
	  .symbol_bytes = 0x40 },
	{ .object = GONE, .offset = 0x99, .symbol = "kept", .module = "" },
	{ .object = GONE, .offset = 0x200, .symbol = "", .module = "", .symbol_bytes = 0x40 },
	{ .object = STRANGE, .offset = 0x40, .symbol = "later", .module = "" },
};

static SptBundledRow bundled[] = {
	{ .object = WHOLE, .offset = TEXT_OFFSET, .function = "bundled", .directory = "",
	  .file = "", .is_symbol = true },
};

static void make_objects(struct fixture *fixture)
{
	static const uint32_t kinds[OBJECTS] = {
		[KERNEL] = SPT_OBJECT_KERNEL, [MODULES] = SPT_OBJECT_MODULES,
		[ANON] = SPT_OBJECT_ANON,     [VDSO] = SPT_OBJECT_VDSO,
		[SOURCE] = SPT_OBJECT_SOURCE, [WHOLE] = SPT_OBJECT_FILE,
		[GONE] = SPT_OBJECT_FILE,     [STRANGE] = STRANGE_KIND,
	};

	for (uint32_t id = 1; id < OBJECTS; id++)
		fixture->objects[id] =
			(SptObjectRow){ .id = id, .kind = kinds[id], .path = "/no/such/file" };
	fixture->path = elf_file("whole");
	fixture->objects[WHOLE].path = fixture->path;
	fixture->objects[WHOLE].build_id_bytes = 20;
	fixture->objects[WHOLE].build_id[0] = 0xab;
	for (unsigned i = 1; i < 20; i++)
		fixture->objects[WHOLE].build_id[i] = i * 7;
}

/* Two stacks for each place: it is the innermost frame of one, and below another place in one. */
static void set_up(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	unsigned n = 0;

	make_objects(fixture);
	fixture->stash = spt_stash_new();
	for (unsigned i = 0; i < PLACES; i++) {
		const SptFrame frame = { .object = expected[i].object,
					 .offset = expected[i].offset };
		const SptFrame outer = { .object = KERNEL, .offset = 0x40 };
		uint32_t below = spt_stash_child(fixture->stash, 0, &outer);

		fixture->leaves[n++] = (SptLeafRow){
			.node = spt_stash_child(fixture->stash, 0, &frame), .weight = i + 1
		};
		fixture->leaves[n++] = (SptLeafRow){
			.node = spt_stash_child(fixture->stash, below, &frame), .weight = 100
		};
	}
	fixture->nodes = g_memdup2(spt_stash_node(fixture->stash, 0),
				   spt_stash_n_nodes(fixture->stash) * sizeof(SptNode));
	spt_stash_number_frames(fixture->stash);
	for (uint32_t i = 0; i < spt_stash_n_nodes(fixture->stash); i++)
		fixture->nodes[i].key = spt_stash_frame_of(fixture->stash, i);
	fixture->capture = (SptCapture){
		.path = "by hand",
		.objects = fixture->objects,
		.n_objects = OBJECTS,
		.names = names,
		.n_names = G_N_ELEMENTS(names),
		.bundled = bundled,
		.n_bundled = G_N_ELEMENTS(bundled),
		.nodes = fixture->nodes,
		.n_nodes = spt_stash_n_nodes(fixture->stash),
		.n_frames = spt_stash_number_frames(fixture->stash),
		.leaves = fixture->leaves,
		.n_leaves = n,
		.has_leaves = true,
	};
}

static void tear_down(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	spt_stash_free(fixture->stash);
	g_free(fixture->nodes);
	g_free(fixture->path);
}

static void test_order(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(&fixture->capture, NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		const SptFrame frame = { .object = expected[i].object,
					 .offset = expected[i].offset };
		SptSymbol symbol = { 0 };
		SptName name = spt_symbols_name(symbols, &frame);

		g_test_message("place %u", i);
		g_assert_true(spt_finder_of(symbols, &frame, &symbol) == expected[i].finder);
		g_assert_cmpstr(symbol.name, ==, expected[i].name);
		g_assert_cmpint(symbol.source, ==, expected[i].source);
		g_assert_cmpint(name.has_symbol, ==, expected[i].name != NULL);
		g_assert_cmpint(name.source, ==, expected[i].source);
		if (expected[i].name)
			g_assert_cmpstr(name.function, ==, expected[i].name);
	}
}

static void test_counts(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(&fixture->capture, NULL);
	g_autoptr(GArray) rows = spt_finder_counts_new(&fixture->capture, symbols);

	g_assert_cmpuint(rows->len, ==, SPT_N_FINDERS + 1);
	for (unsigned i = 0; i < rows->len; i++) {
		const SptFinderCount *row = &g_array_index(rows, SptFinderCount, i);
		SptFinderCount sum = { 0 };

		g_assert_true(row->finder == spt_finders[i]);
		for (unsigned k = 0; k < PLACES; k++) {
			bool is_named = expected[k].name != NULL;

			if (expected[k].finder == row->finder) {
				sum.named += is_named;
				sum.unnamed += !is_named;
				sum.sources[expected[k].source] += is_named;
			}
			if (is_named ? expected[k].finder == row->finder : !row->finder)
				sum.weight += k + 1 + 100;
		}
		g_assert_cmpuint(row->named, ==, sum.named);
		g_assert_cmpuint(row->unnamed, ==, sum.unnamed);
		g_assert_cmpuint(row->weight, ==, sum.weight);
		g_assert_cmpmem(row->sources, sizeof(row->sources), sum.sources,
				sizeof(sum.sources));
	}
}

/* Their names differ, and each is asked for something. */
static void test_list(void)
{
	unsigned n = 0;

	for (; spt_finders[n]; n++) {
		g_assert_true(*spt_finders[n]->name && *spt_finders[n]->knows);
		g_assert_cmpuint(spt_finders[n]->kinds, !=, 0);
		for (unsigned i = 0; i < n; i++)
			g_assert_cmpstr(spt_finders[i]->name, !=, spt_finders[n]->name);
	}
	g_assert_cmpuint(n, ==, SPT_N_FINDERS);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	make_elf_files(argv[0]);
	g_test_add("/finders/order", struct fixture, NULL, set_up, test_order, tear_down);
	g_test_add("/finders/counts", struct fixture, NULL, set_up, test_counts, tear_down);
	g_test_add_func("/finders/list", test_list);
	status = g_test_run();
	remove_elf_files();
	return status;
}

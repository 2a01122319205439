/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coverage: each object's weight, and the part of it that has names, are what one sample after the
 * other says.
 */
#include "profile/coverage.h"

#include "captures.h"

#define NAMED 5			/* functions of the fake that keep their names */

enum { FILE_OBJECT = 2, CODE_OBJECT, OBJECTS };

/*
 * As many samples in a file that is not there, in memory without a file, and without a place, and
 * some without a stack.
 */
static const SptCapture *make(struct fake *fake, SptObjectRow *objects, bool has_leaves)
{
	static const SptFrame others[] = {
		{ .object = FILE_OBJECT, .offset = 16 },
		{ .object = CODE_OBJECT, .offset = 32 },
		{ .object = 0, .offset = 0 },
	};
	SptCapture *capture;

	fake_init(fake);
	fake_random(fake, 500);
	for (unsigned i = 0; i < 30; i++) {
		SptSampleRow sample = { .thread = 1,
					.weight = 2,
					.node = spt_stash_child(fake->stash, 0, &others[i % 3]) };

		g_array_append_val(fake->samples, sample);
	}
	fake_sample(fake, 1, NULL, 0, 7, 9);
	capture = (SptCapture *)fake_capture(fake);
	objects[1] = fake->objects[1];
	objects[FILE_OBJECT] = (SptObjectRow){ .id = FILE_OBJECT,
					       .kind = SPT_OBJECT_FILE,
					       .path = "/no/such/file" };
	objects[CODE_OBJECT] =
		(SptObjectRow){ .id = CODE_OBJECT, .kind = SPT_OBJECT_ANON, .path = "" };
	capture->objects = objects;
	capture->n_objects = OBJECTS;
	capture->n_names = NAMED;
	capture->has_leaves = has_leaves;
	return capture;
}

static const SptCoverageRow *find(const GArray *rows, const char *name)
{
	for (unsigned i = 0; i < rows->len; i++) {
		const SptCoverageRow *row = &g_array_index(rows, SptCoverageRow, i);

		if (strcmp(row->name, name) == 0)
			return row;
	}
	g_assert_not_reached();
}

static void check_row(const GArray *rows, const char *name, uint64_t weight, uint64_t named,
		      const char *problem)
{
	const SptCoverageRow *row = find(rows, name);

	g_assert_cmpuint(row->weight, ==, weight);
	g_assert_cmpuint(row->named, ==, named);
	g_assert_cmpstr(row->problem, ==, problem);
}

static void test_sums(gconstpointer has_leaves)
{
	struct fake fake;
	SptObjectRow objects[OBJECTS] = { 0 };
	const SptCapture *capture = make(&fake, objects, has_leaves != NULL);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(GArray) rows = spt_coverage_new(capture, symbols);
	uint64_t kernel = 0, kernel_named = 0, nothing = 0, sum = 0;

	for (unsigned i = 0; i < fake.samples->len; i++) {
		const SptSampleRow *sample = &g_array_index(fake.samples, SptSampleRow, i);
		const SptFrame *frame = &capture->nodes[sample->node].frame;

		nothing += sample->node == 0 ? sample->weight : 0;
		kernel += frame->object == 1 ? sample->weight : 0;
		kernel_named +=
			frame->object == 1 && frame->offset < 16 * NAMED ? sample->weight : 0;
	}
	g_assert_cmpuint(rows->len, ==, 5);
	check_row(rows, "[kernel]", kernel, kernel_named,
		  "the kernel did not name these addresses while it was recorded");
	check_row(rows, "file", 20, 0, "no such file");
	check_row(rows, "[anon]", 20, 0, "memory without a file, such as code made at run time");
	check_row(rows, "[unknown]", 20, 0, "no mapping is known for these addresses");
	check_row(rows, "[no stack]", nothing, 0, "no stack was requested, or none could be taken");
	g_assert_cmpuint(spt_coverage_named(rows), ==, kernel_named);
	for (unsigned i = 0; i < rows->len; i++) {
		const SptCoverageRow *row = &g_array_index(rows, SptCoverageRow, i);

		sum += row->weight;
		if (i > 0)
			g_assert_cmpuint(row->weight - row->named, <=,
					 row[-1].weight - row[-1].named);
	}
	g_assert_cmpuint(sum, ==, capture->weight);
	fake_clear(&fake);
}

/* What has all its names has no problem; nothing recorded is nothing to report. */
static void test_whole(void)
{
	struct fake fake;

	fake_init(&fake);

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(GArray) empty = spt_coverage_new(capture, symbols);

	g_assert_cmpuint(empty->len, ==, 0);
	fake_sample(&fake, 1, (const unsigned[]){ 1, 2 }, 2, 5, 3);
	capture = fake_capture(&fake);

	g_autoptr(GArray) rows = spt_coverage_new(capture, symbols);

	g_assert_cmpuint(rows->len, ==, 1);
	check_row(rows, "[kernel]", 3, 3, NULL);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/coverage/sums-of-leaves", "", test_sums);
	g_test_add_data_func("/coverage/sums-of-samples", NULL, test_sums);
	g_test_add_func("/coverage/whole", test_whole);
	return g_test_run();
}

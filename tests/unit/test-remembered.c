/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What captures of one machine have in common: a function that is known is not looked for again. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "object/object.h"
#include "rewrite/remembered.h"
#include "symbols/symbols.h"

#define OUTER_AT 3u			/* before the function in its midst, and behind it */
#define INNER_AT 20u
#define BACK_AT	 40u

static char *directory;

/* A function in another one, as assembly has them; nobody calls them. */
__asm__(".text\n"
	".globl test_outer\n.type test_outer, @function\ntest_outer:\n"
	".skip 16, 0x90\n"
	".globl test_inner\n.type test_inner, @function\ntest_inner:\n"
	".skip 16, 0x90\n"
	".size test_inner, 16\n"
	".skip 16, 0x90\n"
	".size test_outer, 48\n");
extern const char test_outer[], __executable_start[];

/* Where @distance behind the outer function is in this program's file. */
static uint64_t place_of(unsigned distance)
{
	g_autoptr(SptObject) self = spt_object_open("/proc/self/exe", NULL);
	uint64_t offset;

	g_assert_true(spt_object_address_to_offset(
		self, (uint64_t)(test_outer - __executable_start), &offset));
	return offset + distance;
}

/* A capture of this program with places at these distances. */
static SptCapture *make(const unsigned *distances, unsigned n)
{
	g_autofree char *path = g_build_filename(directory, "a.capture", NULL),
			*self = g_file_read_link("/proc/self/exe", NULL);
	SptCaptureWriter *writer = spt_capture_writer_new(path, NULL);
	SptStash *stash = spt_stash_new();
	SptCapture *capture;
	struct stat st;

	g_assert_cmpint(stat(self, &st), ==, 0);
	spt_capture_writer_object(writer, &(SptObjectRow){
		.id = 1, .kind = SPT_OBJECT_FILE, .path = self, .bytes = (uint64_t)st.st_size,
		.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
			    (uint64_t)st.st_mtim.tv_nsec });
	for (unsigned i = 0; i < n; i++)
		spt_stash_child(stash, 0, &(SptFrame){ .object = 1,
						       .offset = place_of(distances[i]),
						       .kind = SPT_FRAME_EXACT });
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, NULL));
	spt_capture_writer_free(writer);
	spt_stash_free(stash);
	capture = spt_capture_open(path, NULL);
	g_assert_nonnull(capture);
	g_unlink(path);
	return capture;
}

/* What is remembered of the place; NULL: nothing. */
static const SptBundledRow *row_of(const SptCapture *capture, unsigned distance)
{
	for (uint64_t i = 0; i < capture->n_bundled; i++)
		if (capture->bundled[i].offset == place_of(distance))
			return &capture->bundled[i];
	return NULL;
}

/* Learns these places, as far as they are not known. */
static void learn(SptRemembered *remembered, unsigned detail, const unsigned *distances,
		  unsigned n)
{
	SptCapture *capture = make(distances, n);
	SptSymbols *symbols;

	spt_remembered_put(remembered, capture);
	symbols = spt_symbols_new(capture, NULL);
	spt_symbols_set_detail(symbols, detail);
	spt_remembered_learn(remembered, capture, symbols);
	spt_symbols_free(symbols);
	spt_capture_free(capture);
}

static void test_functions(void)
{
	static const unsigned first[] = { OUTER_AT }, others[] = { OUTER_AT + 1, INNER_AT,
								    BACK_AT, 48 };
	g_autoptr(SptRemembered) remembered = spt_remembered_new(100);
	SptCapture *capture;

	learn(remembered, 0, first, 1);
	g_assert_cmpuint(spt_remembered_count(remembered), ==, 1);
	capture = make(others, G_N_ELEMENTS(others));
	spt_remembered_put(remembered, capture);
	/* The same function, but not the one in its midst, nor what is behind that. */
	g_assert_cmpuint(capture->n_bundled, ==, 1);
	g_assert_cmpstr(row_of(capture, OUTER_AT + 1)->function, ==, "test_outer");
	g_assert_cmpuint(row_of(capture, OUTER_AT + 1)->distance, ==, OUTER_AT + 1);
	g_assert_cmpuint(row_of(capture, OUTER_AT + 1)->symbol_bytes, ==, 48);
	spt_capture_free(capture);
	learn(remembered, 0, others, 3);
	g_assert_cmpuint(spt_remembered_count(remembered), ==, 3);
	capture = make(others, 3);
	spt_remembered_put(remembered, capture);
	g_assert_cmpstr(row_of(capture, INNER_AT)->function, ==, "test_inner");
	g_assert_cmpuint(row_of(capture, INNER_AT)->distance, ==, INNER_AT - 16);
	g_assert_cmpstr(row_of(capture, BACK_AT)->function, ==, "test_outer");
	g_assert_cmpuint(row_of(capture, BACK_AT)->distance, ==, BACK_AT);
	spt_capture_free(capture);
}

/* Lines differ from place to place. */
static void test_lines(void)
{
	static const unsigned first[] = { OUTER_AT }, next[] = { OUTER_AT, OUTER_AT + 1 };
	g_autoptr(SptRemembered) remembered = spt_remembered_new(100);
	SptCapture *capture;

	learn(remembered, SPT_DETAIL_LINES, first, 1);
	capture = make(next, G_N_ELEMENTS(next));
	spt_remembered_put(remembered, capture);
	g_assert_nonnull(row_of(capture, OUTER_AT));
	g_assert_null(row_of(capture, OUTER_AT + 1));
	spt_capture_free(capture);
}

/* What is used again stays when there is too much; the rest goes. */
static void test_generations(void)
{
	static const unsigned outer[] = { OUTER_AT }, inner[] = { INNER_AT }, back[] = { BACK_AT };
	g_autoptr(SptRemembered) remembered = spt_remembered_new(1);
	SptCapture *capture;

	learn(remembered, 0, outer, 1);
	learn(remembered, 0, inner, 1);
	g_assert_cmpuint(spt_remembered_count(remembered), ==, 2);
	learn(remembered, 0, back, 1);
	/* The outer one was of no use since. */
	capture = make(outer, 1);
	spt_remembered_put(remembered, capture);
	g_assert_cmpuint(capture->n_bundled, ==, 0);
	spt_capture_free(capture);
	capture = make(back, 1);
	spt_remembered_put(remembered, capture);
	g_assert_cmpuint(capture->n_bundled, ==, 1);
	g_assert_cmpuint(spt_remembered_count(remembered), ==, 1);
	spt_capture_free(capture);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("spt-remembered-XXXXXX", NULL);
	g_test_add_func("/remembered/functions", test_functions);
	g_test_add_func("/remembered/lines", test_lines);
	g_test_add_func("/remembered/generations", test_generations);
	status = g_test_run();
	g_rmdir(directory);
	g_free(directory);
	return status;
}

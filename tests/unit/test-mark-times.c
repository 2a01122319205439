/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks by their own name and category, whatever characters these have; and what is timed. */
#include "profile/mark-times.h"

#include "profile/restrictions.h"

#include <glib/gstdio.h>

static const struct {
	const char *name, *category;
	uint32_t thread;
	uint64_t duration_ns;
} marks[] = { { "draw*", "gtk", 1, 10 },
	      { "draw*", "", 1, 200 },
	      { "drawing", "gtk", 1, 3000 },
	      { "draw*", "gtk", 0, 40000 } };

static SptCapture *open_marks(const char *path)
{
	static const SptDeclarationRow kind = {
		.id = 1,
		.shape = SPT_DECLARED_INTERVAL,
		.name = "mark",
		.title = "Marks",
		.n_fields = 2,
		.fields = { { "name", "", SPT_VALUE_TEXT }, { "category", "", SPT_VALUE_TEXT } },
	};
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();

	spt_capture_writer_process(writer,
				   &(SptProcessRow){ .id = 1, .pid = 100, .name = "painter" });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = 1, .process = 1, .tid = 100, .name = "painter" });
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &kind);
	for (unsigned i = 0; i < G_N_ELEMENTS(marks); i++) {
		const SptDeclaredRow row = { .time = 1000000 * (i + 1),
					     .duration_ns = marks[i].duration_ns,
					     .kind = kind.id,
					     .thread = marks[i].thread,
					     .values = { { .text = marks[i].name },
							 { .text = marks[i].category } } };

		spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, NULL));
	return spt_capture_open(path, NULL);
}

static void check_times(const SptCapture *capture, const SptMarkQuery *query, uint64_t n,
			uint64_t sum_ns, uint64_t of_threads_ns)
{
	SptMarkTimes times;

	spt_mark_times(capture, query, &times);
	g_assert_cmpuint(times.all.n, ==, n);
	g_assert_cmpuint(times.all.sum_ns, ==, sum_ns);
	g_assert_cmpuint(spt_mark_step_of_threads(&times.all), ==, of_threads_ns);
	g_assert_cmpuint(times.all.running_ns, ==, of_threads_ns);
}

static void test_names(void)
{
	g_autofree char *directory = g_dir_make_tmp("marks-XXXXXX", NULL),
			*path = g_build_filename(directory, "marks", NULL);
	g_autoptr(SptCapture) capture = open_marks(path);
	g_autofree char *text = NULL;
	SptRestriction only;

	/* What has no thread did nothing that is known. */
	check_times(capture, &(SptMarkQuery){ .name = "draw*" }, 4, 43210, 3210);
	check_times(capture, &(SptMarkQuery){ .exact_name = "draw*" }, 3, 40210, 210);
	check_times(capture, &(SptMarkQuery){ .exact_name = "draw*", .category = "gtk" }, 2, 40010,
		    10);
	check_times(capture, &(SptMarkQuery){ .exact_name = "draw*", .category = "" }, 1, 200, 200);
	check_times(capture, &(SptMarkQuery){ .exact_name = "draw" }, 0, 0, 0);

	g_assert_true(spt_restriction_to_mark(
		capture, &(SptMarkQuery){ .exact_name = "draw*", .category = "gtk" }, &only));
	g_assert_cmpstr(only.text, ==, "draw*");
	g_assert_cmpstr(only.category, ==, "gtk");
	text = spt_restriction_describe(&only, 0);
	g_assert_cmpstr(text, ==, "within mark draw* (gtk)");
	spt_restriction_clear(&only);
	g_assert_false(spt_restriction_to_mark(
		capture, &(SptMarkQuery){ .exact_name = "drawing", .category = "" }, &only));
	g_unlink(path);
	g_rmdir(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mark-times/names", test_names);
	return g_test_run();
}

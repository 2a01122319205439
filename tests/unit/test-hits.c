/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often points came that are only counted, of a source whose counts the test chooses. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/clock.h"
#include "capture/declared.h"
#include "record/point-hits.h"
#include "record/recorder.h"
#include "trace/points/point.h"
#include "trace/trace-private.h"

#define SECOND 1000000000ull

static SptTraceCount counts[2];

static bool count_point(G_GNUC_UNUSED SptTrace *trace, unsigned point, SptTraceCount *ret)
{
	*ret = counts[point];
	return true;
}

static const SptTraceCount whole[] = { { .count = 500, .enabled_ns = SECOND, .running_ns = SECOND },
				       { .count = 700, .enabled_ns = 2 * SECOND,
					 .running_ns = 2 * SECOND } },
			   /* 500 in half of the time, and then none of it. */
			   turns[] = { { .count = 500, .enabled_ns = SECOND,
					 .running_ns = SECOND / 2 },
				       { .count = 500, .enabled_ns = 2 * SECOND,
					 .running_ns = SECOND / 2 } };

/* The rates of a counter, of @n rows. */
static void assert_rates(const SptCapture *capture, const char *name, uint64_t start,
			 const double *rates, unsigned n)
{
	const SptDeclared *kind = spt_declared_find(capture, name);
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	const SptDeclaredRow *rows;
	uint32_t n_rows;

	g_assert_cmpuint(kind->rows, ==, n);
	rows = spt_declared_reader_next(reader, &n_rows);
	g_assert_cmpuint(n_rows, ==, n);
	for (unsigned i = 0; i < n; i++) {
		g_assert_cmpuint(rows[i].time, ==,
				 start + (i + 1) * SECOND + (i == 0 ? SECOND / 1000 : 0));
		/* It began when the clock was read, a moment after that. */
		g_assert_cmpfloat_with_epsilon(rows[i].values[0].real, rates[i], rates[i] / 10);
	}
}

static void test_rates(void)
{
	static const struct spt_trace_source source = { .services.count = count_point };
	static SptPoint points[] = { { .name = (char *)"whole", .period = 1 },
				     { .name = (char *)"turns", .period = 1 } };
	SptTrace trace = { .source = &source };
	g_autoptr(GPtrArray) list = g_ptr_array_new();
	g_autofree char *directory = g_dir_make_tmp("test-hits-XXXXXX", NULL),
			*path = g_build_filename(directory, "capture", NULL), *last = NULL,
			*notice = NULL;
	SptOutput *output =
		spt_output_new(&(SptRecorderOptions){ .output = path }, NULL, NULL);
	SptCapture *capture;
	const GArray *sums;
	uint64_t start;
	SptHits *hits;

	for (unsigned i = 0; i < G_N_ELEMENTS(points); i++)
		g_ptr_array_add(list, &points[i]);
	hits = spt_hits_new(list, true, &trace, output);
	start = spt_clock_ns(CLOCK_MONOTONIC);
	spt_hits_stage.begin(hits);
	for (unsigned i = 0; i < 2; i++) {
		const SptStageStep step = { NULL, start + SECOND + SECOND / 1000 };

		counts[0] = whole[i];
		counts[1] = turns[i];
		if (i == 0)
			g_assert_true(spt_hits_stage.step(hits, &step, NULL));
	}
	/* Whenever it finishes, the source was stopped then. */
	notice = spt_hits_finish(hits, start, start + 2 * SECOND);
	g_assert_nonnull(strstr(notice, "turns 25 %"));
	sums = spt_hits_counts(hits);
	g_assert_cmpuint(g_array_index(sums, SptHitCount, 0).n, ==, 700);
	g_assert_cmpuint(g_array_index(sums, SptHitCount, 0).ns, ==, 2 * SECOND);
	g_assert_cmpuint(g_array_index(sums, SptHitCount, 1).n, ==, 500);
	g_assert_cmpuint(g_array_index(sums, SptHitCount, 1).ns, ==, SECOND / 2);
	g_assert_true(spt_output_finish(output, start + 3 * SECOND, &last, NULL));
	capture = spt_capture_open(path, NULL);
	assert_rates(capture, "whole", start, (const double[]){ 500, 200 }, 2);
	assert_rates(capture, "turns", start, (const double[]){ 1000 }, 1);
	spt_capture_free(capture);
	spt_hits_free(hits);
	spt_output_free(output);
	g_unlink(path);
	g_rmdir(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/hits/rates", test_rates);
	return g_test_run();
}

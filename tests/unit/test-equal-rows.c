/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Millions of equal rows pack to nearly nothing, as those of a hostile file do.  The writer pads
 * their blocks, so that no reader takes its files for such a one.
 */
#include "capture/capture.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/stream-rows.h"
#include "opened.h"

#define ROWS_AT_ONCE 100000u

/* @times * ROWS_AT_ONCE rows like @row, of @bytes, at times that rise by the same. */
static SptCapture *write_equal(SptRowKind kind, const void *row, size_t bytes, unsigned times,
			       uint64_t *ret_bytes)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *directory = g_dir_make_tmp("spt-equal-XXXXXX", &error),
			*path = g_build_filename(directory, "a.capture", NULL);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, &error);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autofree uint8_t *rows = g_malloc(bytes * ROWS_AT_ONCE);
	SptCapture *capture;
	struct stat status;

	g_assert_no_error(error);
	spt_capture_writer_process(writer, &(SptProcessRow){ .id = 1, .pid = 1 });
	spt_capture_writer_thread(writer, &(SptThreadRow){ .id = 1, .process = 1, .tid = 1 });
	for (unsigned i = 0; i < ROWS_AT_ONCE; i++)
		memcpy(rows + i * bytes, row, bytes);
	for (unsigned i = 0; i < times; i++) {
		spt_capture_writer_put_rows(writer, kind, rows, ROWS_AT_ONCE);
		g_assert_true(spt_capture_writer_flush(writer, stash, &error));
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, &error));
	capture = spt_capture_open(path, &error);
	g_assert_no_error(error);
	g_assert_cmpint(stat(path, &status), ==, 0);
	*ret_bytes = (uint64_t)status.st_size;
	g_unlink(path);
	g_rmdir(directory);
	return capture;
}

static SptCapture *write_samples(unsigned times, uint64_t *ret_bytes)
{
	const SptSampleRow row = { .time = 5000, .thread = 1, .weight = 1 };

	return write_equal(SPT_ROW_SAMPLE, &row, sizeof(row), times, ret_bytes);
}

static void test_samples(void)
{
	const unsigned times = 80;
	uint64_t bytes;
	g_autoptr(SptCapture) capture = write_samples(times, &bytes);
	g_autofree uint64_t *weights = NULL;

	g_assert_cmpstr(capture->damage, ==, NULL);
	g_assert_cmpuint(capture->n_samples, ==, times * ROWS_AT_ONCE);
	weights = spt_capture_weigh_threads(capture);
	g_assert_cmpuint(weights[1], ==, times * ROWS_AT_ONCE);
	/* What makes rows need no more than half a bit is not worth a file that large. */
	g_assert_cmpuint(bytes, <, times * ROWS_AT_ONCE / 14);
}

static void test_rows_of_an_event(void)
{
	const unsigned times = 15;
	const SptWaitRow row = { .time = 5000, .duration_ns = 1000, .thread = 1 };
	uint64_t bytes, n;
	g_autoptr(SptCapture) capture =
		write_equal(SPT_ROW_WAIT, &row, sizeof(row), times, &bytes);
	g_autofree void *rows = spt_stream_rows(capture, SPT_ROW_WAIT, &n);

	g_assert_cmpstr(capture->damage, ==, NULL);
	g_assert_cmpuint(n, ==, times * ROWS_AT_ONCE);
}

/* No recording of minutes gets larger. */
static void test_fewer_are_not_padded(void)
{
	uint64_t bytes;
	g_autoptr(SptCapture) capture = write_samples(5, &bytes);

	g_assert_cmpuint(capture->n_samples, ==, 5 * ROWS_AT_ONCE);
	g_assert_cmpuint(bytes, <, 4096);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/equal-rows/samples", test_samples);
	g_test_add_func("/equal-rows/rows-of-an-event", test_rows_of_an_event);
	g_test_add_func("/equal-rows/fewer-are-not-padded", test_fewer_are_not_padded);
	return g_test_run();
}

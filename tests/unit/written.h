/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of what a capture keeps: a file with threads of one process, written and read again. */
#ifndef SPT_WRITTEN_H
#define SPT_WRITTEN_H

#include <glib/gstdio.h>

#include "capture/capture.h"
#include "stash/stash.h"

typedef struct {
	char *directory, *path;
	SptStash *stash;
	SptCaptureWriter *writer;
	SptCapture *capture;
} Fixture;

/* Threads 1 to @n_threads, whose tids are 10 and on. */
static void begin_file(Fixture *fixture, uint32_t n_threads)
{
	const SptProcessRow process = { .id = 1, .pid = 10, .name = "p" };

	fixture->directory = g_dir_make_tmp("spt-written-XXXXXX", NULL);
	fixture->path = g_build_filename(fixture->directory, "a.capture", NULL);
	fixture->stash = spt_stash_new();
	fixture->writer = spt_capture_writer_new(fixture->path, NULL);
	spt_capture_writer_process(fixture->writer, &process);
	for (uint32_t id = 1; id <= n_threads; id++) {
		SptThreadRow thread = { .id = id, .process = 1, .tid = 9 + id, .name = "" };

		spt_capture_writer_thread(fixture->writer, &thread);
	}
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
	(void)data;
	spt_capture_free(fixture->capture);
	spt_capture_writer_free(fixture->writer);
	spt_stash_free(fixture->stash);
	g_unlink(fixture->path);
	g_rmdir(fixture->directory);
	g_free(fixture->directory);
	g_free(fixture->path);
}

static void open_again(Fixture *fixture)
{
	GError *error = NULL;

	g_assert_true(spt_capture_writer_finish(fixture->writer, fixture->stash, 99, &error));
	fixture->capture = spt_capture_open(fixture->path, &error);
	g_assert_no_error(error);
	g_assert_null(fixture->capture->damage);
}

#endif

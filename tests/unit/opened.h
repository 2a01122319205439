/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures that open without a complaint, and their samples all at once. */
#ifndef SPT_TESTS_OPENED_H
#define SPT_TESTS_OPENED_H

#include "capture/capture.h"

static inline SptCapture *open_sound(const char *path)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture = spt_capture_open(path, &error);

	g_assert_no_error(error);
	g_assert_null(capture->damage);
	return capture;
}

/* capture->n_samples rows, to be freed. */
static inline SptSampleRow *samples_of(const SptCapture *capture)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	GArray *all = g_array_new(FALSE, FALSE, sizeof(SptSampleRow));
	const SptSampleRow *rows;
	uint32_t n;

	while ((rows = spt_samples_next(samples, &n)))
		g_array_append_vals(all, rows, n);
	g_assert_cmpuint(all->len, ==, capture->n_samples);
	return (SptSampleRow *)g_array_free(all, FALSE);
}

#endif

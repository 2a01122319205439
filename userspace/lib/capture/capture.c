/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be asked of a capture's rows once they are read, and what the rows of the loss law add
 * up to.
 */
#include "capture/capture.h"

#include <unistd.h>

#include "base/words.h"
#include "capture/samples.h"

G_DEFINE_QUARK(spt-capture-error-quark, spt_capture_error)

uint64_t spt_account_lost(const SptAccountRow *row)
{
	uint64_t lost = 0;

	for (unsigned reason = 0; reason < SPT_LOST_REASONS; reason++)
		lost += row->lost[reason];
	return lost;
}

int64_t spt_account_residue(const SptAccountRow *row)
{
	return (int64_t)(row->grid - (row->delivered + spt_account_lost(row) + row->idle +
				      row->offline + row->excluded + row->budget + row->pending));
}

const char *spt_lost_reason_name(unsigned reason)
{
	static const char *const names[] = {
		SPT_WORDS("ring full"),
		SPT_WORDS("too big"),
		SPT_WORDS("nested"),
		SPT_WORDS("throttled"),
		"reason 4",
		"reason 5",
		"reason 6",
		"reason 7",
	};

	return reason < G_N_ELEMENTS(names) ? names[reason] : SPT_WORDS("unknown reason");
}

GHashTable *spt_capture_command_lines(const SptCapture *capture)
{
	GHashTable *lines = g_hash_table_new(NULL, NULL);

	for (uint64_t i = 0; i < capture->n_command_lines; i++) {
		const SptCommandLineRow *row = &capture->command_lines[i];

		if (*row->text)
			g_hash_table_insert(lines, GUINT_TO_POINTER(row->process),
					    (char *)row->text);
		else
			g_hash_table_remove(lines, GUINT_TO_POINTER(row->process));
	}
	return lines;
}

const char *spt_capture_host(const SptCapture *capture, const char *key)
{
	/* A capture made in memory may have none. */
	return capture->host ? g_hash_table_lookup(capture->host, key) : NULL;
}

uint64_t spt_capture_period_ns(const SptCapture *capture)
{
	const char *period = spt_capture_host(capture, "period_ns");

	return period ? g_ascii_strtoull(period, NULL, 10) : 0;
}

void spt_capture_free(SptCapture *capture)
{
	if (!capture)
		return;
	g_free((char *)capture->path);
	if (capture->n_places > 0 && capture->fd >= 0)
		close(capture->fd);
	g_free(capture->places);
	g_free(capture->columns);
	g_free(capture->damage);
	g_clear_pointer(&capture->host, g_hash_table_unref);
	g_free(capture->objects);
	g_free(capture->processes);
	g_free(capture->threads);
	g_free(capture->nodes);
	g_free(capture->streams);
	spt_sample_blocks_free(capture->blocks);
	g_free(capture->leaves);
	g_free(capture->samples);
	g_free(capture->names);
	g_free(capture->bundled);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (spt_row_types[kind].rows_at)
			g_free(*(void **)((char *)capture + spt_row_types[kind].rows_at));
	g_free(capture->command_lines);
	g_free(capture->maps);
	g_clear_pointer(&capture->texts, g_ptr_array_unref);
	g_free(capture);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries on a capture's rows after reading, and the sums of rows for the loss law. */
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

void spt_account_add(SptAccountRow *sum, const SptAccountRow *row, uint64_t scale)
{
	sum->grid += row->grid * scale;
	sum->delivered += row->delivered * scale;
	sum->idle += row->idle * scale;
	sum->offline += row->offline * scale;
	sum->excluded += row->excluded * scale;
	sum->budget += row->budget * scale;
	sum->pending += row->pending * scale;
	sum->samples += row->samples;
	sum->state_lost += row->state_lost;
	sum->cost_ns += row->cost_ns;
	sum->ticks += row->ticks;
	sum->filtered += row->filtered * scale;
	for (unsigned reason = 0; reason < SPT_LOST_REASONS; reason++)
		sum->lost[reason] += row->lost[reason] * scale;
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

GHashTable *spt_capture_cgroups(const SptCapture *capture)
{
	GHashTable *cgroups = g_hash_table_new(NULL, NULL);

	for (uint64_t i = 0; i < capture->n_command_lines; i++) {
		const SptCommandLineRow *row = &capture->command_lines[i];

		if (row->cgroup && *row->cgroup)
			g_hash_table_insert(cgroups, GUINT_TO_POINTER(row->process),
					    (char *)row->cgroup);
		else if (!*row->text)
			/* Both were those of the pid's next owner. */
			g_hash_table_remove(cgroups, GUINT_TO_POINTER(row->process));
	}
	return cgroups;
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

struct kept {
	gpointer value;
	GDestroyNotify free;
};

static GMutex keeping;

static void kept_free(gpointer data)
{
	struct kept *kept = data;

	kept->free(kept->value);
	g_free(kept);
}

static const struct kept *capture_find_kept(const SptCapture *capture, gpointer key)
{
	return capture->kept ? g_hash_table_lookup(capture->kept, key) : NULL;
}

gconstpointer spt_capture_keep(const SptCapture *capture, gpointer key,
			       gpointer (*make)(const SptCapture *capture, gpointer key),
			       GDestroyNotify free)
{
	const struct kept *known;
	struct kept *made;

	g_mutex_lock(&keeping);
	known = capture_find_kept(capture, key);
	g_mutex_unlock(&keeping);
	if (known)
		return known->value;
	made = g_new0(struct kept, 1);
	*made = (struct kept){ make(capture, key), free };
	g_mutex_lock(&keeping);
	known = capture_find_kept(capture, key);
	if (!capture->kept)
		((SptCapture *)capture)->kept =
			g_hash_table_new_full(NULL, NULL, NULL, kept_free);
	if (!known)
		g_hash_table_insert(capture->kept, key, made);
	g_mutex_unlock(&keeping);
	if (!known)
		return made->value;
	/* Another thread was faster. */
	kept_free(made);
	return known->value;
}

void spt_capture_free(SptCapture *capture)
{
	if (!capture)
		return;
	g_clear_pointer(&capture->kept, g_hash_table_unref);
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
	g_free(capture->thread_weights);
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

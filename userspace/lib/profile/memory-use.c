/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over all processes, by time. */
#include "profile/memory-use.h"

#include "base/words.h"
#include "capture/stream-rows.h"

static int by_time(gconstpointer a, gconstpointer b)
{
	const SptResidentRow *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* The value of the thread's process until now, which @bytes replaces. */
static uint64_t replace(GHashTable *processes, uint32_t thread, uint64_t bytes)
{
	gpointer key = GUINT_TO_POINTER(thread);
	uint64_t *known = g_hash_table_lookup(processes, key), before;

	if (!known) {
		known = g_new0(uint64_t, 1);
		g_hash_table_insert(processes, key, known);
	}
	before = *known;
	*known = bytes;
	return before;
}

GArray *spt_resident_levels(const SptCapture *capture)
{
	g_autoptr(GHashTable) processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	GArray *levels = g_array_new(FALSE, FALSE, sizeof(SptMemoryLevel));
	uint64_t n, sum = 0;
	g_autofree SptResidentRow *rows = spt_stream_rows(capture, SPT_ROW_RESIDENT, &n);

	if (n)
		qsort(rows, n, sizeof(*rows), by_time);
	for (uint64_t i = 0; i < n; i++) {
		SptMemoryLevel level = { .time = rows[i].time };

		sum += rows[i].bytes - replace(processes, rows[i].thread, rows[i].bytes);
		level.bytes = sum;
		/* Rows of one reading have the same time. */
		if (i + 1 == n || rows[i + 1].time != rows[i].time)
			g_array_append_val(levels, level);
	}
	return levels;
}

bool spt_resident_use(const SptCapture *capture, SptMemoryUse *ret)
{
	g_autoptr(GArray) levels = spt_resident_levels(capture);

	*ret = (SptMemoryUse){ 0 };
	for (unsigned i = 0; i < levels->len; i++) {
		const SptMemoryLevel *level = &g_array_index(levels, SptMemoryLevel, i);

		if (!ret->first)
			ret->first = level->bytes;
		if (level->bytes)
			ret->last = level->bytes;
		if (level->bytes <= ret->most)
			continue;
		ret->most = level->bytes;
		ret->most_time = level->time;
	}
	return ret->most > 0;
}

char *spt_memory_use_text(const SptMemoryUse *use, uint64_t start_ns, SptBytesFormat format)
{
	g_autofree char *first = format(use->first), *most = format(use->most),
			*last = format(use->last);
	double after = use->most_time > start_ns ? (double)(use->most_time - start_ns) / 1e9 : 0;

	return g_strdup_printf(spt_words("%s at first, %s at most after %.2f s, %s at last"), first,
			       most, after, last);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/moments.h"

struct SptMoments {
	bool is_of_all;
	GHashTable *threads;		/* id, or 0 for all -> GArray of SptMoment */
};

static void unref_ranges(void *array)
{
	g_array_unref(array);
}

SptMoments *spt_moments_new(bool is_of_all)
{
	SptMoments *moments = g_atomic_rc_box_new0(SptMoments);

	moments->is_of_all = is_of_all;
	moments->threads = g_hash_table_new_full(NULL, NULL, NULL, unref_ranges);
	return moments;
}

bool spt_moments_are_of_all(const SptMoments *moments)
{
	return moments->is_of_all;
}

SptMoments *spt_moments_ref(SptMoments *moments)
{
	return g_atomic_rc_box_acquire(moments);
}

static void clear_moments(void *moments)
{
	g_hash_table_unref(((SptMoments *)moments)->threads);
}

void spt_moments_free(SptMoments *moments)
{
	if (moments)
		g_atomic_rc_box_release_full(moments, clear_moments);
}

static GArray *moments_of(const SptMoments *moments, uint32_t thread)
{
	return g_hash_table_lookup(moments->threads,
				   GUINT_TO_POINTER(moments->is_of_all ? 0 : thread));
}

void spt_moments_add(SptMoments *moments, uint32_t thread, uint64_t begin_ns, uint64_t end_ns)
{
	GArray *ranges = moments_of(moments, thread);
	const SptMoment moment = { begin_ns, end_ns };

	if (!ranges) {
		ranges = g_array_new(FALSE, FALSE, sizeof(SptMoment));
		g_hash_table_insert(moments->threads,
				    GUINT_TO_POINTER(moments->is_of_all ? 0 : thread), ranges);
	}
	g_array_append_val(ranges, moment);
}

static int compare_begins(gconstpointer a, gconstpointer b)
{
	const SptMoment *x = a, *y = b;

	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Sorts, and joins ranges that overlap. */
static void join_ranges(GArray *ranges)
{
	SptMoment *all = (SptMoment *)ranges->data;
	unsigned kept = 0;

	g_array_sort(ranges, compare_begins);
	for (unsigned i = 1; i < ranges->len; i++) {
		if (all[i].begin_ns <= all[kept].end_ns)
			all[kept].end_ns = MAX(all[kept].end_ns, all[i].end_ns);
		else
			all[++kept] = all[i];
	}
	g_array_set_size(ranges, MIN(ranges->len, kept + 1));
}

void spt_moments_settle(SptMoments *moments)
{
	GHashTableIter iter;
	gpointer ranges;

	g_hash_table_iter_init(&iter, moments->threads);
	while (g_hash_table_iter_next(&iter, NULL, &ranges))
		join_ranges(ranges);
}

const SptMoment *spt_moments_after(const SptMoments *moments, uint32_t thread, uint64_t time,
				   uint32_t *ret_n)
{
	const GArray *ranges = moments_of(moments, thread);
	const SptMoment *all = ranges ? (const SptMoment *)ranges->data : NULL;
	uint32_t low = 0, high = ranges ? ranges->len : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all[middle].end_ns <= time)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_n = ranges ? ranges->len - low : 0;
	return all + low;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table's cells and the capture's tables have the same name: the sums are made here. */
#include "thread-states.h"

#include "profile/waits.h"

GHashTable *spt_thread_states_new(const SptCapture *capture)
{
	g_autofree SptThreadTimeRow *rows = NULL;
	g_autoptr(GArray) all = NULL;
	GHashTable *found;

	if (!spt_capture_has_stream(capture, SPT_ROW_THREAD_TIME))
		return NULL;
	found = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	all = spt_thread_times(capture, &rows);
	for (unsigned i = 0; i < all->len; i++) {
		const SptThreadTime *one = &g_array_index(all, SptThreadTime, i);
		gpointer tid = GUINT_TO_POINTER(capture->threads[one->row->thread].tid);
		SptThreadStates *times = g_hash_table_lookup(found, tid);

		if (!times) {
			times = g_new0(SptThreadStates, 1);
			g_hash_table_insert(found, tid, times);
		}
		times->running_ns += one->running_ns;
		times->runnable_ns += one->runnable_ns;
		times->waiting_ns += one->blocked_ns;
	}
	return found;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call-tree.h"

#include "text.h"

SptCallTree *spt_call_tree_ref(SptCallTree *calls)
{
	return g_atomic_rc_box_acquire(calls);
}

static void call_tree_clear(gpointer data)
{
	SptCallTree *calls = data;

	g_clear_pointer(&calls->tree, g_array_unref);
	calls->clear(calls);
}

void spt_call_tree_unref(SptCallTree *calls)
{
	g_atomic_rc_box_release_full(calls, call_tree_clear);
}

void spt_call_tree_replace(SptCallTree **place, SptCallTree *calls)
{
	SptCallTree *before = *place;

	*place = spt_call_tree_ref(calls);
	if (before)
		spt_call_tree_unref(before);
}

char *spt_call_tree_amount(const SptCallTree *calls, uint64_t amount)
{
	return calls->metric->is_cpu && calls->worth ? spt_text_duration(amount) :
						       spt_text_weight(calls->metric, amount);
}

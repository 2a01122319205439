/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tables and flame graphs draw: functions, and the tree of their calls.  Documents and
 * comparisons both begin with one, and are shared by reference to it.
 */
#ifndef SPT_CALL_TREE_H
#define SPT_CALL_TREE_H

#include "profile/categories.h"
#include "profile/diff.h"
#include "profile/metric.h"

typedef struct SptCallTree SptCallTree;

struct SptCallTree {
	/* Frees what the document or comparison has; its memory goes after that. */
	GDestroyNotify clear;
	/* Calls of one subject are about the same functions: a recording, or a comparison. */
	gconstpointer subject;
	const SptFunction *functions;
	uint32_t n_functions;
	uint64_t total;			/* the weight that is 100 % */
	GArray *tree;			/* SptTreeNode: of everything, heaviest first */
	bool is_bottom_up;		/* callees are above their callers in it */
	/* Of a document whose functions have categories; else NULL. */
	const SptCategories *categories;
	const uint32_t *category_of;	/* functions; UINT32_MAX: none of their own */
	const SptMetric *metric;
	/* The value of a weight of 1 in the metric's unit; 0: a period's length is not known */
	uint64_t worth;
	/* Of a comparison; NULL: this is a document's. */
	const SptDiffTree *differences;
	uint64_t n_samples[SPT_SIDES];	/* of each side of a comparison */
	double amounts[SPT_SIDES];	/* likewise what 100 % is: spt_call_tree_amount() */
};

/* They are the first member of what g_atomic_rc_box_new0() made. */
SptCallTree *spt_call_tree_ref(SptCallTree *calls);
void spt_call_tree_unref(SptCallTree *calls);
/* Puts a reference to @calls in *@place, instead of the one that is there, if any. */
void spt_call_tree_replace(SptCallTree **place, SptCallTree *calls);

/* @amount in words: in the metric's unit, or in periods if it is not known how long these are. */
char *spt_call_tree_amount(const SptCallTree *calls, uint64_t amount);

#endif

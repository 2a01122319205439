/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fold.c makes, weigh.c weighs, and functions.c, edges.c answer from. */
#ifndef SPT_PROFILE_PRIVATE_H
#define SPT_PROFILE_PRIVATE_H

#include "profile/arrange.h"
#include "profile/selection.h"

/* A sample that was folded; what it weighs and where. */
struct spt_row {
	uint32_t leaf;			/* in the tree */
	uint32_t weight;		/* 0 where there are struct spt_row_value */
};

/* What rows of other metrics than CPU time have, as in SptWeightRow. */
struct spt_row_value {
	uint64_t weight, duration_ns;
	uint32_t detail;
};

/* The rest of it, which only a change of the filter asks for. */
struct spt_row_source {
	uint64_t time;
	uint32_t thread, cpu;
};

struct SptProfile {
	GArray *functions;		/* SptFunction */
	GArray *tree;			/* SptTreeNode */
	/* Per tree node: its function is not above it; the base's, if there is one */
	bool *outermost;
	uint64_t n_samples;
	const SptMetric *metric;
	const SptProfile *base;		/* what it was refiltered from; NULL if it was folded */

	/* A base keeps them, in the order of time. */
	const SptCapture *capture;
	struct spt_row *rows;
	struct spt_row_source *sources;
	struct spt_row_value *values;	/* NULL: rows have weights */
	uint64_t longest_ns;		/* duration */
	uint64_t n_rows;

	/* An arranged one. */
	/* What it was made from, whose sources and values it shares; else NULL */
	const SptProfile *source;
	SptRoots roots;
	GArray *groups;			/* SptGroupRow: of its last functions */
	GStringChunk *texts;		/* names of these */

	/* Kept from one weighing to the next; per tree node. */
	uint64_t *selfs, *totals;
};

/* Per tree node: its function is not above it. */
static inline const bool *spt_profile_outermost(const SptProfile *profile)
{
	return profile->base ? profile->base->outermost : profile->outermost;
}

/* The whole weight of a row of a base. */
static inline uint64_t spt_row_weight(const SptProfile *base, uint64_t row)
{
	return base->values ? base->values[row].weight : base->rows[row].weight;
}

static inline uint64_t spt_row_duration(const SptProfile *base, uint64_t row)
{
	return base->values ? base->values[row].duration_ns : 0;
}

/* A finished tree so large that no more stacks are put into it. */
#define SPT_PROFILE_MAX_NODES (1u << 22)

/* fold.c */

/* Once there is a tree. */
void spt_profile_mark_outermost(SptProfile *profile);

/* weigh.c */

/*
 * Of each node of a tree (parents before children): whether samples that end there are wanted; NULL
 * if all are.  To be freed.
 */
bool *spt_profile_choose_leaves(const SptFilter *filter, const SptTreeNode *nodes, uint32_t n_nodes,
				const SptFunction *functions, uint32_t n_functions);
/* The first row of a base at @time or later. */
uint64_t spt_profile_row_at(const SptProfile *base, uint64_t time);
/* Whether the row is in the selection; how much of it is. */
bool spt_row_is_selected(const SptProfile *base, uint64_t row,
			 const struct spt_selection *selection, uint64_t *ret_weight);
/*
 * Fills in the totals of the tree and the functions' sums from what each of the tree's nodes has
 * for itself.
 */
void spt_profile_sum_up(SptProfile *profile);

#endif

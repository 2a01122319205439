/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile that fold.c makes, weigh.c weighs, and functions.c and edges.c read. */
#ifndef SPT_PROFILE_PRIVATE_H
#define SPT_PROFILE_PRIVATE_H

#include "profile/arrange.h"
#include "profile/selection.h"

/* A sample that was folded: its leaf and its weight. */
struct spt_row {
	uint32_t leaf;			/* in the tree */
	uint32_t weight;		/* 0 if there are struct spt_row_value */
};

/* The fields of rows of metrics other than CPU time, as in SptWeightRow. */
struct spt_row_value {
	uint64_t weight, duration_ns;
	uint32_t detail;
};

/* The fields of a sample that only a change of the filter needs. */
struct spt_row_source {
	uint64_t time;
	uint32_t thread : 28;		/* there is memory for fewer */
	uint32_t detail : 4;		/* where there is no struct spt_row_value */
	uint32_t cpu;
};

static inline void spt_row_put(const SptWeightRow *row, struct spt_row_source *source,
			       struct spt_row_value *value)
{
	*source = (struct spt_row_source){ row->time, row->thread & 0xfffffff, row->detail & 15,
					   row->cpu };
	if (value)
		*value = (struct spt_row_value){ row->weight, row->duration_ns, row->detail };
}

struct SptProfile {
	GArray *functions;		/* SptFunction */
	GArray *tree;			/* SptTreeNode */
	/* Per tree node: its function is not above it.  If there is a base, the base has this. */
	bool *outermost;
	uint64_t n_samples;
	/* SptThreadWeight; NULL: not of waits.  Profiles made from it share this. */
	GArray *threads;
	const SptMetric *metric;
	/* What it was folded with; NULL: it was made from another one, or keeps rows. */
	SptSymbols *symbols;
	/* the profile that it was refiltered from; NULL: it was folded */
	const SptProfile *base;

	/* Only a base has these, in the order of time. */
	const SptCapture *capture;
	struct spt_row *rows;
	struct spt_row_source *sources;
	struct spt_row_value *values;	/* NULL: the rows have the weights */
	uint64_t longest_ns;		/* duration */
	uint64_t n_rows;
	/* A base that keeps no rows has this instead (row-walk.h); those made from it share it. */
	struct spt_reread *reread;

	/* Only an arranged profile has these. */
	/* The profile that it was made from, whose sources and values it shares; else NULL. */
	const SptProfile *source;
	SptRoots roots;
	GArray *groups;			/* SptGroupRow of its last functions */
	GStringChunk *texts;		/* names of these */
	/* If @source keeps no rows: by its leaf, that of this tree. */
	uint32_t *moved;

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

/* At this number of nodes no more stacks are put into a tree. */
#define SPT_PROFILE_MAX_NODES (1u << 22)

/* fold.c */

/* Called once, when there is a tree. */
void spt_profile_mark_outermost(SptProfile *profile);

/* weigh.c */

/* The base that a base was arranged from, or itself: conditions are about its whole stacks. */
static inline const SptProfile *spt_profile_whole(const SptProfile *base)
{
	return base->source ? base->source : base;
}

/*
 * For each node of a tree (parents before children): whether samples that end there are selected;
 * NULL: all are.  The caller frees it.
 */
bool *spt_profile_choose_leaves(const SptFilter *filter, const SptTreeNode *nodes, uint32_t n_nodes,
				const SptFunction *functions, uint32_t n_functions);
/* The first row of a base at @time or later. */
uint64_t spt_profile_row_at(const SptProfile *base, uint64_t time);
/* The first row of a base that is behind all rows of the selection's time. */
uint64_t spt_profile_row_behind(const SptProfile *base, const struct spt_selection *selection);
/* Whether the row is in the selection; sets @ret_weight to the selected part of its weight. */
bool spt_row_is_selected(const SptProfile *base, uint64_t row,
			 const struct spt_selection *selection, uint64_t *ret_weight);
/*
 * A profile refiltered from @base (or @reuse), whose @selfs and n_samples are to be added up; then
 * the sums of these.
 */
SptProfile *spt_profile_begin_sums(const SptProfile *base, SptProfile *reuse);
void spt_profile_end_sums(SptProfile *profile);
/* Computes the totals of the tree and the functions' sums from the self of each node. */
void spt_profile_sum_up(SptProfile *profile);

#endif

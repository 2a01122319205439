/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a base in the order of time: those that it keeps, or, of a base that keeps none,
 * those of the recording, which is read again in each walk.  A recording is nearly in that order,
 * so that such a walk keeps a few thousand rows, and as many as are out of order.
 */
#ifndef SPT_ROW_WALK_H
#define SPT_ROW_WALK_H

#include "base/pairs.h"
#include "profile/profile-private.h"

/*
 * The first process (a function) that had a raw node, and the tree node there.  Nearly always there
 * is no other.
 */
struct spt_first_leaf {
	uint32_t process, leaf;
};

/* What folding knows of a raw node. */
struct spt_known_leaves {
	struct spt_first_leaf *first;	/* of each raw node; process UINT32_MAX: none */
	/* (process function, raw node) -> tree node, of later processes */
	struct spt_pairs others;
};

/* The tree node of a raw node in a process; UINT32_MAX: it is not known. */
static inline uint32_t spt_known_leaf(const struct spt_known_leaves *known, uint32_t process,
				      uint32_t node)
{
	const struct spt_first_leaf *first = &known->first[node];

	if (first->process == process)
		return first->leaf;
	return first->process == UINT32_MAX ? UINT32_MAX :
					      spt_pairs_get(&known->others, process, node);
}

/* Why a stack has no tree nodes of its own. */
enum spt_why_not { SPT_NOT_RECORDED, SPT_TOO_DEEP, SPT_TOO_MANY };

/* Rows for which there is one least time. */
#define SPT_REREAD_ROWS 8192

/* How the rows of a base that keeps none are read again. */
struct spt_reread {
	struct spt_known_leaves known;
	/* (process function, enum spt_why_not) -> tree node */
	struct spt_pairs without;
	uint16_t *depth;		/* of each raw node, up to one more than is folded */
	uint32_t *function_of_process;	/* of each image */
	bool *threads;			/* as in spt_weights_new_for() */
	/* uint64_t: of each SPT_REREAD_ROWS rows, the least time of them and of all behind them */
	GArray *least_times;
};

/* Of deeper stacks there are no tree nodes. */
#define SPT_STACK_MAX_FRAMES 2048

/* Counts a row, the @number-th one. */
void spt_reread_add(struct spt_reread *reread, uint64_t number, uint64_t time);
/* After the last row: @places has the new number of each tree node. */
void spt_reread_settle(struct spt_reread *reread, const SptCapture *capture,
		       const uint32_t *places);
void spt_reread_free(struct spt_reread *reread);

struct spt_base_row {
	uint64_t time, duration_ns, weight;
	uint32_t thread, cpu, detail;
	uint32_t leaf, whole_leaf;	/* in the tree of the base; of its whole stacks */
};

typedef struct SptRowWalk SptRowWalk;

/* All rows from @begin_ns on are in it; a base that keeps none begins with the first. */
SptRowWalk *spt_row_walk_new(const SptProfile *base, uint64_t begin_ns);
void spt_row_walk_free(SptRowWalk *walk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptRowWalk, spt_row_walk_free)
/* The next row, valid until the next call; NULL behind the last one. */
const struct spt_base_row *spt_row_walk_next(SptRowWalk *walk);

#endif

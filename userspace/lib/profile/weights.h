/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the values of a metric come from: rows that say which stack has how much, when, and whose
 * it is.  Folding, weighing and grouping know no more of a recording than these.
 */
#ifndef SPT_WEIGHTS_H
#define SPT_WEIGHTS_H

#include "capture/capture.h"

G_BEGIN_DECLS

#define SPT_WEIGHTS_BATCH 1024

typedef struct {
	uint64_t time;
	/*
	 * The weight is spread evenly over so much time before @time, and a condition on time
	 * leaves its part of it; 0: all of it is at @time.
	 */
	uint64_t duration_ns;
	uint64_t weight;
	uint32_t thread, cpu, node; /* as in SptSampleRow */
	/* For groupings of this metric alone: what the source knows of the row */
	uint32_t detail;
} SptWeightRow;

typedef struct {
	/* Whether @capture has what it takes. */
	bool (*is_in)(const SptCapture *capture);
	/* No more rows than this will come. */
	uint64_t (*count)(const SptCapture *capture);
	/* A cursor; each one is used in one thread. */
	gpointer (*begin)(const SptCapture *capture);
	/*
	 * The same where a row depends on which other threads are asked for (by id; NULL: all).
	 * NULL: it does not.
	 */
	gpointer (*begin_for)(const SptCapture *capture, const bool *threads);
	/* The next of @rows, at most SPT_WEIGHTS_BATCH; how many, 0 behind the last one. */
	uint32_t (*next)(gpointer cursor, SptWeightRow *rows);
	void (*end)(gpointer cursor);
	bool is_leaves; /* the leaves of a capture have the sums of these rows */
} SptWeightSource;

/* Periods of the sampling clock, and by how much their ticks were late. */
extern const SptWeightSource spt_weights_periods, spt_weights_delays;

/* The rows of a source, some at a time; @capture must outlive it. */
typedef struct SptWeights SptWeights;
SptWeights *spt_weights_new(const SptCapture *capture, const SptWeightSource *source);
/* The same for some threads alone; rows of others come, too. */
SptWeights *spt_weights_new_for(const SptCapture *capture, const SptWeightSource *source,
				const bool *threads);
void spt_weights_free(SptWeights *weights);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptWeights, spt_weights_free)
/* The next @ret_n rows, valid until the next call; NULL behind the last one. */
const SptWeightRow *spt_weights_next(SptWeights *weights, uint32_t *ret_n);

G_END_DECLS

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources of a metric's values: rows with a stack, its weight, the time and the thread.
 * Folding, weighing and grouping use nothing else of a recording.
 */
#ifndef SPT_WEIGHTS_H
#define SPT_WEIGHTS_H

#include "capture/capture.h"

G_BEGIN_DECLS

#define SPT_WEIGHTS_BATCH 1024

typedef struct {
	uint64_t time;
	/*
	 * The weight is spread evenly over this duration before @time, and a condition on time
	 * selects a part of it; 0: all of it is at @time.
	 */
	uint64_t duration_ns;
	uint64_t weight;
	uint32_t thread, cpu, node; /* as in SptSampleRow */
	/* A value for groupings of this metric alone. */
	uint32_t detail;
} SptWeightRow;

typedef struct SptWeightSource SptWeightSource;
struct SptWeightSource {
	/* Whether @capture has the data. */
	bool (*is_in)(const SptCapture *capture);
	/* The same three for sources that are made: they are given what they belong to. */
	bool (*of_events_are_in)(const SptCapture *capture, const SptWeightSource *source);
	gpointer (*begin_of_events)(const SptCapture *capture, const SptWeightSource *source);
	uint64_t (*count_of_events)(const SptCapture *capture, const SptWeightSource *source);
	/* Most rows that will come. */
	uint64_t (*count)(const SptCapture *capture);
	/* Returns a cursor; each is used in one thread. */
	gpointer (*begin)(const SptCapture *capture);
	/*
	 * The same, for sources in which a row depends on the other threads that are selected (by
	 * id; NULL: all).  NULL: rows do not depend on that.
	 */
	gpointer (*begin_for)(const SptCapture *capture, const bool *threads);
	/*
	 * Fills in the next rows, at most SPT_WEIGHTS_BATCH; returns their number, 0 after the last
	 * one.
	 */
	uint32_t (*next)(gpointer cursor, SptWeightRow *rows);
	void (*end)(gpointer cursor);
	bool is_leaves; /* the leaves of a capture have the sums of these rows */
};

bool spt_weights_are_in(const SptCapture *capture, const SptWeightSource *source);
uint64_t spt_weights_count(const SptCapture *capture, const SptWeightSource *source);

/*
 * Metrics that are computed from more than the events of their kind (is_computed in
 * events/event.h), and their sources: spt_weights_periods and so on.
 */
#define SPT_WEIGHTS_COMPUTED(METRIC) \
	METRIC("cpu", periods) \
	METRIC("delay", delays) \
	METRIC("latency", latency) \
	METRIC("wall", wall) \
	METRIC("off-cpu", off_cpu) \
	METRIC("blocked", blocked) \
	METRIC("runnable", runnable) \
	METRIC("kmem", kmem) \
	METRIC("kmem-live", kmem_live) \
	METRIC("pages", pages) \
	METRIC("pages-live", pages_live) \
	METRIC("percpu", percpu) \
	METRIC("percpu-live", percpu_live) \
	METRIC("vmalloc", vmalloc) \
	METRIC("vmalloc-live", vmalloc_live) \
	METRIC("allocated", allocated) \
	METRIC("freed", freed) \
	METRIC("freed-here", freed_here) \
	METRIC("live", live) \
	METRIC("peak", peak) \
	METRIC("temporary", temporary) \
	METRIC("allocations", allocations) \
	METRIC("mapped", mapped) \
	METRIC("mapped-live", mapped_live) \
	METRIC("mapped-peak", mapped_peak) \
	METRIC("calls", calls) \
	METRIC("duration", durations)

#define SPT_WEIGHTS_SOURCE(name, source) extern const SptWeightSource spt_weights_##source;
SPT_WEIGHTS_COMPUTED(SPT_WEIGHTS_SOURCE)
#undef SPT_WEIGHTS_SOURCE

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

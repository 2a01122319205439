/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One contract for everything that is recorded.
 *
 * A metric is a row of the table in metric.c.  It has a name (for --metric, JSON and streams), a
 * unit, the option of record that it needs, and a source: rows of (stack, weight, time, thread),
 * see weights.h.  Everything that shows a metric uses its row alone; so do help, man pages and the
 * viewer's menu.
 *
 * How it goes through the library: spt_profile_new() and spt_profile_new_base() get the metric,
 * take the rows of its source and fold them.  A profile knows its metric, and so do profiles that
 * are refiltered or arranged from it.  Orders, edges, groups, diffs, exports and annotations work
 * on profiles, for any metric.
 *
 * Weights are in the metric's unit, except for CPU time.  Those are periods of the sampling clock,
 * which tables, folded stacks and flame graphs show unchanged.  spt_metric_worth() is the value of
 * a weight in the unit, for output that shows that (JSON).
 *
 * A grouping (groups.h) says what it needs of a row, and a metric what its rows have.  So it is
 * known which combinations are possible.
 *
 * A row without a source reserves a name for something that this version cannot record.
 */
#ifndef SPT_METRIC_H
#define SPT_METRIC_H

#include "profile/weights.h"

G_BEGIN_DECLS

typedef enum {
	SPT_UNIT_NS,
	SPT_UNIT_BYTES,
	SPT_UNIT_EVENTS,
} SptUnit;

/* The fields that the rows of a source have besides stack, weight, time and thread. */
typedef enum {
	SPT_METRIC_HAS_CPU = 1 << 0,
	SPT_METRIC_HAS_STATE = 1 << 1,	/* of the thread: profile/waits.h */
	SPT_METRIC_HAS_WAKER = 1 << 2,
	SPT_METRIC_HAS_PARALLELISM = 1 << 3,	/* profile/latency.h */
	SPT_METRIC_HAS_CONTEXT = 1 << 4,	/* profile/events.h */
	SPT_METRIC_HAS_LOCK = 1 << 6,	/* the innermost function, and who held it */
	SPT_METRIC_HAS_VECTOR = 1 << 5,	/* whose handler: the innermost function */
	SPT_METRIC_HAS_FILE = 1 << 7,	/* the next function, if the innermost is an event */
	SPT_METRIC_HAS_DEVICE = 1 << 14, /* the innermost function */
	SPT_METRIC_HAS_FAULT = 1 << 9,	/* which kind of page fault */
	SPT_METRIC_HAS_CACHE = 1 << 10,	/* the innermost function names it, or an order of pages */
	SPT_METRIC_HAS_ORDER = 1 << 11, /* the innermost function names it */
	SPT_METRIC_HAS_STALL = 1 << 12, /* likewise, what was waited for */
	SPT_METRIC_HAS_NODE = 1 << 13,	/* of memory: profile/allocations.h */
	SPT_METRIC_HAS_SIZE = 1 << 8,	/* and lifetime: profile/allocations.h */
} SptMetricParts;

typedef struct {
	const char *name;
	/* The title for people, marked for translation; NULL without a source. */
	const char *title;
	const char *value; /* what the weight of a stack is; follows the name in texts */
	/* The option of "record" that it needs; NULL: none, every recording has it. */
	const char *option;
	SptUnit unit;
	unsigned parts;		       /* SptMetricParts */
	bool is_cpu;		       /* weights are periods */
	const SptWeightSource *source; /* NULL: this version cannot record it */
} SptMetric;

/* Row @i of the table; NULL behind the last one.  The first is CPU time. */
const SptMetric *spt_metric(unsigned i);
#define SPT_METRIC_CPU spt_metric(0)
/* NULL: no metric has that name. */
const SptMetric *spt_metric_find(const char *name);
/* "ns", "bytes", "events". */
const char *spt_unit_name(SptUnit unit);

bool spt_metric_is_in(const SptMetric *metric, const SptCapture *capture);
/* The same; false with a sentence that says what has to be recorded. */
bool spt_metric_check(const SptMetric *metric, const SptCapture *capture, GError **error);
/* The value of a weight of 1 in the metric's unit; 0: the length of a period is not known. */
uint64_t spt_metric_worth(const SptMetric *metric, const SptCapture *capture);

G_END_DECLS

#endif

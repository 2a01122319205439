/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One contract for everything that is recorded.
 *
 * A metric is of a kind of events (events/event.h).  It has a name (for --metric, JSON and
 * streams), a unit, the option of record that it needs, and a source: rows of (stack, weight, time,
 * thread), see weights.h.  Everything that shows a metric uses its row alone; so do help, man pages
 * and the viewer's menu.
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

#include "events/event.h"
#include "profile/weights.h"

G_BEGIN_DECLS

typedef struct {
	const char *name;
	/* The title for people, marked for translation; NULL without a source. */
	const char *title;
	const char *value; /* what the weight of a stack is; follows the name in texts */
	/* The option of "record" that it needs; NULL: none, every recording has it. */
	const char *option;
	const char *without; /* why it may be missing although its option was given, or NULL */
	SptUnit unit;
	unsigned parts;		       /* SptMetricParts */
	const SptEventGrouping *grouping; /* by its kind's subject; NULL: none of its own */
	bool is_cpu;		       /* weights are periods */
	const SptWeightSource *source; /* NULL: this version cannot record it */
} SptMetric;

/* Row @i of the table; NULL behind the last one.  The first is CPU time. */
const SptMetric *spt_metric(unsigned i);
#define SPT_METRIC_CPU spt_metric(0)
/* NULL: no metric has that name. */
const SptMetric *spt_metric_find(const char *name);

bool spt_metric_is_in(const SptMetric *metric, const SptCapture *capture);
/* The same; false with a sentence that says what has to be recorded. */
bool spt_metric_check(const SptMetric *metric, const SptCapture *capture, GError **error);
/* The value of a weight of 1 in the metric's unit; 0: the length of a period is not known. */
uint64_t spt_metric_worth(const SptMetric *metric, const SptCapture *capture);
/* The name of that unit; periods of no known length are no time, but "periods". */
const char *spt_metric_unit_name(const SptMetric *metric, const SptCapture *capture);

G_END_DECLS

#endif

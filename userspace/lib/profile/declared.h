/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics of declared kinds (capture/declared.h), which are known only with the capture: NAME
 * counts the events of a kind, NAME.duration sums their durations, and NAME.FIELD the values of a
 * field.  A counter has no metric: its values are levels, and sums of them mean nothing.
 *
 * Such a metric can look at the fields of each event, too: it has only events that meet
 * conditions, and the values of one field for the grouping "field".
 */
#ifndef SPT_PROFILE_DECLARED_H
#define SPT_PROFILE_DECLARED_H

#include "capture/declared.h"
#include "profile/metric.h"

G_BEGIN_DECLS

#define SPT_DECLARED_CONDITIONS 16

typedef enum {
	SPT_FIELD_EQUAL,
	SPT_FIELD_NOT_EQUAL,
	SPT_FIELD_LESS,
	SPT_FIELD_AT_MOST,
	SPT_FIELD_MORE,
	SPT_FIELD_AT_LEAST,
} SptFieldOperator;

/* A condition on a field; of a text only (NOT_)EQUAL, to a pattern of glob.h. */
typedef struct {
	const char *field;
	SptFieldOperator op;
	SptValueType type;		/* the field's */
	SptValue value;
} SptFieldCondition;

typedef struct {
	const char *by;			/* the field whose values are groups; NULL: none */
	bool by_labels;			/* instead of that: all labels (spt_declared_labels()) */
	const SptFieldCondition *conditions;
	unsigned n_conditions;		/* at most SPT_DECLARED_CONDITIONS */
} SptDeclaredLook;

/*
 * The metric called @name; @look NULL: of all events.  Equal questions have the same answer, which
 * is never freed and good for any capture with such a kind: spt_metric_is_in() says whether one has
 * it.  NULL: @capture has none of that name.
 */
const SptMetric *spt_declared_metric(const SptCapture *capture, const char *name,
				     const SptDeclaredLook *look);
/* The kind of @name, which is that of a metric or of the kind itself; NULL: there is none. */
const SptDeclared *spt_declared_kind_of(const SptCapture *capture, const char *name);
/* The first metrics of the capture's kinds, some hundred: const SptMetric, owned by the capture. */
const GPtrArray *spt_declared_metrics(const SptCapture *capture);

/* Whether an event meets all of @n conditions; those on fields that @kind does not have fail. */
bool spt_declared_meets(const SptDeclared *kind, const SptDeclaredRow *row,
			const SptFieldCondition *conditions, unsigned n);
/*
 * The same metric with by_labels, of the same events; NULL: @metric is not of a declared kind, or
 * that has no labels.
 */
const SptMetric *spt_declared_labelled(const SptCapture *capture, const SptMetric *metric);
/*
 * The labels of an event, by the detail of a row of such a metric: its texts and the numbers that
 * are only names, each a line.  Key and value by turns; to be freed with g_strfreev().
 */
char **spt_declared_labels(const SptCapture *capture, const SptMetric *metric, uint32_t detail);
/* The text of a value, by the detail of a row of @metric, whose look has "by". */
const char *spt_declared_value(const SptCapture *capture, const SptMetric *metric,
			       uint32_t detail);

G_END_DECLS

#endif

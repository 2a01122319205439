/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics of all kinds of events, and the sources of those that are computed. */
#include "profile/metric.h"

#include <string.h>

#include "base/words.h"
#include "profile/allocations.h"
#include "profile/events.h"
#include "profile/latency.h"
#include "profile/waits.h"

/* Sources of metrics that are more than the events of a kind. */
#define COMPUTED(name_, source_) { .name = (name_), .source = &spt_weights_##source_ },
static const struct {
	const char *name;
	const SptWeightSource *source;
} computed[] = { SPT_WEIGHTS_COMPUTED(COMPUTED) };

static const SptWeightSource *find_computed(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(computed); i++)
		if (strcmp(computed[i].name, name) == 0)
			return computed[i].source;
	return NULL;
}

static SptMetric metric_of(const SptEventKind *kind, const SptEventMetric *of)
{
	return (SptMetric){
		.name = of->name,
		.title = of->title,
		.value = of->value,
		.option = of->flag ? of->flag : kind->option ? kind->option->flag : NULL,
		.without = of->without,
		.unit = of->unit,
		.parts = of->parts,
		.grouping = kind->subject ? kind->subject->grouping : NULL,
		.is_cpu = of == spt_event_clock.metrics,
		.source = of->is_computed ? find_computed(of->name) :
					    spt_weights_of_events(kind, of),
	};
}

/* The metrics of all kinds, made once. */
static const GArray *all_metrics(void)
{
	static GArray *metrics;
	const SptEventKind *kind;
	GArray *list;

	if (!g_once_init_enter(&metrics))
		return metrics;
	list = g_array_new(FALSE, FALSE, sizeof(SptMetric));
	for (unsigned i = 0; (kind = spt_event_kind(i)); i++)
		for (const SptEventMetric *of = kind->metrics; of && of->name; of++) {
			const SptMetric metric = metric_of(kind, of);

			g_array_append_val(list, metric);
		}
	g_once_init_leave(&metrics, list);
	return metrics;
}

const SptMetric *spt_metric(unsigned i)
{
	const GArray *metrics = all_metrics();

	return i < metrics->len ? &g_array_index(metrics, SptMetric, i) : NULL;
}

const SptMetric *spt_metric_find(const char *name)
{
	const SptMetric *metric;

	for (unsigned i = 0; (metric = spt_metric(i)); i++)
		if (strcmp(metric->name, name) == 0)
			return metric;
	return NULL;
}

bool spt_metric_is_in(const SptMetric *metric, const SptCapture *capture)
{
	return metric->source && spt_weights_are_in(capture, metric->source);
}

/* The option was given: the recording has another metric of it. */
static bool has_other_of_option(const SptMetric *metric, const SptCapture *capture)
{
	const SptMetric *other;

	for (unsigned i = 0; (other = spt_metric(i)); i++)
		if (other != metric && g_strcmp0(other->option, metric->option) == 0 &&
		    spt_metric_is_in(other, capture))
			return true;
	return false;
}

bool spt_metric_check(const SptMetric *metric, const SptCapture *capture, GError **error)
{
	if (spt_metric_is_in(metric, capture))
		return true;
	if (metric->without && has_other_of_option(metric, capture))
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "%s has no metric \"%s\": %s", capture->path, metric->name,
			      spt_words(metric->without));
	else if (metric->source && metric->option)
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "%s has no metric \"%s\"; record with %s to have it",
			      capture->path, metric->name, metric->option);
	else
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "%s has no metric \"%s\", and this version of Sysprof knows none%s%s",
			      capture->path, metric->name,
			      metric->option ? ": it is of record " : "",
			      metric->option ? metric->option : "");
	return false;
}

uint64_t spt_metric_worth(const SptMetric *metric, const SptCapture *capture)
{
	return metric->is_cpu ? spt_capture_period_ns(capture) : 1;
}

const char *spt_metric_unit_name(const SptMetric *metric, const SptCapture *capture)
{
	return spt_metric_worth(metric, capture) ? spt_unit_name(metric->unit) : "periods";
}

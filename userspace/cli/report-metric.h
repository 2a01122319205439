/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats a metric's weights. */
#ifndef SPT_REPORT_METRIC_H
#define SPT_REPORT_METRIC_H

#include "json.h"
#include "profile/metric.h"

/* The help of --metric, valid as long as the program. */
const char *spt_report_metric_help(void);
/* The title of a column of weights: "Periods", "Time", "Bytes" or "Events". */
const char *spt_metric_head(const SptMetric *metric);
/* "12" periods or events, "1.50 ms", "1.2 MiB"; to be freed. */
char *spt_metric_text(const SptMetric *metric, uint64_t weight);
/* What a command without any has: "no samples", "nothing of the metric lock"; to be freed. */
char *spt_metric_none(const SptMetric *metric);
/* Adds members to the open object: the metric and its sum; a weight in the metric's unit. */
void spt_metric_add_sum(SptJson *json, const SptMetric *metric, const SptCapture *capture,
			uint64_t weight);
void spt_metric_add(SptJson *json, const char *key, const SptMetric *metric,
		    const SptCapture *capture, uint64_t weight);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report on its way from its options (cmd-report.c) to a page of text or JSON. */
#ifndef SPT_REPORT_H
#define SPT_REPORT_H

#include "profile/profile.h"
#include "profile/summary.h"

enum spt_report_kind {
	SPT_REPORT_FUNCTIONS,
	SPT_REPORT_TREE,
	SPT_REPORT_CALLERS,
	SPT_REPORT_CALLEES,
	SPT_REPORT_CATEGORIES,
	SPT_REPORT_GROUPS,
};

struct spt_report {
	enum spt_report_kind kind;
	const SptCapture *capture;
	const SptSummary *summary;
	const SptProfile *profile;
	/* Of callers and callees: functions (uint32_t) taken for one */
	GArray *members;
	const char *heading;		/* of several functions: what they were asked for by */
	GArray *categories;		/* SptCategoryWeight */
	GArray *groups;			/* SptGroupRow, those that are shown */
	const char *by;			/* of groups: "process", ... */
	unsigned limit;			/* rows; UINT32_MAX for all */
	double min_percent;		/* what is below it is left out */
};

void spt_report_print_text(const struct spt_report *report);
void spt_report_print_json(const struct spt_report *report);
/*
 * report-latest.c: the @n samples whose ticks came latest, of those @filter selects by time,
 * process, thread and CPU.  False: complained, also if there are none.
 */
bool spt_report_print_latest(const SptCapture *capture, SptSymbols *symbols,
			     const SptFilter *filter, unsigned n, bool json);
/*
 * report-delay.c: of the samples @filter selects likewise how late they came, by kernel stack, at
 * most @limit of them.
 */
bool spt_report_print_delay(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter,
			    unsigned limit, bool json);
/* Of a recording's name. */
#define SPT_REPORT_NOTHING_HOLDS                                                                   \
	"%s has no samples for which all the conditions hold; leave some of them out"
/* The edges of callers or callees, those that are shown.  Elements are SptEdge. */
GArray *spt_report_edges(const struct spt_report *report);
/* Indices of the functions that are shown, in their order; n of them. */
uint32_t *spt_report_functions(const struct spt_report *report, uint32_t *ret_n);

#endif

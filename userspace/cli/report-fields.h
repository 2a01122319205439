/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of events that a recording declares itself: their metrics, and conditions on fields. */
#ifndef SPT_REPORT_FIELDS_H
#define SPT_REPORT_FIELDS_H

#include "report-filter.h"

/*
 * Completes the options with what only @capture knows: the metric if it is a declared kind's, the
 * conditions of --field, and the field of --by.  False: complained, return SPT_EXIT_USAGE.
 */
bool spt_filter_options_find_declared(struct spt_filter_options *options,
				      const SptCapture *capture);
/* The kind called @name; NULL: complained. */
const SptDeclared *spt_report_find_kind(const SptCapture *capture, const char *name);
/* A value for people, in its unit: "12.0 KiB", "3.2 ms", "/index.html"; to be freed. */
char *spt_report_value_text(const SptDeclaredField *field, SptValue value);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the head of a report says of CPU time within marks (--mark): what their threads did all the
 * time, what for, and who let them wait.  Most of that is not in the samples.
 */
#ifndef SPT_REPORT_WITHIN_H
#define SPT_REPORT_WITHIN_H

#include "report.h"

/* @name: the pattern of the marks. */
void spt_report_print_within(const struct spt_report *report, const char *name);
/* The same as a member "within" of the object that is open. */
void spt_report_add_within(const struct spt_report *report, const char *name, SptJson *json);

#endif

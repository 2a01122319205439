/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact sums of threads, for report --by thread --metric wall. */
#ifndef SPT_REPORT_THREADS_H
#define SPT_REPORT_THREADS_H

#include "report.h"

/* Whether the recording has them, and all conditions can be applied to them. */
bool spt_report_has_thread_times(const struct spt_report *report);
void spt_report_print_thread_times(const struct spt_report *report);
/* Member "threads". */
void spt_report_add_thread_times(const struct spt_report *report, SptJson *json);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory the recorded programs had, for info and report. */
#ifndef SPT_CLI_MEMORY_USE_H
#define SPT_CLI_MEMORY_USE_H

#include "json.h"
#include "profile/metric.h"

/*
 * Lines, after names in @width columns (0: and a colon); nothing of what was not recorded.  Moments
 * are printed as seconds since @start_ns.
 */
void spt_cli_print_resident(const SptCapture *capture, uint64_t start_ns, int width);
void spt_cli_print_heap(const SptCapture *capture, uint64_t start_ns, int width);
/* Keys "resident" and "heap", likewise. */
void spt_cli_add_resident(SptJson *json, const SptCapture *capture);
void spt_cli_add_heap(SptJson *json, const SptCapture *capture);
/* Whether the metric is of memory that programs allocated. */
bool spt_cli_is_of_heap(const SptMetric *metric);

#endif

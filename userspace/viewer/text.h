/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and numbers as the window shows them. */
#ifndef SPT_TEXT_H
#define SPT_TEXT_H

#include "profile/metric.h"

/*
 * Names come out of files that may hold anything: on one line, valid, and not longer than anyone
 * reads.  @text itself if it is fit to be shown, else a copy in *@ret_made, which is to be freed.
 */
const char *spt_text_name(const char *text, char **ret_made);
/* The terminal's program, by the name that goes with the viewer's own: sysprof, sysprof-cli. */
const char *spt_text_cli(void);
char *spt_text_count(uint64_t n);	/* "1,234,567" */
/*
 * "1.234 s" from the beginning of the recording; "" for what was there before it, which has no such
 * time.
 */
char *spt_text_moment(uint64_t time, uint64_t start_ns);
/* "12 periods", "1.50 ms", "1,234 bytes", "3.8 MiB" or "1,234" events. */
char *spt_text_weight(const SptMetric *metric, uint64_t weight);
char *spt_text_duration(uint64_t ns);	/* "1.50 s", "2.00 ms" */
/*
 * "1 sample per ms of CPU time", and how far the rate was lowered to keep to the budget, if
 * it was: of the periods so far, @delivered were sampled and @budget skipped for it.
 */
char *spt_text_rate(uint64_t period_ns, uint64_t delivered, uint64_t budget);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and numbers as the window shows them. */
#ifndef SPT_TEXT_H
#define SPT_TEXT_H

#include <gtk/gtk.h>

#include "profile/metric.h"

/*
 * Names come from files that may contain anything.  The result is valid, on one line, and not too
 * long to read: @text itself if it is fine, else a copy in *@ret_made, which the caller frees.
 */
const char *spt_text_name(const char *text, char **ret_made);
/* Longer names of functions are shown without their arguments (symbols/plain-names.h). */
#define SPT_TEXT_NAME_COLUMNS 46
/* The name of the terminal's program that belongs to the viewer's name: sysprof, sysprof-cli. */
const char *spt_text_cli(void);
/* Aligns @layout to this side also where @widget's language is written from right to left. */
void spt_text_align(PangoLayout *layout, GtkWidget *widget, PangoAlignment side);
char *spt_text_count(uint64_t n);	/* "1,234,567" */
/* "1.234 s" from the beginning of the recording; "" for earlier times, which are not in it. */
char *spt_text_moment(uint64_t time, uint64_t start_ns);
/* "12 periods", "1.50 ms", "1,234 bytes", "3.8 MiB" or "1,234" events. */
char *spt_text_weight(const SptMetric *metric, uint64_t weight);
char *spt_text_duration(uint64_t ns);	/* "1.50 s", "2.00 ms" */
/* The same of an event; "" for a moment, of which nobody can say how long it took. */
char *spt_text_took(uint64_t ns);
/*
 * "1 sample per ms of CPU time", and how far the rate was lowered for the budget: of the periods so
 * far, @delivered were sampled and @budget skipped.
 */
char *spt_text_rate(uint64_t period_ns, uint64_t delivered, uint64_t budget);

#endif

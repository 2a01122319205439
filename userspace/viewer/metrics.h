/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choices of a recording: metrics, and groupings above functions for each of them. */
#ifndef SPT_METRICS_H
#define SPT_METRICS_H

#include <gtk/gtk.h>

#include "document.h"

/* Makes @choice one of the metrics' titles, in the order of spt_recording_metric(). */
void spt_metrics_offer(GtkDropDown *choice, const SptDocument *document);
/* Selects the metric @name there, if the recording has it. */
void spt_metrics_choose(GtkDropDown *choice, const SptDocument *document, const char *name);
/*
 * Adds the groupings that fit @metric, and that @capture shows, between "By Program" and "Nothing
 * Above Functions"; that by category if there are @categories.
 */
void spt_metrics_offer_groupings(GMenu *roots, const SptMetric *metric, const SptCapture *capture,
				 const SptCategories *categories);
/* "468 of 4,769 samples", or in another metric "1.2 MiB of 3.8 MiB"; to be freed. */
char *spt_metrics_part(SptDocument *document);

#endif

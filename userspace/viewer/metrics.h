/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choices of a recording: metrics, and groupings above functions for each of them. */
#ifndef SPT_METRICS_H
#define SPT_METRICS_H

#include <gtk/gtk.h>

#include "document.h"

/* The titles, translated, in the order of spt_document_metric(); the caller's. */
GtkStringList *spt_metrics_titles(const SptDocument *document);
/* Adds the groupings that fit @metric, between "By Program" and "Nothing Above Functions". */
void spt_metrics_offer_groupings(GMenu *roots, const SptMetric *metric);
/* "468 of 4,769 samples", or in another metric "1.2 MiB of 3.8 MiB"; to be freed. */
char *spt_metrics_part(SptDocument *document);

#endif

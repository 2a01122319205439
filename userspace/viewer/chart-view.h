/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one thread did in the order of time, callers above their callees.  Inside a
 * GtkScrolledWindow.
 */
#ifndef SPT_CHART_VIEW_H
#define SPT_CHART_VIEW_H

#include <gtk/gtk.h>

#include "document.h"
#include "time-axis.h"

#define SPT_TYPE_CHART_VIEW (spt_chart_view_get_type())
G_DECLARE_FINAL_TYPE(SptChartView, spt_chart_view, SPT, CHART_VIEW, GtkWidget)

/* Signal "function-activated" (uint function): a box was double-clicked. */

#define SPT_CHART_MAX_THREADS 6

/* Called before anything else: the view follows the timeline above. */
void spt_chart_view_set_axis(SptChartView *view, SptTimeAxis *axis);
/* Shows these threads, @n at most SPT_CHART_MAX_THREADS, one below the other. */
void spt_chart_view_show(SptChartView *view, SptDocument *document, const uint32_t *tids,
			 unsigned n);
/* Highlights functions; @matches as from spt_order_match(), taken over; NULL: none. */
void spt_chart_view_light(SptChartView *view, bool *matches);

#endif

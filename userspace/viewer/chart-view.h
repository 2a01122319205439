/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one thread did in the order of time, callers above what they called.  Inside a
 * GtkScrolledWindow.
 */
#ifndef SPT_CHART_VIEW_H
#define SPT_CHART_VIEW_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_CHART_VIEW (spt_chart_view_get_type())
G_DECLARE_FINAL_TYPE(SptChartView, spt_chart_view, SPT, CHART_VIEW, GtkWidget)

/* Signal "function-activated" (uint function): a box was double-clicked. */

/* The time that @document is restricted to, or all of it; @tid UINT32_MAX: of no thread. */
void spt_chart_view_show(SptChartView *view, SptDocument *document, uint32_t tid);
/* Lights up functions; @matches as of spt_order_match(), taken over; NULL: none. */
void spt_chart_view_light(SptChartView *view, bool *matches);

#endif

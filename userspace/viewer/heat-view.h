/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A column for each second, with each sample at its instant within the second; a part of the time
 * can be selected.
 */
#ifndef SPT_HEAT_VIEW_H
#define SPT_HEAT_VIEW_H

#include <gtk/gtk.h>

#include "document.h"
#include "time-axis.h"

#define SPT_TYPE_HEAT_VIEW (spt_heat_view_get_type())
G_DECLARE_FINAL_TYPE(SptHeatView, spt_heat_view, SPT, HEAT_VIEW, GtkWidget)

/* Signal "range": as SptTimelineView's. */

void spt_heat_view_set_axis(SptHeatView *view, SptTimeAxis *axis);
void spt_heat_view_set_document(SptHeatView *view, SptDocument *document);

#endif

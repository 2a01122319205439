/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes of the threads on each CPU, and of each process and its threads, below the timeline and
 * aligned with it.
 */
#ifndef SPT_LANES_VIEW_H
#define SPT_LANES_VIEW_H

#include <gtk/gtk.h>

#include "document.h"
#include "time-axis.h"

#define SPT_TYPE_LANES_VIEW (spt_lanes_view_get_type())
G_DECLARE_FINAL_TYPE(SptLanesView, spt_lanes_view, SPT, LANES_VIEW, GtkWidget)

/*
 * Signals: "range" (guint64 begin_ns, guint64 end_ns, gboolean is_final) as of the timeline; "only"
 * (SptRestriction *): the user chose a process, thread or CPU.
 */

/* Called before anything else. */
void spt_lanes_view_set_axis(SptLanesView *view, SptTimeAxis *axis);
/* Likewise: @label says how many arrows there are. */
void spt_lanes_view_set_count(SptLanesView *view, GtkLabel *label);
void spt_lanes_view_set_document(SptLanesView *view, SptDocument *document);
/* Selects the wait or run of @thread of the capture at @time, and scrolls to it. */
void spt_lanes_view_go_to(SptLanesView *view, uint32_t thread, uint64_t time);

#endif

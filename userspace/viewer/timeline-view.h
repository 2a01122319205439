/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How busy CPUs, processes or threads were over time, with losses and other streams; a part of the
 * time can be selected.
 */
#ifndef SPT_TIMELINE_VIEW_H
#define SPT_TIMELINE_VIEW_H

#include <gtk/gtk.h>

#include "document.h"
#include "time-axis.h"

#define SPT_TYPE_TIMELINE_VIEW (spt_timeline_view_get_type())
G_DECLARE_FINAL_TYPE(SptTimelineView, spt_timeline_view, SPT, TIMELINE_VIEW, GtkWidget)

/*
 * Signals: "range" (guint64 begin_ns, guint64 end_ns, gboolean is_final): the user selects a
 * stretch (end 0: everything), and is still at it or has done so.  "only" (SptRestriction *): the
 * user chose a CPU, process or thread.
 */

/* The part in view and the selection; pictures with the same axis follow.  Borrowed. */
SptTimeAxis *spt_timeline_view_axis(SptTimelineView *view);
/* Least room for names, since the pictures below have names, too. */
void spt_timeline_view_set_gutter(SptTimelineView *view, int pixels);
/* The ruler stays in sight while @room, which scrolls the view from its top, shows a part. */
void spt_timeline_view_set_room(SptTimelineView *view, GtkAdjustment *room);
/* @document: a recording, or the part of it whose times are shown as selected. */
void spt_timeline_view_set_document(SptTimelineView *view, SptDocument *document);
/* Shows a lane for each of these. */
void spt_timeline_view_set_lanes(SptTimelineView *view, SptGroupKind lanes);
/* Highlights when @function ran; UINT32_MAX: none. */
void spt_timeline_view_light(SptTimelineView *view, uint32_t function);

#endif

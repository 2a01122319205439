/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy each CPU was over time, with what was lost; a stretch of it can be selected. */
#ifndef SPT_TIMELINE_VIEW_H
#define SPT_TIMELINE_VIEW_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_TIMELINE_VIEW (spt_timeline_view_get_type())
G_DECLARE_FINAL_TYPE(SptTimelineView, spt_timeline_view, SPT, TIMELINE_VIEW, GtkWidget)

/*
 * Signals: "range" (guint64 begin_ns, guint64 end_ns, gboolean is_final): the user selects a stretch (end 0: everything), and is
 * still at it or has done so.
 * "cpu" (uint cpu): the user chose a CPU.
 */

/* @document: a recording, or the part of it whose times are shown as selected. */
void spt_timeline_view_set_document(SptTimelineView *view, SptDocument *document);

#endif

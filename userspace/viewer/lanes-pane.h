/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lanes, as many as fit, and a legend of their colours. */
#ifndef SPT_LANES_PANE_H
#define SPT_LANES_PANE_H

#include <gtk/gtk.h>

#include "lanes-view.h"

#define SPT_TYPE_LANES_PANE (spt_lanes_pane_get_type())
G_DECLARE_FINAL_TYPE(SptLanesPane, spt_lanes_pane, SPT, LANES_PANE, GtkBox)

/* Room for the names of threads. */
#define SPT_LANES_GUTTER 156

/* Signals "range" and "only": as of SptLanesView. */

/* Hidden at first unless a recording has waits. */
void spt_lanes_pane_set_document(SptLanesPane *pane, SptDocument *document);
SptLanesView *spt_lanes_pane_view(SptLanesPane *pane);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph of everything, with a line about the selected box, a search and a menu. */
#ifndef SPT_FLAME_PANE_H
#define SPT_FLAME_PANE_H

#include <gtk/gtk.h>

#include "document.h"
#include "time-axis.h"

#define SPT_TYPE_FLAME_PANE (spt_flame_pane_get_type())
G_DECLARE_FINAL_TYPE(SptFlamePane, spt_flame_pane, SPT, FLAME_PANE, GtkWidget)

/* Signal "function-activated" (uint function): the user wants to see more of it. */

/* The axis of its view by time; called before anything else. */
void spt_flame_pane_set_axis(SptFlamePane *pane, SptTimeAxis *axis);
/* Searches for @name. */
void spt_flame_pane_highlight(SptFlamePane *pane, const char *name);

/* Borrowed. */
GtkWidget *spt_flame_pane_picture(SptFlamePane *pane);

#endif

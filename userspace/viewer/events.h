/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view that holds the pages without an icon (pages.h): events, one in each row, and losses. */
#ifndef SPT_EVENTS_H
#define SPT_EVENTS_H

#include <gtk/gtk.h>

#define SPT_TYPE_EVENTS (spt_events_get_type())
G_DECLARE_FINAL_TYPE(SptEvents, spt_events, SPT, EVENTS, GtkBox)

/* The stack of these pages. */
GtkStack *spt_events_stack(SptEvents *events);

#endif

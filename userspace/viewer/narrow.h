/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is laid out differently where a window is narrow.  The window's property "narrow" says that
 * it is; widgets follow it from when they come to be in a window.  A leaflet of libadwaita would
 * say the same, but has no handle between its children to give one of them more room.
 */
#ifndef SPT_NARROW_H
#define SPT_NARROW_H

#include <gtk/gtk.h>
#include <stdbool.h>

/* Pixels of content, from which a window is not narrow. */
#define SPT_NARROW_BELOW 720

/* Follows the size of @window: sets its property "narrow". */
void spt_narrow_watch(GtkWindow *window);
/* In a narrow window what is in @box or @paned stands below each other. */
void spt_narrow_stack(GtkWidget *orientable);
/* @widget is visible where the window is narrow, or (@is_narrow false) where it is not. */
void spt_narrow_show(GtkWidget *widget, bool is_narrow);
/* The last column of @view, which only wide windows have. */
void spt_narrow_hide_column(GtkColumnView *view, GtkColumnViewColumn *column);

#endif

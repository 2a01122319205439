/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout for narrow windows.  The window's property "narrow" says whether it is narrow; widgets
 * follow it once they are in a window.  A leaflet of libadwaita would report the same, but has no
 * handle to give one of its children more room.
 */
#ifndef SPT_NARROW_H
#define SPT_NARROW_H

#include <gtk/gtk.h>
#include <stdbool.h>

/* Pixels of content below which a window is narrow. */
#define SPT_NARROW_BELOW 720

/* Follows the size of @window: sets its property "narrow". */
void spt_narrow_watch(GtkWindow *window);
/* In a narrow window the children of @box or @paned are below each other. */
void spt_narrow_stack(GtkWidget *orientable);
/* @widget is visible if the window is narrow, or (@is_narrow false) if it is not. */
void spt_narrow_show(GtkWidget *widget, bool is_narrow);
/* A low window leaves the page below @scrolled room for some rows; what is in it scrolls. */
void spt_narrow_limit_height(GtkScrolledWindow *scrolled);
/* Shows @column, which is the next one to be appended to @view, only in wide windows. */
void spt_narrow_hide_column(GtkColumnView *view, GtkColumnViewColumn *column);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The window that lists the keys: those of help-overlay.ui, and of the pages' table (pages.h). */
#ifndef SPT_SHORTCUTS_H
#define SPT_SHORTCUTS_H

#include <gtk/gtk.h>

/* @window shows it at win.show-help-overlay. */
void spt_shortcuts_set(GtkApplicationWindow *window);

#endif

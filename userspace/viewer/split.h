/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panes that the user can resize, and that keep their sizes: where a handle was moved to, the next
 * window has it.
 */
#ifndef SPT_SPLIT_H
#define SPT_SPLIT_H

#include <gtk/gtk.h>

/* @key: of the state that holds the position (state.h). */
void spt_split_keep(GtkPaned *paned, const char *key);
/*
 * The same for a vertical one whose start child is an AdwBin: until the handle is moved, that is as
 * high as its content requests.
 */
void spt_split_fit(GtkPaned *paned, const char *key);
/* Folds the start child away, or gives it its own size again. */
void spt_split_fold(GtkPaned *paned);

#endif

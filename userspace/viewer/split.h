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
/* Whether it has much to show, and may be higher than otherwise. */
void spt_split_give(GtkPaned *paned, bool much);
/*
 * The same for a vertical one whose start child has a part of the height until the handle is moved,
 * but at least @least, as far as the other needs less than the rest.
 */
void spt_split_share(GtkPaned *paned, const char *key, double share, int least);
/* Folds the start child away, or gives it its own size again. */
void spt_split_fold(GtkPaned *paned);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs have marked, the longest first, with how often and how long.  Selecting a row
 * restricts all views to what ran within these marks.
 */
#ifndef SPT_MARKS_PANE_H
#define SPT_MARKS_PANE_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_MARKS_PANE (spt_marks_pane_get_type())
G_DECLARE_FINAL_TYPE(SptMarksPane, spt_marks_pane, SPT, MARKS_PANE, GtkBox)

GtkWidget *spt_marks_pane_new(void);
/* As in SptPage. */
void spt_marks_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);
bool spt_marks_pane_is_for(const SptDocument *document);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of a recording, one of which is to be seen. */
#ifndef SPT_VIEWS_H
#define SPT_VIEWS_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_VIEWS (spt_views_get_type())
G_DECLARE_FINAL_TYPE(SptViews, spt_views, SPT, VIEWS, GtkWidget)

void spt_views_set_document(SptViews *views, SptDocument *document);
/* In the view that is to be seen. */
void spt_views_focus_search(SptViews *views);
/* "functions" or "flame" */
void spt_views_show(SptViews *views, const char *name);
/* What is seen at present: the recording or a part of it; borrowed. */
SptDocument *spt_views_document(SptViews *views);
/* For a switcher. */
GtkStack *spt_views_stack(SptViews *views);

#endif

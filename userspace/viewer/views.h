/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views of a recording; one is visible. */
#ifndef SPT_VIEWS_H
#define SPT_VIEWS_H

#include <adwaita.h>

#include "document.h"

#define SPT_TYPE_VIEWS (spt_views_get_type())
G_DECLARE_FINAL_TYPE(SptViews, spt_views, SPT, VIEWS, GtkWidget)

void spt_views_set_document(SptViews *views, SptDocument *document);
/* The title of the recording, and its origin. */
void spt_views_set_title(SptViews *views, const char *name, const char *origin);
/* In the visible view. */
void spt_views_focus_search(SptViews *views);
/* A page of pages.h, by its name. */
void spt_views_show(SptViews *views, const char *name);
/* The visible document: the recording or a part of it; borrowed. */
SptDocument *spt_views_document(SptViews *views);
/* Compares the visible document with another recording, called @name. */
void spt_views_compare(SptViews *views, SptDocument *before, const char *name);
/* The functions listed, in their order; borrowed. */
const uint32_t *spt_views_list(SptViews *views, uint32_t *ret_n);
/* The picture that is or was last visible; borrowed. */
GtkWidget *spt_views_picture(SptViews *views);
/* For a switcher. */
AdwViewStack *spt_views_stack(SptViews *views);

#endif

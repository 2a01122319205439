/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The restrictions of the views, one button for each; a click removes it. */
#ifndef SPT_CRUMBS_H
#define SPT_CRUMBS_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_CRUMBS (spt_crumbs_get_type())
G_DECLARE_FINAL_TYPE(SptCrumbs, spt_crumbs, SPT, CRUMBS, GtkBox)

/* Buttons activate "views.remove" with the restriction's index.  Hidden if there is none. */
void spt_crumbs_show(SptCrumbs *crumbs, SptDocument *document);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an empty window offers: recording everything or one command, and what was shown lately. */
#ifndef SPT_START_PAGE_H
#define SPT_START_PAGE_H

#include <gtk/gtk.h>

#define SPT_TYPE_START_PAGE (spt_start_page_get_type())
G_DECLARE_FINAL_TYPE(SptStartPage, spt_start_page, SPT, START_PAGE, GtkWidget)

/* What keeps recording from working here, and what helps; NULL: nothing. */
void spt_start_page_set_hint(SptStartPage *page, const char *text);
/* Reads anew what was shown lately. */
void spt_start_page_refresh(SptStartPage *page);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of an empty window: recording everything or one command, and recent recordings. */
#ifndef SPT_START_PAGE_H
#define SPT_START_PAGE_H

#include <gtk/gtk.h>

#define SPT_TYPE_START_PAGE (spt_start_page_get_type())
G_DECLARE_FINAL_TYPE(SptStartPage, spt_start_page, SPT, START_PAGE, GtkWidget)

/* Says whether one can record here, and what helps, unless the kernel module works. */
void spt_start_page_check(SptStartPage *page);
/* Reads the recent recordings again. */
void spt_start_page_refresh(SptStartPage *page);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* While a file is opened: how far it is, what is fetched for it, and how to end that. */
#ifndef SPT_BUSY_PAGE_H
#define SPT_BUSY_PAGE_H

#include <gtk/gtk.h>

#define SPT_TYPE_BUSY_PAGE (spt_busy_page_get_type())
G_DECLARE_FINAL_TYPE(SptBusyPage, spt_busy_page, SPT, BUSY_PAGE, GtkBox)

/* The opening of spt_opening_start() with @cancellable; @title says what is opened. */
void spt_busy_page_begin(SptBusyPage *page, GCancellable *cancellable, const char *title);
/* As far as it is now. */
void spt_busy_page_update(SptBusyPage *page);

#endif

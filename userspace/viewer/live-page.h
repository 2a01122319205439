/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a window that records: counts, and where the time went so far. */
#ifndef SPT_LIVE_PAGE_H
#define SPT_LIVE_PAGE_H

#include <gtk/gtk.h>

#include "record-run.h"

#define SPT_TYPE_LIVE_PAGE (spt_live_page_get_type())
G_DECLARE_FINAL_TYPE(SptLivePage, spt_live_page, SPT, LIVE_PAGE, GtkBox)

/* Shows @recording from now on; NULL: none. */
void spt_live_page_set_recording(SptLivePage *page, SptRecordRun *recording);

#endif

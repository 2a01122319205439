/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a window shows while it records: counts, and where the time went up to now. */
#ifndef SPT_LIVE_PAGE_H
#define SPT_LIVE_PAGE_H

#include <gtk/gtk.h>

#include "recording.h"

#define SPT_TYPE_LIVE_PAGE (spt_live_page_get_type())
G_DECLARE_FINAL_TYPE(SptLivePage, spt_live_page, SPT, LIVE_PAGE, GtkBox)

/* From now on shows @recording; NULL: none any more. */
void spt_live_page_set_recording(SptLivePage *page, SptRecording *recording);

#endif

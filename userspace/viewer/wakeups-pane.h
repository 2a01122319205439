/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How regularly threads are woken and how soon they run after that, for two of them side by side: a
 * page as in pages.h that needs no function.
 */
#ifndef SPT_WAKEUPS_PANE_H
#define SPT_WAKEUPS_PANE_H

#include <gtk/gtk.h>

#include "document.h"

GtkWidget *spt_wakeups_pane_new(void);
void spt_wakeups_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);

#endif

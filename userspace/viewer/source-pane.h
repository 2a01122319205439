/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines and instructions of a function, each with its weight. */
#ifndef SPT_SOURCE_PANE_H
#define SPT_SOURCE_PANE_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_SOURCE_PANE (spt_source_pane_get_type())
G_DECLARE_FINAL_TYPE(SptSourcePane, spt_source_pane, SPT, SOURCE_PANE, GtkBox)

GtkWidget *spt_source_pane_new(void);
/* As in SptPage. */
void spt_source_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);

#endif

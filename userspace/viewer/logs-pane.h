/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that programs and the kernel wrote in what is selected, by time. */
#ifndef SPT_LOGS_PANE_H
#define SPT_LOGS_PANE_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_LOGS_PANE (spt_logs_pane_get_type())
G_DECLARE_FINAL_TYPE(SptLogsPane, spt_logs_pane, SPT, LOGS_PANE, GtkBox)

GtkWidget *spt_logs_pane_new(void);
/* Shows the lines of the document's selection. */
void spt_logs_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);
bool spt_logs_pane_is_for(const SptDocument *document);

#endif

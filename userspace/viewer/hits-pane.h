/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page of each event of a declared kind (record -e, events of programs), with its fields. */
#ifndef SPT_HITS_PANE_H
#define SPT_HITS_PANE_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_HITS_PANE (spt_hits_pane_get_type())
G_DECLARE_FINAL_TYPE(SptHitsPane, spt_hits_pane, SPT, HITS_PANE, GtkBox)

/* As in SptPage. */
GtkWidget *spt_hits_pane_new(void);
void spt_hits_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);
bool spt_hits_pane_is_for(const SptDocument *document);

#endif

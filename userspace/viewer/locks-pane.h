/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks that waited for a lock, side by side with those of its holders, longest waits first. */
#ifndef SPT_LOCKS_PANE_H
#define SPT_LOCKS_PANE_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_LOCKS_PANE (spt_locks_pane_get_type())
G_DECLARE_FINAL_TYPE(SptLocksPane, spt_locks_pane, SPT, LOCKS_PANE, GtkBox)

GtkWidget *spt_locks_pane_new(void);
/* As in SptPage. */
void spt_locks_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);
bool spt_locks_pane_is_for(const SptDocument *document);

#endif

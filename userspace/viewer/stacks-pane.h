/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks that have a function, or a path of functions, heaviest first. */
#ifndef SPT_STACKS_PANE_H
#define SPT_STACKS_PANE_H

#include <gtk/gtk.h>

#include "document.h"

#define SPT_TYPE_STACKS_PANE (spt_stacks_pane_get_type())
G_DECLARE_FINAL_TYPE(SptStacksPane, spt_stacks_pane, SPT, STACKS_PANE, GtkBox)

GtkWidget *spt_stacks_pane_new(void);
/* As in SptPage. */
void spt_stacks_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);

#endif

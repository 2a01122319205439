/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs allocated: sums, who held it when it was most, sizes, lifetimes and threads.  A
 * page as in pages.h that needs no function.
 */
#ifndef SPT_MEMORY_PANE_H
#define SPT_MEMORY_PANE_H

#include <gtk/gtk.h>

#include "document.h"

GtkWidget *spt_memory_pane_new(void);
void spt_memory_pane_show(GtkWidget *pane, SptDocument *document, uint32_t function, GArray *path);
/* Whether allocations were recorded. */
bool spt_memory_pane_is_for(const SptDocument *document);

#endif

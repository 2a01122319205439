/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cell with a percentage and a bar of that length, so that large values are seen at once. */
#ifndef SPT_SHARE_CELL_H
#define SPT_SHARE_CELL_H

#include <gtk/gtk.h>

#define SPT_TYPE_SHARE_CELL (spt_share_cell_get_type())
G_DECLARE_FINAL_TYPE(SptShareCell, spt_share_cell, SPT, SHARE_CELL, GtkWidget)

GtkWidget *spt_share_cell_new(void);
/* 0 to 100 */
void spt_share_cell_set_percent(SptShareCell *cell, double percent);

#endif

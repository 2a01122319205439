/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The context menu of a table's row. */
#ifndef SPT_ROW_MENU_H
#define SPT_ROW_MENU_H

#include <gtk/gtk.h>
#include <stdbool.h>

/* Adds the menu to @cell of @item; the items of its model are those of columns.h. */
void spt_row_menu_attach(GtkWidget *cell, GtkListItem *item);
/* Whether the menu is open: tooltips would cover it. */
bool spt_row_menu_is_open(void);

#endif

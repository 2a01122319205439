/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The menu of a table's row, by the mouse's other button. */
#ifndef SPT_ROW_MENU_H
#define SPT_ROW_MENU_H

#include <gtk/gtk.h>
#include <stdbool.h>

/* @cell: of @item, whose model's items are those of columns.h. */
void spt_row_menu_attach(GtkWidget *cell, GtkListItem *item);
/* What is said of rows would cover what can be done with one. */
bool spt_row_menu_is_open(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the three panes have in common: a title, a table, and a sentence where there is nothing to
 * show.
 */
#ifndef SPT_PANE_H
#define SPT_PANE_H

#include <gtk/gtk.h>
#include <stdbool.h>

#define SPT_TYPE_PANE (spt_pane_get_type())
G_DECLARE_DERIVABLE_TYPE(SptPane, spt_pane, SPT, PANE, GtkBox)

struct _SptPaneClass {
	GtkBoxClass parent_class;
};

/*
 * Signal "function-activated" (uint function): a row was double-clicked, or Enter pressed on it.
 */

GtkColumnView *spt_pane_view(SptPane *pane);
/* Beside the title. */
void spt_pane_add_header(SptPane *pane, GtkWidget *widget);
void spt_pane_set_title(SptPane *pane, const char *text);
/* What to show instead of no rows. */
void spt_pane_set_empty_text(SptPane *pane, const char *text);
void spt_pane_show_empty(SptPane *pane, gboolean is_empty);
/* Shows @model, or nothing at all if it is NULL. */
void spt_pane_set_model(SptPane *pane, GtkSelectionModel *model);
/*
 * After the rows of its model became others: nothing is selected, and with @from_top the first ones
 * are in view.
 */
void spt_pane_start_anew(SptPane *pane, bool from_top);

#endif

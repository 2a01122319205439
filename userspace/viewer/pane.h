/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The base of the three panes: a title, a table, and a sentence if there is nothing to show. */
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
/* What has the title. */
GtkWidget *spt_pane_header(SptPane *pane);
/* Adds @widget beside the title. */
void spt_pane_add_header(SptPane *pane, GtkWidget *widget);
void spt_pane_set_title(SptPane *pane, const char *text);
/* A sentence about its columns, in the title's tooltip; NULL: none.  For a title that stays. */
void spt_pane_explain(SptPane *pane, const char *text);
/* The sentence for a table without rows. */
void spt_pane_set_empty_text(SptPane *pane, const char *text);
void spt_pane_show_empty(SptPane *pane, gboolean is_empty);
/* Shows @model; NULL: nothing. */
void spt_pane_set_model(SptPane *pane, GtkSelectionModel *model);
/*
 * Called after the rows of its model have changed: nothing is selected, and with @from_top it
 * scrolls to the first row.
 */
void spt_pane_start_anew(SptPane *pane, bool from_top);

#endif

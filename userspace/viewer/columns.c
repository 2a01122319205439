/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells are made once for as many rows as are in view, and filled again and again while scrolling.
 */
#include "columns.h"

#include <glib/gi18n.h>

#include "compat-gtk.h"
#include "narrow.h"
#include "row-menu.h"
#include "share-cell.h"
#include "symbols/plain-names.h"
#include "text.h"

#define NUMBER_WIDTH 84
#define OBJECT_WIDTH 130
#define AMOUNTS_WIDTH 190

SptRow *spt_columns_row(gpointer item)
{
	if (GTK_IS_TREE_LIST_ROW(item))
		return gtk_tree_list_row_get_item(item);
	return SPT_ROW(g_object_ref(item));
}

static const char *columns_object_of(const SptFunction *function)
{
	return function->is_process && !*function->object ? _("(process)") : function->object;
}

static void show_name(GtkWidget *cell, const char *name)
{
	g_autofree char *made = NULL;
	const char *text = spt_text_name(name, &made);

	if (g_strcmp0(gtk_inscription_get_text(GTK_INSCRIPTION(cell)), text) != 0)
		gtk_inscription_set_text(GTK_INSCRIPTION(cell), text);
}

/* Kernel functions are marked, also where their object is not beside them. */
static void show_function(GtkWidget *cell, const SptFunction *function)
{
	/* Of a name that is longer than most columns the end says which function it is. */
	g_autofree char *fitted = spt_fit_name(function->name, SPT_TEXT_NAME_COLUMNS);

	show_name(cell, fitted);
	if (function->is_kernel)
		gtk_widget_add_css_class(cell, "kernel");
	else
		gtk_widget_remove_css_class(cell, "kernel");
}

/* The whole name, as the cell may have to cut it. */
static gboolean columns_on_query_tooltip(G_GNUC_UNUSED GtkWidget *cell, G_GNUC_UNUSED int x,
					 G_GNUC_UNUSED int y, G_GNUC_UNUSED gboolean by_keyboard,
					 GtkTooltip *tooltip, GtkListItem *item)
{
	gpointer model_item = gtk_list_item_get_item(item);
	g_autoptr(SptRow) row = model_item ? spt_columns_row(model_item) : NULL;
	g_autofree char *made_name = NULL, *made_object = NULL, *text = NULL;

	if (!row || spt_row_menu_is_open())
		return FALSE;
	text = g_strdup_printf("%s\n%s", spt_text_name(spt_row_function(row)->name, &made_name),
			       spt_text_name(columns_object_of(spt_row_function(row)),
					     &made_object));
	gtk_tooltip_set_text(tooltip, text);
	return TRUE;
}

static GtkWidget *new_name_cell(GtkListItem *item, int min_chars)
{
	GtkWidget *cell = spt_compat_aligned(g_object_new(GTK_TYPE_INSCRIPTION, "hexpand", TRUE,
							  "min-chars", min_chars, "text-overflow",
							  GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END,
							  "has-tooltip", TRUE, NULL),
					     false);

	g_signal_connect(cell, "query-tooltip", G_CALLBACK(columns_on_query_tooltip), item);
	spt_row_menu_attach(cell, item);
	return cell;
}

static void columns_on_setup(G_GNUC_UNUSED GtkSignalListItemFactory *factory, GtkListItem *item,
			     gpointer kind)
{
	GtkWidget *cell;

	switch ((SptColumnKind)GPOINTER_TO_INT(kind)) {
	case SPT_COLUMN_SELF:
	case SPT_COLUMN_TOTAL:
	case SPT_COLUMN_BEFORE:
	case SPT_COLUMN_AFTER:
		cell = spt_share_cell_new();
		break;
	case SPT_COLUMN_CHANGE:
	case SPT_COLUMN_AMOUNTS:
		cell = spt_compat_aligned(g_object_new(GTK_TYPE_INSCRIPTION, "hexpand", TRUE,
						       "min-chars", 8, NULL),
					  true);
		gtk_widget_add_css_class(cell, "numeric");
		break;
	case SPT_COLUMN_FUNCTION:
		cell = new_name_cell(item, 16);
		break;
	case SPT_COLUMN_OBJECT:
		cell = new_name_cell(item, 6);
		gtk_widget_add_css_class(cell, "dim-label");
		break;
	default:
		cell = gtk_tree_expander_new();
		gtk_tree_expander_set_child(GTK_TREE_EXPANDER(cell), new_name_cell(item, 12));
		break;
	}
	gtk_list_item_set_child(item, cell);
	g_object_set_data(G_OBJECT(item), "kind", kind);
}

/* More is worse: there is a sign, so that colour is not needed.  What may be chance is grey. */
static void show_change(GtkWidget *cell, const SptRow *row)
{
	const SptDiffRow *difference = spt_row_difference(row);
	double change = 100 * (difference->self[SPT_AFTER] - difference->self[SPT_BEFORE]);
	g_autofree char *text = g_strdup_printf("%+.2f", change);
	bool is_chance = spt_row_may_be_chance(row);

	gtk_inscription_set_text(GTK_INSCRIPTION(cell), text);
	gtk_widget_remove_css_class(cell, "worse");
	gtk_widget_remove_css_class(cell, "better");
	gtk_widget_remove_css_class(cell, "dim-label");
	if (is_chance)
		gtk_widget_add_css_class(cell, "dim-label");
	else if (change >= 0.005 || change <= -0.005)
		gtk_widget_add_css_class(cell, change > 0 ? "worse" : "better");
	gtk_widget_set_tooltip_text(cell, is_chance ? _("This may be chance") : NULL);
}

static void show_amounts(GtkWidget *cell, const SptRow *row)
{
	g_autofree char *before = spt_row_amount(row, SPT_BEFORE),
			*after = spt_row_amount(row, SPT_AFTER),
			*text = g_strdup_printf(_("%s → %s"), before, after);

	gtk_inscription_set_text(GTK_INSCRIPTION(cell), text);
	gtk_widget_set_tooltip_text(cell, text);
}

static void columns_show_row(GtkListItem *item, SptRow *row, SptColumnKind kind)
{
	const SptRowValues *values = spt_row_values(row);
	GtkWidget *cell = gtk_list_item_get_child(item);

	switch (kind) {
	case SPT_COLUMN_SELF:
		spt_share_cell_set_percent(SPT_SHARE_CELL(cell),
					   spt_row_percent(row, values->self));
		break;
	case SPT_COLUMN_TOTAL:
		spt_share_cell_set_percent(SPT_SHARE_CELL(cell),
					   spt_row_percent(row, values->total));
		break;
	case SPT_COLUMN_BEFORE:
	case SPT_COLUMN_AFTER:
		spt_share_cell_set_percent(
			SPT_SHARE_CELL(cell),
			100 * spt_row_difference(row)->self[kind - SPT_COLUMN_BEFORE]);
		break;
	case SPT_COLUMN_CHANGE:
		show_change(cell, row);
		break;
	case SPT_COLUMN_AMOUNTS:
		show_amounts(cell, row);
		break;
	case SPT_COLUMN_FUNCTION:
		show_function(cell, spt_row_function(row));
		break;
	case SPT_COLUMN_OBJECT:
		show_name(cell, columns_object_of(spt_row_function(row)));
		break;
	default:
		show_function(gtk_tree_expander_get_child(GTK_TREE_EXPANDER(cell)),
			      spt_row_function(row));
		break;
	}
}

static void on_row_changed(SptRow *row, GtkListItem *item)
{
	columns_show_row(item, row,
			 (SptColumnKind)GPOINTER_TO_INT(g_object_get_data(G_OBJECT(item), "kind")));
}

static void columns_on_bind(G_GNUC_UNUSED GtkSignalListItemFactory *factory, GtkListItem *item,
			    gpointer kind)
{
	g_autoptr(SptRow) row = spt_columns_row(gtk_list_item_get_item(item));

	if (GPOINTER_TO_INT(kind) == SPT_COLUMN_TREE)
		gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)),
					       gtk_list_item_get_item(item));
	columns_show_row(item, row, (SptColumnKind)GPOINTER_TO_INT(kind));
	g_signal_connect(row, "changed", G_CALLBACK(on_row_changed), item);
	g_object_set_data_full(G_OBJECT(item), "row", g_steal_pointer(&row), g_object_unref);
}

/* The item of a closed tree no longer knows its row. */
static void columns_on_unbind(G_GNUC_UNUSED GtkSignalListItemFactory *factory, GtkListItem *item,
			      gpointer kind)
{
	g_signal_handlers_disconnect_by_data(g_object_get_data(G_OBJECT(item), "row"), item);
	g_object_set_data(G_OBJECT(item), "row", NULL);
	if (GPOINTER_TO_INT(kind) == SPT_COLUMN_TREE)
		gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)),
					       NULL);
}

GtkColumnViewColumn *spt_columns_append(GtkColumnView *view, SptColumnKind kind)
{
	static const char *const titles[] = {
		N_("Self"),   N_("Total"), N_("Function"), N_("Object"),  N_("Function"),
		N_("Before"), N_("After"), N_("Change"),   N_("Amounts"),
	};
	GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
	GtkColumnViewColumn *column = gtk_column_view_column_new(_(titles[kind]), factory);

	g_signal_connect(factory, "setup", G_CALLBACK(columns_on_setup), GINT_TO_POINTER(kind));
	g_signal_connect(factory, "bind", G_CALLBACK(columns_on_bind), GINT_TO_POINTER(kind));
	g_signal_connect(factory, "unbind", G_CALLBACK(columns_on_unbind), GINT_TO_POINTER(kind));
	if (kind == SPT_COLUMN_AMOUNTS)
		gtk_column_view_column_set_fixed_width(column, AMOUNTS_WIDTH);
	else if (kind == SPT_COLUMN_SELF || kind == SPT_COLUMN_TOTAL || kind >= SPT_COLUMN_BEFORE)
		gtk_column_view_column_set_fixed_width(column, NUMBER_WIDTH);
	else if (kind == SPT_COLUMN_OBJECT)
		gtk_column_view_column_set_fixed_width(column, OBJECT_WIDTH);
	else
		gtk_column_view_column_set_expand(column, TRUE);
	if (kind == SPT_COLUMN_OBJECT || kind == SPT_COLUMN_AMOUNTS)
		spt_narrow_hide_column(view, column);
	gtk_column_view_column_set_resizable(column, TRUE);
	gtk_column_view_append_column(view, column);
	g_object_unref(column);
	return column;
}

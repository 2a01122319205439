/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cell listens to its row while it shows it. */
#include "table.h"

#include <glib/gi18n.h>

#include "compat-gtk.h"
#include "narrow.h"
#include "share-cell.h"
#include "text.h"

#define SPT_TYPE_TABLE_ROW (table_row_get_type())
G_DECLARE_FINAL_TYPE(TableRow, table_row, SPT, TABLE_ROW, GObject)

struct _TableRow {
	GObject parent_instance;
	char *texts[SPT_TABLE_COLUMNS_MAX];
	double numbers[SPT_TABLE_COLUMNS_MAX];
};

G_DEFINE_FINAL_TYPE(TableRow, table_row, G_TYPE_OBJECT)

static unsigned changed;

static void table_row_finalize(GObject *object)
{
	for (unsigned i = 0; i < SPT_TABLE_COLUMNS_MAX; i++)
		g_free(SPT_TABLE_ROW(object)->texts[i]);
	G_OBJECT_CLASS(table_row_parent_class)->finalize(object);
}

static void table_row_class_init(TableRowClass *class)
{
	G_OBJECT_CLASS(class)->finalize = table_row_finalize;
	changed = g_signal_new("changed", SPT_TYPE_TABLE_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
			       NULL, G_TYPE_NONE, 0);
}

static void table_row_init(G_GNUC_UNUSED TableRow *row)
{
}

/* Returns whether it changed. */
static bool fill_row(TableRow *row, const SptTableCell *cells, unsigned n)
{
	bool is_new = false;

	for (unsigned i = 0; i < n; i++) {
		const char *text = cells[i].text ? cells[i].text : "";

		is_new |= cells[i].number != row->numbers[i];
		row->numbers[i] = cells[i].number;
		if (g_strcmp0(row->texts[i], text) == 0)
			continue;
		g_free(row->texts[i]);
		row->texts[i] = g_strdup(text);
		is_new = true;
	}
	return is_new;
}

struct _SptTable {
	GtkBox parent_instance;
	GtkColumnView *view;
	GListStore *rows;
	GtkWidget *empty;		/* NULL: no placeholder for an empty table */
	const SptTableColumn *columns;
	unsigned n_columns;
	unsigned shown_row, scroll_source;
	SptTableFunc on_select, on_activate;
	gpointer select_data, activate_data;
};

G_DEFINE_FINAL_TYPE(SptTable, spt_table, GTK_TYPE_BOX)

/* The column of a cell or a sorter. */
static unsigned index_of(gpointer object)
{
	return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(object), "column"));
}

static void fill_cell(TableRow *row, GtkListItem *item)
{
	GtkWidget *cell = gtk_list_item_get_child(item);
	unsigned column = index_of(cell);
	g_autofree char *made = NULL;

	if (SPT_IS_SHARE_CELL(cell)) {
		spt_share_cell_set_percent(SPT_SHARE_CELL(cell), row->numbers[column]);
		return;
	}
	gtk_inscription_set_text(GTK_INSCRIPTION(cell), spt_text_name(row->texts[column], &made));
	if (!gtk_widget_has_css_class(cell, "code"))
		return;
	if (row->numbers[column] != 0)
		gtk_widget_remove_css_class(cell, "monospace");
	else
		gtk_widget_add_css_class(cell, "monospace");
}

/* The whole text, as the cell may have to cut it. */
static gboolean table_on_query_tooltip(GtkWidget *cell, G_GNUC_UNUSED int x, G_GNUC_UNUSED int y,
				       G_GNUC_UNUSED gboolean by_keyboard, GtkTooltip *tooltip,
				       G_GNUC_UNUSED gpointer data)
{
	gtk_tooltip_set_text(tooltip, gtk_inscription_get_text(GTK_INSCRIPTION(cell)));
	return TRUE;
}

static void table_on_setup(GtkSignalListItemFactory *factory, GtkListItem *item,
			   const SptTableColumn *column)
{
	GtkWidget *cell;

	if (column->kind == SPT_CELL_SHARE) {
		cell = spt_share_cell_new();
	} else {
		cell = spt_compat_aligned(
			g_object_new(GTK_TYPE_INSCRIPTION, "hexpand", TRUE, "min-chars",
				     column->width ? 2 : 8, "has-tooltip", TRUE, "text-overflow",
				     GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END, NULL),
			column->kind == SPT_CELL_NUMBER);
		g_signal_connect(cell, "query-tooltip", G_CALLBACK(table_on_query_tooltip), NULL);
	}
	if (column->kind == SPT_CELL_DIM)
		gtk_widget_add_css_class(cell, "dim-label");
	if (column->kind == SPT_CELL_CODE) {
		gtk_widget_add_css_class(cell, "code");
		/* Programs are left to right in every language. */
		gtk_widget_set_direction(cell, GTK_TEXT_DIR_LTR);
	}
	if (column->kind == SPT_CELL_NUMBER)
		gtk_widget_add_css_class(cell, "numeric");
	g_object_set_data(G_OBJECT(cell), "column", GUINT_TO_POINTER(index_of(factory)));
	gtk_list_item_set_child(item, cell);
}

static void table_on_bind(G_GNUC_UNUSED GtkSignalListItemFactory *factory, GtkListItem *item,
			  G_GNUC_UNUSED gpointer data)
{
	TableRow *row = gtk_list_item_get_item(item);

	g_signal_connect(row, "changed", G_CALLBACK(fill_cell), item);
	fill_cell(row, item);
}

static void table_on_unbind(G_GNUC_UNUSED GtkSignalListItemFactory *factory, GtkListItem *item,
			    G_GNUC_UNUSED gpointer data)
{
	g_signal_handlers_disconnect_by_data(gtk_list_item_get_item(item), item);
}

/* By number where there are numbers; the largest first, as people look for that. */
static int table_compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const TableRow *x = a, *y = b;
	unsigned column = GPOINTER_TO_UINT(data);

	if (x->numbers[column] != y->numbers[column])
		return x->numbers[column] > y->numbers[column] ? -1 : 1;
	return g_strcmp0(x->texts[column], y->texts[column]);
}

static void append_column(SptTable *self, unsigned at, bool sorts)
{
	const SptTableColumn *kind = &self->columns[at];
	GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
	g_autoptr(GtkColumnViewColumn) column = gtk_column_view_column_new(_(kind->title), factory);

	g_object_set_data(G_OBJECT(factory), "column", GUINT_TO_POINTER(at));
	g_signal_connect(factory, "setup", G_CALLBACK(table_on_setup), (gpointer)kind);
	g_signal_connect(factory, "bind", G_CALLBACK(table_on_bind), NULL);
	g_signal_connect(factory, "unbind", G_CALLBACK(table_on_unbind), NULL);
	if (kind->width)
		gtk_column_view_column_set_fixed_width(column, ABS(kind->width));
	else
		gtk_column_view_column_set_expand(column, TRUE);
	gtk_column_view_column_set_resizable(column, TRUE);
	if (kind->width < 0)
		spt_narrow_hide_column(self->view, column);
	if (sorts) {
		g_autoptr(GtkSorter) sorter = GTK_SORTER(
			gtk_custom_sorter_new(table_compare, GUINT_TO_POINTER(at), NULL));

		gtk_column_view_column_set_sorter(column, sorter);
	}
	gtk_column_view_append_column(self->view, column);
}

static void table_dispose(GObject *object)
{
	SptTable *self = SPT_TABLE(object);

	g_clear_handle_id(&self->scroll_source, g_source_remove);
	/* While everything that a last change of the model may call still exists. */
	if (self->view)
		gtk_column_view_set_model(self->view, NULL);
	self->view = NULL;
	g_clear_object(&self->rows);
	G_OBJECT_CLASS(spt_table_parent_class)->dispose(object);
}

static void spt_table_class_init(SptTableClass *class)
{
	G_OBJECT_CLASS(class)->dispose = table_dispose;
}

static void spt_table_init(SptTable *self)
{
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_widget_add_css_class(GTK_WIDGET(self), "pane");
	self->rows = g_list_store_new(SPT_TYPE_TABLE_ROW);
	self->view = GTK_COLUMN_VIEW(gtk_column_view_new(NULL));
	gtk_column_view_set_reorderable(self->view, FALSE);
	gtk_widget_add_css_class(GTK_WIDGET(self->view), "data-table");
}

static void append_heading(SptTable *self, const char *heading)
{
	GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "label", heading, "xalign", 0.0,
					"ellipsize", PANGO_ELLIPSIZE_END, NULL);

	gtk_widget_add_css_class(label, "heading");
	gtk_widget_add_css_class(label, "pane-header");
	gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       heading, -1);
	gtk_box_append(GTK_BOX(self), label);
}

GtkWidget *spt_table_new(const char *heading, const SptTableColumn *columns, unsigned n_columns,
			 bool sorts)
{
	SptTable *self = g_object_new(SPT_TYPE_TABLE, "hexpand", TRUE, NULL);
	GtkWidget *scrolled =
		g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", self->view, "vexpand", TRUE, NULL);
	GListModel *model = G_LIST_MODEL(g_object_ref(self->rows));
	g_autoptr(GtkSelectionModel) selection = NULL;

	self->columns = columns;
	self->n_columns = n_columns;
	for (unsigned i = 0; i < n_columns; i++)
		append_column(self, i, sorts);
	if (sorts)
		model = G_LIST_MODEL(gtk_sort_list_model_new(
			model, g_object_ref(gtk_column_view_get_sorter(self->view))));
	selection = GTK_SELECTION_MODEL(gtk_no_selection_new(model));
	gtk_column_view_set_model(self->view, selection);
	append_heading(self, heading);
	gtk_box_append(GTK_BOX(self), scrolled);
	return GTK_WIDGET(self);
}

void spt_table_hide_heading(SptTable *self)
{
	gtk_widget_hide(gtk_widget_get_first_child(GTK_WIDGET(self)));
}

void spt_table_set_row(SptTable *self, unsigned at, const SptTableCell *cells)
{
	g_autoptr(TableRow) row = g_list_model_get_item(G_LIST_MODEL(self->rows), at);

	if (row) {
		if (fill_row(row, cells, self->n_columns))
			g_signal_emit(row, changed, 0);
		return;
	}
	row = g_object_new(SPT_TYPE_TABLE_ROW, NULL);
	fill_row(row, cells, self->n_columns);
	g_list_store_append(self->rows, row);
}

void spt_table_set_end(SptTable *self, unsigned n)
{
	unsigned present = g_list_model_get_n_items(G_LIST_MODEL(self->rows));

	if (present > n)
		g_list_store_splice(self->rows, n, present - n, NULL, 0);
	if (self->empty)
		gtk_widget_set_visible(self->empty, n == 0);
}

void spt_table_set_empty_text(SptTable *self, const char *text)
{
	GtkWidget *scrolled = gtk_widget_get_last_child(GTK_WIDGET(self)),
		  *overlay = gtk_overlay_new();

	self->empty =
		g_object_new(GTK_TYPE_LABEL, "label", text, "visible", FALSE, "can-target", FALSE,
			     "halign", GTK_ALIGN_CENTER, "valign", GTK_ALIGN_CENTER, "wrap", TRUE,
			     "justify", GTK_JUSTIFY_CENTER, NULL);
	gtk_widget_add_css_class(self->empty, "dim-label");
	g_object_ref(scrolled);
	gtk_box_remove(GTK_BOX(self), scrolled);
	gtk_overlay_set_child(GTK_OVERLAY(overlay), scrolled);
	gtk_overlay_add_overlay(GTK_OVERLAY(overlay), self->empty);
	gtk_box_append(GTK_BOX(self), overlay);
	g_object_unref(scrolled);
}

void spt_table_say_empty(SptTable *self, const char *text)
{
	gtk_label_set_text(GTK_LABEL(self->empty), text);
}

unsigned spt_table_selected(SptTable *self)
{
	gpointer row = gtk_single_selection_get_selected_item(
		GTK_SINGLE_SELECTION(gtk_column_view_get_model(self->view)));
	unsigned at;

	return row && g_list_store_find(self->rows, row, &at) ? at : G_MAXUINT;
}

static void table_on_selected(SptTable *self)
{
	self->on_select(spt_table_selected(self), self->select_data);
}

/* The first row is selected, unless @is_optional. */
static GtkSingleSelection *table_make_selectable(SptTable *self, bool is_optional)
{
	GListModel *model =
		gtk_no_selection_get_model(GTK_NO_SELECTION(gtk_column_view_get_model(self->view)));
	g_autoptr(GtkSingleSelection) selection = g_object_new(
		GTK_TYPE_SINGLE_SELECTION, "autoselect", !is_optional, "can-unselect", is_optional,
		"model", model, NULL);

	gtk_column_view_set_model(self->view, GTK_SELECTION_MODEL(selection));
	return selection;
}

void spt_table_set_selects(SptTable *self, SptTableFunc func, gpointer data)
{
	self->on_select = func;
	self->select_data = data;
	g_signal_connect_object(table_make_selectable(self, false), "notify::selected-item",
				G_CALLBACK(table_on_selected), self, G_CONNECT_SWAPPED);
}

static void table_on_activated(SptTable *self, unsigned position)
{
	g_autoptr(TableRow) row = g_list_model_get_item(
		G_LIST_MODEL(gtk_column_view_get_model(self->view)), position);
	unsigned at;

	if (row && g_list_store_find(self->rows, row, &at))
		self->on_activate(at, self->activate_data);
}

/* A row under the pointer or the focus is marked, which chooses nothing. */
void spt_table_set_activates(SptTable *self, SptTableFunc func, gpointer data)
{
	self->on_activate = func;
	self->activate_data = data;
	table_make_selectable(self, true);
	gtk_column_view_set_single_click_activate(self->view, TRUE);
	g_signal_connect_object(self->view, "activate", G_CALLBACK(table_on_activated), self,
				G_CONNECT_SWAPPED);
}

static gboolean scroll(gpointer data)
{
	SptTable *self = data;

	self->scroll_source = 0;
	if (self->shown_row < g_list_model_get_n_items(G_LIST_MODEL(self->rows)))
		spt_compat_scroll_to(self->view, self->shown_row);
	return G_SOURCE_REMOVE;
}

void spt_table_show_columns(SptTable *table, unsigned first, unsigned n, bool is_shown)
{
	GListModel *columns = gtk_column_view_get_columns(table->view);

	for (unsigned i = first; i < first + n; i++) {
		g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);

		gtk_column_view_column_set_visible(column, is_shown);
	}
}

void spt_table_show_row(SptTable *self, unsigned row)
{
	self->shown_row = row;
	/* When the list has been laid out; before that, it has no height. */
	if (!self->scroll_source)
		self->scroll_source = g_idle_add_full(G_PRIORITY_LOW, scroll, self, NULL);
}

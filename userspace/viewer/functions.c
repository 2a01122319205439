/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library sorts; the view gets another list each time, which is far quicker than describing
 * changes of the old one.  The selection is a function and not a row, so it outlives that.
 */
#include "functions.h"

#include <glib/gi18n.h>
#include <string.h>

#include "columns.h"
#include "compat-gtk.h"
#include "work.h"

enum { OF_SELF, OF_TOTAL, OF_NAME, OF_OBJECT, N_COLUMNS };

struct column {
	SptFunctions *functions;
	SptOrderKey key;
	GtkColumnViewColumn *column;
};

struct _SptFunctions {
	SptPane parent_instance;
	SptDocument *document;
	GtkWidget *search;
	struct column columns[N_COLUMNS];
	const struct column *asked;		/* the column whose sorter was used last */
	SptOrderKey key;
	bool descending;
	char *searched;				/* the search of the present list */
	SptRowList *rows;			/* the present list, with its */
	const uint32_t *list;			/* its functions */
	GtkSingleSelection *selection;		/* and its selection; owned by the view */
	uint32_t selected;
	unsigned scroll_source;
	bool refills;				/* the visible rows stay where they are */
	/* By somebody, for this recording: the selected function, and the order */
	bool is_chosen, is_ordered;
};

G_DEFINE_FINAL_TYPE(SptFunctions, spt_functions, SPT_TYPE_PANE)

static unsigned function_selected;

/* What the rows are filled from; its document lives as long as they do. */
struct listed {
	const SptOrder *order;
	uint32_t *functions;
};

static void listed_free(gpointer data)
{
	struct listed *listed = data;

	g_free(listed->functions);
	g_free(listed);
}

static void functions_fill(const SptCallTree *calls, gconstpointer data, uint32_t position,
			   SptRowValues *ret)
{
	const struct listed *listed = data;
	uint32_t function = listed->functions[position];

	*ret = (SptRowValues){ .function = function,
			       .self = spt_order_self(listed->order, function),
			       .total = calls->functions[function].total };
}

static void on_selection_changed(GtkSelectionModel *selection, G_GNUC_UNUSED unsigned position,
				 G_GNUC_UNUSED unsigned n, SptFunctions *self)
{
	SptRow *row = gtk_single_selection_get_selected_item(GTK_SINGLE_SELECTION(selection));
	uint32_t function = row ? spt_row_values(row)->function : UINT32_MAX;

	if (function == self->selected)
		return;
	self->selected = function;
	self->is_chosen = true;
	g_signal_emit(self, function_selected, 0, function);
}

static unsigned functions_position_of(SptFunctions *self, uint32_t function)
{
	unsigned n = g_list_model_get_n_items(G_LIST_MODEL(self->rows));

	for (unsigned i = 0; i < n; i++) {
		if (self->list[i] == function)
			return i;
	}
	return GTK_INVALID_LIST_POSITION;
}

static void functions_clear_list(SptFunctions *self)
{
	if (self->selection)
		g_signal_handlers_disconnect_by_data(self->selection, self);
	g_clear_object(&self->selection);
	g_clear_object(&self->rows);
}

/* New content for the existing rows, or a new list for the view. */
static void set_list(SptFunctions *self, uint32_t *list, uint32_t n)
{
	struct listed *listed = g_new(struct listed, 1);

	*listed = (struct listed){ self->document->order, list };
	self->list = list;
	if (self->rows && self->refills && spt_row_list_is_near(self->rows, n)) {
		g_signal_handlers_block_by_func(self->selection, on_selection_changed, self);
		spt_row_list_refill(self->rows, &self->document->calls, n, listed, listed_free);
		gtk_single_selection_set_selected(self->selection,
						  functions_position_of(self, self->selected));
		g_signal_handlers_unblock_by_func(self->selection, on_selection_changed, self);
		return;
	}
	functions_clear_list(self);
	self->rows =
		spt_row_list_new(&self->document->calls, n, functions_fill, listed, listed_free);
	self->selection = g_object_new(GTK_TYPE_SINGLE_SELECTION, "autoselect", FALSE,
				       "can-unselect", TRUE, "model", self->rows, NULL);
	gtk_single_selection_set_selected(self->selection,
					  functions_position_of(self, self->selected));
	g_signal_connect(self->selection, "selection-changed", G_CALLBACK(on_selection_changed),
			 self);
	spt_pane_set_model(SPT_PANE(self), GTK_SELECTION_MODEL(self->selection));
}

/* Rebuilds the list, by the present order and search. */
static void functions_refresh(SptFunctions *self)
{
	const char *search = gtk_editable_get_text(GTK_EDITABLE(self->search));
	double begin_ms = spt_work_ms();
	uint32_t *list, n;

	if (!self->document)
		return;
	g_free(self->searched);
	self->searched = g_strdup(search);
	list = spt_order_list(self->document->order, self->key, self->descending, search, &n);
	set_list(self, list, n);
	spt_pane_set_empty_text(SPT_PANE(self), *search ? _("No function has that in its name") :
							  _("There are no samples"));
	spt_pane_show_empty(SPT_PANE(self), n == 0);
	g_debug("%u functions listed in %.1f ms of CPU time", n, spt_work_ms() - begin_ms);
}

static gboolean scroll_to_selected(gpointer data)
{
	SptFunctions *self = data;
	unsigned position = gtk_single_selection_get_selected(self->selection);

	self->scroll_source = 0;
	/* What nobody has chosen is no reason to hide the heaviest ones. */
	if (!self->is_chosen)
		spt_compat_scroll_to(spt_pane_view(SPT_PANE(self)), 0);
	else if (position != GTK_INVALID_LIST_POSITION)
		spt_compat_scroll_to(spt_pane_view(SPT_PANE(self)), position);
	return G_SOURCE_REMOVE;
}

/* Runs when the list has been laid out; before that, GTK 4.8 loses the rows above. */
static void queue_scroll(SptFunctions *self)
{
	if (!self->scroll_source)
		self->scroll_source =
			g_idle_add_full(G_PRIORITY_LOW, scroll_to_selected, self, NULL);
}

/*
 * Sorters of columns sort nothing here.  The one that is called is the view's first, and the sign
 * of its result is the direction.
 */
static int on_asked(G_GNUC_UNUSED gconstpointer a, G_GNUC_UNUSED gconstpointer b, gpointer data)
{
	struct column *column = data;

	column->functions->asked = column;
	return -1;
}

/* The largest first.  Another column would keep its arrow. */
static void functions_sort_by(SptFunctions *self, const struct column *wanted)
{
	GtkColumnView *view = spt_pane_view(SPT_PANE(self));

	gtk_column_view_sort_by_column(view, NULL, GTK_SORT_ASCENDING);
	gtk_column_view_sort_by_column(view, wanted->column, GTK_SORT_DESCENDING);
}

static void on_order_changed(GtkSorter *sorter, G_GNUC_UNUSED GtkSorterChange change,
			     SptFunctions *self)
{
	GtkColumnView *view = spt_pane_view(SPT_PANE(self));
	GtkOrdering answer;
	SptOrderKey key;

	self->asked = NULL;
	answer = gtk_sorter_compare(sorter, self, view);
	if (!self->asked)
		return;
	key = self->asked->key;
	self->is_ordered |= key != self->key;
	/* A click on a column of numbers shows the largest first. */
	if (key != self->key && key >= SPT_ORDER_SELF && answer == GTK_ORDERING_SMALLER) {
		self->key = key;
		functions_sort_by(self, self->asked);
		return;
	}
	self->key = key;
	self->descending = answer == GTK_ORDERING_LARGER;
	functions_refresh(self);
}

/* Comes a moment after the text changed, and also when it was changed here. */
static void functions_on_search_changed(GtkSearchEntry *search, SptFunctions *self)
{
	if (g_strcmp0(gtk_editable_get_text(GTK_EDITABLE(search)), self->searched) != 0)
		functions_refresh(self);
}

/* Enter: the first one found. */
static void on_activate_search(GtkSearchEntry *search, SptFunctions *self)
{
	functions_on_search_changed(search, self);
	if (!self->rows || !g_list_model_get_n_items(G_LIST_MODEL(self->rows)))
		return;
	gtk_single_selection_set_selected(self->selection, 0);
	queue_scroll(self);
	gtk_widget_grab_focus(GTK_WIDGET(spt_pane_view(SPT_PANE(self))));
}

static void functions_on_stop_search(G_GNUC_UNUSED GtkSearchEntry *search, SptFunctions *self)
{
	gtk_editable_set_text(GTK_EDITABLE(self->search), "");
	gtk_widget_grab_focus(GTK_WIDGET(spt_pane_view(SPT_PANE(self))));
}

static void functions_dispose(GObject *object)
{
	SptFunctions *self = SPT_FUNCTIONS(object);

	g_clear_handle_id(&self->scroll_source, g_source_remove);
	functions_clear_list(self);
	g_clear_pointer(&self->searched, g_free);
	g_clear_pointer(&self->document, spt_document_unref);
	G_OBJECT_CLASS(spt_functions_parent_class)->dispose(object);
}

static void spt_functions_class_init(SptFunctionsClass *class)
{
	G_OBJECT_CLASS(class)->dispose = functions_dispose;
	function_selected = g_signal_new("function-selected", SPT_TYPE_FUNCTIONS, G_SIGNAL_RUN_LAST,
					 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void functions_add_columns(SptFunctions *self)
{
	static const struct {
		SptColumnKind kind;
		SptOrderKey key;
	} kinds[N_COLUMNS] = {
		[OF_SELF] = { SPT_COLUMN_SELF, SPT_ORDER_SELF },
		[OF_TOTAL] = { SPT_COLUMN_TOTAL, SPT_ORDER_TOTAL },
		[OF_NAME] = { SPT_COLUMN_FUNCTION, SPT_ORDER_NAME },
		[OF_OBJECT] = { SPT_COLUMN_OBJECT, SPT_ORDER_OBJECT },
	};
	GtkColumnView *view = spt_pane_view(SPT_PANE(self));

	for (unsigned i = 0; i < N_COLUMNS; i++) {
		struct column *column = &self->columns[i];
		GtkCustomSorter *sorter = gtk_custom_sorter_new(on_asked, column, NULL);

		*column = (struct column){ self, kinds[i].key,
					   spt_columns_append(view, kinds[i].kind) };
		gtk_column_view_column_set_sorter(column->column, GTK_SORTER(sorter));
		g_object_unref(sorter);
		if (column->key == SPT_ORDER_TOTAL)
			gtk_column_view_sort_by_column(view, column->column, GTK_SORT_DESCENDING);
	}
	self->key = SPT_ORDER_TOTAL;
	self->descending = true;
	g_signal_connect_object(gtk_column_view_get_sorter(view), "changed",
				G_CALLBACK(on_order_changed), self, 0);
}

static void spt_functions_init(SptFunctions *self)
{
	self->selected = UINT32_MAX;
	self->search =
		g_object_new(GTK_TYPE_SEARCH_ENTRY, "placeholder-text", _("Search functions"),
			     "width-chars", 8, "max-width-chars", 24, NULL);
	gtk_accessible_update_property(GTK_ACCESSIBLE(self->search), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       _("Search functions"), -1);
	g_signal_connect(self->search, "search-changed", G_CALLBACK(functions_on_search_changed),
			 self);
	g_signal_connect(self->search, "activate", G_CALLBACK(on_activate_search), self);
	g_signal_connect(self->search, "stop-search", G_CALLBACK(functions_on_stop_search), self);
	spt_pane_set_title(SPT_PANE(self), _("Functions"));
	spt_pane_add_header(SPT_PANE(self), self->search);
	functions_add_columns(self);
}

/*
 * Whether the selected function of @before says nothing in @document: it was hidden with the
 * libraries of the system, or has nothing of another metric, for which nobody has chosen it.
 */
static bool is_lost(SptFunctions *self, const SptDocument *before, const SptDocument *document)
{
	bool is_metric = document->look.metric != before->look.metric;

	if (is_metric && !self->is_chosen)
		return true;
	return (is_metric || (document->look.arrangement.hides_system &&
			      !before->look.arrangement.hides_system)) &&
	       self->selected != UINT32_MAX && document->calls.functions[self->selected].total == 0;
}

/* Totals of waits and of memory are those of what is called first and last: own ones come first. */
static void set_order(SptFunctions *self)
{
	bool is_own = spt_order_is_own(self->document->order);
	const struct column *wanted = &self->columns[is_own ? OF_SELF : OF_TOTAL];
	const char *title = is_own ? _("Own") : _("Self");

	spt_pane_explain(SPT_PANE(self),
			 is_own ? _("Own: a function itself, with the kernel and runtime libraries "
				    "below it") :
				  NULL);
	if (strcmp(gtk_column_view_column_get_title(self->columns[OF_SELF].column), title) == 0)
		return;
	gtk_column_view_column_set_title(self->columns[OF_SELF].column, title);
	if (self->is_ordered)
		return;
	self->key = wanted->key;
	functions_sort_by(self, wanted);
}

void spt_functions_set_document(SptFunctions *self, SptDocument *document)
{
	bool is_known = self->document && spt_document_is_same(self->document, document),
	     was_lost;

	if (is_known)
		self->selected = spt_document_translate(document, self->document, self->selected);
	was_lost = is_known && is_lost(self, self->document, document);
	spt_document_replace(&self->document, document);
	if (was_lost)
		self->selected = spt_document_first_function(document);
	if (is_known) {
		self->refills = true;
		set_order(self);
		functions_refresh(self);
		self->refills = false;
		if (!document->look.is_passing)
			queue_scroll(self);
		if (was_lost)
			g_signal_emit(self, function_selected, 0, self->selected);
		return;
	}
	self->selected = spt_document_first_function(document);
	self->is_chosen = false;
	gtk_editable_set_text(GTK_EDITABLE(self->search), "");
	set_order(self);
	functions_refresh(self);
	queue_scroll(self);
	g_signal_emit(self, function_selected, 0, self->selected);
}

void spt_functions_select(SptFunctions *self, uint32_t function)
{
	unsigned position = functions_position_of(self, function);

	if (position == GTK_INVALID_LIST_POSITION && function != UINT32_MAX) {
		gtk_editable_set_text(GTK_EDITABLE(self->search), "");
		functions_refresh(self);
		position = functions_position_of(self, function);
	}
	gtk_single_selection_set_selected(self->selection, position);
	self->is_chosen = true;
	queue_scroll(self);
}

const uint32_t *spt_functions_list(SptFunctions *self, uint32_t *ret_n)
{
	*ret_n = self->rows ? g_list_model_get_n_items(G_LIST_MODEL(self->rows)) : 0;
	return self->list;
}

void spt_functions_focus_search(SptFunctions *self)
{
	gtk_widget_grab_focus(self->search);
}

void spt_functions_step_back(SptFunctions *self)
{
	if (*gtk_editable_get_text(GTK_EDITABLE(self->search)))
		gtk_editable_set_text(GTK_EDITABLE(self->search), "");
	else
		spt_functions_select(self, UINT32_MAX);
}

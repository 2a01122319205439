/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children become rows only when their parent is opened.  At first the tree is open where it is
 * heavy, as far as fits without scrolling.  While the user drags a range, rows stay where they are
 * and only their weights change.
 */
#include "descendants.h"

#include <glib/gi18n.h>

#include "columns.h"
#include "symbols/plain-names.h"
#include "text.h"

/*
 * Rows that are open at first: nodes with at least one part in this number of the whole, down to a
 * depth.
 */
#define OPEN_MIN_PART 20
#define OPEN_MAX_DEPTH 14
#define OPEN_MAX_ROWS 32
/* GTK keeps data for every open row. */
#define OPEN_MAX_CHILDREN 5000
/* Up to this number, existing rows are filled again for another tree. */
#define ANEW_MAX_ROWS 400
#define NONE UINT32_MAX

struct _SptDescendants {
	SptPane parent_instance;
	GtkColumnViewColumn *self_column, *total_column;
	GtkTreeListModel *model;
	GListModel *top;		/* of the model */
	struct siblings *tree;		/* the model's */
	uint32_t function;
	bool is_bottom_up;
};

G_DEFINE_FINAL_TYPE(SptDescendants, spt_descendants, SPT_TYPE_PANE)

static unsigned way_selected;

static void clear_model(SptDescendants *self)
{
	g_clear_object(&self->top);
	g_clear_object(&self->model);
	self->tree = NULL;
}

static void descendants_finalize(GObject *object)
{
	clear_model(SPT_DESCENDANTS(object));
	g_clear_object(&SPT_DESCENDANTS(object)->self_column);
	g_clear_object(&SPT_DESCENDANTS(object)->total_column);
	G_OBJECT_CLASS(spt_descendants_parent_class)->finalize(object);
}

static void spt_descendants_class_init(SptDescendantsClass *class)
{
	G_OBJECT_CLASS(class)->finalize = descendants_finalize;
	way_selected = g_signal_new("way-selected", SPT_TYPE_DESCENDANTS, G_SIGNAL_RUN_LAST, 0,
				    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ARRAY);
}

static void spt_descendants_init(SptDescendants *self)
{
	GtkColumnView *view = spt_pane_view(SPT_PANE(self));

	self->self_column = g_object_ref(spt_columns_append(view, SPT_COLUMN_SELF));
	self->total_column = g_object_ref(spt_columns_append(view, SPT_COLUMN_TOTAL));
	spt_columns_append(view, SPT_COLUMN_TREE);
	spt_columns_append(view, SPT_COLUMN_OBJECT);
	spt_pane_set_title(SPT_PANE(self), _("Descendants"));
	spt_pane_set_empty_text(SPT_PANE(self), _("There are no samples"));
}

/* Nodes side by side: siblings, as they were when first shown. */
struct siblings {
	SptCallTree *calls;
	GArray *nodes;			/* their present weights */
	GArray *origin;			/* their original positions */
	uint32_t first, n;		/* in @origin */
	/* In @nodes, if that is not @origin; NONE: it has no weight there */
	uint32_t parent;
};

static void free_siblings(gpointer data)
{
	struct siblings *siblings = data;

	spt_call_tree_unref(siblings->calls);
	g_array_unref(siblings->nodes);
	g_array_unref(siblings->origin);
	g_free(siblings);
}

static struct siblings *new_siblings(SptCallTree *calls, GArray *nodes, GArray *origin,
				     uint32_t first, uint32_t n)
{
	struct siblings *siblings = g_new(struct siblings, 1);

	*siblings = (struct siblings){
		spt_call_tree_ref(calls), g_array_ref(nodes), g_array_ref(origin), first, n, 0
	};
	return siblings;
}

/* The node in siblings->nodes. */
static uint32_t descendants_place_of(const struct siblings *siblings, uint32_t position)
{
	uint32_t at = siblings->first + position;

	/* The root is its own parent. */
	if (siblings->nodes == siblings->origin || at == 0)
		return at;
	if (siblings->parent == NONE)
		return NONE;
	return spt_tree_child((const SptTreeNode *)siblings->nodes->data, siblings->parent,
			      g_array_index(siblings->origin, SptTreeNode, at).function);
}

static void descendants_fill(G_GNUC_UNUSED const SptCallTree *calls, gconstpointer data,
			     uint32_t position, SptRowValues *ret)
{
	const struct siblings *siblings = data;
	uint32_t at = descendants_place_of(siblings, position);
	const SptTreeNode *node =
		at == NONE ? NULL : &g_array_index(siblings->nodes, SptTreeNode, at);

	*ret = (SptRowValues){
		.function = g_array_index(siblings->origin, SptTreeNode, siblings->first + position)
				    .function,
		.node = at,
		.self = node ? node->self : 0,
		.total = node ? node->total : 0,
	};
}

static GListModel *list_siblings(SptCallTree *calls, GArray *nodes, uint32_t first, uint32_t n)
{
	return G_LIST_MODEL(spt_row_list_new(calls, n, descendants_fill,
					     new_siblings(calls, nodes, nodes, first, n),
					     free_siblings));
}

/*
 * While another tree is put into the rows, GTK asks for children of some that are not of it yet: of
 * the tree that a row is of, not of the one that is shown.
 */
static GListModel *children_of(gpointer item, G_GNUC_UNUSED gpointer data)
{
	const struct siblings *own = spt_row_data(item);
	uint32_t at = spt_row_values(item)->node;
	const SptTreeNode *node;

	if (!own || at == NONE)
		return NULL;
	node = &g_array_index(own->nodes, SptTreeNode, at);
	return node->n_children ? list_siblings(own->calls, own->nodes, node->first_child,
						node->n_children) :
				  NULL;
}

static void reweigh_list(GListModel *list, SptCallTree *calls, GArray *nodes)
{
	const struct siblings *before = spt_row_list_data(SPT_ROW_LIST(list));
	struct siblings *now = new_siblings(calls, nodes, before->origin, before->first, before->n);

	now->parent =
		spt_tree_find((const SptTreeNode *)nodes->data,
			      (const SptTreeNode *)before->origin->data,
			      g_array_index(before->origin, SptTreeNode, before->first).parent);
	spt_row_list_refill(SPT_ROW_LIST(list), calls, before->n, now, free_siblings);
}

static void set_tree(SptDescendants *self, SptCallTree *calls, GArray *nodes)
{
	spt_call_tree_replace(&self->tree->calls, calls);
	g_array_ref(nodes);
	g_array_unref(self->tree->nodes);
	self->tree->nodes = nodes;
}

/* For all existing rows; rows that are opened later are as they are now. */
static void reweigh(SptDescendants *self, SptCallTree *calls, GArray *nodes)
{
	unsigned n = g_list_model_get_n_items(G_LIST_MODEL(self->model));

	reweigh_list(self->top, calls, nodes);
	for (unsigned i = 0; i < n; i++) {
		g_autoptr(GtkTreeListRow) row = gtk_tree_list_model_get_row(self->model, i);
		GListModel *children = gtk_tree_list_row_get_children(row);

		if (children && g_list_model_get_n_items(children))
			reweigh_list(children, calls, nodes);
	}
	set_tree(self, calls, nodes);
}

static bool is_to_be_open(const GArray *nodes, const SptTreeNode *node, unsigned depth)
{
	return node->n_children &&
	       node->total >= g_array_index(nodes, SptTreeNode, 0).total / OPEN_MIN_PART &&
	       node->n_children <= OPEN_MAX_CHILDREN && depth < OPEN_MAX_DEPTH;
}

/* Opens or closes a row that has another node now; its children are those of that node. */
static void open_row(GtkTreeListRow *row, const struct siblings *tree, const SptTreeNode *node,
		     bool is_open)
{
	GListModel *children = gtk_tree_list_row_get_children(row);

	if (is_open && children && spt_row_list_is_near(SPT_ROW_LIST(children), node->n_children)) {
		spt_row_list_refill(SPT_ROW_LIST(children), tree->calls, node->n_children,
				    new_siblings(tree->calls, tree->nodes, tree->nodes,
						 node->first_child, node->n_children),
				    free_siblings);
		return;
	}
	if (children)
		gtk_tree_list_row_set_expanded(row, FALSE);
	gtk_tree_list_row_set_expanded(row, is_open);
}

/*
 * Opens heavy rows, as far as there is room, and closes all others.  Positions count open rows, so
 * rows are visited in the order in which they are shown; @n_rows: number of rows if none is open.
 */
static void open_heavy(SptDescendants *self, unsigned n_rows)
{
	GtkTreeListRow *row;

	for (unsigned at = 0; (row = gtk_tree_list_model_get_row(self->model, at)); at++) {
		g_autoptr(SptRow) item = gtk_tree_list_row_get_item(row);
		const SptTreeNode *node =
			&g_array_index(self->tree->nodes, SptTreeNode, spt_row_values(item)->node);
		bool has_room = at < OPEN_MAX_ROWS && n_rows <= OPEN_MAX_ROWS, is_open;

		/* GTK does not check again whether there are children. */
		if (gtk_tree_list_row_is_expandable(row) != (node->n_children > 0)) {
			g_object_unref(row);
			spt_row_renew(item);
			row = gtk_tree_list_model_get_row(self->model, at);
		}
		is_open = has_room &&
			  is_to_be_open(self->tree->nodes, node, gtk_tree_list_row_get_depth(row));
		open_row(row, self->tree, node, is_open);
		g_object_unref(row);
		n_rows += is_open ? node->n_children : 0;
		if (!has_room && g_list_model_get_n_items(G_LIST_MODEL(self->model)) == n_rows &&
		    n_rows > ANEW_MAX_ROWS)
			return;
	}
}

static void descendants_on_selected(GtkSingleSelection *selection, G_GNUC_UNUSED GParamSpec *spec,
				    SptDescendants *self)
{
	g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GtkTreeListRow *row = gtk_single_selection_get_selected_item(selection);

	if (!row || self->is_bottom_up)
		return;
	g_object_ref(row);
	while (row) {
		GtkTreeListRow *parent = gtk_tree_list_row_get_parent(row);
		g_autoptr(SptRow) item = gtk_tree_list_row_get_item(row);

		g_array_prepend_val(way, spt_row_values(item)->function);
		g_object_unref(row);
		row = parent;
	}
	g_signal_emit(self, way_selected, 0, way);
}

static void set_model(SptDescendants *self, SptCallTree *calls, GArray *nodes, uint32_t first,
		      uint32_t n)
{
	GtkSelectionModel *selection;

	clear_model(self);
	self->tree = new_siblings(calls, nodes, nodes, 0, 1);
	self->top = list_siblings(calls, nodes, first, n);
	self->model = gtk_tree_list_model_new(g_object_ref(self->top), FALSE, FALSE, children_of,
					      self->tree, free_siblings);
	selection = g_object_new(GTK_TYPE_SINGLE_SELECTION, "autoselect", FALSE, "can-unselect",
				 TRUE, "model", self->model, NULL);
	g_signal_connect_object(selection, "notify::selected-item",
				G_CALLBACK(descendants_on_selected), self, 0);
	open_heavy(self, n);
	spt_pane_set_model(SPT_PANE(self), selection);
	g_object_unref(selection);
}

/*
 * Puts another tree into the existing rows: making widgets for new ones is more than a frame's
 * work.
 */
static void descendants_show_tree(SptDescendants *self, SptCallTree *calls, uint32_t function,
				  GArray *nodes)
{
	const SptTreeNode *root = &g_array_index(nodes, SptTreeNode, 0);
	uint32_t first = function == NONE ? root->first_child : 0,
		 n = function == NONE ? root->n_children : 1;

	if (!self->model || g_list_model_get_n_items(G_LIST_MODEL(self->model)) > ANEW_MAX_ROWS ||
	    n > ANEW_MAX_ROWS) {
		set_model(self, calls, nodes, first, n);
		return;
	}
	spt_pane_start_anew(SPT_PANE(self), function != self->function);
	set_tree(self, calls, nodes);
	spt_row_list_refill(SPT_ROW_LIST(self->top), calls, n,
			    new_siblings(calls, nodes, nodes, first, n), free_siblings);
	open_heavy(self, n);
	spt_pane_show_empty(SPT_PANE(self), n == 0);
}

/*
 * Callers have no self weight there.  The column is removed: GTK 4.8 would keep the space of a
 * hidden one.
 */
static void show_self(SptDescendants *self, bool is_shown)
{
	GtkColumnView *view = spt_pane_view(SPT_PANE(self));

	if (is_shown)
		gtk_column_view_insert_column(view, 0, self->self_column);
	else
		gtk_column_view_remove_column(view, self->self_column);
}

static char *title_of(const SptDocument *document, uint32_t function)
{
	g_autofree char *made = NULL, *fitted = NULL;
	const char *name;

	if (function == NONE)
		return g_strdup(document->look.is_bottom_up ? _("All functions by self, bottom-up") :
							      _("All processes"));
	fitted = spt_fit_name(document->calls.functions[function].name, SPT_TEXT_NAME_COLUMNS);
	name = spt_text_name(fitted, &made);
	return document->look.is_bottom_up ? g_strdup_printf(_("Call paths to %s"), name) :
					     g_strdup_printf(_("Descendants of %s"), name);
}

void spt_descendants_show(SptDescendants *self, SptDocument *document, uint32_t function,
			  GArray *nodes)
{
	bool is_bottom_up = document->look.is_bottom_up;
	g_autofree char *title = NULL;

	if (document->look.is_passing && self->model && function == self->function &&
	    is_bottom_up == self->is_bottom_up && g_list_model_get_n_items(self->top)) {
		reweigh(self, &document->calls, nodes);
		return;
	}
	if (is_bottom_up != self->is_bottom_up)
		show_self(self, !is_bottom_up);
	/* Below each function, the part of its self weight by that path. */
	gtk_column_view_column_set_title(self->total_column,
					 is_bottom_up && function == NONE ? _("Self") : _("Total"));
	title = title_of(document, function);
	spt_pane_set_title(SPT_PANE(self), title);
	descendants_show_tree(self, &document->calls, function, nodes);
	self->function = function;
	self->is_bottom_up = is_bottom_up;
}

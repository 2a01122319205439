/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children become rows only when their parent is opened.  To begin with the tree is open where it is heavy, as far as
 * that can be seen without scrolling.
 */
#include "descendants.h"

#include "columns.h"

/* What is open to begin with: nodes with at least one part in so many of the whole, down to a depth. */
#define OPEN_MIN_PART 20
#define OPEN_MAX_DEPTH 14
#define OPEN_MAX_ROWS 32
/* GTK takes note of every row of what is open. */
#define OPEN_MAX_CHILDREN 5000

struct _SptDescendants {
	SptPane parent_instance;
};

G_DEFINE_FINAL_TYPE(SptDescendants, spt_descendants, SPT_TYPE_PANE)

static void spt_descendants_class_init(G_GNUC_UNUSED SptDescendantsClass *class)
{
}

static void spt_descendants_init(SptDescendants *self)
{
	GtkColumnView *view = spt_pane_view(SPT_PANE(self));

	spt_columns_append(view, SPT_COLUMN_SELF);
	spt_columns_append(view, SPT_COLUMN_TOTAL);
	spt_columns_append(view, SPT_COLUMN_TREE);
	spt_pane_set_title(SPT_PANE(self), "Descendants", NULL);
	spt_pane_set_empty_text(SPT_PANE(self), "There are no samples");
}

/* Nodes side by side: siblings. */
struct siblings {
	SptDocument *document;
	GArray *nodes;
	uint32_t first;
};

static void free_siblings(gpointer data)
{
	struct siblings *siblings = data;

	spt_document_unref(siblings->document);
	g_array_unref(siblings->nodes);
	g_free(siblings);
}

static struct siblings *new_siblings(SptDocument *document, GArray *nodes, uint32_t first)
{
	struct siblings *siblings = g_new(struct siblings, 1);

	*siblings = (struct siblings){ spt_document_ref(document), g_array_ref(nodes), first };
	return siblings;
}

static void fill(G_GNUC_UNUSED SptDocument *document, gconstpointer data, uint32_t position, SptRowValues *ret)
{
	const struct siblings *siblings = data;
	uint32_t at = siblings->first + position;
	const SptTreeNode *node = &g_array_index(siblings->nodes, SptTreeNode, at);

	*ret = (SptRowValues){ .function = node->function, .node = at, .self = node->self, .total = node->total };
}

static GListModel *list_siblings(SptDocument *document, GArray *nodes, uint32_t first, uint32_t n)
{
	return G_LIST_MODEL(spt_row_list_new(document, n, fill, new_siblings(document, nodes, first), free_siblings));
}

static GListModel *children_of(gpointer item, gpointer data)
{
	const struct siblings *tree = data;
	const SptTreeNode *node = &g_array_index(tree->nodes, SptTreeNode, spt_row_values(item)->node);

	return node->n_children ? list_siblings(tree->document, tree->nodes, node->first_child, node->n_children) : NULL;
}

/* Positions count what is open, so rows come by in the order in which they are seen. */
static void open_heavy(GtkTreeListModel *model, const GArray *nodes)
{
	uint64_t least = g_array_index(nodes, SptTreeNode, 0).total / OPEN_MIN_PART;

	for (unsigned at = 0; at < OPEN_MAX_ROWS; at++) {
		g_autoptr(GtkTreeListRow) row = gtk_tree_list_model_get_row(model, at);
		g_autoptr(SptRow) item = row ? gtk_tree_list_row_get_item(row) : NULL;
		const SptTreeNode *node;

		if (!row || g_list_model_get_n_items(G_LIST_MODEL(model)) > OPEN_MAX_ROWS)
			return;
		node = &g_array_index(nodes, SptTreeNode, spt_row_values(item)->node);
		if (node->total >= least && node->n_children <= OPEN_MAX_CHILDREN &&
		    gtk_tree_list_row_get_depth(row) < OPEN_MAX_DEPTH)
			gtk_tree_list_row_set_expanded(row, TRUE);
	}
}

void spt_descendants_show(SptDescendants *self, SptDocument *document, uint32_t function, GArray *nodes)
{
	const SptTreeNode *root = &g_array_index(nodes, SptTreeNode, 0);
	bool is_everything = function == UINT32_MAX;
	GListModel *top = is_everything ? list_siblings(document, nodes, root->first_child, root->n_children) :
					  list_siblings(document, nodes, 0, 1);
	GtkTreeListModel *model = gtk_tree_list_model_new(top, FALSE, FALSE, children_of, new_siblings(document, nodes, 0),
							  free_siblings);
	GtkSelectionModel *selection = g_object_new(GTK_TYPE_SINGLE_SELECTION, "autoselect", FALSE, "can-unselect", TRUE,
						    "model", model, NULL);

	open_heavy(model, nodes);
	spt_pane_set_title(SPT_PANE(self), is_everything ? "All processes" : "Descendants",
			   is_everything ? NULL : document->functions[function].name);
	spt_pane_set_model(SPT_PANE(self), selection);
	g_object_unref(model);
	g_object_unref(selection);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks that have a function, or a path of functions, heaviest first.  Found only while the
 * page is visible.
 */
#include <glib/gi18n.h>

#include "pages.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define SHARE_WIDTH 90
/* Nobody reads more. */
#define MAX_STACKS 100
#define MAX_ROWS 5000
#define NOTHING (-1.0)			/* as a percentage: none is shown */

#define SPT_TYPE_STACKS_PANE (spt_stacks_pane_get_type())
G_DECLARE_FINAL_TYPE(SptStacksPane, spt_stacks_pane, SPT, STACKS_PANE, GtkBox)

struct _SptStacksPane {
	GtkBox parent_instance;
	GtkWidget *title;
	SptTable *table;
	SptDocument *document;
	GArray *way;			/* functions */
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptStacksPane, spt_stacks_pane, GTK_TYPE_BOX)

static void stacks_pane_add_row(SptStacksPane *self, unsigned *row, double share, const char *text,
				const char *object)
{
	if (*row < MAX_ROWS)
		spt_table_set_row(self->table, (*row)++,
				  (const SptTableCell[]){ { .number = share },
							  { .text = text },
							  { .text = object } });
}

/* The innermost function first, as it took the time. */
static void add_stack(SptStacksPane *self, unsigned *row, const SptTreeNode *nodes, uint32_t leaf)
{
	for (uint32_t node = leaf; node != 0; node = nodes[node].parent) {
		const SptFunction *function =
			&self->document->calls.functions[nodes[node].function];
		g_autofree char *text = g_strconcat("    ", function->name, NULL);

		stacks_pane_add_row(self, row, NOTHING, text,
				    function->is_process ? _("(process)") : function->object);
	}
}

/* "work", or "work → hot". */
static char *stacks_pane_describe(const SptStacksPane *self)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < self->way->len; i++) {
		g_autofree char *made = NULL;
		const SptFunction *function =
			&self->document->calls.functions[g_array_index(self->way, uint32_t, i)];

		g_string_append_printf(text, "%s%s", i ? " → " : "",
				       spt_text_name(function->name, &made));
	}
	return g_string_free(text, FALSE);
}

static uint64_t total_of(const GArray *stacks, const SptTreeNode *nodes)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < stacks->len; i++)
		total += nodes[g_array_index(stacks, uint32_t, i)].self;
	return total;
}

static void stacks_pane_show(SptStacksPane *self, const GArray *stacks)
{
	unsigned row = 0, n, n_nodes;
	const SptTreeNode *nodes = spt_profile_tree(self->document->profile, &n_nodes);
	double total = (double)MAX(total_of(stacks, nodes), 1), rest = 100;
	g_autofree char *way = stacks_pane_describe(self), *title = NULL;

	for (n = 0; n < MIN(stacks->len, MAX_STACKS) && row < MAX_ROWS - 2; n++) {
		uint32_t leaf = g_array_index(stacks, uint32_t, n);
		g_autofree char *text = g_strdup_printf(_("Stack %u"), n + 1);
		double share = 100.0 * (double)nodes[leaf].self / total;

		rest -= share;
		stacks_pane_add_row(self, &row, share, text, "");
		add_stack(self, &row, nodes, leaf);
	}
	title = g_strdup_printf(
		ngettext("%u stack with %s; percentages are of its total%s",
			 "%u stacks with %s, heaviest first; percentages are of its total%s",
			 stacks->len),
		stacks->len, way, n < stacks->len ? "" : _(". These are all"));
	if (n < stacks->len) {
		g_autofree char *more = g_strdup_printf(_("and %u more"), stacks->len - n);

		row = MIN(row, MAX_ROWS - 1);
		stacks_pane_add_row(self, &row, MAX(rest, 0), more, "");
	}
	gtk_label_set_text(GTK_LABEL(self->title), title);
	spt_table_set_end(self->table, row);
	spt_table_show_row(self->table, 0);
}

static gpointer stacks_pane_find(SptDocument *document, gconstpointer input)
{
	const GArray *path = input;

	return spt_profile_stacks(document->profile, (const uint32_t *)path->data, path->len);
}

static void show_stacks(gpointer owner, gpointer answer)
{
	g_autoptr(GArray) stacks = answer;

	stacks_pane_show(owner, stacks);
}

static const SptQueryKind stacks_query = {
	.answer = stacks_pane_find,
	.show = show_stacks,
	.free_answer = (GDestroyNotify)g_array_unref,
	.needs_map = true,
};

static void stacks_pane_dispose(GObject *object)
{
	g_clear_pointer(&SPT_STACKS_PANE(object)->query, spt_query_free);
	g_clear_pointer(&SPT_STACKS_PANE(object)->document, spt_document_unref);
	G_OBJECT_CLASS(spt_stacks_pane_parent_class)->dispose(object);
}

static void stacks_pane_finalize(GObject *object)
{
	g_array_unref(SPT_STACKS_PANE(object)->way);
	G_OBJECT_CLASS(spt_stacks_pane_parent_class)->finalize(object);
}

static void spt_stacks_pane_class_init(SptStacksPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = stacks_pane_dispose;
	G_OBJECT_CLASS(class)->finalize = stacks_pane_finalize;
}

static void spt_stacks_pane_init(SptStacksPane *self)
{
	static const SptTableColumn columns[] = {
		{ N_("Total"), SPT_CELL_SHARE, SHARE_WIDTH },
		{ N_("Function"), SPT_CELL_TEXT, 0 },
		{ N_("Object"), SPT_CELL_DIM, 0 },
	};

	self->query = spt_query_new(GTK_WIDGET(self), &stacks_query);
	self->way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->title =
		g_object_new(GTK_TYPE_LABEL, "xalign", 0.0, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
	gtk_widget_add_css_class(self->title, "pane-header");
	self->table = SPT_TABLE(spt_table_new(_("Stacks"), columns, G_N_ELEMENTS(columns), false));
	spt_table_hide_heading(self->table);
	gtk_box_append(GTK_BOX(self), self->title);
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
}

static GtkWidget *stacks_pane_new(void)
{
	return g_object_new(SPT_TYPE_STACKS_PANE, NULL);
}

static void stacks_pane_set_function(GtkWidget *pane, SptDocument *document,
				     G_GNUC_UNUSED uint32_t function, GArray *way)
{
	SptStacksPane *self = SPT_STACKS_PANE(pane);

	spt_document_replace(&self->document, document);
	g_array_ref(way);
	g_array_unref(self->way);
	self->way = way;
	if (way->len > 0) {
		spt_query_ask(self->query, document, g_array_ref(way),
			      (GDestroyNotify)g_array_unref);
		return;
	}
	spt_query_cancel(self->query);
	gtk_label_set_text(
		GTK_LABEL(self->title),
		_("Select a function or a process among Functions: the stacks it is on are shown here"));
	spt_table_set_end(self->table, 0);
}

const SptPage spt_page_stacks = {
	.name = "stacks",
	.title = N_("Stacks"),
	.help = N_("Whole stacks of the selected function"),
	.key = "<Alt>7",
	.new = stacks_pane_new,
	.show = stacks_pane_set_function,
};

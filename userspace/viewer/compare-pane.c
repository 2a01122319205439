/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computed anew whenever the shown part changes while the page is visible. */
#include "compare-pane.h"

#include <glib/gi18n.h>

#include "columns.h"
#include "comparison.h"
#include "compat-gtk.h"
#include "flame-legend.h"
#include "flame-view.h"
#include "narrow.h"
#include "pages.h"
#include "pane.h"
#include "query.h"
#include "text.h"
#include "view-keys.h"

#define NAME_WIDTH 180
/* All columns; what is left is the flame graph, which keeps its least width. */
#define TABLE_WIDTH 770

struct _SptComparePane {
	GtkWidget parent_instance;
	GtkWidget *content, *header, *actions, *title, *detail, *words, *by_time, *swap, *another,
		*paned, *scrolled, *legend;
	SptPane *functions;
	SptFlameView *flame;
	SptDocument *before, *after;
	SptComparison *comparison;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptComparePane, spt_compare_pane, GTK_TYPE_WIDGET)

static void fill(G_GNUC_UNUSED const SptCallTree *calls, gconstpointer data, uint32_t position,
		 SptRowValues *ret)
{
	const uint32_t *list = data;

	*ret = (SptRowValues){ .function = list[position] };
}

/* Those that had something for themselves, before or after. */
static uint32_t *list_changed(const SptComparison *comparison, uint32_t *ret_n)
{
	uint32_t *list = g_new(uint32_t, MAX(comparison->calls.n_functions, 1)), n = 0;

	for (uint32_t i = 0; i < comparison->calls.n_functions; i++) {
		uint32_t function = comparison->changed[i];
		const SptDiffRow *row =
			&g_array_index(comparison->differences->rows, SptDiffRow, function);

		if (row->self[SPT_BEFORE] > 0 || row->self[SPT_AFTER] > 0)
			list[n++] = function;
	}
	*ret_n = n;
	return list;
}

/* Which file is which, and whether the second is faster. */
static void show_words(SptComparePane *self)
{
	SptDocument *const *sides = self->comparison->sides;
	g_autofree char *before = g_path_get_basename(sides[SPT_BEFORE]->recording->capture->path),
			*after = g_path_get_basename(sides[SPT_AFTER]->recording->capture->path);
	g_autofree char *made_before = NULL, *made_after = NULL, *names = NULL, *text = NULL;

	names = g_strdup_printf(_("Before: %s.  After: %s."), spt_text_name(before, &made_before),
				spt_text_name(after, &made_after));
	text = g_strdup_printf("%s  %s", names, self->comparison->words);
	/* A label that wraps would make a low window wide enough for fewer lines. */
	gtk_inscription_set_text(GTK_INSCRIPTION(self->words), text);
	gtk_widget_set_tooltip_text(self->words, text);
}

static void show(SptComparePane *self)
{
	uint32_t n, *list = list_changed(self->comparison, &n);
	SptRowList *rows = spt_row_list_new(&self->comparison->calls, n, fill, list, g_free);
	GtkSelectionModel *selection = g_object_new(GTK_TYPE_SINGLE_SELECTION, "autoselect", FALSE,
						    "can-unselect", TRUE, "model", rows, NULL);

	show_words(self);
	spt_pane_set_model(self->functions, selection);
	spt_flame_view_show(self->flame, &self->comparison->calls, self->comparison->calls.tree);
	g_object_unref(rows);
	g_object_unref(selection);
}

/* The document that is compared with. */
struct input {
	SptDocument *before;
	bool by_time, is_swapped;
};

static void free_input(gpointer data)
{
	struct input *input = data;

	spt_document_unref(input->before);
	g_free(input);
}

/* @document itself if it does not have the metric. */
static SptDocument *with_metric(SptDocument *document, const SptMetric *metric)
{
	SptLook look = document->look;

	look.metric = metric;
	return spt_metric_is_in(metric, document->recording->capture) ?
		       spt_document_look(document, &look) :
		       spt_document_ref(document);
}

/* Both parts are of commands, or both are everything. */
static SptDocument *like(SptDocument *before, const SptDocument *after)
{
	g_autoptr(SptRestrictions) everything = spt_restrictions_new();
	SptLook look = before->look;

	look.restrictions = everything;
	return spt_restrictions_find(after->look.restrictions, SPT_RESTRICT_COMMAND) ?
		       spt_document_ref(before) :
		       spt_document_look(before, &look);
}

static gpointer compare(SptDocument *document, gconstpointer data)
{
	const struct input *input = data;
	g_autoptr(SptDocument) wanted = like(input->before, document);
	g_autoptr(SptDocument) before = with_metric(wanted, document->look.metric);
	g_autoptr(SptDocument) after = with_metric(document, before->look.metric);

	return input->is_swapped ? spt_comparison_new(after, before, input->by_time) :
				   spt_comparison_new(before, after, input->by_time);
}

static void show_comparison(gpointer owner, gpointer comparison)
{
	SptComparePane *self = owner;

	g_clear_pointer(&self->comparison, spt_comparison_unref);
	self->comparison = comparison;
	show(self);
}

static const SptQueryKind comparison_query = {
	.answer = compare,
	.show = show_comparison,
	.free_answer = (GDestroyNotify)spt_comparison_unref,
	.needs_map = true,
};

static void ask(SptComparePane *self)
{
	bool by_time = gtk_check_button_get_active(GTK_CHECK_BUTTON(self->by_time));
	struct input *input;

	spt_flame_legend_show_changes(self->legend, by_time);
	if (!self->before || !self->after)
		return;
	input = g_new(struct input, 1);
	*input = (struct input){ spt_document_ref(self->before), by_time,
				 gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->swap)) };
	spt_query_ask(self->query, self->after, input, free_input);
}

static void on_toggled(SptComparePane *self)
{
	ask(self);
}

static void on_flame_changed(SptComparePane *self)
{
	uint32_t node = spt_flame_view_selected(self->flame);
	/* All of each is 100 %, and their difference says nothing. */
	bool says = self->comparison &&
		    (node != UINT32_MAX ||
		     gtk_check_button_get_active(GTK_CHECK_BUTTON(self->by_time)));
	g_autofree char *text =
		says ? spt_flame_view_describe(self->flame, node == UINT32_MAX ? 0 : node) : NULL;

	gtk_label_set_text(GTK_LABEL(self->detail), text ? text : "");
}

/* Highlighted in the picture. */
static void on_function_activated(SptComparePane *self, unsigned function)
{
	bool *matches = g_new0(bool, MAX(self->comparison->calls.n_functions, 1));

	matches[function] = true;
	spt_flame_view_light(self->flame, matches);
}

static void dispose(GObject *object)
{
	SptComparePane *self = SPT_COMPARE_PANE(object);
	GtkWidget *child;

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->before, spt_document_unref);
	g_clear_pointer(&self->after, spt_document_unref);
	g_clear_pointer(&self->comparison, spt_comparison_unref);
	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_COMPARE_PANE);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_compare_pane_parent_class)->dispose(object);
}

static void spt_compare_pane_class_init(SptComparePaneClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_PANE);
	g_type_ensure(SPT_TYPE_FLAME_VIEW);
	G_OBJECT_CLASS(class)->dispose = dispose;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(
		widget_class, "/io/github/sysprof_trace/Sysprof/compare-pane.ui");
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, content);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, header);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, actions);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, another);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, paned);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, title);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, detail);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, words);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, by_time);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, swap);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, scrolled);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, functions);
	gtk_widget_class_bind_template_child(widget_class, SptComparePane, flame);
	gtk_widget_class_bind_template_callback(widget_class, on_toggled);
	gtk_widget_class_bind_template_callback(widget_class, on_flame_changed);
	gtk_widget_class_bind_template_callback(widget_class, on_function_activated);
}

/* Where they are below each other, each has a half. */
static void place_handle(GtkWidget *paned)
{
	if (gtk_orientable_get_orientation(GTK_ORIENTABLE(paned)) == GTK_ORIENTATION_HORIZONTAL)
		gtk_paned_set_position(GTK_PANED(paned), TABLE_WIDTH);
	else
		g_object_set(paned, "position-set", FALSE, NULL);
}

static void spt_compare_pane_init(SptComparePane *self)
{
	static const SptColumnKind kinds[] = {
		SPT_COLUMN_BEFORE,   SPT_COLUMN_AFTER,	 SPT_COLUMN_CHANGE,
		SPT_COLUMN_FUNCTION, SPT_COLUMN_AMOUNTS, SPT_COLUMN_OBJECT,
	};

	gtk_widget_init_template(GTK_WIDGET(self));
	self->query = spt_query_new(GTK_WIDGET(self), &comparison_query);
	self->legend = spt_flame_legend_new();
	gtk_box_append(GTK_BOX(self->content), self->legend);
	spt_compat_aligned(self->words, false);
	spt_narrow_stack(self->header);
	spt_view_stay(self->scrolled);
	spt_narrow_stack(self->actions);
	spt_narrow_stack(self->paned);
	g_signal_connect(self->paned, "map", G_CALLBACK(place_handle), NULL);
	g_signal_connect(self->paned, "notify::orientation", G_CALLBACK(place_handle), NULL);
	spt_narrow_show(self->another, false);
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		GtkColumnViewColumn *column =
			spt_columns_append(spt_pane_view(self->functions), kinds[i]);

		/* What is behind it is reached by scrolling. */
		if (kinds[i] == SPT_COLUMN_FUNCTION)
			gtk_column_view_column_set_fixed_width(column, NAME_WIDTH);
	}
	spt_pane_set_title(self->functions, _("Changes of self"));
	/* There the rows have its room. */
	spt_narrow_show(spt_pane_header(self->functions), false);
	spt_pane_set_empty_text(self->functions, _("There are no samples"));
	g_signal_connect_object(
		gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(self->scrolled)),
		"value-changed", G_CALLBACK(gtk_widget_queue_draw), self->flame, G_CONNECT_SWAPPED);
}

void spt_compare_pane_set_before(SptComparePane *self, SptDocument *before, const char *name)
{
	g_autofree char *made = NULL, *text = NULL;

	g_clear_pointer(&self->before, spt_document_unref);
	if (!before || !name)
		return;
	self->before = spt_document_ref(before);
	text = g_strdup_printf(_("Compared with %s"), spt_text_name(name, &made));
	gtk_label_set_text(GTK_LABEL(self->title), text);
	ask(self);
}

static GtkWidget *compare_pane_new(void)
{
	return g_object_new(SPT_TYPE_COMPARE_PANE, NULL);
}

static void compare_pane_show_document(GtkWidget *page, SptDocument *document)
{
	SptComparePane *self = SPT_COMPARE_PANE(page);

	spt_document_replace(&self->after, document);
	ask(self);
}

static GtkWidget *compare_pane_picture(GtkWidget *page)
{
	return GTK_WIDGET(SPT_COMPARE_PANE(page)->flame);
}

/* Its view exists from the choice of a recording until the user leaves it. */
const SptPage spt_page_compare = {
	.name = "compare",
	.title = N_("Compare"),
	.help = N_("The comparison with another recording"),
	.key = "<Alt>6",
	.new = compare_pane_new,
	.show_document = compare_pane_show_document,
	.is_mode = true,
	.icon = "spt-compare-symbolic",
	.picture = compare_pane_picture,
};
